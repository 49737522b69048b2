// The opening handshake of WebSocket (RFC 6455, section 4), for server and client.
// Layering: must not write HTTP: it returns the required fields and status.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "eider/core/base/result.h"
#include "eider/protocols/http/head.h"
#include "eider/protocols/http/source_site.h"

namespace eider::ws {

/// Field names of the handshake, as they are written.
inline constexpr std::string_view kKeyField = "Sec-WebSocket-Key";
inline constexpr std::string_view kAcceptField = "Sec-WebSocket-Accept";
inline constexpr std::string_view kVersionField = "Sec-WebSocket-Version";
inline constexpr std::string_view kProtocolField = "Sec-WebSocket-Protocol";
inline constexpr std::string_view kExtensionsField = "Sec-WebSocket-Extensions";
/// The only version (RFC 6455, section 4.1).
inline constexpr std::string_view kVersion = "13";

/// A request that may become a WebSocket connection.
///
/// accept  the value of Sec-WebSocket-Accept, base64; zeros over HTTP/2, which does not use it
struct Handshake {
  std::array<char, 28> accept{};

  [[nodiscard]] std::string_view accept_view() const noexcept {
    return {accept.data(), accept.front() == 0 ? 0 : accept.size()};
  }
};

/// The reason why a request does not become a WebSocket connection.
///
/// status  400, 405 or 426
/// text    one sentence for the client, without data from the client
/// fields  further fields of the response: Allow, Upgrade, Sec-WebSocket-Version; constants
struct HandshakeRefusal {
  int status;
  std::string_view text;
  std::span<const Field> fields;
};

/// Checks a request, for servers.
///
/// errors   405  the method is not GET
///          426  the request does not upgrade to websocket, or to another version
///          400  HTTP/1.0, content, a duplicate field, or an invalid field
/// source   RFC 6455, sections 4.2.1 and 4.4; RFC 9110, section 15.5.22; RFC 8441, section 5
[[nodiscard]] Result<Handshake, HandshakeRefusal> check_upgrade(const RequestHead& head) noexcept;

/// Returns the server's response to this Sec-WebSocket-Key: base64(SHA-1(key + the fixed GUID)).
/// source   RFC 6455, section 4.2.2, item 5.4
[[nodiscard]] std::array<char, 28> accept_value(std::string_view key) noexcept;

/// The subprotocols that a client offers, in its order of preference, over all
/// Sec-WebSocket-Protocol headers. Values that are not tokens are skipped (check_upgrade rejects
/// them).
/// source   RFC 6455, section 11.3.4
class SubprotocolReader {
 public:
  explicit SubprotocolReader(std::span<const Field> fields) noexcept : fields_(fields) {}
  [[nodiscard]] std::optional<std::string_view> next() noexcept;

 private:
  std::span<const Field> fields_;
  /// The rest of the current field.
  std::string_view rest_;
};

/// Returns whether the client offers this subprotocol. Names are case-sensitive.
[[nodiscard]] bool offers_subprotocol(const RequestHead& head, std::string_view name) noexcept;

/// Returns whether the origin of the page that opens the connection is allowed: the requested host,
/// or one of `allowed`. Also true without an Origin header, because browsers always send it. Over
/// TLS, only https pages of the host are accepted: an attacker in the network can create http
/// pages.
///
/// site     host and scheme of the request (requested_site_of)
/// allowed  origins as browsers send them, "https://example.com[:port]", or "*" for any
/// source   RFC 6455, sections 4.2.2, item 4, and 10.2; RFC 6454, section 7
[[nodiscard]] bool is_origin_allowed(const RequestHead& head, const RequestedSite& site,
                                     std::span<const std::string> allowed) noexcept;

/// Returns the value of Sec-WebSocket-Key for 16 random bytes, base64.
/// source   RFC 6455, section 4.1, item 7
[[nodiscard]] std::array<char, 24> make_key(const std::array<unsigned char, 16>& random) noexcept;

/// The part of a client's request that the response must agree with.
struct Asked {
  std::string_view key;
  std::span<const std::string> subprotocols = {};
};

/// The server's choice: views of the response's fields, empty if absent.
struct Answered {
  std::string_view subprotocol;
  /// The value of Sec-WebSocket-Extensions, which the extension checks (deflate_offer.h).
  std::string_view extensions;
};

/// Checks a response, for clients.
///
/// errors   one sentence: not 101, Upgrade or Connection missing, a wrong accept value, a
///          subprotocol that was not requested, a duplicate field
/// source   RFC 6455, section 4.1, items 1 to 6 after "Once the client's opening handshake"
[[nodiscard]] Result<Answered, std::string_view> check_response(int status,
                                                                std::span<const Field> fields,
                                                                const Asked& asked) noexcept;
/// Checks only the server's choice: over HTTP/2, a status of 200 replaces the other fields (RFC
/// 8441, section 5).
[[nodiscard]] Result<Answered, std::string_view> check_choices(
    std::span<const Field> fields, std::span<const std::string> asked) noexcept;

}  // namespace eider::ws
