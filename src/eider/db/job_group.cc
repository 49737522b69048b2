#include "eider/db/job_group.h"

#include <utility>

namespace eider::db {

void JobGroup::add(std::unique_ptr<Job> job) {
  const Request request = job->start();
  parts_.push_back({.sql = request.sql, .values = request.values, .rows = request.rows});
  job->set_carrier(this);
  jobs_.push_back(std::move(job));
  ++awaited_;
}

std::vector<std::unique_ptr<Job>> JobGroup::take() {
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    jobs_[i]->set_carrier(nullptr);
    if (has_succeeded()) {
      jobs_[i]->succeed(parts_[i].changed);
    }
  }
  return std::move(jobs_);
}

/// What others wait for goes on.
void JobGroup::on_abandoned(Job& job) noexcept {
  costs_.forget(job.statement());  // it may have left because it was held up
  --awaited_;
  if (awaited_ == 0 && carrier() != nullptr) {
    carrier()->on_abandoned(*this);
  }
}

}  // namespace eider::db
