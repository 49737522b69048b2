#include "eider/io/runtime/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "eider/protocols/http/ip_address.h"

namespace eider {

namespace {

constexpr std::string_view kUnixPrefix = "unix:";

std::string_view without_brackets(std::string_view host) noexcept {
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    return host.substr(1, host.size() - 2);
  }
  return host;
}

}  // namespace

template <class Raw>
SocketAddress SocketAddress::from_raw(const Raw& raw, std::size_t bytes) noexcept {
  static_assert(sizeof(Raw) <= kBytesMax);
  SocketAddress address;
  std::memcpy(address.bytes_.data(), &raw, bytes);
  address.size_ = static_cast<unsigned>(bytes);
  return address;
}

template <class Raw>
Raw SocketAddress::as() const noexcept {
  Raw raw{};
  std::memcpy(&raw, bytes_.data(), sizeof(raw));
  return raw;
}

Result<SocketAddress, NetError> SocketAddress::parse_path(std::string_view path) {
  // "@name" usually means an abstract socket, so creating a file of that name would be surprising.
  if (path.starts_with('@')) {
    return fail(NetError::bad_address);
  }
  sockaddr_un raw{};
  // Leave one byte for the NUL that other programs expect after the path.
  if (path.empty() || path.size() >= sizeof(raw.sun_path)) {
    return fail(NetError::bad_address);
  }
  raw.sun_family = AF_UNIX;
  std::memcpy(raw.sun_path, path.data(), path.size());
  return from_raw(raw, offsetof(sockaddr_un, sun_path) + path.size() + 1);
}

Result<SocketAddress, NetError> SocketAddress::parse(std::string_view host, std::uint16_t port) {
  if (host.contains('\0')) {
    return fail(NetError::bad_address);
  }
  if (host.starts_with(kUnixPrefix)) {
    return parse_path(host.substr(kUnixPrefix.size()));
  }
  const std::string digits(host == "localhost" ? "127.0.0.1" : without_brackets(host));
  sockaddr_in v4{};
  if (::inet_pton(AF_INET, digits.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    return from_raw(v4, sizeof(v4));
  }
  sockaddr_in6 v6{};
  if (::inet_pton(AF_INET6, digits.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    return from_raw(v6, sizeof(v6));
  }
  return fail(NetError::bad_address);
}

template <class Ask>
Result<SocketAddress, NetError> SocketAddress::ask(Ask ask, int fd) {
  sockaddr_un raw{};  // the largest of the three types
  socklen_t bytes = sizeof(raw);
  if (ask(fd, reinterpret_cast<sockaddr*>(&raw), &bytes) != 0) {
    return fail(net_error(errno));
  }
  return from_raw(raw, bytes < sizeof(raw) ? bytes : sizeof(raw));
}

namespace {

/// getpeername fails after the peer has reset the connection; this option does not. It returns
/// exactly as many bytes as requested, and an error if there are fewer.
int name_of_gone_peer(int fd, sockaddr* to, socklen_t* bytes) noexcept {
  for (const std::size_t size : {sizeof(sockaddr_in6), sizeof(sockaddr_in)}) {
    *bytes = static_cast<socklen_t>(size);
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERNAME, to, bytes) == 0) {
      return 0;
    }
  }
  return -1;
}

}  // namespace

// Without this, the request of a client that has reset its connection would have no address, and
// rules for addresses would not apply to it.
Result<SocketAddress, NetError> SocketAddress::of_peer(int fd) {
  auto peer = ask(::getpeername, fd);
  return peer ? peer : ask(name_of_gone_peer, fd);
}

Result<SocketAddress, NetError> SocketAddress::of_socket(int fd) {
  return ask(::getsockname, fd);
}

std::string SocketAddress::host() const {
  if (family() == AF_INET) {
    return IpAddress::v4(std::bit_cast<std::array<std::uint8_t, IpAddress::kV4Bytes>>(
                             as<sockaddr_in>().sin_addr))
        .to_text();
  }
  if (family() == AF_INET6) {
    std::array<char, INET6_ADDRSTRLEN> digits{};
    const auto raw = as<sockaddr_in6>();
    return ::inet_ntop(AF_INET6, &raw.sin6_addr, digits.data(), digits.size());
  }
  return unix_host(path());
}

std::string SocketAddress::to_text() const {
  if (is_unix()) {
    return std::string(kUnixPrefix).append(path());
  }
  const std::string number = std::to_string(port());
  return family() == AF_INET6 ? "[" + host() + "]:" + number : host() + ":" + number;
}

std::uint16_t SocketAddress::port() const noexcept {
  if (family() == AF_INET) {
    return ntohs(as<sockaddr_in>().sin_port);
  }
  return family() == AF_INET6 ? ntohs(as<sockaddr_in6>().sin6_port) : std::uint16_t{0};
}

bool SocketAddress::is_unix() const noexcept {
  return family() == AF_UNIX;
}

std::string_view SocketAddress::path() const noexcept {
  constexpr std::size_t kBefore = offsetof(sockaddr_un, sun_path);
  if (!is_unix() || size_ <= kBefore) {
    return {};
  }
  const char* first = reinterpret_cast<const char*>(bytes_.data()) + kBefore;
  return {first, ::strnlen(first, size_ - kBefore)};
}

std::string unix_host(std::string_view path) {
  const bool is_safe =
      std::ranges::all_of(path, [](char byte) { return byte > 0x20 && byte < 0x7F; });
  return std::string(kUnixPrefix).append(is_safe ? path : std::string_view());
}

int SocketAddress::family() const noexcept {
  return as<sockaddr>().sa_family;
}

const sockaddr* SocketAddress::data() const noexcept {
  return reinterpret_cast<const sockaddr*>(bytes_.data());
}

}  // namespace eider
