#include "cli/dev/sockets.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "eider/core/base/base64.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/io/runtime/address.h"

namespace eider::dev {

namespace {

constexpr std::size_t kNoticeBytes = 4096;

/// Every user of this machine can send to an abstract socket name.
bool is_of_this_user(msghdr& message) noexcept {
  const cmsghdr* const first = CMSG_FIRSTHDR(&message);
  if (first == nullptr || first->cmsg_level != SOL_SOCKET || first->cmsg_type != SCM_CREDENTIALS) {
    return false;
  }
  ucred sender{};
  std::memcpy(&sender, CMSG_DATA(first), sizeof(sender));
  return sender.uid == ::geteuid();
}

}  // namespace

Descriptor listen_at(const std::string& host, std::uint16_t port) {
  const auto at = SocketAddress::parse(host, port);
  if (!at) {
    return {};
  }
  Descriptor made(::socket(at->family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  (void)::setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const bool listens =
      ::bind(made.get(), at->data(), at->size()) == 0 && ::listen(made.get(), SOMAXCONN) == 0;
  return listens ? std::move(made) : Descriptor();
}

std::uint16_t port_of(const Descriptor& listener) {
  sockaddr_in at{};
  socklen_t size = sizeof(at);
  (void)::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&at), &size);
  return ntohs(at.sin_port);
}

Descriptor connect_to(const Descriptor& listener) {
  sockaddr_in at{};
  socklen_t size = sizeof(at);
  (void)::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&at), &size);
  Descriptor made(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  (void)::connect(made.get(), reinterpret_cast<const sockaddr*>(&at), size);
  return made;
}

bool is_accepted_from(const Descriptor& listener) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  // For a listening socket, this is the length of the accept queue.
  return ::getsockopt(listener.get(), IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
         info.tcpi_unacked == 0;
}

std::string name_for_notices() {
  constexpr std::size_t kSecretBytes = 16;
  return "eider-notices-" + to_hex(secret_bytes(kSecretBytes));
}

Descriptor listen_for_notices(const std::string& name) {
  Descriptor made(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  (void)::setsockopt(made.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
  sockaddr_un at{};
  at.sun_family = AF_UNIX;
  name.copy(at.sun_path + 1, sizeof(at.sun_path) - 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  (void)::bind(made.get(), reinterpret_cast<const sockaddr*>(&at), size);
  return made;
}

bool is_told_ready(const Descriptor& notices) {
  bool is_ready = false;
  std::array<char, kNoticeBytes> bytes{};
  while (true) {
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t count = ::recvmsg(notices.get(), &message, MSG_CMSG_CLOEXEC);
    if (count <= 0) {
      return is_ready;
    }
    const std::string_view told(bytes.data(), static_cast<std::size_t>(count));
    is_ready = is_ready || (is_of_this_user(message) && told.contains("READY=1"));
  }
}

}  // namespace eider::dev
