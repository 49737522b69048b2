#include "eider/data/db/postgres/login_guard.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "eider/core/base/text.h"

namespace eider::db::postgres {
namespace {

/// Larger than any message that a server sends before the first statement.
constexpr std::size_t kLoginBytesMax = std::size_t{64} << 10U;

ino_t inode_of(int fd) noexcept {
  struct stat what{};
  return fd >= 0 && ::fstat(fd, &what) == 0 ? what.st_ino : 0;
}

bool is_of_network(int fd) noexcept {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  return ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
         (address.ss_family == AF_INET || address.ss_family == AF_INET6);
}

std::uint32_t number_in(std::string_view bytes) noexcept {
  std::uint32_t number = 0;
  for (const char byte : bytes.substr(0, 4)) {
    number = number << 8U | static_cast<unsigned char>(byte);
  }
  return number;
}

bool send_all(int fd, std::string_view bytes) noexcept {
  return bytes.empty() || ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
                              static_cast<ssize_t>(bytes.size());
}

/// list  "md5,password"
bool is_among(std::string_view word, std::string_view list) noexcept {
  while (!list.empty()) {
    if (take_until(list, ",") == word) {
      return true;
    }
  }
  return false;
}

/// Returns why a server's request would expose the password, or null if it would not.
///
/// source  PostgreSQL's documentation, section 55.7: AuthenticationCleartextPassword and
///         AuthenticationMD5Password
const char* weak_request(std::string_view message, std::string_view allowed) noexcept {
  constexpr std::uint32_t kCleartext = 3;
  constexpr std::uint32_t kMd5 = 5;
  if (message.front() != 'R' || message.size() < 9) {
    return nullptr;
  }
  const std::uint32_t code = number_in(message.substr(5));
  if (code == kCleartext && !is_among("password", allowed)) {
    return "in clear text";
  }
  return code == kMd5 && !is_among("md5", allowed) ? "as MD5" : nullptr;
}

}  // namespace

int LoginGuard::socket() const noexcept {
  return server_.is_open() ? server_.get() : PQsocket(connection_);
}

bool LoginGuard::is_between() const noexcept {
  return server_.is_open() && inode_of(PQsocket(connection_)) == pair_;
}

bool LoginGuard::is_negotiating() const noexcept {
  const ConnStatusType status = PQstatus(connection_);
  return (status == CONNECTION_SSL_STARTUP || status == CONNECTION_GSS_STARTUP) &&
         inode_of(socket()) != agreed_;
}

void LoginGuard::drop() noexcept {
  server_.close();
  outside_.close();
  came_.clear();
  is_ended_ = false;
}

bool LoginGuard::begin(int fd) {
  std::array<int, 2> ends{-1, -1};
  Descriptor server(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  if (!server.is_open() ||
      ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return false;
  }
  const Descriptor inside(ends[0]);
  outside_ = Descriptor(ends[1]);
  server_ = std::move(server);
  pair_ = inode_of(inside.get());
  return ::dup3(inside.get(), fd, O_CLOEXEC) == fd;
}

LoginGuard::Next LoginGuard::refuse(std::string why) {
  why_ = std::move(why);
  return Next::refused;
}

LoginGuard::Next LoginGuard::before_step() {
  if (is_negotiating()) {
    return take_negotiation();
  }
  return is_between() ? take_messages() : Next::go_on;
}

/// Reads one byte without consuming it: libpq must not receive unverified bytes after an 'N'.
LoginGuard::Next LoginGuard::take_negotiation() {
  char answer = 0;
  const ssize_t got = ::recv(socket(), &answer, 1, MSG_PEEK | MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
    return Next::wait;
  }
  if (got == 1 && answer != 'N' && answer != 'E') {
    agreed_ = inode_of(socket());
    return finish() ? Next::go_on : refuse("the connection was lost");
  }
  if (!is_between() && !begin(PQsocket(connection_))) {
    return refuse("cannot create a socket");
  }
  if (answer == 'N' && got == 1) {
    return ::recv(server_.get(), &answer, 1, MSG_DONTWAIT) == 1 &&
                   send_all(outside_.get(), {&answer, 1})
               ? Next::go_on
               : refuse("the connection was lost");
  }
  return take_messages();
}

bool LoginGuard::receive() {
  while (came_.size() <= kLoginBytesMax) {
    std::array<char, 8192> room;
    const ssize_t got = ::recv(server_.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      is_ended_ = got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
      return true;
    }
    came_.append(room.data(), static_cast<std::size_t>(got));
  }
  return false;
}

std::optional<std::size_t> LoginGuard::find_messages() {
  constexpr std::size_t kHead = 5;
  std::size_t at = 0;
  while (came_.size() - at >= kHead) {
    const std::string_view message = std::string_view(came_).substr(at);
    const std::uint32_t size = number_in(message.substr(1));
    if (size < 4 || size > kLoginBytesMax) {
      // A server that cannot start a process writes 'E' and plain text.
      why_ = message.front() == 'E' ? std::string(message.substr(1, message.find('\n') - 1))
                                    : "the server does not follow the protocol";
      return std::nullopt;
    }
    if (message.size() < size + 1) {
      break;
    }
    if (const char* const how = weak_request(message.substr(0, size + 1), allowed_)) {
      why_ = std::string("the server requests the password ") + how +
             ", without TLS, and Eider does not send it. Connect with sslmode=verify-full, or set "
             "password_encryption = 'scram-sha-256' on the server and set the password of the user "
             "again, or allow this method with require_auth";
      return std::nullopt;
    }
    at += size + 1;
  }
  return at;
}

LoginGuard::Next LoginGuard::take_messages() {
  if (!receive()) {
    return refuse("the server does not follow the protocol");
  }
  const std::optional<std::size_t> whole = find_messages();
  if (!whole) {
    return Next::refused;
  }
  if (!send_all(outside_.get(), std::string_view(came_).substr(0, *whole))) {
    return refuse("the connection was lost");
  }
  came_.erase(0, *whole);
  if (is_ended_) {
    // libpq reads the bytes that were received before, then the end.
    ::shutdown(outside_.get(), SHUT_WR);
  }
  // libpq may also have to send bytes.
  return *whole == 0 && !is_ended_ && PQstatus(connection_) == CONNECTION_AWAITING_RESPONSE
             ? Next::wait
             : Next::go_on;
}

bool LoginGuard::after_step() {
  if (server_.is_open() && !is_between()) {
    drop();  // libpq has closed its end, and may have continued with the next host
  }
  if (server_.is_open()) {
    std::array<char, 8192> room;
    ssize_t got = 0;
    while ((got = ::recv(outside_.get(), room.data(), room.size(), MSG_DONTWAIT)) > 0) {
      if (!send_all(server_.get(), {room.data(), static_cast<std::size_t>(got)})) {
        return false;
      }
    }
    return true;
  }
  const ConnStatusType status = PQstatus(connection_);
  const bool is_talking = status == CONNECTION_MADE || status == CONNECTION_AWAITING_RESPONSE;
  const int fd = PQsocket(connection_);
  return !is_talking || inode_of(fd) == agreed_ || !is_of_network(fd) || begin(fd);
}

bool LoginGuard::finish() {
  if (!is_between()) {
    return true;
  }
  const int fd = PQsocket(connection_);
  int unread = 0;
  const bool is_read = came_.empty() && ::ioctl(fd, FIONREAD, &unread) == 0 && unread == 0;
  const bool is_back = is_read && ::dup3(server_.get(), fd, O_CLOEXEC) == fd;
  drop();
  return is_back;
}

}  // namespace eider::db::postgres
