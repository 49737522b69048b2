#include "eider/io/runtime/signals.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>

#include "eider/core/base/assert.h"

namespace eider {

namespace {

// Signal handlers belong to the process, and so does the state that they use.
struct Handled {
  std::atomic<int> write_end{-1};
  struct sigaction before{};
};
/// The data that a handler writes to the pipe: short, so it is written completely or not at all
/// (pipe(7)).
struct Arrived {
  int number = 0;
  std::uintptr_t attached = 0;
};
std::array<Handled, NSIG> handled;
std::atomic<int> handlers_running{0};
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler must not lock");

extern "C" void eider_ignore_signal(int) {}

extern "C" void eider_write_signal(int number, siginfo_t* info, void*) {
  const int error_before = errno;
  handlers_running.fetch_add(1);
  const int fd = handled[static_cast<std::size_t>(number)].write_end.load();
  if (fd >= 0) {
    Arrived arrived{.number = number};
    if (info->si_code == SI_QUEUE) {
      arrived.attached = reinterpret_cast<std::uintptr_t>(info->si_value.sival_ptr);
    }
    [[maybe_unused]] const ssize_t written = ::write(fd, &arrived, sizeof(arrived));
  }
  handlers_running.fetch_sub(1);
  errno = error_before;
}

// The handler may run as soon as the action is set, so set its pipe before.
void take_over(int number, int write_end) noexcept {
  Handled& signal = handled[static_cast<std::size_t>(number)];
  ensure(signal.write_end.exchange(write_end) == -1, "a signal can have only one watch");
  struct sigaction ours{};
  ours.sa_sigaction = eider_write_signal;
  ours.sa_flags = SA_RESTART | SA_SIGINFO;
  ::sigfillset(&ours.sa_mask);
  ::sigaction(number, &ours, &signal.before);
}

void give_back(int number) noexcept {
  Handled& signal = handled[static_cast<std::size_t>(number)];
  // Restore the old action before removing the pipe: a signal in between has its default effect.
  ::sigaction(number, &signal.before, nullptr);
  signal.write_end.store(-1);
}

}  // namespace

void ignore_signal(int number) noexcept {
  struct sigaction ours{};
  ours.sa_handler = eider_ignore_signal;
  ours.sa_flags = SA_RESTART;
  ::sigfillset(&ours.sa_mask);
  ::sigaction(number, &ours, nullptr);
}

void stop_ignoring_signal(int number) noexcept {
  struct sigaction now{};
  ::sigaction(number, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_IGN) {
    now.sa_handler = SIG_DFL;
    ::sigaction(number, &now, nullptr);
  }
}

bool is_unheard(int number) noexcept {
  struct sigaction now{};
  ::sigaction(number, nullptr, &now);
  return (now.sa_flags & SA_SIGINFO) == 0 &&
         (now.sa_handler == SIG_DFL || now.sa_handler == eider_ignore_signal);
}

SignalWatch::SignalWatch(Loop& loop, std::initializer_list<int> numbers)
    : FdWatch(loop), numbers_(numbers) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot create a pipe for signals");
  }
  read_end_ = Descriptor(ends[0]);
  write_end_ = Descriptor(ends[1]);
  // Watch the pipe before the first handler may write to it.
  watch(read_end_.get(), Readiness::readable);
  for (const int number : numbers_) {
    take_over(number, write_end_.get());
  }
}

SignalWatch::~SignalWatch() {
  for (const int number : numbers_) {
    give_back(number);
  }
  // A handler that started before may still write; the descriptor must not be reused until it ends.
  while (handlers_running.load() != 0) {
  }
  stop();
}

void SignalWatch::on_ready(Readiness) {
  // Read one at a time, because the watch may be destroyed in the call. The rest makes it ready
  // again.
  Arrived arrived;
  if (::read(read_end_.get(), &arrived, sizeof(arrived)) == sizeof(arrived)) {
    attached_ = arrived.attached;
    on_signal(arrived.number);
  }
}

}  // namespace eider
