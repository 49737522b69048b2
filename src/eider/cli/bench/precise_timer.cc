#include "eider/cli/bench/precise_timer.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace eider::bench {

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

}  // namespace eider::bench
