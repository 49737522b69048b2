// The origin of a request: Forwarded (RFC 7239), or X-Forwarded-For, -Proto and -Host.
// Layering: must not trust peers other than those whose addresses are trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "eider/protocols/http/cidr.h"
#include "eider/protocols/http/forwarded_headers.h"
#include "eider/protocols/http/head.h"
#include "eider/protocols/http/ip_address.h"

namespace eider {

/// An end of a hop: an address, or its replacement.
struct ForwardedNode {
  enum class Kind : std::uint8_t {
    none,        ///< absent
    address,     ///< "192.0.2.1:80", "[2001:db8::1]"
    obfuscated,  ///< "_hidden"
    unknown,     ///< "unknown"
    malformed,
  };
  Kind kind = Kind::none;
  IpAddress address{};
  std::optional<std::uint16_t> port{};
  /// The text as received, without quotes.
  std::string_view text{};
};

/// Reads `nodename [ ":" node-port ]` (RFC 7239, section 6). The name is an IPv4 address, an IPv6
/// address in brackets, "unknown", or "_" and characters.
[[nodiscard]] ForwardedNode read_forwarded_node(std::string_view text) noexcept;
/// Reads an entry of X-Forwarded-For: the same, or an IPv6 address without brackets.
[[nodiscard]] ForwardedNode read_x_forwarded_node(std::string_view text) noexcept;

/// A hop, as reported by its proxy.
struct ForwardedElement {
  ForwardedNode from;
  ForwardedNode by;
  /// Host of the request; empty if absent.
  std::string_view host;
  std::string_view proto;
  bool is_malformed = false;
};

/// forwarded-element = [ forwarded-pair ] *( ";" [ forwarded-pair ] ) (RFC 7239, section 4). A
/// duplicate parameter, and a quoted value with a backslash in it, are malformed; unknown
/// parameters are ignored.
[[nodiscard]] ForwardedElement read_forwarded_element(std::string_view text) noexcept;

/// The elements of lists in one or more headers, from the last one, which our own peer wrote, to
/// the first. The text before an element does not change how it is read.
class ElementsFromRight {
 public:
  /// The headers with that name, case-insensitive.
  ElementsFromRight(std::span<const Field> fields, std::string_view name) noexcept
      : fields_(fields), name_(name) {}

  /// Returns the next element without spaces around it; empty ones are skipped.
  [[nodiscard]] std::optional<std::string_view> next() noexcept;

 private:
  [[nodiscard]] bool take_line() noexcept;
  [[nodiscard]] std::string_view cut_last() noexcept;

  std::span<const Field> fields_;
  std::string_view name_;
  std::string_view line_;
};

/// The origin of a request, as reported by trusted peers only.
struct RequestOrigin {
  /// The outermost end that a trusted peer names. Nothing if the peer itself is on a Unix socket,
  /// or the name is not an address: never use a proxy's address for authorization instead.
  std::optional<IpAddress> address;
  std::optional<std::uint16_t> port;
  /// The replacement of the address: "_hidden", "unknown", or an unreadable text.
  std::string_view identifier;
  /// Scheme of the request; empty if no trusted peer reports it.
  std::string_view proto;
  std::string_view host;
  /// The number of trusted peers that the request passed.
  std::size_t hops = 0;
};

/// A longer chain is cut here.
inline constexpr std::size_t kForwardedHopsMax = 16;

/// Walks from the peer outwards as long as each end is trusted.
///
/// peer     of the connection
/// fields   of the request; the views in the result point into them
/// returns  the peer itself if it is not trusted or reports no client; X-Forwarded-Proto and -Host
///          of a trusted peer apply even then
/// cost     no allocation, one pass over the trusted part of the fields
[[nodiscard]] RequestOrigin find_origin(const PeerEnd& peer, std::span<const Field> fields,
                                        ForwardedHeaders kind,
                                        const TrustedPeers& trusted) noexcept;

/// Returns whether the client used TLS, as a trusted peer reports it, or else as the connection.
[[nodiscard]] bool is_over_tls(const RequestOrigin& origin, bool is_connection_over_tls) noexcept;

/// The trusted proxies of the app, which it stores in its requests if there are any.
struct ForwardedTrust {
  const TrustedPeers* peers;
  ForwardedHeaders kind;
};

}  // namespace eider
