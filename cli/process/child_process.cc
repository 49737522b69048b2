#include "cli/process/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace eider {

namespace {

constexpr int kFirstPassedOn = 3;
constexpr int kNotStarted = 127;
constexpr int kSignalled = 128;
constexpr std::chrono::milliseconds kEndsWithin{1000};
constexpr std::size_t kPieceBytes = 16UL * 1024;

/// All data that the child needs, prepared before fork: after it, locks of other threads are never
/// released in the child.
struct Prepared {
  std::vector<std::string> environment;
  std::vector<char*> words;
  std::vector<char*> variables;
  std::array<char, 32> listen_pid{"LISTEN_PID="};
};

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

Prepared prepare(const ProgramCall& call) {
  Prepared made;
  for (const auto& [name, value] : call.environment) {
    made.environment.push_back(name + "=" + value);
  }
  const std::size_t own = made.environment.size();
  const auto is_taken = [&](std::string_view name) {
    for (std::size_t i = 0; i < own; ++i) {
      if (name_of(made.environment[i]) == name) {
        return true;
      }
    }
    return name == "LISTEN_PID" || name == "LISTEN_FDS" || name == "LISTEN_FDNAMES";
  };
  for (char** each = environ; *each != nullptr; ++each) {
    if (!is_taken(name_of(*each))) {
      made.environment.emplace_back(*each);
    }
  }
  if (call.listens_on >= 0) {
    made.environment.emplace_back("LISTEN_FDS=1");
  }
  for (const std::string& word : call.words) {
    made.words.push_back(const_cast<char*>(word.c_str()));
  }
  made.words.push_back(nullptr);
  for (std::string& variable : made.environment) {
    made.variables.push_back(variable.data());
  }
  made.variables.push_back(nullptr);
  made.variables.push_back(nullptr);  // for LISTEN_PID
  return made;
}

/// Runs in the child, where allocation is not allowed.
void write_pid(char* out, pid_t pid) noexcept {
  std::array<char, 16> digits{};
  std::size_t count = 0;
  for (; pid != 0; pid /= 10) {
    digits[count++] = static_cast<char>('0' + pid % 10);
  }
  while (count != 0) {
    *out++ = digits[--count];
  }
  *out = '\0';
}

void reset_signals() noexcept {
  for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGCHLD, SIGHUP, SIGQUIT}) {
    (void)::signal(number, SIG_DFL);
  }
  sigset_t none;
  ::sigemptyset(&none);
  (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// output  write end of a pipe, or -1
void place_streams(const ProgramCall& call, int output) noexcept {
  using Output = ProgramCall::Output;
  const char* const input = call.input.empty() ? "/dev/null" : call.input.c_str();
  (void)::dup2(::open(input, O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  if (call.output != Output::shown) {
    (void)::dup2(call.output == Output::as_errors ? STDERR_FILENO : output, STDOUT_FILENO);
  }
  if (call.output == Output::kept_with_errors) {
    (void)::dup2(output, STDERR_FILENO);
  } else if (call.output == Output::kept_without_errors) {
    (void)::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
  }
}

/// dup2 of a descriptor to itself would keep its close-on-exec flag.
void place_listener(Prepared& prepared, int listener) noexcept {
  if (listener < 0) {
    return;
  }
  if (listener == kFirstPassedOn) {
    (void)::fcntl(listener, F_SETFD, 0);
  } else {
    (void)::dup2(listener, kFirstPassedOn);
  }
  char* const variable = prepared.listen_pid.data();
  write_pid(variable + std::strlen(variable), ::getpid());
  prepared.variables[prepared.variables.size() - 2] = variable;
}

[[noreturn]] void become(Prepared& prepared, const ProgramCall& call, int output,
                         int failure) noexcept {
  (void)::setpgid(0, 0);
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  reset_signals();
  place_streams(call, output);
  // Moved, because the listener needs its descriptor number.
  failure = ::fcntl(failure, F_DUPFD_CLOEXEC, kFirstPassedOn + 1);
  place_listener(prepared, call.listens_on);
  if (::chdir(call.directory.c_str()) == 0) {
    ::execvpe(prepared.words.front(), prepared.words.data(), prepared.variables.data());
  }
  const int why = errno;
  (void)!::write(failure, &why, sizeof(why));
  ::_exit(kNotStarted);
}

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;
};

Pipe make_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return {};
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

std::string cannot_start(const ProgramCall& call, int why) {
  return "cannot start " + call.words.front() + ": " + std::strerror(why);
}

/// Returns the remaining time; 0 or less: it is over.
std::chrono::milliseconds time_left(std::chrono::steady_clock::time_point deadline) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(deadline -
                                                               std::chrono::steady_clock::now());
}

}  // namespace

void keep_end(std::string& text, std::size_t bytes_max) {
  if (text.size() > bytes_max) {
    text.erase(0, text.size() - bytes_max);
  }
}

Result<ChildProcess, std::string> ChildProcess::start(const ProgramCall& call) {
  (void)::signal(SIGCHLD, SIG_DFL);  // if it is ignored, a child's exit status is lost
  Prepared prepared = prepare(call);
  Pipe output = make_pipe();
  Pipe failure = make_pipe();
  if (!output.read_end.is_open() || !failure.read_end.is_open()) {
    return fail(cannot_start(call, errno));
  }
  const pid_t pid = ::fork();
  if (pid < 0) {
    return fail(cannot_start(call, errno));
  }
  if (pid == 0) {
    become(prepared, call, output.write_end.get(), failure.write_end.get());
  }
  (void)::setpgid(pid, pid);  // both processes call it, because either may run first
  failure.write_end.close();
  int why = 0;
  if (::read(failure.read_end.get(), &why, sizeof(why)) > 0) {
    (void)::waitpid(pid, nullptr, 0);
    return fail(cannot_start(call, why));
  }
  ChildProcess made;
  made.pid_ = pid;
  made.exit_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!made.exit_.is_open()) {
    return fail(cannot_start(call, errno));  // without a descriptor, its end could not be awaited
  }
  if (call.output != ProgramCall::Output::shown && call.output != ProgramCall::Output::as_errors) {
    made.output_ = std::move(output.read_end);
    (void)::fcntl(made.output_.get(), F_SETFL, O_NONBLOCK);
  }
  return made;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      exit_(std::move(other.exit_)),
      output_(std::move(other.output_)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(exit_, other.exit_);
  std::swap(output_, other.output_);
  return *this;
}

ChildProcess::~ChildProcess() {
  end_group();
}

void ChildProcess::end_group() noexcept {
  if (pid_ > 0) {
    // ninja runs each compiler in its own process group, which the SIGKILL below does not reach: it
    // forwards SIGTERM and waits for them. A remaining compiler would overwrite the new object.
    signal(SIGTERM);
    wait_for_end();
    signal(SIGKILL);
    (void)::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
}

/// Reads the output meanwhile: a process that waits for room in the pipe does not end.
void ChildProcess::wait_for_end() noexcept {
  const auto deadline = std::chrono::steady_clock::now() + kEndsWithin;
  std::array<char, kPieceBytes> piece{};
  for (auto left = kEndsWithin; left.count() > 0; left = time_left(deadline)) {
    std::array<pollfd, 2> waited{pollfd{exit_.get(), POLLIN, 0}, pollfd{output_.get(), POLLIN, 0}};
    (void)::poll(waited.data(), waited.size(), static_cast<int>(left.count()));
    if (waited[0].revents != 0) {
      return;
    }
    if (waited[1].revents != 0 && ::read(output_.get(), piece.data(), piece.size()) == 0) {
      output_.close();
    }
  }
}

void ChildProcess::signal(int number) const noexcept {
  if (pid_ > 0) {
    (void)::kill(-pid_, number);
  }
}

std::string ChildProcess::read_output() {
  std::string all;
  std::array<char, kPieceBytes> piece{};
  while (output_.is_open() && all.size() < kReadBytesMax) {
    const ssize_t count = ::read(output_.get(), piece.data(), piece.size());
    if (count > 0) {
      all.append(piece.data(), static_cast<std::size_t>(count));
    } else if (count < 0 && errno == EINTR) {
      continue;
    } else {
      if (count == 0) {
        output_.close();
      }
      break;
    }
  }
  return all;
}

std::optional<Ending> ChildProcess::reap() {
  int status = 0;
  if (pid_ <= 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) {
    return std::nullopt;
  }
  (void)::kill(-pid_, SIGKILL);  // the rest of its group
  pid_ = 0;
  exit_.close();
  if (WIFSIGNALED(status)) {
    return Ending{.code = kSignalled + WTERMSIG(status), .signal = WTERMSIG(status)};
  }
  return Ending{.code = WEXITSTATUS(status)};
}

}  // namespace eider
