#include "cli/bench/run.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <latch>
#include <thread>
#include <utility>

#include "cli/bench/loads.h"
#include "cli/bench/on_loop.h"
#include "cli/bench/progress.h"

namespace eider::bench {

namespace {

constexpr std::chrono::milliseconds kSignalInterval{100};

/// SIGINT and SIGTERM wait to be asked for. Threads that are started meanwhile inherit that.
class HeldSignals {
 public:
  HeldSignals() {
    ::sigemptyset(&held_);
    ::sigaddset(&held_, SIGINT);
    ::sigaddset(&held_, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { release(); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  /// Whether one came within that time.
  [[nodiscard]] bool wait(std::chrono::milliseconds limit) const {
    const timespec time{0, static_cast<long>(limit.count()) * 1'000'000};
    return ::sigtimedwait(&held_, nullptr, &time) > 0;
  }
  /// They have their usual effect again.
  void release() const { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t held_{};
  sigset_t before_{};
};

/// A descriptor for each connection, as many as the system allows.
void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
}

class Run {
 public:
  Run(const Options& options, const Target& target, const std::vector<Request>& requests)
      : options_(options),
        target_(target),
        requests_(requests),
        count_(thread_count(options)),
        all_open_(count_),
        outcomes_(count_),
        failures_(count_) {}

  Result<Outcome, std::string> go() {
    {
      const HeldSignals signals;
      std::vector<std::jthread> threads;
      for (unsigned i = 0; i < count_; ++i) {
        threads.emplace_back([this, i] { work(i); });
      }
      watch(signals);
    }
    return sum();
  }

 private:
  static unsigned thread_count(const Options& options) {
    const std::uint64_t count = std::min(options.threads, options.connections);
    return static_cast<unsigned>(options.requests == 0 ? count : std::min(count, options.requests));
  }

  void work(unsigned thread) {
    try {
      run_on_loop(options_.backend, [&]() -> Task<> {
        auto task = load(thread);
        co_await std::move(task);
      });
    } catch (const std::exception& failure) {
      failures_[thread] = failure.what();
    }
    working_.fetch_sub(1, std::memory_order_release);
  }

  Task<> load(unsigned thread) {
    const Job job{options_, target_, requests_, live_};
    const auto mine = make_load(job, share_of(options_, thread, count_));
    std::exception_ptr failure;
    try {
      co_await mine->open_all();
    } catch (...) {
      failure = std::current_exception();
      live_.is_to_stop.store(true, std::memory_order_relaxed);
    }
    all_open_.arrive_and_wait();
    if (failure) {
      std::rethrow_exception(failure);
    }
    outcomes_[thread] = co_await mine->run();
  }

  void watch(const HeldSignals& signals) {
    ProgressLine line(options_);
    while (working_.load(std::memory_order_acquire) != 0) {
      if (signals.wait(kSignalInterval)) {
        live_.is_to_stop.store(true, std::memory_order_relaxed);
        signals.release();
      }
      line.show(live_.answered.load(std::memory_order_relaxed),
                live_.failed.load(std::memory_order_relaxed));
    }
  }

  Result<Outcome, std::string> sum() {
    for (const std::string& failure : failures_) {
      if (!failure.empty()) {
        return fail(failure);
      }
    }
    Outcome sum;
    for (const Outcome& outcome : outcomes_) {
      sum.add(outcome);
    }
    return sum;
  }

  const Options& options_;
  const Target& target_;
  const std::vector<Request>& requests_;
  unsigned count_;
  Live live_;
  std::latch all_open_;
  std::vector<Outcome> outcomes_;
  std::vector<std::string> failures_;
  std::atomic<unsigned> working_{count_};
};

}  // namespace

Result<Outcome, std::string> run(const Options& options, const Target& target,
                                 const std::vector<Request>& requests) {
  raise_descriptor_limit();
  Run run(options, target, requests);
  return run.go();
}

}  // namespace eider::bench
