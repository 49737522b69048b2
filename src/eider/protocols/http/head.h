// The request line and headers of one request, for every HTTP version.
// Layering: must not own bytes: every view points into the connection's input, or into the arena of
// a copy.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "eider/protocols/http/method.h"

namespace eider {

class Arena;

/// One field line. The value has no blank at either end; names keep their case.
struct Field {
  std::string_view name;
  std::string_view value;
};

/// How the content's end is found (RFC 9112, section 6.3). `none` also for Content-Length: 0.
enum class BodyKind : std::uint8_t { none, sized, chunked };

/// The form of the request target (RFC 9112, section 3.2).
enum class TargetForm : std::uint8_t { origin, absolute, authority, asterisk };

struct RequestHead {
  Method method = Method::unknown;
  /// 1, or 2 over HTTP/2.
  std::uint8_t major_version = 1;
  /// 0 or 1. HTTP/1.2 and later minors count as 1 (RFC 9110, section 2.5).
  std::uint8_t minor_version = 1;
  TargetForm form = TargetForm::origin;
  BodyKind body = BodyKind::none;
  /// The client takes another response on this connection (RFC 9112, section 9.3).
  bool keeps_alive = false;
  /// The client waits for 100 Continue before it sends its content (RFC 9110, section 10.1.1).
  bool expects_continue = false;
  /// Connection names "upgrade" and Upgrade says to what (RFC 9110, section 7.8).
  bool wants_upgrade = false;
  /// Whether an extended CONNECT of HTTP/2 opens a WebSocket (RFC 8441, section 5). `method` is
  /// then GET, as over HTTP/1.1.
  bool opens_websocket = false;
  /// Content bytes that follow when body == BodyKind::sized, else 0.
  std::uint64_t content_length = 0;
  /// As it came: "/a%20b?c=d".
  std::string_view target;
  /// Not decoded: "/a%20b"; "/" where an absolute form has none; "*" for OPTIONS *; empty for
  /// CONNECT.
  std::string_view path;
  /// The query string after the first '?', not decoded; may be empty.
  std::string_view query;
  /// host[:port] from the target, else from Host; empty when neither names it.
  std::string_view authority;
  /// All field lines in their order.
  std::span<const Field> fields;
  /// The head's bytes, from the method to the empty line: where the views above point.
  std::string_view bytes;

  /// The first field of that name, compared without case.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept;
};

/// The same head with its bytes and fields in `arena`, for a request that outlives its input.
[[nodiscard]] RequestHead copy_head(const RequestHead& head, Arena& arena);

}  // namespace eider
