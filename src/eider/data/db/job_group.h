// Statements that wait at the same time and are sent to one connection together.
// Layering: must not know a driver or which statements may go together.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include "eider/data/db/job.h"
#include "eider/data/db/statement_costs.h"

namespace eider::db {

/// For their connection they are parts of one job, in one write: nobody meets another's failure.
class JobGroup final : public Job, private LoopConnection {
 public:
  /// costs  outlive it; they forget the texts of those that leave ahead of the end
  JobGroup(StatementCosts& costs, std::size_t jobs_max) : costs_(costs) {
    jobs_.reserve(jobs_max);
    parts_.reserve(jobs_max);
  }

  /// Pre: fewer than `jobs_max` are in it, and `job` is one statement that only reads.
  void add(std::unique_ptr<Job> job);
  [[nodiscard]] Request start() noexcept override {
    return {.what = Request::What::each, .parts = parts_};
  }
  [[nodiscard]] JobGroup* group() noexcept override { return this; }
  [[nodiscard]] std::size_t size() const noexcept { return jobs_.size(); }
  /// It is of quick ones: where one is held up, the others are not to wait for it.
  [[nodiscard]] Duration time_max(Duration usual) const noexcept override {
    return std::min<Duration>(usual, std::chrono::milliseconds(250));
  }

  /// It is over: what was not done has failed.
  void end() noexcept;
  /// Takes it apart: those that were done, or have failed by themselves, know it.
  [[nodiscard]] std::vector<std::unique_ptr<Job>> take();

 protected:
  void forget_rows() noexcept override;

 private:
  void on_abandoned(Job& job) noexcept override;
  void on_changed() override {}

  StatementCosts& costs_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<Part> parts_;
  std::size_t awaited_ = 0;
};

}  // namespace eider::db
