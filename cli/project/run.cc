#include "cli/project/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <optional>

namespace eider {

namespace {

constexpr std::chrono::seconds kTimeToEnd(5);
constexpr int kSignalled = 128;
constexpr int kNotRun = 127;

/// The signals that a wait hears of; blocked meanwhile, so that none comes between two steps.
const sigset_t& heard_signals() {
  static const sigset_t heard = [] {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) {
      sigaddset(&set, signal);
    }
    return set;
  }();
  return heard;
}

/// Blocks them for as long as it lives.
class HeardSignals {
 public:
  HeardSignals() {
    // One that ignores its children would be told nothing of them.
    (void)std::signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &heard_signals(), &before_);
  }
  HeardSignals(const HeardSignals&) = delete;
  HeardSignals& operator=(const HeardSignals&) = delete;
  ~HeardSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  [[nodiscard]] const sigset_t& before() const noexcept { return before_; }
  /// The next one; none: the time is over.
  static std::optional<int> next(std::chrono::milliseconds time) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
    const timespec limit{seconds.count(), std::chrono::nanoseconds(time - seconds).count()};
    const int signal = sigtimedwait(&heard_signals(), nullptr, &limit);
    return signal > 0 ? std::optional(signal) : std::nullopt;
  }

 private:
  sigset_t before_{};
};

/// In the child: becomes the program, or tells why not by what it writes to `failed`.
[[noreturn]] void become(const ProgramCall& call, const sigset_t& signals, int output, int failed) {
  (void)setpgid(0, 0);  // so that all it starts can be ended together
  (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  const char* const input = call.input.empty() ? "/dev/null" : call.input.c_str();
  dup2(::open(input, O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  if (call.output != ProgramCall::Output::shown) {
    dup2(output >= 0 ? output : STDERR_FILENO, STDOUT_FILENO);
  }
  if (call.output == ProgramCall::Output::kept_with_errors) {
    dup2(output, STDERR_FILENO);
  }
  for (const auto& [name, value] : call.environment) {
    (void)setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> words;
  for (const std::string& word : call.words) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  if (chdir(call.directory.c_str()) == 0) {
    execvp(words[0], words.data());
  }
  const int why = errno;
  (void)!write(failed, &why, sizeof why);
  _exit(kNotRun);
}

/// Ends whoever was started below and has outlived it: they have become ours (subreaper).
void end_what_is_left() {
  for (int turn = 0; turn != 100; ++turn) {  // children of those that end become ours in turn
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

/// Waits for it, and passes on what stops this program.
ProgramEnd wait_for(pid_t child) {
  ProgramEnd end;
  constexpr std::chrono::hours kLong(24);
  while (true) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) {
      end.status = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
      return end;
    }
    const auto signal =
        HeardSignals::next(end.is_stopped ? kTimeToEnd : std::chrono::milliseconds(kLong));
    if (signal == SIGCHLD) {
      continue;
    }
    if (signal || end.is_stopped) {
      kill(-child, end.is_stopped ? SIGKILL : *signal);
      end.is_stopped = true;
    }
  }
}

std::string text_of(int file) {
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  const ssize_t bytes = pread(file, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  return text;
}

}  // namespace

Result<ProgramEnd, std::string> run_program(const ProgramCall& call) {
  const HeardSignals signals;
  (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
  (void)std::fflush(stdout);
  const bool is_kept = call.output == ProgramCall::Output::kept ||
                       call.output == ProgramCall::Output::kept_with_errors;
  const int output = is_kept ? memfd_create("output", MFD_CLOEXEC) : -1;
  int failed[2];
  if (pipe2(failed, O_CLOEXEC) != 0) {
    return fail(fmt::format("cannot run {}: {}", call.words[0], std::strerror(errno)));
  }
  const pid_t child = fork();
  if (child == 0) {
    become(call, signals.before(), output, failed[1]);
  }
  (void)setpgid(child, child);  // whoever of the two comes first
  ::close(failed[1]);
  int why = child < 0 ? errno : 0;
  if (child > 0) {
    (void)!read(failed[0], &why, sizeof why);
  }
  ::close(failed[0]);
  ProgramEnd end = child > 0 ? wait_for(child) : ProgramEnd{};
  if (end.is_stopped) {
    end_what_is_left();
  }
  if (output >= 0) {
    end.output = text_of(output);
    ::close(output);
  }
  if (why != 0) {
    return fail(fmt::format("cannot run {}: {}", call.words[0], std::strerror(why)));
  }
  return end;
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

bool is_stopped_within(std::chrono::milliseconds time) {
  const HeardSignals signals;
  const auto signal = HeardSignals::next(time);
  return signal && *signal != SIGCHLD;
}

std::string find_program(std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    const std::string path(name);
    return access(path.c_str(), X_OK) == 0 ? path : std::string();
  }
  const char* all = std::getenv("PATH");
  std::string_view left = all == nullptr ? "/usr/local/bin:/usr/bin:/bin" : all;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    const std::string path = fmt::format("{}/{}", left.substr(0, end), name);
    if (access(path.c_str(), X_OK) == 0) {
      return path;
    }
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return {};
}

}  // namespace eider
