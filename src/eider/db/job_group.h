// Statements that wait at the same time and go to one connection together.
// Must not know a driver, nor which of them may go together.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "eider/db/job.h"

namespace eider::db {

/// For their connection they are one batch: one write, one transaction, one answer. What fails it
/// has undone all of it, and each is done by itself then, so that nobody meets another's failure.
class JobGroup final : public Job, private LoopConnection {
 public:
  enum class Outcome : std::uint8_t { done, undone, unknown };

  explicit JobGroup(std::size_t jobs_max) {
    jobs_.reserve(jobs_max);
    parts_.reserve(jobs_max);
  }

  /// Pre: fewer than `jobs_max` are in it, and `job` is one statement.
  void add(std::unique_ptr<Job> job);
  [[nodiscard]] Request start() noexcept override {
    return {.what = Request::What::batch, .parts = parts_};
  }
  [[nodiscard]] JobGroup* group() noexcept override { return this; }
  /// It is of quick ones: where one is held up, the others are not to wait for it.
  [[nodiscard]] Duration time_max(Duration usual) const noexcept override {
    return std::min<Duration>(usual, std::chrono::seconds(1));
  }
  [[nodiscard]] std::size_t size() const noexcept { return jobs_.size(); }

  /// Takes it apart, once it is over: its jobs know what became of them, unless they are undone.
  [[nodiscard]] std::vector<std::unique_ptr<Job>> take();
  [[nodiscard]] Outcome outcome() const;

 private:
  void on_abandoned(Job& job) noexcept override;
  void on_changed() override {}

  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<Part> parts_;
  std::size_t awaited_ = 0;
};

}  // namespace eider::db
