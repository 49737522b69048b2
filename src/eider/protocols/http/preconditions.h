// Conditional requests (RFC 9110, section 13): If-Match, If-None-Match and related headers.
// Layering: must not read files or write responses.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "eider/protocols/http/etag.h"
#include "eider/protocols/http/head.h"

namespace eider {

/// The representation that the response would contain, or that the request would change.
struct Representation {
  /// Whether there is a representation. If not, the validators below are ignored.
  enum class Presence : std::uint8_t { present, absent };

  Presence presence = Presence::present;
  std::optional<EntityTag> tag{};
  /// The value of Last-Modified in seconds since 1970.
  std::optional<std::int64_t> modified_seconds{};
  /// How If-Match is compared: strongly (RFC 9110), or weakly if the tag identifies a state and not
  /// bytes, because a client that got a compressed response has a tag with `W/`.
  TagStrength if_match = TagStrength::strong;
};

enum class Verdict : std::uint8_t {
  proceed,       ///< perform the method
  not_modified,  ///< 304, for GET and HEAD
  failed,        ///< 412
};

/// Evaluates If-Match, If-Unmodified-Since, If-None-Match and If-Modified-Since, in the order of
/// section 13.2.2. Call it if the response without conditions would be 2xx (13.2.1).
///
/// fields       of the request; list fields may have several lines. Dates that are invalid or occur
///              twice are ignored. Malformed lists match nothing.
/// now_seconds  since 1970, to interpret the dates
[[nodiscard]] Verdict evaluate_preconditions(Method method, std::span<const Field> fields,
                                             const Representation& representation,
                                             std::int64_t now_seconds) noexcept;

/// Returns whether the fields identify a state of the resource, so that a write cannot overwrite
/// unseen changes: If-Match, `If-None-Match: *`, or If-Unmodified-Since with a date that can be
/// compared.
[[nodiscard]] bool names_state(std::span<const Field> fields, const Representation& representation,
                               std::int64_t now_seconds) noexcept;

/// Returns the value of Range if it applies: the method is GET, there is one Range line, and
/// If-Range is absent or matches the representation by a strong tag or its exact date (section
/// 13.1.5).
///
/// now_seconds  since 1970: a date in the current second is not a strong validator (section
///              8.8.2.2)
[[nodiscard]] std::optional<std::string_view> applicable_range(Method method,
                                                               std::span<const Field> fields,
                                                               const Representation& representation,
                                                               std::int64_t now_seconds) noexcept;

}  // namespace eider
