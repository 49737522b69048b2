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

#include "cli/bench/load.h"
#include "cli/bench/on_loop.h"

namespace eider::bench {

namespace {

constexpr std::chrono::milliseconds kSignalInterval{100};

/// Blocks SIGINT and SIGTERM, so that `wait` receives them. Threads started meanwhile inherit the
/// mask.
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

  /// Returns whether a signal arrived within that time.
  [[nodiscard]] bool wait(std::chrono::milliseconds limit) const {
    const timespec time{0, static_cast<long>(limit.count()) * 1'000'000};
    return ::sigtimedwait(&held_, nullptr, &time) > 0;
  }
  /// Restores the usual effect of the signals.
  void release() const { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t held_{};
  sigset_t before_{};
};

// Carriage return, and "erase to the end of the line" (ECMA-48, EL).
constexpr std::string_view kErase = "\r\x1b[K";

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

void write_line(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

/// "3.0 s of 10.0 s   1234567 responses   412345/s   0 failed"
std::string progress_text(Duration passed, Duration lasts, std::uint64_t answered,
                          double per_second, std::uint64_t failed) {
  return fmt::format("{:.1f} s of {:.1f} s   {} responses   {:.0f}/s   {} failed", seconds(passed),
                     seconds(lasts), answered, per_second, failed);
}

/// Writes to standard error if it is a terminal and the options allow it; erased by the destructor.
class ProgressLine {
 public:
  explicit ProgressLine(const Options& options);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Shows the counts since the start.
  void show(std::uint64_t answered, std::uint64_t failed);

 private:
  bool is_shown_;
  Instant began_;
  Duration lasts_;
  Instant shown_at_;
  std::uint64_t shown_answered_ = 0;
};

ProgressLine::ProgressLine(const Options& options)
    : is_shown_(options.progress == Progress::automatic && ::isatty(STDERR_FILENO) == 1),
      began_(std::chrono::steady_clock::now()),
      lasts_(options.warmup + options.duration),
      shown_at_(began_) {}

ProgressLine::~ProgressLine() {
  if (is_shown_) {
    write_line(std::string(kErase));
  }
}

void ProgressLine::show(std::uint64_t answered, std::uint64_t failed) {
  const Instant now = std::chrono::steady_clock::now();
  if (!is_shown_ || now - shown_at_ < std::chrono::milliseconds(200)) {
    return;
  }
  const double rate = static_cast<double>(answered - shown_answered_) / seconds(now - shown_at_);
  shown_at_ = now;
  shown_answered_ = answered;
  write_line(std::string(kErase) +
             progress_text(std::min(now - began_, lasts_), lasts_, answered, rate, failed));
}

/// Raises the limit of file descriptors as far as the system allows, because each connection needs
/// one.
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
      run_on_loop(options_.backend, [&]() -> Task<> { co_await load(thread); });
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
