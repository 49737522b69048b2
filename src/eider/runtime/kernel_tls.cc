#include "eider/runtime/kernel_tls.h"

#include <linux/tls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "eider/runtime/descriptor.h"

namespace eider {

namespace {

// As in the kernel's include/linux/socket.h; older C libraries do not have it.
constexpr int kSolTls = 282;
/// RFC 8446, section 5.1.
constexpr unsigned char kAlertRecord = 21;

constexpr std::string_view kProtocol = "tls";

int use_tls(int socket) noexcept {
  return ::setsockopt(socket, IPPROTO_TCP, TCP_ULP, kProtocol.data(), kProtocol.size());
}

class LinuxTls final : public KernelTls {
 public:
  bool take_over(int socket, std::string_view keys) noexcept override {
    return use_tls(socket) == 0 && ::setsockopt(socket, kSolTls, TLS_TX, keys.data(),
                                                static_cast<socklen_t>(keys.size())) == 0;
  }

  void send_alert(int socket, std::string_view alert) noexcept override {
    iovec part{const_cast<char*>(alert.data()), alert.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(kAlertRecord))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = kSolTls;
    head->cmsg_type = TLS_SET_RECORD_TYPE;
    head->cmsg_len = CMSG_LEN(sizeof(kAlertRecord));
    std::memcpy(CMSG_DATA(head), &kAlertRecord, sizeof(kAlertRecord));
    static_cast<void>(::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT));
  }
};

/// A socket that is not connected is refused as such only by a kernel that knows the protocol.
bool is_there() noexcept {
  const Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return socket.is_open() && use_tls(socket.get()) != 0 && errno == ENOTCONN;
}

}  // namespace

KernelTls* kernel_tls() noexcept {
  static LinuxTls kernel;
  static const bool has_tls = is_there();
  return has_tls ? &kernel : nullptr;
}

bool has_room(int socket) noexcept {
  pollfd asked{.fd = socket, .events = POLLOUT, .revents = 0};
  return ::poll(&asked, 1, 0) == 1;
}

}  // namespace eider
