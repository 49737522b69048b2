// The PROXY protocol, versions 1 and 2.
// Layering: must not decide which peers may send one: trust it only from known proxies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/protocols/http/ip_address.h"

namespace eider {

/// Source: "The PROXY protocol, versions 1 & 2", HAProxy, sections 2.1 and 2.2.
struct ProxyHeader {
  enum class Kind : std::uint8_t {
    /// The proxy made the connection for itself (a health check) or does not know the client: use
    /// the connection's own addresses.
    local,
    ip,
    unix_socket,
  };
  struct End {
    /// For Kind::ip.
    IpAddress address{};
    std::uint16_t port = 0;
    /// For Kind::unix_socket; empty for a socket without a name.
    std::string path{};
  };

  Kind kind = Kind::local;
  End source{};
  End destination{};
};

enum class ProxyRefusal : std::uint8_t {
  none,
  no_header,
  line_too_long,
  bad_line,
  bad_version,
  bad_command,
  bad_family,
  too_large,
  bad_length,
  bad_checksum,
};

/// Returns one plain sentence without a period, for the log: the connection is closed without a
/// response.
[[nodiscard]] std::string_view text(ProxyRefusal refusal) noexcept;

/// Including its CRLF.
inline constexpr std::size_t kProxyLineBytesMax = 107;
inline constexpr std::size_t kProxyBlockBytesMaxDefault = 4096;

enum class ProxyStatus : std::uint8_t { need_more, complete, refused };

/// consumed  bytes to remove from the start of the input: all of it for need_more, and never bytes
///           after the header
struct ProxyStep {
  ProxyStatus status;
  std::size_t consumed;
};

/// Reads one header, which may arrive in any number of pieces.
class ProxyReader {
 public:
  /// block_bytes_max  of a version 2 header, including its fixed 16 bytes and extensions
  explicit ProxyReader(std::size_t block_bytes_max = kProxyBlockBytesMaxDefault) noexcept
      : block_bytes_max_(block_bytes_max) {}

  /// returns  complete   see header(); the bytes after it are the connection's content
  ///          need_more  all of `in` is consumed
  ///          refused    see refusal(); each later call returns this, too
  /// cost     no allocation if the header arrives in one piece
  [[nodiscard]] ProxyStep read(std::string_view in);

  /// Pre: complete.
  [[nodiscard]] const ProxyHeader& header() const noexcept { return header_; }
  [[nodiscard]] ProxyRefusal refusal() const noexcept { return refusal_; }

 private:
  [[nodiscard]] ProxyStatus read_whole(std::string_view bytes);
  [[nodiscard]] ProxyStatus read_line(std::string_view bytes);
  [[nodiscard]] ProxyStatus read_block(std::string_view bytes);
  [[nodiscard]] ProxyStatus refuse(ProxyRefusal refusal) noexcept;
  [[nodiscard]] ProxyStatus take(Result<ProxyHeader, ProxyRefusal> header, std::size_t bytes);

  std::size_t block_bytes_max_;
  std::size_t header_bytes_ = 0;  // set when it is complete
  ProxyRefusal refusal_ = ProxyRefusal::none;
  std::string gathered_;  // a header that arrives in pieces
  ProxyHeader header_;
};

}  // namespace eider
