#include "cli/process/run.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <optional>

namespace eider {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kTimeToEnd(5);

/// Blocks the signals that stop this program during its lifetime, and reads them.
class StopSignals {
 public:
  StopSignals() {
    sigset_t stops;
    ::sigemptyset(&stops);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
      ::sigaddset(&stops, number);
    }
    (void)::sigprocmask(SIG_BLOCK, &stops, &before_);
    signals_ = Descriptor(::signalfd(-1, &stops, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  ~StopSignals() { (void)::sigprocmask(SIG_SETMASK, &before_, nullptr); }

  [[nodiscard]] int fd() const noexcept { return signals_.get(); }
  [[nodiscard]] std::optional<int> take() const noexcept {
    signalfd_siginfo one{};
    return ::read(signals_.get(), &one, sizeof(one)) == sizeof(one)
               ? std::optional(static_cast<int>(one.ssi_signo))
               : std::nullopt;
  }

 private:
  sigset_t before_{};
  Descriptor signals_;
};

/// Reasons to end a program early, and the limit of its kept output.
struct RunLimits {
  const StopSignals* signals = nullptr;
  std::optional<milliseconds> within = {};
  std::size_t output_bytes_max = std::string::npos;
};

void wait_for_news(const ChildProcess& child, const RunLimits& limits,
                   std::optional<Clock::time_point> deadline) {
  std::array<pollfd, 3> waited{
      pollfd{child.exit_fd(), POLLIN, 0}, pollfd{child.output_fd(), POLLIN, 0},
      pollfd{limits.signals == nullptr ? -1 : limits.signals->fd(), POLLIN, 0}};
  const auto left = deadline ? std::chrono::ceil<milliseconds>(*deadline - Clock::now()).count()
                             : milliseconds::rep{-1};
  (void)::poll(waited.data(), waited.size(),
               deadline ? static_cast<int>(std::max<milliseconds::rep>(left, 0)) : -1);
}

Result<ProgramEnd, std::string> run_within(const ProgramCall& call, const RunLimits& limits) {
  auto child = ChildProcess::start(call);
  if (!child) {
    return fail(child.error());
  }
  ProgramEnd end;
  std::optional<Clock::time_point> deadline;
  if (limits.within) {
    deadline = Clock::now() + *limits.within;
  }
  while (true) {
    wait_for_news(*child, limits, deadline);
    const auto how = child->reap();
    end.output += child->read_output();
    keep_end(end.output, limits.output_bytes_max);
    if (how) {
      end.status = how->code;
      return end;
    }
    const bool is_late = deadline && Clock::now() >= *deadline;
    const auto signal = limits.signals == nullptr ? std::nullopt : limits.signals->take();
    if (is_late && !end.is_stopped) {
      return fail(call.words.front() + " took too long");
    }
    if (signal || is_late) {
      child->signal(end.is_stopped ? SIGKILL : *signal);
      end.is_stopped = true;
      deadline = Clock::now() + kTimeToEnd;
    }
  }
}

/// Ends processes that the program has started and that outlive it: this process is now their
/// parent (PR_SET_CHILD_SUBREAPER).
void end_what_is_left() {
  for (int turn = 0; turn != 100; ++turn) {  // grandchildren appear in the next turn
    std::ifstream list(fmt::format("/proc/self/task/{}/children", gettid()));
    bool is_any = false;
    for (pid_t child = 0; list >> child;) {
      is_any = true;
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    if (!is_any) {
      return;
    }
  }
}

}  // namespace

Result<ProgramEnd, std::string> run_program(const ProgramCall& call) {
  const StopSignals signals;
  (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
  (void)std::fflush(stdout);
  auto end = run_within(call, {.signals = &signals});
  if (end && end->is_stopped) {
    end_what_is_left();
  }
  (void)prctl(PR_SET_CHILD_SUBREAPER, 0);
  return end;
}

Result<ProgramEnd, std::string> run_to_end(const ProgramCall& call, milliseconds within) {
  return run_within(call, {.within = within, .output_bytes_max = kOutputBytesMax});
}

Result<std::string, std::string> run_quietly(std::vector<std::string> words) {
  auto end = run_program({.words = std::move(words),
                          .environment = {{"LC_ALL", "C"}},
                          .output = ProgramCall::Output::kept_with_errors});
  if (!end) {
    return fail(end.error());
  }
  if (end->is_stopped) {
    return fail(std::string(kWasStopped));
  }
  return end->is_good() ? Result<std::string, std::string>(std::move(end->output))
                        : fail(std::move(end->output));
}

bool is_stopped_within(milliseconds time) {
  const StopSignals signals;
  pollfd waited{signals.fd(), POLLIN, 0};
  return ::poll(&waited, 1, static_cast<int>(time.count())) > 0 && signals.take().has_value();
}

}  // namespace eider
