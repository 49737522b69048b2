// One call on its way to a connection and back to the coroutine that awaits it.
// Layering: must not use the event loop after the caller stopped waiting.
#pragma once

#include <chrono>
#include <coroutine>
#include <exception>
#include <memory>
#include <utility>

#include "eider/core/base/span.h"
#include "eider/data/db/connection.h"
#include "eider/data/db/transaction_options.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/outside_calls.h"
#include "eider/io/runtime/suspended.h"

namespace eider::db {

class Failure;
class Meter;
class Job;
class JobGroup;
class StatementWatch;
class TransactionState;
struct Description;

/// One statement of a group, and its outcome.
struct Part {
  std::string_view sql{};
  std::span<const Value> values{};
  RowSink* rows = nullptr;
  Changed changed{};
  std::exception_ptr failure{};
  bool is_done = false;  // executed or failed
  bool is_kept = false;  // for the executor: an open transaction does not affect it any more
};

/// Data for a driver's own way to transfer rows, such as a step of a COPY. Only that driver creates
/// and reads it.
class RowTransfer {
 protected:
  RowTransfer() = default;
  ~RowTransfer() = default;
};

/// The operation that a job requests from a connection. The job owns everything that it refers to.
///
/// savepoint  the text sets, rolls back to or releases a savepoint; it is not prepared
/// each       runs the parts one by one; the failure of one does not affect the others
/// batch      runs all parts or none; the first failure is that of the job
/// hold       reserves the connection for reading rows in pieces
/// piece      reads the next rows of `cursor`; for blocking connections
/// close      closes `cursor`; for blocking connections
/// transfer   transfers rows in the driver's own way
/// describe   prepares the statement, and does not run it
struct Request {
  enum class What : std::uint8_t {
    statement,
    script,
    begin,
    commit,
    roll_back,
    savepoint,
    each,
    batch,
    hold,
    piece,
    close,
    transfer,
    describe,
  };

  What what;
  std::string_view sql{};
  std::span<const Value> values{};
  RowSink* rows = nullptr;  // null if the rows are not needed
  std::span<Part> parts{};
  bool is_within_transaction = false;  // of a batch: the transaction decides about a rollback
  Cursor* cursor = nullptr;
  RowTransfer* transfer = nullptr;
  Description* description = nullptr;
  Isolation isolation = Isolation::server;  // of the transaction that begins
};

/// A connection that waits on the event loop instead of a thread. Called on its loop.
class LoopConnection {
 public:
  /// Called when the caller of its current job has stopped waiting.
  virtual void on_abandoned(Job& job) noexcept = 0;
  /// Called when the transaction that reserves it has a new job or has ended.
  virtual void on_changed() = 0;

 protected:
  ~LoopConnection() = default;
};

/// Owned by its awaiter, then by a queue, then by its loop; the last owner destroys it.
class Job : public Posted {
 public:
  enum class Outcome : std::uint8_t { done, needs_writer };

  Job() = default;
  ~Job() override;

  // On the event loop.

  /// Resumes `waiting` when the job returns. `holder` points to it until it is destroyed.
  ///
  /// meter  of the database; must outlive the wait
  void wait(Loop& loop, std::coroutine_handle<> waiting, Job*& holder, Meter& meter) noexcept;
  /// Called when the caller has stopped waiting. Not concurrently with `is_awaited` (Pool ensures
  /// it).
  void abandon() noexcept;
  void run() final;
  /// Returns the loop connection that executes it; null if there is none.
  [[nodiscard]] LoopConnection* carrier() const noexcept { return carrier_; }
  void set_carrier(LoopConnection* carrier) noexcept { carrier_ = carrier; }

  // Where it is executed: on a connection's thread, or on the loop.

  /// Returns the operation. Called once by each connection that starts it.
  [[nodiscard]] virtual Request start() noexcept = 0;
  /// The deadline of the wait, for drivers that set it. `execute` sets its own.
  void set_deadline(Instant deadline) noexcept { limit_.set_deadline(deadline); }
  [[nodiscard]] Instant deadline() const noexcept { return limit_.deadline(); }
  /// Called when it was executed.
  void succeed(const Changed& changed) noexcept;
  void fail(std::exception_ptr failure) noexcept { failure_ = std::move(failure); }
  /// Executes it with a blocking connection; again if its first execution was rolled back.
  [[nodiscard]] Outcome execute(Connection& connection, Duration time_max) noexcept;
  [[nodiscard]] bool is_awaited() const noexcept { return waiting_.is_there(); }
  /// Returns false for a job that was never awaited: it is executed anyway.
  [[nodiscard]] bool is_abandoned() const noexcept { return limit_.is_abandoned(); }
  [[nodiscard]] Loop& loop() const noexcept { return *loop_; }
  /// Returns the transaction that it has begun, for which the connection must be reserved.
  [[nodiscard]] virtual std::shared_ptr<TransactionState> begun() const noexcept { return nullptr; }

  /// Returns whether it requests a connection for reading rows in pieces.
  [[nodiscard]] virtual bool opens_stream() const noexcept { return false; }

  /// Returns the text if it is a single statement; otherwise empty.
  [[nodiscard]] virtual std::string_view statement() const noexcept { return {}; }
  [[nodiscard]] bool has_succeeded() const noexcept { return has_succeeded_; }
  /// Returns whether it has succeeded or failed.
  [[nodiscard]] bool is_over() const noexcept { return has_succeeded_ || failure_ != nullptr; }
  /// Returns the maximum time that it may run.
  [[nodiscard]] virtual Duration time_max(Duration usual) const noexcept { return usual; }
  /// Returns null if it is not a group of jobs.
  [[nodiscard]] virtual JobGroup* group() noexcept { return nullptr; }
  /// Called if it was in a group and came back without being executed.
  void exclude_from_batching() noexcept { is_alone_ = true; }
  [[nodiscard]] bool is_alone() const noexcept { return is_alone_; }
  /// Sets the time at which a loop connection got it.
  void set_sent(Instant now) noexcept { sent_ = now; }
  [[nodiscard]] Instant sent() const noexcept { return sent_; }

  /// Called when another connection executes it: partial results are dropped.
  void begin_again() noexcept { forget_rows(); }
  /// Called if it will not be executed: the waiting coroutine gets `failure`.
  void refuse(const Failure& failure) noexcept;

 protected:
  [[nodiscard]] const Changed& changed() const noexcept { return changed_; }
  [[nodiscard]] const std::exception_ptr& failure() const noexcept { return failure_; }
  /// Throws its failure.
  void rethrow() const;

  /// Drops the rows received so far, because it is executed again.
  virtual void forget_rows() noexcept {}

 private:
  void open_span() noexcept;
  void note_end(bool has_failed) noexcept;
  void note_if_slow() noexcept;
  [[nodiscard]] Outcome call(Connection& connection);
  [[nodiscard]] Outcome call_each(Connection& connection, std::span<Part> parts);
  void call_batch(Connection& connection, const Request& request);

  Loop* loop_ = nullptr;
  eider::detail::runtime::Suspended waiting_;
  Job** holder_ = nullptr;
  std::shared_ptr<StatementWatch> watch_;  // of the request that waits; null: none
  LoopConnection* carrier_ = nullptr;
  Meter* meter_ = nullptr;  // null: not counted
  std::chrono::steady_clock::time_point began_;
  OpenSpan span_;
  WaitNote note_;
  Limit limit_;
  Instant sent_;
  Changed changed_;
  bool has_succeeded_ = false;
  bool is_alone_ = false;
  eider::detail::runtime::OutsideCall outside_;
  std::exception_ptr failure_;
};

}  // namespace eider::db
