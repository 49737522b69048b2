// A socket address: IPv4, IPv6 or a Unix path.
// Layering: must not query a name server: names are resolved elsewhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/io/runtime/net_error.h"

struct sockaddr;

namespace eider {

class SocketAddress {
 public:
  /// Parses "127.0.0.1", "::1" (also in brackets), "localhost" (127.0.0.1) or "unix:/path".
  ///
  /// port     for the IP families; a Unix path has none
  /// errors   bad_address  a name, an empty or malformed text, or a path over 107 bytes
  [[nodiscard]] static Result<SocketAddress, NetError> parse(std::string_view host,
                                                             std::uint16_t port);

  /// Returns the other end of a connected socket, also if it has reset the connection since.
  /// Unnamed Unix peers are "unix:".
  [[nodiscard]] static Result<SocketAddress, NetError> of_peer(int fd);
  /// Returns the address that a socket is bound to.
  [[nodiscard]] static Result<SocketAddress, NetError> of_socket(int fd);

  /// Returns "127.0.0.1:80", "[::1]:80" or "unix:/path".
  [[nodiscard]] std::string to_text() const;
  /// Returns the host without port and brackets: "127.0.0.1", "::1", or the result of unix_host.
  [[nodiscard]] std::string host() const;
  /// Returns 0 for a Unix path.
  [[nodiscard]] std::uint16_t port() const noexcept;
  [[nodiscard]] bool is_unix() const noexcept;
  /// Returns the path of a Unix address, without "unix:"; empty for others.
  [[nodiscard]] std::string_view path() const noexcept;

  /// Returns AF_INET, AF_INET6 or AF_UNIX.
  [[nodiscard]] int family() const noexcept;
  [[nodiscard]] const sockaddr* data() const noexcept;
  [[nodiscard]] unsigned size() const noexcept { return size_; }

 private:
  SocketAddress() = default;

  template <class Raw>
  [[nodiscard]] static SocketAddress from_raw(const Raw& raw, std::size_t bytes) noexcept;
  template <class Raw>
  [[nodiscard]] Raw as() const noexcept;
  template <class Ask>
  [[nodiscard]] static Result<SocketAddress, NetError> ask(Ask ask, int fd);
  [[nodiscard]] static Result<SocketAddress, NetError> parse_path(std::string_view path);

  // The size of sockaddr_un, the largest of the three types.
  static constexpr std::size_t kBytesMax = 112;
  alignas(8) std::array<std::byte, kBytesMax> bytes_{};
  unsigned size_ = 0;
};

/// Returns "unix:/path", safe for a header or a line: a peer can bind its socket to any path, so a
/// path with spaces, control characters or non-ASCII characters becomes "unix:".
[[nodiscard]] std::string unix_host(std::string_view path);

}  // namespace eider
