#include "eider/data/db/scratch/cleanup_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "eider/io/runtime/descriptor.h"

namespace eider::detail::scratch {
namespace {

constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP};

// Variables for the signal handler.
volatile sig_atomic_t line_of_keeper = -1;
volatile sig_atomic_t process_of_keeper = -1;
volatile sig_atomic_t report_of_keeper = -1;
volatile sig_atomic_t is_made = 0;

/// Copies the cleanup process's report until its end, without the address of the resource, which
/// may contain a password.
void pass_on(int report) noexcept {
  std::array<char, 512> some{};
  bool is_after_address = is_made != 0;
  for (ssize_t bytes = 1; bytes != 0;) {
    bytes = ::read(report, some.data(), some.size());
    if (bytes < 0 && errno != EINTR) {
      break;
    }
    std::string_view text(some.data(), bytes < 0 ? 0 : static_cast<std::size_t>(bytes));
    if (!is_after_address) {
      const std::size_t end = std::min(text.find('\0'), text.size());
      is_after_address = end != text.size();
      text.remove_prefix(is_after_address ? end + 1 : end);
    }
    (void)runtime::write_all(STDERR_FILENO, text);
  }
  ::close(report);
}

/// Closes the pipe, which notifies the cleanup process, and waits for its end. Calls only
/// async-signal-safe functions.
void end_keeper() noexcept {
  const int line = line_of_keeper;
  const pid_t process = process_of_keeper;
  const int report = report_of_keeper;
  line_of_keeper = -1;
  process_of_keeper = -1;
  report_of_keeper = -1;
  if (line >= 0) {
    ::close(line);
  }
  if (report >= 0) {
    pass_on(report);
  }
  while (process > 0 && ::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void end_by_signal(int signal) {
  end_keeper();
  (void)::signal(signal, SIG_DFL);
  (void)::raise(signal);
}

/// Signals that are ignored (nohup) stay ignored.
void take_signals(void (*from)(int), void (*to)(int)) noexcept {
  for (const int signal : kEnding) {
    struct sigaction now{};
    (void)::sigaction(signal, nullptr, &now);
    if (now.sa_handler == from) {
      struct sigaction next{};
      next.sa_handler = to;
      for (const int other : kEnding) {
        (void)::sigaddset(&next.sa_mask, other);
      }
      (void)::sigaction(signal, &next, nullptr);
    }
  }
}

[[noreturn]] void keep(TemporaryResource& kept, int line, int report) {
  leave_other_process(line, report);
  const Parent other(line);
  const auto made = kept.make(other);
  (void)runtime::write_all(report, (made ? "+" + *made : "-" + made.error()) + '\0');
  (void)other.waits(-1);
  if (const auto removed = kept.remove(); !removed) {
    (void)runtime::write_all(report, removed.error() + "\n");
  }
  ::_exit(0);
}

}  // namespace

void leave_other_process(int& first, int& second) {
  (void)::setsid();
  for (const int signal : kEnding) {
    (void)::signal(signal, SIG_IGN);
  }
  (void)::signal(SIGPIPE, SIG_IGN);  // the other process may be gone when this writes to it
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    (void)::dup2(nowhere, standard);
  }
  first = ::fcntl(first, F_DUPFD_CLOEXEC, 100);
  second = ::fcntl(second, F_DUPFD_CLOEXEC, first + 1);
  ::close_range(3, static_cast<unsigned>(first) - 1, 0);
  ::close_range(static_cast<unsigned>(first) + 1, static_cast<unsigned>(second) - 1, 0);
  ::close_range(static_cast<unsigned>(second) + 1, ~0U, 0);
}

std::string read_first(int from) {
  std::string text;
  while (!text.ends_with('\0')) {
    char byte = 0;
    const ssize_t bytes = ::read(from, &byte, 1);
    if (bytes == 0 || (bytes < 0 && errno != EINTR)) {
      return text;
    }
    text.append(bytes < 0 ? 0 : 1, byte);
  }
  text.pop_back();
  return text;
}

bool Parent::waits(int ms) const noexcept {
  pollfd line{.fd = line_, .events = POLLIN, .revents = 0};
  int ready = ::poll(&line, 1, ms);
  while (ready < 0 && errno == EINTR) {
    ready = ::poll(&line, 1, ms);
  }
  return ready != 0;
}

Result<CleanupProcess, std::string> CleanupProcess::start(TemporaryResource& kept) {
  std::array<int, 2> line{-1, -1};
  std::array<int, 2> report{-1, -1};
  if (::pipe2(line.data(), O_CLOEXEC) != 0 || ::pipe2(report.data(), O_CLOEXEC) != 0) {
    return fail(std::string("cannot create a pipe: ") + std::strerror(errno));
  }
  // Block signals meanwhile: one in between would leave the cleanup process without a waiting
  // parent; it would still end.
  sigset_t ending{};
  sigset_t before{};
  for (const int signal : kEnding) {
    (void)::sigaddset(&ending, signal);
  }
  (void)::pthread_sigmask(SIG_BLOCK, &ending, &before);
  const pid_t process = ::fork();
  if (process == 0) {
    (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    keep(kept, line[0], report[1]);
  }
  ::close(line[0]);
  ::close(report[1]);
  line_of_keeper = line[1];
  process_of_keeper = process;
  report_of_keeper = report[0];
  is_made = 0;
  take_signals(SIG_DFL, &end_by_signal);
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CleanupProcess made(process);
  const std::string told = read_first(report[0]);
  is_made = 1;
  if (!told.starts_with('+')) {
    return fail(told.empty() ? std::string("the process that creates the database has ended")
                             : told.substr(1));
  }
  made.where_ = told.substr(1);
  return made;
}

CleanupProcess::~CleanupProcess() {
  if (process_ > 0) {
    end_keeper();
    take_signals(&end_by_signal, SIG_DFL);
  }
}

}  // namespace eider::detail::scratch
