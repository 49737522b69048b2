#include "eider/server/process/handover.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/server/server.h"

namespace eider::detail::server {

namespace {

/// Enough for a Unix path with its context, or for all addresses of a server.
constexpr std::size_t kTextBytesMax = 64UL * 1024;

std::vector<Descriptor> detach(msghdr& message) {
  std::vector<Descriptor> sockets;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t index = 0; index < count; ++index) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + index * sizeof(int), sizeof(int));
      sockets.emplace_back(fd);
    }
  }
  return sockets;
}

bool is_readable(int fd, Duration within) noexcept {
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(within).count();
  pollfd polled{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&polled, 1, static_cast<int>(wait)) > 0;
}

/// Also removes the variable, because it must not be inherited by processes that this one starts.
std::optional<unsigned> take_worker_index() {
  const std::string name(kWorkerVariable);
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) {
    return std::nullopt;
  }
  const auto index = parse_integer<unsigned>(value);
  ::unsetenv(name.c_str());
  return index;
}

}  // namespace

bool HandoverChannel::send(HandoverWord word, std::string_view text,
                           std::span<const int> sockets) const noexcept {
  std::string bytes(1, static_cast<char>(word));
  bytes.append(text);
  iovec piece{.iov_base = bytes.data(), .iov_len = bytes.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  SentDescriptors sent;
  if (!sockets.empty()) {
    sent.attach(message, sockets);
  }
  return ::sendmsg(end_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

std::optional<HandoverMessage> HandoverChannel::receive(Duration within) {
  if (is_over() || !is_readable(end_.get(), within)) {
    return std::nullopt;
  }
  std::string bytes(kTextBytesMax, '\0');
  iovec piece{.iov_base = bytes.data(), .iov_len = bytes.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  SentDescriptors sent;
  sent.make_room(message);
  const ssize_t got = ::recvmsg(end_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got <= 0) {
    is_over_ = got == 0 || errno != EAGAIN;
    return std::nullopt;
  }
  HandoverMessage received{.word = static_cast<HandoverWord>(bytes.front()),
                           .text = bytes.substr(1, static_cast<std::size_t>(got) - 1),
                           .sockets = detach(message)};
  return received;
}

}  // namespace eider::detail::server

std::optional<unsigned> eider::worker_index() {
  static const std::optional<unsigned> index = detail::server::take_worker_index();
  return index;
}
