#include "eider/io/runtime/listener.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "eider/core/base/assert.h"
#include "eider/io/runtime/handshakes.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/socket_io.h"
#include "eider/io/runtime/stream_access.h"

namespace eider {

namespace {

constexpr Duration kRestAfterShortage = std::chrono::milliseconds(50);

bool enable(int fd, int level, int option) noexcept {
  const int on = 1;
  return ::setsockopt(fd, level, option, &on, sizeof(on)) == 0;
}

/// If the kernel does not support it, connections arrive before their first bytes, which is
/// harmless.
void defer_accepting(int fd) noexcept {
  const int seconds = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &seconds, sizeof(seconds));
}

/// Sets options that accepted sockets inherit, once instead of per connection.
bool prepare(int fd, const SocketAddress& at, ListenOptions options) noexcept {
  if (at.is_unix()) {
    return true;
  }
  if (!enable(fd, SOL_SOCKET, SO_REUSEADDR) || !enable(fd, IPPROTO_TCP, TCP_NODELAY)) {
    return false;
  }
  if (options.when == AcceptWhen::readable) {
    defer_accepting(fd);
  }
  return options.sharing == PortSharing::exclusive || enable(fd, SOL_SOCKET, SO_REUSEPORT);
}

/// Returns whether a path is a socket of a process that was killed, so that nothing listens there.
/// The kernel returns the same error for a file that is not a socket, which must not be removed.
bool is_left_behind(const SocketAddress& at) noexcept {
  struct stat file{};
  if (::lstat(std::string(at.path()).c_str(), &file) != 0 || !S_ISSOCK(file.st_mode)) {
    return false;
  }
  const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return probe.is_open() && ::connect(probe.get(), at.data(), at.size()) != 0 &&
         errno == ECONNREFUSED;
}

bool bind_to(int fd, const SocketAddress& at) noexcept {
  if (::bind(fd, at.data(), at.size()) == 0) {
    return true;
  }
  if (errno != EADDRINUSE || !at.is_unix()) {
    return false;
  }
  // The probe has changed errno, and the caller reports why `bind` failed.
  if (!is_left_behind(at)) {
    errno = EADDRINUSE;
    return false;
  }
  ::unlink(std::string(at.path()).c_str());
  return ::bind(fd, at.data(), at.size()) == 0;
}

}  // namespace

Result<ListeningSocket, NetError> Loop::listen(const SocketAddress& at,
                                               const ListenOptions& options) {
  Descriptor fd(::socket(at.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.is_open() || !prepare(fd.get(), at, options) || !bind_to(fd.get(), at) ||
      ::listen(fd.get(), options.backlog) != 0) {
    return fail(net_error(errno));
  }
  auto bound = SocketAddress::of_socket(fd.get());
  if (!bound) {
    return fail(bound.error());
  }
  return ListeningSocket{std::move(fd), *bound};
}

void Loop::begin_closing(Listener& listener) noexcept {
  if (listener.port() != 0) {
    detail::runtime::begin_no_handshake(WatchAccess::fd(listener));
  }
}

// Returns whether the queue of the socket is now empty.
static bool accept_queued(Listener& listener) {
  while (true) {
    Descriptor accepted(
        ::accept4(WatchAccess::fd(listener), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (accepted.is_open()) {
      WatchAccess::tell_accepted(listener, std::move(accepted));
    } else if (!is_of_one_connection(errno)) {
      return is_try_again(errno) || errno == EINVAL;  // EINVAL after a shutdown
    }
  }
}

bool Loop::accept_last(Listener& listener) {
  const int fd = WatchAccess::fd(listener);
  // Checked before the queue is emptied: a handshake that ends in between adds its connection to
  // the queue.
  if (listener.port() == 0) {
    ::shutdown(fd, SHUT_RD);  // a Unix path has no handshakes, and rejects connections from now on
  } else if (WatchAccess::has_handshakes(listener)) {
    return false;
  }
  return accept_queued(listener);
}

Listener::Listener(Loop& loop, ListenerOwner& owner) noexcept
    : loop_(loop), owner_(owner), rest_(*this) {}

Listener::~Listener() {
  close();
}

Result<void, NetError> Listener::open(const SocketAddress& at, ListenOptions options) {
  ensure(!is_open(), "a listener can be opened only once");
  auto socket = loop_.listen(at, options);
  if (!socket) {
    return fail(socket.error());
  }
  fd_ = std::move(socket->fd);
  address_ = socket->address;
  ownership_ = SocketOwnership::own;
  loop_.attach(*this);
  return {};
}

Result<void, NetError> Listener::adopt(Descriptor fd) {
  ensure(!is_open(), "a listener can be opened only once");
  auto bound = SocketAddress::of_socket(fd.get());
  if (!bound) {
    return fail(bound.error());
  }
  const int flags = ::fcntl(fd.get(), F_GETFL);
  if (flags < 0 || ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK) != 0 ||
      ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC) != 0 ||
      (!bound->is_unix() && !enable(fd.get(), IPPROTO_TCP, TCP_NODELAY))) {
    return fail(net_error(errno));
  }
  fd_ = std::move(fd);
  address_ = *bound;
  ownership_ = SocketOwnership::others;
  loop_.attach(*this);
  return {};
}

void Listener::hold() noexcept {
  loop_.detach(*this);
  is_held_ = true;
}

void Listener::admit() {
  is_held_ = false;
  loop_.attach(*this);
}

void Listener::begin_closing() {
  if (ownership_ != SocketOwnership::others) {
    loop_.begin_closing(*this);
  } else {
    (void)try_close();
  }
}

bool Listener::try_close() {
  const bool is_others = ownership_ == SocketOwnership::others;
  if (is_open() && (is_others ? leave_to_others() : loop_.accept_last(*this))) {
    close();
  }
  return !is_open();
}

// The kernel wakes only one of the processes that wait on a socket. If it woke this one, no other
// process knows of the connection, so accept it here; later ones wake the others.
bool Listener::leave_to_others() {
  if (is_detached()) {
    return true;
  }
  if (!loop_.accept_no_more(*this)) {
    return false;
  }
  hold();
  (void)accept_queued(*this);
  return true;
}

/// Returns whether a handshake that had started at the first call is not complete. Later handshakes
/// belong to other processes on the port. If the kernel does not report them, there may be one.
bool Listener::has_handshakes() {
  auto all = detail::runtime::handshakes_under_way(port());
  if (!all) {
    return true;
  }
  if (!handshakes_) {
    handshakes_ = std::move(*all);
  } else {
    std::erase_if(*handshakes_, [&](auto one) { return !std::ranges::binary_search(*all, one); });
  }
  return !handshakes_->empty();
}

void Listener::close() noexcept {
  if (!is_open()) {
    return;
  }
  if (!is_detached()) {
    loop_.detach(*this);
  }
  is_held_ = false;
  rest_.disarm();
  // Remove the path before closing the socket: afterwards a successor may bind to it, and its path
  // would be removed.
  remove_path();
  fd_.close();
  is_short_ = false;
}

void Listener::remove_path() const noexcept {
  if (ownership_ == SocketOwnership::own && !address_->path().empty()) {
    ::unlink(std::string(address_->path()).c_str());
  }
}

std::uint16_t Listener::port() const {
  return address_->port();
}

void Listener::tell_accepted(Descriptor fd) {
  is_short_ = false;
  owner_.on_accept(std::move(fd));
}

void Listener::tell_failed(NetError error) {
  // Start the pause before the call, because the owner may destroy the listener in it.
  loop_.arm(rest_, loop_.now() + kRestAfterShortage);
  if (!std::exchange(is_short_, true)) {
    owner_.on_accept_failed(error);
  }
}

void Listener::Rest::expire() {
  listener_.loop_.attach(listener_);
}

}  // namespace eider
