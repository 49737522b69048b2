// CacheControl: the directives of the Cache-Control header of a response.
// Layering: must not read received headers: the response cache does.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace eider {

/// The Cache-Control directives of a response. Unset directives are omitted. `private` and `public`
/// are keywords, so these members start with `is_`.
///
/// max_age    how long any cache may use the response without asking the server
/// s_maxage   the same for shared caches, such as a CDN
/// no_cache   may be stored, but is revalidated each time (conditional_requests responds with 304)
/// no_store   is not stored
/// stale_while_revalidate, stale_if_error  how long a stale response may still be used
///
/// source  RFC 9111, section 5.2.2; RFC 5861; RFC 8246
struct CacheControl {
  std::optional<std::chrono::seconds> max_age{};
  std::optional<std::chrono::seconds> s_maxage{};
  std::optional<std::chrono::seconds> stale_while_revalidate{};
  std::optional<std::chrono::seconds> stale_if_error{};
  bool no_store = false;
  bool no_cache = false;
  bool is_private = false;
  bool is_public = false;
  bool must_revalidate = false;
  bool proxy_revalidate = false;
  bool must_understand = false;
  bool no_transform = false;
  bool immutable = false;
};

/// Returns the header value: "private, max-age=60". Throws std::invalid_argument if no directive is
/// set, a time is negative, or two directives contradict each other: `public` or `s-maxage` with
/// `private`, and `no-store` with directives that allow storing (except `must-understand`, RFC
/// 9111, section 5.2.2.3).
[[nodiscard]] std::string to_header_value(const CacheControl& words);

}  // namespace eider
