// WebSocket close codes (RFC 6455, section 7.4).
// Layering: must not decide when a connection ends.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider::ws {

/// Registered codes. Libraries may use 3000 to 3999 (registered with IANA), applications 4000 to
/// 4999: `static_cast<CloseCode>(4001)`.
enum class CloseCode : std::uint16_t {
  normal = 1000,
  going_away = 1001,
  protocol_error = 1002,
  unsupported_data = 1003,
  /// Never sent: the received close frame had no code.
  no_status = 1005,
  /// Never sent: the connection ended without a close frame.
  abnormal = 1006,
  invalid_data = 1007,
  policy_violation = 1008,
  message_too_big = 1009,
  extension_needed = 1010,
  internal_error = 1011,
  service_restart = 1012,
  try_again_later = 1013,
  bad_gateway = 1014,
  /// Never sent: the TLS handshake failed.
  tls_failure = 1015,
};

/// Returns whether a close frame may contain the code: 1000 to 1003, 1007 to 1014 and 3000 to 4999.
/// source   RFC 6455, sections 7.4.1 and 7.4.2; 1012 to 1014 from IANA's registry
[[nodiscard]] constexpr bool is_sendable(std::uint16_t code) noexcept {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
         (code >= 3000 && code <= 4999);
}
[[nodiscard]] constexpr bool is_sendable(CloseCode code) noexcept {
  return is_sendable(static_cast<std::uint16_t>(code));
}

/// Returns for example "going away"; for the ranges "library code" and "application code"; else
/// "unknown code".
[[nodiscard]] std::string_view name_of(CloseCode code) noexcept;

}  // namespace eider::ws
