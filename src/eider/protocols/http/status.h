// Status codes and reason phrases (RFC 9110, section 15).
// Layering: must not know when a status is sent.
#pragma once

#include <string_view>

namespace eider {

/// Returns the reason phrase of a registered status code, such as "Not Found" for 404; else empty.
[[nodiscard]] std::string_view reason_phrase(int status) noexcept;

inline constexpr int kTooManyRequests = 429;
inline constexpr int kInternalServerError = 500;

/// Returns whether the status is 5xx, or above.
[[nodiscard]] constexpr bool is_server_error(int status) noexcept {
  return status >= kInternalServerError;
}

/// Returns whether no body can follow: 1xx, 204 and 304 (RFC 9112, section 6.3).
[[nodiscard]] constexpr bool forbids_content(int status) noexcept {
  return status < 200 || status == 204 || status == 304;
}

/// Returns whether a response with that status has no body: RFC 9110, sections 15.3.5, 15.3.6 and
/// 15.4.5.
[[nodiscard]] constexpr bool is_bodiless(int status) noexcept {
  return status == 204 || status == 205 || status == 304;
}

}  // namespace eider
