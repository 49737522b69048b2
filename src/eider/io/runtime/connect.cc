#include "eider/io/runtime/connect.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/socket_io.h"

namespace eider {

namespace {

void send_without_delay(const Descriptor& fd, const SocketAddress& to) noexcept {
  if (!to.is_unix()) {
    const int on = 1;
    ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  }
}

}  // namespace

ConnectAwaiter::ConnectAwaiter(Loop& loop, const SocketAddress& to, Duration limit) noexcept
    : FdWatch(loop), to_(to), limit_(limit) {}

// Stop the watch before the descriptor is closed.
ConnectAwaiter::~ConnectAwaiter() {
  stop();
}

bool ConnectAwaiter::await_ready() {
  fd_ = Descriptor(::socket(to_.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd_.is_open()) {
    result_ = fail(net_error(errno));
    return true;
  }
  send_without_delay(fd_, to_);
  if (::connect(fd_.get(), to_.data(), to_.size()) == 0) {
    result_ = std::move(fd_);
    return true;
  }
  if (errno == EINPROGRESS || errno == EINTR) {
    return false;
  }
  result_ = fail(net_error(errno));
  return true;
}

void ConnectAwaiter::await_suspend(std::coroutine_handle<> waiting) {
  waiting_ = waiting;
  loop().arm(*this, loop().now() + limit_);
  watch(fd_.get(), Readiness::writable);
}

void ConnectAwaiter::on_ready(Readiness) {
  // Stop the watch and the timer first, so that neither fires again before `run`.
  stop();
  disarm();
  const int error = pending_error(fd_.get());
  if (error == 0) {
    result_ = std::move(fd_);
  } else {
    result_ = fail(net_error(error));
  }
  // Resume the coroutine after the events: it may destroy this and any other watch.
  loop().defer(*this);
}

void ConnectAwaiter::expire() {
  stop();
  // Close the descriptor before the coroutine can start another attempt.
  fd_.close();
  waiting_.resume();
}

ConnectAwaiter connect(const SocketAddress& to, Duration limit) {
  return ConnectAwaiter(Loop::current(), to, limit);
}

}  // namespace eider
