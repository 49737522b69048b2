#include "eider/server/detail/stop_signals.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <utility>

namespace eider::detail {

namespace {

sigset_t stopping_signals() noexcept {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

sigset_t StopSignals::block() noexcept {
  const sigset_t signals = stopping_signals();
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &signals, &before);
  return before;
}

void StopSignals::restore(const sigset_t& mask) noexcept {
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

StopSignals::StopSignals(Loop& loop, std::move_only_function<void()> stop)
    : FdWatch(loop), stop_(std::move(stop)) {}

void StopSignals::start() {
  const sigset_t signals = stopping_signals();
  fd_ = Descriptor(::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
  if (fd_.is_open()) {
    watch(fd_.get(), Readiness::readable);
  }
}

void StopSignals::on_ready(Readiness) {
  signalfd_siginfo first;
  if (::read(fd_.get(), &first, sizeof(first)) != sizeof(first)) {
    return;
  }
  stop();
  fd_.close();
  // A shell may have started us with SIGINT ignored; the second one has to end a drain that hangs.
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
  const sigset_t signals = stopping_signals();
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  stop_();
}

}  // namespace eider::detail
