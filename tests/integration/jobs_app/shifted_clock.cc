// Shifts the time of day of a process by SHIFTED_CLOCK_SECONDS if loaded with LD_PRELOAD, for
// tests with processes whose clocks differ.
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>

namespace {

int read_clock(clockid_t clock, timespec* time) noexcept {
  const int result = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  const char* const shift = std::getenv("SHIFTED_CLOCK_SECONDS");
  if (result == 0 && shift != nullptr &&
      (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
    time->tv_sec += std::atol(shift);
  }
  return result;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) noexcept {
  return read_clock(clock, time);
}

int gettimeofday(timeval* time, void* /*zone*/) noexcept {
  timespec now{};
  const int result = read_clock(CLOCK_REALTIME, &now);
  *time = {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return result;
}

time_t time(time_t* into) noexcept {
  timespec now{};
  (void)read_clock(CLOCK_REALTIME, &now);
  if (into != nullptr) {
    *into = now.tv_sec;
  }
  return now.tv_sec;
}

}  // extern "C"
