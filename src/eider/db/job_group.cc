#include "eider/db/job_group.h"

#include <exception>
#include <utility>

#include "eider/db/failure.h"

namespace eider::db {

void JobGroup::add(std::unique_ptr<Job> job) {
  const Request request = job->start();
  parts_.push_back({.sql = request.sql, .values = request.values, .rows = request.rows});
  job->set_carrier(this);
  jobs_.push_back(std::move(job));
  ++awaited_;
}

JobGroup::Outcome JobGroup::outcome() const {
  try {
    rethrow();
  } catch (const Failure& failure) {
    return failure.kind() == FailureKind::lost ? Outcome::unknown : Outcome::undone;
  } catch (...) {
    return Outcome::undone;  // its rows did not fit what they were read into
  }
  return has_succeeded() ? Outcome::done : Outcome::undone;
}

std::vector<std::unique_ptr<Job>> JobGroup::take() {
  const Outcome outcome = this->outcome();
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    jobs_[i]->set_carrier(nullptr);
    if (outcome == Outcome::done) {
      jobs_[i]->succeed(parts_[i].changed);
    } else if (outcome == Outcome::unknown) {
      jobs_[i]->fail(failure());
    }
  }
  return std::move(jobs_);
}

/// What others wait for goes on.
void JobGroup::on_abandoned(Job& /*job*/) noexcept {
  --awaited_;
  if (awaited_ == 0 && carrier() != nullptr) {
    carrier()->on_abandoned(*this);
  }
}

}  // namespace eider::db
