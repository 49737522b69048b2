#include "eider/server/upgrade_word.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <utility>

namespace eider::detail::server {

namespace {

constexpr std::size_t kWordBytesMax = 1024;

struct WordAddress {
  sockaddr_un of{};
  socklen_t length = 0;

  [[nodiscard]] const sockaddr* get() const noexcept {
    return reinterpret_cast<const sockaddr*>(&of);
  }
};

/// A name that is no file's: it goes with who listens there, and needs no right to a directory.
WordAddress address_for(pid_t service) noexcept {
  WordAddress at;
  at.of.sun_family = AF_UNIX;
  constexpr std::string_view kName("\0eider/upgrade/", 15);
  char* const digits = std::ranges::copy(kName, at.of.sun_path).out;
  const auto end = std::to_chars(digits, std::end(at.of.sun_path), service).ptr;
  at.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) +
                                     static_cast<std::size_t>(end - at.of.sun_path));
  return at;
}

/// Who has sent it, as the kernel knows; 0: unknown.
pid_t sender_of(msghdr& message) noexcept {
  for (const cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr;
       each = CMSG_NXTHDR(&message, const_cast<cmsghdr*>(each))) {
    if (each->cmsg_level == SOL_SOCKET && each->cmsg_type == SCM_CREDENTIALS) {
      ucred who{};
      std::memcpy(&who, CMSG_DATA(each), sizeof(who));
      return who.pid;
    }
  }
  return 0;
}

}  // namespace

// Its bytes are looked for in files, so it must be one piece in them, also where nobody here asks.
[[gnu::used, gnu::retain]] static constexpr char kMark[] = "Eider takes SIGUSR2 as an upgrade";

std::string_view upgrade_mark() noexcept {
  return kMark;
}

void tell_upgrade(pid_t successor, std::string_view why) noexcept {
  const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const WordAddress to = address_for(::getpid());
  std::array<char, kWordBytesMax> word{};
  char* at = std::to_chars(word.data(), word.data() + word.size(), successor).ptr;
  *at++ = ' ';
  const auto room = static_cast<std::size_t>(word.data() + word.size() - at);
  at = std::ranges::copy(why.substr(0, room), at).out;
  (void)::sendto(socket.get(), word.data(), static_cast<std::size_t>(at - word.data()),
                 MSG_DONTWAIT | MSG_NOSIGNAL, to.get(), to.length);
}

Result<UpgradeAsker, std::string> UpgradeAsker::listen(pid_t service) {
  Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  (void)::setsockopt(socket.get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
  const WordAddress at = address_for(service);
  if (::bind(socket.get(), at.get(), at.length) != 0) {
    return fail(errno == EADDRINUSE ? std::string("somebody else is asking it already")
                                    : std::system_category().message(errno));
  }
  return UpgradeAsker(service, std::move(socket));
}

std::optional<UpgradeWord> UpgradeAsker::heard() const {
  std::array<char, kWordBytesMax> word{};
  while (true) {
    iovec part{word.data(), word.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(ucred))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t bytes = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (bytes < 0) {
      return std::nullopt;
    }
    if (sender_of(message) != service_) {
      continue;
    }
    UpgradeWord told;
    const char* const end = word.data() + bytes;
    const char* text = std::from_chars(word.data(), end, told.successor).ptr;
    told.why.assign(text == end ? end : text + 1, end);
    return told;
  }
}

}  // namespace eider::detail::server
