#include "cli/bench/pacer.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>

namespace eider::bench {

namespace {

// So that answers are read between bursts of an overdue schedule.
constexpr int kDuePerTurnMax = 256;

}  // namespace

PreciseTimer::PreciseTimer(Loop& loop)
    : FdWatch(loop), timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
  if (!timer_.is_open()) {
    throw std::system_error(errno, std::system_category(), "timerfd_create");
  }
  watch(timer_.get(), Readiness::readable);
}

void PreciseTimer::wake_at(Instant due) {
  // The steady clock is CLOCK_MONOTONIC; a setting of 0 would mean "never".
  const auto at = std::max<std::int64_t>(1, due.time_since_epoch().count());
  itimerspec setting{};
  setting.it_value.tv_sec = at / 1'000'000'000;
  setting.it_value.tv_nsec = at % 1'000'000'000;
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &setting, nullptr);
}

void PreciseTimer::on_ready(Readiness) {
  std::uint64_t times = 0;
  if (::read(timer_.get(), &times, sizeof(times)) == sizeof(times)) {
    on_wake();
  }
}

void Pacer::start(Instant from, Instant until) {
  from_ = from;
  until_ = until;
  next_ = from_ + schedule_.next();
  wake_at(next_);
}

void Pacer::on_wake() {
  Instant now = std::chrono::steady_clock::now();
  for (int i = 0; i < kDuePerTurnMax && next_ <= now && next_ < until_; ++i) {
    user_.on_due(next_, now);
    next_ = from_ + schedule_.next();
  }
  if (next_ < until_) {
    wake_at(next_);
  }
}

}  // namespace eider::bench
