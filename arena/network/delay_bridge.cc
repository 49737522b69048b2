// Joins two network namespaces by a line that delays every packet: what `tc netem` would do in a
// kernel that has it. Must not run longer than the process that started it.
//
//   delay_bridge FIRST_NAMESPACE SECOND_NAMESPACE DEVICE DELAY_US
//
// Makes DEVICE in both namespaces, prints "ready" and carries packets between the two until
// SIGTERM or SIGINT, each DELAY_US later than it came. Then prints one line of JSON with what it
// carried and dropped.
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <string>

#include "delay_line.h"
#include "tunnel.h"
#include "wake_lag.h"

namespace {

using network::DelayLine;
using network::Instant;
using network::Tunnel;
using network::WakeLag;
using std::chrono::nanoseconds;

constexpr std::size_t kPacketsMax = 65536;  // 100 MB of full packets in each direction
constexpr int kPacketsPerTurnMax = 256;     // so that one side cannot hold up the other
constexpr long kDelayUsMax = 10'000'000;

/// Sleep that ends on time: no slack, and before everybody else where that is allowed.
void become_punctual() {
  ::prctl(PR_SET_TIMERSLACK, 1);
  sched_param parameter{};
  parameter.sched_priority = 1;
  ::sched_setscheduler(0, SCHED_FIFO, &parameter);  // refused without CAP_SYS_NICE: only later then
}

/// The stopping signals as a descriptor; the death of the parent is one of them.
int stop_descriptor(pid_t parent) {
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTERM);
  sigaddset(&stops, SIGINT);
  sigprocmask(SIG_BLOCK, &stops, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) {
    ::raise(SIGTERM);  // it died before the line above
  }
  return ::signalfd(-1, &stops, SFD_CLOEXEC);
}

class Bridge {
 public:
  Bridge(Tunnel& first, Tunnel& second, nanoseconds delay)
      : first_(first), second_(second), there_(delay, kPacketsMax), back_(delay, kPacketsMax) {}

  void run_until_readable(int stop_fd) {
    pollfd watched[] = {{first_.fd(), POLLIN, 0}, {second_.fd(), POLLIN, 0}, {stop_fd, POLLIN, 0}};
    while (watched[2].revents == 0) {
      sleep_until_due(watched);
      take(first_, there_);
      take(second_, back_);
      give(there_, second_);
      give(back_, first_);
    }
  }

  void print_counts() const {
    std::printf(
        "{\"sent\":[%ju,%ju],\"dropped\":[%ju,%ju],\"late_max_us\":%jd,\"wake_lag_us\":%jd}\n",
        std::uintmax_t{there_.sent()}, std::uintmax_t{back_.sent()},
        std::uintmax_t{there_.dropped()}, std::uintmax_t{back_.dropped()},
        std::intmax_t{late_max_.count() / 1000}, std::intmax_t{lag_.typical().count() / 1000});
  }

 private:
  static Instant now() { return std::chrono::steady_clock::now(); }

  /// Wakes for the packet that is due next, as much earlier as waking takes, or for a new one.
  void sleep_until_due(std::span<pollfd> watched) {
    constexpr nanoseconds kLongest = std::chrono::seconds(1);
    const Instant start = now();
    const Instant due = std::min({there_.next_due(), back_.next_due(), start + kLongest});
    const Instant wake = std::max(due - lag_.typical(), start);
    const nanoseconds rest = wake - start;
    const timespec limit = {rest / kLongest, (rest % kLongest).count()};
    if (::ppoll(watched.data(), watched.size(), &limit, nullptr) == 0 && wake > start) {
      lag_.note(now() - wake);
    }
  }

  /// A packet came before we woke for it.
  void take(Tunnel& from, DelayLine& line) {
    for (int i = 0; i < kPacketsPerTurnMax; ++i) {
      const std::string_view packet = from.receive();
      if (packet.empty()) {
        return;
      }
      line.add(packet, now() - lag_.typical());
    }
  }

  void give(DelayLine& line, Tunnel& to) {
    for (Instant at = now(); line.next_due() - lag_.typical() <= at; at = now()) {
      late_max_ = std::max(late_max_, at - line.next_due());
      if (to.send(line.front()) == Tunnel::Sent::yes) {
        line.pop_sent();
      } else {
        line.pop_lost();
      }
    }
  }

  Tunnel& first_;
  Tunnel& second_;
  DelayLine there_;
  DelayLine back_;
  WakeLag lag_;
  nanoseconds late_max_{0};
};

std::optional<long> read_delay(const char* text) {
  long delay_us = 0;
  const char* end = text + std::strlen(text);
  const auto read = std::from_chars(text, end, delay_us);
  const bool is_good = read.ec == std::errc() && read.ptr == end;
  return is_good && delay_us >= 0 && delay_us <= kDelayUsMax ? std::optional(delay_us)
                                                             : std::nullopt;
}

int run(char** arguments, long delay_us, pid_t parent) {
  const int stop_fd = stop_descriptor(parent);
  Tunnel first(arguments[1], arguments[3]);
  Tunnel second(arguments[2], arguments[3]);
  become_punctual();
  std::printf("ready\n");
  std::fflush(stdout);
  Bridge bridge(first, second, std::chrono::microseconds(delay_us));
  bridge.run_until_readable(stop_fd);
  bridge.print_counts();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const pid_t parent = ::getppid();
  const auto delay_us = argc == 5 ? read_delay(argv[4]) : std::nullopt;
  if (!delay_us) {
    std::fprintf(stderr,
                 "usage: %s FIRST_NAMESPACE SECOND_NAMESPACE DEVICE DELAY_US\n"
                 "DELAY_US is one direction's delay in microseconds, at most %ld\n",
                 argv[0], kDelayUsMax);
    return 2;
  }
  try {
    return run(argv, *delay_us, parent);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "delay_bridge: %s\n", failure.what());
    return 1;
  }
}
