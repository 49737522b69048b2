// Where a socket is bound or leads to: IPv4, IPv6 or a Unix path, as numbers.
// Must not ask a name server: names are resolved elsewhere.
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

class Address {
 public:
  /// Reads "127.0.0.1", "::1" (also in brackets), "localhost" (127.0.0.1) or "unix:/path".
  ///
  /// port     for the IP families; a Unix path has none
  /// errors   bad_address  a name, an empty or malformed text, or a path over 107 bytes
  [[nodiscard]] static Result<Address, NetError> parse(std::string_view host, std::uint16_t port);

  /// The other end of a connected socket, also when it has reset the connection since. Unnamed Unix
  /// peers give "unix:".
  [[nodiscard]] static Result<Address, NetError> of_peer(int fd);
  /// What a socket is bound to.
  [[nodiscard]] static Result<Address, NetError> of_socket(int fd);

  /// "127.0.0.1:80", "[::1]:80" or "unix:/path".
  [[nodiscard]] std::string to_text() const;
  /// Without the port and without brackets: "127.0.0.1", "::1", or as unix_host says.
  [[nodiscard]] std::string host() const;
  /// 0 for a Unix path.
  [[nodiscard]] std::uint16_t port() const noexcept;
  [[nodiscard]] bool is_unix() const noexcept;
  /// The path of a Unix address, without "unix:"; empty for others.
  [[nodiscard]] std::string_view path() const noexcept;

  /// AF_INET, AF_INET6 or AF_UNIX.
  [[nodiscard]] int family() const noexcept;
  [[nodiscard]] const sockaddr* data() const noexcept;
  [[nodiscard]] unsigned size() const noexcept { return size_; }

 private:
  Address() = default;

  template <class Raw>
  [[nodiscard]] static Address from_raw(const Raw& raw, std::size_t bytes) noexcept;
  template <class Raw>
  [[nodiscard]] Raw as() const noexcept;
  template <class Ask>
  [[nodiscard]] static Result<Address, NetError> ask(Ask ask, int fd);
  [[nodiscard]] static Result<Address, NetError> parse_path(std::string_view path);

  // As large as sockaddr_un, the largest of the three.
  static constexpr std::size_t kBytesMax = 112;
  alignas(8) std::array<std::byte, kBytesMax> bytes_{};
  unsigned size_ = 0;
};

/// "unix:/path", safe to stand in a field or a line: a peer binds its own socket to whatever path
/// it likes, so one with blanks, control bytes or others than ASCII is told as "unix:" alone.
[[nodiscard]] std::string unix_host(std::string_view path);

}  // namespace eider
