// What an answer says to the caches on its way and to the client's own (Cache-Control).
// Must not read what others say: the response cache does that for itself.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace eider {

/// The words of an answer, by their names; what is not said stays out of the field. `private` and
/// `public` are keywords, so they have an `is_` in front.
///
/// max_age    how long any cache may answer with it unasked
/// s_maxage   the same of caches that many share, such as a CDN
/// no_cache   may be kept, and is asked about each time (with conditional_requests a 304 answers)
/// no_store   is kept nowhere
/// stale_while_revalidate, stale_if_error  how long behind its end it may still be given
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

/// "private, max-age=60". Throws std::invalid_argument where nothing is said, a time is negative,
/// or two words contradict each other: `public` beside `private`, `s-maxage` beside `private`, and
/// `no-store` beside what says how to keep it (but for `must-understand`, RFC 9111, section
/// 5.2.2.3).
[[nodiscard]] std::string to_field_value(const CacheControl& words);

}  // namespace eider
