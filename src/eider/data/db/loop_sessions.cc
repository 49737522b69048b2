#include <utility>

#include "eider/data/db/failure.h"
#include "eider/data/db/loop_sessions.h"

namespace eider::db {

namespace {

/// Returns whether the server was requested to end it, because it was blocked or blocked others.
bool was_ended(const std::exception_ptr& failure) noexcept {
  try {
    std::rethrow_exception(failure);
  } catch (const Failure& told) {
    return told.kind() == FailureKind::expired;
  } catch (...) {
    return false;
  }
}

}  // namespace

void JobGroup::add(std::unique_ptr<Job> job) {
  const Request request = job->start();
  parts_.push_back({.sql = request.sql, .values = request.values, .rows = request.rows});
  job->set_carrier(this);
  jobs_.push_back(std::move(job));
  ++awaited_;
}

void JobGroup::end() noexcept {
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    if (!parts_[i].is_done) {
      jobs_[i]->fail(failure());
    } else if (parts_[i].failure != nullptr) {
      jobs_[i]->fail(parts_[i].failure);
    }
  }
}

std::vector<std::unique_ptr<Job>> JobGroup::take() {
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    jobs_[i]->set_carrier(nullptr);
    if (parts_[i].is_done && parts_[i].failure == nullptr) {
      jobs_[i]->succeed(parts_[i].changed);
    } else if (parts_[i].is_done && !was_ended(parts_[i].failure)) {
      jobs_[i]->fail(parts_[i].failure);
    }
  }
  return std::move(jobs_);
}

void JobGroup::forget_rows() noexcept {
  for (const std::unique_ptr<Job>& job : jobs_) {
    job->begin_again();
  }
}

/// The other statements of the group continue.
void JobGroup::on_abandoned(Job& job) noexcept {
  costs_.forget(job.statement());  // it may have been abandoned because it was blocked
  --awaited_;
  if (awaited_ == 0 && carrier() != nullptr) {
    carrier()->on_abandoned(*this);
  }
}

}  // namespace eider::db
