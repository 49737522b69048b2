// The lease of a worker: heartbeats, its loss, and jobs of workers that have lost theirs.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <string>

#include "eider/core/base/secret_bytes.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/sleep.h"
#include "eider/web/jobs/job_active.h"
#include "eider/web/jobs/job_worker.h"

namespace eider::detail::jobs {

namespace {

using std::chrono::seconds;
using How = Ending::How;

/// Returns a random ID, never 0.
std::int64_t make_id() {
  std::array<char, sizeof(std::int64_t)> bytes{};
  const std::string random = secret_bytes(bytes.size());
  std::ranges::copy(random, bytes.begin());
  return static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(bytes) >> 1U | 1U);
}

std::string label_of_process() {
  std::array<char, 100> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + " " + std::to_string(::getpid());
}

}  // namespace

Duration Worker::lease() const {
  return Loop::current().is_simulated() ? std::max(options_.lease, 3 * kIntervalSimulated)
                                        : options_.lease;
}

Task<> Worker::begin_lease() {
  const std::int64_t id = make_id();
  const Instant sent = Loop::current().read_now();
  co_await store_.add_worker(id, label_of_process(), to_ms(lease()));
  const Instant valid_until = sent + lease() - lease() / 6;
  if (Loop::current().read_now() >= valid_until) {
    throw std::runtime_error("The registration of this worker took longer than its lease of " +
                             format_duration(lease()) + ".");
  }
  // After the registration: other processes release the jobs of an ID without a row.
  id_ = id;
  next_beat_ = sent + lease() / 3;
  valid_until_ = valid_until;
  counts_.has_lease = true;
  lease_begun_.set();
}

// The lease counts from when the statement was sent, because it may wait for a connection.
Task<> Worker::keep_lease() {
  while (true) {
    co_await lease_begun_.wait();
    co_await sleep_until(next_beat_);
    try {
      co_await beat();
    } catch (...) {
      next_beat_ = Loop::current().now() + std::min<Duration>(options_.lease / 10, seconds(1));
    }
  }
}

Task<> Worker::watch_jobs() {
  Duration pause = options_.lease / 3;  // for simulated time
  while (true) {
    co_await lease_begun_.wait();
    Duration waited = Duration::zero();
    do {
      co_await sleep_for(options_.lease / 3);
      waited += options_.lease / 3;
    } while (Loop::current().is_simulated() && active_.empty() && waited < pause);
    try {
      co_await compare_and_release();
    } catch (...) {
      compared_ = 0;  // compare at the next iteration
    }
    pause = std::min(2 * waited, kIntervalSimulated);
  }
}

// Ends the lease in time even if a statement hangs: other processes then run the jobs.
Task<> Worker::guard_lease() {
  while (true) {
    co_await lease_begun_.wait();
    co_await sleep_until(valid_until_);
    if (id_ != 0 && Loop::current().now() >= valid_until_) {
      lose_lease("the database could not be reached in time");
    }
  }
}

Task<> Worker::beat() {
  const std::int64_t id = id_;
  const Instant sent = Loop::current().read_now();
  if (id == 0) {
    co_return;
  }
  const bool is_kept = co_await store_.extend_lease(id, to_ms(lease()));
  if (id != id_) {
    co_return;
  }
  if (!is_kept) {
    lose_lease("another worker has ended it");
    co_return;
  }
  valid_until_ = sent + lease() - lease() / 6;
  next_beat_ = sent + lease() / 3;
}

Task<> Worker::compare_and_release() {
  if (id_ == 0) {
    co_return;
  }
  const bool is_sixth = ++comparisons_ % 6 == 0;
  if (!active_.empty() || claims_ != compared_ || is_sixth) {
    co_await compare();
  }
  const std::int64_t lapsed = co_await store_.remove_lapsed_workers();
  if (lapsed != 0 || is_sixth) {
    co_await release_orphans();
  }
}

/// Cancels jobs that were discarded, and releases those of a claim whose response was lost.
Task<> Worker::compare() {
  const std::int64_t id = id_;
  const std::uint64_t claims = claims_;
  const bool was_claiming = is_claiming_;
  const auto held = co_await store_.running_of(id);
  const bool may_release = !was_claiming && claims == claims_ && id == id_;
  compared_ = may_release ? claims : compared_;
  for (const Held& job : held) {
    if (id != id_) {
      co_return;  // the lease has ended meanwhile
    }
    const auto found = active_.find({job.id, job.fence});
    if (found != active_.end() && job.is_cancelled) {
      found->second->cancel(Why::cancelled);
    } else if (found == active_.end() && may_release) {
      (void)co_await store_.end({.id = job.id,
                                 .fence = job.fence,
                                 .how = How::released,
                                 .batch = job.batch,
                                 .is_attempt_returned = true});
    }
  }
}

Task<> Worker::release_orphans() {
  std::size_t count = kOrphansAtOnce;
  while (count >= kOrphansAtOnce) {
    const auto orphans = co_await store_.orphans();
    count = orphans.size();
    co_await release(orphans);
  }
}

Task<> Worker::release(const std::vector<Held>& orphans) {
  for (const Held& job : orphans) {
    Ending ending{.id = job.id, .fence = job.fence, .how = How::released, .batch = job.batch};
    ending.error = "The worker process ended, or lost its lease, in attempt " +
                   std::to_string(job.attempt) + ".";
    if (job.is_cancelled) {
      ending.how = How::cancelled;
    } else if (job.attempt >= job.attempts_max) {
      ending.how = How::failed;
      ending.pause_ms = to_ms(options_.failed_for);
    }
    const bool was_released = co_await store_.end(ending);
    if (was_released) {
      say(LogLevel::warning, "Job " + std::to_string(job.id) + " was taken over: " + ending.error);
      poke();
    }
  }
}

void Worker::lose_lease(std::string_view why) {
  say(LogLevel::error, "The lease of this worker has ended: " + std::string(why) + ". " +
                           std::to_string(active_.size()) + " running jobs are canceled.");
  ++epoch_;
  id_ = 0;
  counts_.has_lease = false;
  lease_begun_.reset();
  done_.clear();
  counts_.taken_over.fetch_add(active_.size(), std::memory_order_relaxed);
  for (const auto& [key, active] : active_) {
    active->cancel(Why::taken_over);
    active->why = Why::taken_over;
  }
  // The others are forgotten when their handlers are destroyed.
  std::erase_if(active_, [](const auto& each) { return each.second->is_over; });
  poke();
}

}  // namespace eider::detail::jobs
