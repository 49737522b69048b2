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

/// Returns the value of the first field with that name, case-insensitive.
[[nodiscard]] std::optional<std::string_view> find_field(std::span<const Field> fields,
                                                         std::string_view name) noexcept;
/// Returns the value of the only field with that name; nothing if there are more, because it is
/// unclear which one is valid.
[[nodiscard]] std::optional<std::string_view> find_only_field(std::span<const Field> fields,
                                                              std::string_view name) noexcept;

/// How the end of the content is determined (RFC 9112, section 6.3). Also `none` for
/// Content-Length: 0.
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
  /// The client accepts another response on this connection (RFC 9112, section 9.3).
  bool keeps_alive = false;
  /// The client waits for 100 Continue before it sends its content (RFC 9110, section 10.1.1).
  bool expects_continue = false;
  /// Connection contains "upgrade", and Upgrade names the protocol (RFC 9110, section 7.8).
  bool wants_upgrade = false;
  /// Whether an extended CONNECT of HTTP/2 opens a WebSocket (RFC 8441, section 5). `method` is
  /// then GET, as over HTTP/1.1.
  bool opens_websocket = false;
  /// Content bytes that follow when body == BodyKind::sized, else 0.
  std::uint64_t content_length = 0;
  /// As received: "/a%20b?c=d".
  std::string_view target;
  /// Not decoded: "/a%20b"; "/" if an absolute form has no path; "*" for OPTIONS *; empty for
  /// CONNECT.
  std::string_view path;
  /// The query string after the first '?', not decoded; may be empty.
  std::string_view query;
  /// host[:port] from the target, else from Host; empty if neither has it.
  std::string_view authority;
  /// All field lines in their order.
  std::span<const Field> fields;
  /// The bytes of the head, from the method to the empty line. The views above point into them.
  std::string_view bytes;

  /// Returns the first field with that name, case-insensitive.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view name) const noexcept {
    return find_field(fields, name);
  }
};

/// Copies the head, with its bytes and fields in `arena`, for a request that outlives its input.
[[nodiscard]] RequestHead copy_head(const RequestHead& head, Arena& arena);

}  // namespace eider
