#include "eider/db/job.h"

#include "eider/db/failure.h"

namespace eider::db {

Job::~Job() {
  if (holder_ != nullptr) {
    *holder_ = nullptr;
  }
}

void Job::wait(Loop& loop, std::coroutine_handle<> waiting, Job*& holder) noexcept {
  loop_ = &loop;
  waiting_ = waiting;
  holder_ = &holder;
  holder = this;
}

void Job::abandon() noexcept {
  waiting_ = nullptr;
  holder_ = nullptr;
  limit_.abandon();
}

void Job::run() {
  if (waiting_ != nullptr) {
    std::exchange(waiting_, nullptr).resume();
  }
}

Job::Outcome Job::execute(Connection& connection, Duration time_max) noexcept {
  if (limit_.is_abandoned()) {
    return Outcome::done;
  }
  limit_.set_deadline(std::chrono::steady_clock::now() + time_max);
  try {
    return call(connection);
  } catch (...) {
    failure_ = std::current_exception();
    return Outcome::done;
  }
}

void Job::refuse(const Failure& failure) noexcept {
  failure_ = std::make_exception_ptr(failure);
}

void Job::rethrow() const {
  if (failure_ != nullptr) {
    std::rethrow_exception(failure_);
  }
}

}  // namespace eider::db
