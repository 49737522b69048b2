// The transaction that a connection is reserved for, with its next statement and time limits.
// Layering: must not communicate with the server.
#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "eider/data/db/pool.h"
#include "eider/io/runtime/time.h"

namespace eider::db {

class TransactionHold {
 public:
  TransactionHold() = default;
  TransactionHold(const TransactionHold&) = delete;
  TransactionHold& operator=(const TransactionHold&) = delete;
  ~TransactionHold() {
    if (is_held()) {
      state_->set_carrier(nullptr);
      lose();
    }
  }

  [[nodiscard]] bool is_held() const noexcept { return state_ != nullptr; }
  /// Returns whether it is a row stream.
  [[nodiscard]] bool is_stream() const noexcept { return is_held() && state_->is_stream(); }
  /// Returns whether a statement has ended the transaction, such as `exec("commit")`: nothing more
  /// may be executed in it.
  ///
  /// is_open  whether the server has an open transaction
  [[nodiscard]] bool was_ended(bool is_open) const noexcept {
    return is_held() && !is_open && !state_->is_session();
  }
  /// carrier  the connection
  void begin(std::shared_ptr<TransactionState> begun, LoopConnection& carrier,
             const PoolLimits& limits, Instant now) {
    state_ = std::move(begun);
    state_->set_carrier(&carrier);
    end_ = now + state_->time_max(limits);
    idle_max_ = state_->idle_max(limits);
    due_ = end_;
  }

  // Pre for the functions below: is_held().

  // The deadlines: while a job runs, and while it waits for one.

  [[nodiscard]] Instant due_of_job() noexcept { return due_ = end_; }
  [[nodiscard]] Instant due_of_asking(Instant now) noexcept {
    return due_ = std::min(end_, now + idle_max_);
  }
  void expire_at(Instant now) noexcept {
    if (now >= due_) {
      state_->end(TransactionState::Stage::expired);
    }
  }
  void lose() noexcept { state_->end(TransactionState::Stage::lost); }
  [[nodiscard]] bool is_over() const { return state_->is_over(); }
  /// Returns its next job; null if there is none at the moment, or it is over.
  ///
  /// is_open  whether the server has an open transaction
  [[nodiscard]] std::unique_ptr<Job> next(bool is_open) {
    if (was_ended(is_open)) {
      state_->end();
    }
    std::unique_ptr<Job> job = state_->try_next();
    while (job != nullptr && !job->is_awaited()) {
      job = state_->try_next();
    }
    return job;
  }
  /// returns  the jobs that were not executed, as rejected
  [[nodiscard]] std::deque<std::unique_ptr<Job>> leave() {
    const std::shared_ptr<TransactionState> left = std::exchange(state_, nullptr);
    left->set_carrier(nullptr);
    return left->close();
  }

 private:
  std::shared_ptr<TransactionState> state_;
  Instant end_;
  Duration idle_max_{0};
  Instant due_;
};

}  // namespace eider::db
