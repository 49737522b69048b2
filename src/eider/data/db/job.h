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

/// One statement of several that go together, and what became of it.
struct Part {
  std::string_view sql{};
  std::span<const Value> values{};
  RowSink* rows = nullptr;
  Changed changed{};
  std::exception_ptr failure{};
  bool is_done = false;  // or has failed
  bool is_kept = false;  // for those who carry it out: no open transaction decides about it
};

/// What a driver's own way of moving rows gives to its connections, such as a step of a COPY. Only
/// that driver makes and reads it.
class RowTransfer {
 protected:
  RowTransfer() = default;
  ~RowTransfer() = default;
};

/// The operation that a job requests from a connection. The job owns everything that it refers to.
///
/// savepoint  its text sets one, goes back to it or releases it, and is not prepared
/// each       its parts, one after the other: one that fails does not concern the others
/// batch      its parts, all or none of them; the first failure is the job's
/// hold       keeps the connection for one that reads rows in pieces
/// piece      the next rows of `cursor`; for connections that block
/// close      ends `cursor`; for connections that block
/// transfer   rows by the driver's own way
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
  };

  What what;
  std::string_view sql{};
  std::span<const Value> values{};
  RowSink* rows = nullptr;  // null when the rows are not wanted
  std::span<Part> parts{};
  bool is_within_transaction = false;  // a batch: what is taken back is the transaction's matter
  Cursor* cursor = nullptr;
  RowTransfer* transfer = nullptr;
  Isolation isolation = Isolation::server;  // of what is begun
};

/// A connection that waits on the loop instead of on a thread. It is told on its loop.
class LoopConnection {
 public:
  /// Nobody waits for the job that it carries out.
  virtual void on_abandoned(Job& job) noexcept = 0;
  /// The transaction that it is kept for has got a job, or was left.
  virtual void on_changed() = 0;

 protected:
  ~LoopConnection() = default;
};

/// Owned by its awaiter, then by a queue, then by its loop; destroyed where it is dropped.
class Job : public Posted {
 public:
  enum class Outcome : std::uint8_t { done, needs_writer };

  Job() = default;
  ~Job() override;

  // On the loop.

  /// `waiting` goes on when this comes back. `holder` points here until it is destroyed.
  ///
  /// meter  of the database that is asked; outlives the wait
  void wait(Loop& loop, std::coroutine_handle<> waiting, Job*& holder, Meter& meter) noexcept;
  /// Nobody waits any more. Not at the same time as `is_awaited` (Pool sees to that).
  void abandon() noexcept;
  void run() final;
  /// The connection that carries it out on the loop; null when there is none.
  [[nodiscard]] LoopConnection* carrier() const noexcept { return carrier_; }
  void set_carrier(LoopConnection* carrier) noexcept { carrier_ = carrier; }

  // Where it is carried out: on a connection's thread, or on the loop.

  /// What to do. Asked once by each connection that takes it up.
  [[nodiscard]] virtual Request start() noexcept = 0;
  /// When waiting for it is to end; for those that set it. `execute` sets its own.
  void set_deadline(Instant deadline) noexcept { limit_.set_deadline(deadline); }
  [[nodiscard]] Instant deadline() const noexcept { return limit_.deadline(); }
  /// It was done.
  void succeed(const Changed& changed) noexcept;
  void fail(std::exception_ptr failure) noexcept { failure_ = std::move(failure); }
  /// Does all of this with a connection that blocks; once more where what it did was taken back.
  [[nodiscard]] Outcome execute(Connection& connection, Duration time_max) noexcept;
  [[nodiscard]] bool is_awaited() const noexcept { return waiting_.is_there(); }
  /// Not of one that nobody has ever waited for: that one is done all the same.
  [[nodiscard]] bool is_abandoned() const noexcept { return limit_.is_abandoned(); }
  [[nodiscard]] Loop& loop() const noexcept { return *loop_; }
  /// The transaction that this has begun, for which the connection is to be kept.
  [[nodiscard]] virtual std::shared_ptr<TransactionState> begun() const noexcept { return nullptr; }

  /// It asks for a connection to read rows in pieces from.
  [[nodiscard]] virtual bool opens_stream() const noexcept { return false; }

  /// The text of the one statement that it is; empty where it is anything else.
  [[nodiscard]] virtual std::string_view statement() const noexcept { return {}; }
  [[nodiscard]] bool has_succeeded() const noexcept { return has_succeeded_; }
  /// It has succeeded or failed.
  [[nodiscard]] bool is_over() const noexcept { return has_succeeded_ || failure_ != nullptr; }
  /// For how long it may run.
  [[nodiscard]] virtual Duration time_max(Duration usual) const noexcept { return usual; }
  /// Null when it is not several jobs that go together.
  [[nodiscard]] virtual JobGroup* group() noexcept { return nullptr; }
  /// It went with others and came back undone.
  void exclude_from_batching() noexcept { is_alone_ = true; }
  [[nodiscard]] bool is_alone() const noexcept { return is_alone_; }
  /// When a connection of the loop has got it.
  void set_sent(Instant now) noexcept { sent_ = now; }
  [[nodiscard]] Instant sent() const noexcept { return sent_; }

  /// Another connection carries it out: what has come of what is not done does not count.
  void begin_again() noexcept { forget_rows(); }
  /// It will not be executed: the waiting coroutine gets `failure`.
  void refuse(const Failure& failure) noexcept;

 protected:
  [[nodiscard]] const Changed& changed() const noexcept { return changed_; }
  [[nodiscard]] const std::exception_ptr& failure() const noexcept { return failure_; }
  /// Throws what it failed with.
  void rethrow() const;

  /// Rows that have come do not count: it is executed again.
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
  std::shared_ptr<StatementWatch> watch_;  // of the request that waits; null: nobody watches
  LoopConnection* carrier_ = nullptr;
  Meter* meter_ = nullptr;  // null: nobody counts
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
