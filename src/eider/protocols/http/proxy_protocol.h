// The PROXY protocol, versions 1 and 2.
// Layering: must not decide who may send one: believe it only from peers that are known to be
// proxies.
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
    /// The proxy speaks for itself (a health check) or does not know: the connection's own
    /// addresses count.
    local,
    ip,
    unix_socket,
  };
  struct End {
    /// Of Kind::ip.
    IpAddress address{};
    std::uint16_t port = 0;
    /// Of Kind::unix_socket; empty for one without a name.
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

/// One plain sentence without a full stop, for the log: the connection is closed unanswered.
[[nodiscard]] std::string_view text(ProxyRefusal refusal) noexcept;

/// With its CRLF.
inline constexpr std::size_t kProxyLineBytesMax = 107;
inline constexpr std::size_t kProxyBlockBytesMaxDefault = 4096;

enum class ProxyStatus : std::uint8_t { need_more, complete, refused };

/// consumed  bytes to drop from the front of the input: all of it at need_more, and never any that
///           follow the header
struct ProxyStep {
  ProxyStatus status;
  std::size_t consumed;
};

/// Reads one header, however its bytes are cut.
class ProxyReader {
 public:
  /// block_bytes_max  of a version 2 header, its fixed 16 bytes and extensions included
  explicit ProxyReader(std::size_t block_bytes_max = kProxyBlockBytesMaxDefault) noexcept
      : block_bytes_max_(block_bytes_max) {}

  /// returns  complete  header() says what; what follows is the connection's content
  ///          need_more  all of `in` is consumed
  ///          refused   refusal() says why; so does every later call
  /// cost     no allocation when the header comes in one piece
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
  std::size_t header_bytes_ = 0;  // once it is complete
  ProxyRefusal refusal_ = ProxyRefusal::none;
  std::string gathered_;  // of a header that came in pieces
  ProxyHeader header_;
};

}  // namespace eider
