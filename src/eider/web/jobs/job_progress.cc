#include "eider/web/jobs/job_progress.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/sleep.h"
#include "eider/web/jobs/jobs.h"

namespace eider {

namespace {

constexpr Duration kPauseMin = std::chrono::seconds(1);
/// Maximum pause, for a job without news.
constexpr Duration kPauseMax = std::chrono::seconds(4);

}  // namespace

Task<> follow_job(std::int64_t id, JsonEvents<JobProgress> events, State<Jobs> jobs) {
  std::optional<JobProgress> sent;
  Duration pause = kPauseMin;
  while (true) {
    auto now = co_await jobs->admin().progress(id);
    if (!now && !sent) {
      throw Failure(
          Error::not_found("There is no job " + std::to_string(id) + ", or it has ended."));
    }
    if (!now) {
      now = sent;
      now->state = "ended";
    }
    if (now->state == "ended" || now->state == "done" || now->state == "failed") {
      co_await events.send(*now, {.event = "end"});
      co_return;
    }
    pause = std::min(2 * pause, kPauseMax);
    if (now != sent) {
      co_await events.send(*now);
      sent = std::move(now);
      pause = kPauseMin;
    }
    co_await sleep_for(pause);
  }
}

}  // namespace eider
