// One call on its way to a connection's thread and back to the loop that awaits it.
// Must not touch the loop once nobody waits: it may be gone.
#pragma once

#include <coroutine>
#include <exception>
#include <memory>

#include "eider/db/connection.h"
#include "eider/runtime/loop.h"

namespace eider::db {

class Failure;
class TransactionState;

/// Owned by its awaiter, then by a queue, then by its loop; destroyed where it is dropped.
class Job : public Posted {
 public:
  enum class Outcome : std::uint8_t { done, needs_writer };

  Job() = default;
  ~Job() override;

  // On the loop.

  /// `waiting` goes on when this comes back. `holder` points here until it is destroyed.
  void wait(Loop& loop, std::coroutine_handle<> waiting, Job*& holder) noexcept;
  /// Nobody waits any more. Not at the same time as `is_awaited` (Pool sees to that).
  void abandon() noexcept;
  void run() final;

  // On a connection's thread.

  [[nodiscard]] Outcome execute(Connection& connection, Duration time_max) noexcept;
  [[nodiscard]] bool is_awaited() const noexcept { return waiting_ != nullptr; }
  [[nodiscard]] Loop& loop() const noexcept { return *loop_; }
  /// The transaction that this has begun, for which the connection is to be kept.
  [[nodiscard]] virtual std::shared_ptr<TransactionState> begun() const noexcept { return nullptr; }

  /// It will not be executed: the waiting coroutine gets `failure`.
  void refuse(const Failure& failure) noexcept;

 protected:
  [[nodiscard]] virtual Outcome call(Connection& connection) = 0;
  [[nodiscard]] const Limit& limit() const noexcept { return limit_; }
  /// Throws what `execute` caught.
  void rethrow() const;

 private:
  Loop* loop_ = nullptr;
  std::coroutine_handle<> waiting_;
  Job** holder_ = nullptr;
  Limit limit_;
  std::exception_ptr failure_;
};

}  // namespace eider::db
