// Descriptors in a message on a Unix socket (SCM_RIGHTS, unix(7)).
// Layering: must not own them: the kernel creates new ones for the receiver.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace eider::detail::server {

/// The control buffer of a message; must live as long as the message.
class SentDescriptors {
 public:
  /// The kernel rejects messages with more descriptors.
  static constexpr std::size_t kMost = 253;

  /// Pre: 1 to kMost descriptors
  void attach(msghdr& message, std::span<const int> descriptors) noexcept {
    make_room(message);
    const std::size_t bytes = descriptors.size_bytes();
    message.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(bytes);
    std::memcpy(CMSG_DATA(header), descriptors.data(), bytes);
  }
  /// Prepares to receive up to kMost descriptors.
  void make_room(msghdr& message) noexcept {
    message.msg_control = room_.data();
    message.msg_controllen = room_.size();
  }

 private:
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMost * sizeof(int))> room_{};
};

}  // namespace eider::detail::server
