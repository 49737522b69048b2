// Status codes and their reason phrases (RFC 9110, section 15).
// Must not know when a status is sent.
#pragma once

#include <string_view>

namespace eider {

/// The reason phrase of a registered status code, e.g. "Not Found" for 404; empty for any other.
[[nodiscard]] std::string_view reason_phrase(int status) noexcept;

inline constexpr int kTooManyRequests = 429;
inline constexpr int kInternalServerError = 500;

/// 5xx, or beyond.
[[nodiscard]] constexpr bool is_server_error(int status) noexcept {
  return status >= kInternalServerError;
}

/// No content can follow: 1xx, 204 and 304 (RFC 9112, section 6.3).
[[nodiscard]] constexpr bool forbids_content(int status) noexcept {
  return status < 200 || status == 204 || status == 304;
}

/// An answer of that status has none: RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5.
[[nodiscard]] constexpr bool is_bodiless(int status) noexcept {
  return status == 204 || status == 205 || status == 304;
}

}  // namespace eider
