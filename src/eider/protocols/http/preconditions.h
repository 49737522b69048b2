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

/// What is known of the representation that a request would be answered with, or would change.
struct Representation {
  /// Whether there is one at all. The validators below count only then.
  enum class Presence : std::uint8_t { present, absent };

  Presence presence = Presence::present;
  std::optional<EntityTag> tag{};
  /// Seconds since 1970, as Last-Modified says.
  std::optional<std::int64_t> modified_seconds{};
  /// How If-Match is compared. Strongly, by RFC 9110; weakly where the tag names a state and no
  /// bytes: who has got it compressed has got `W/` in front of it.
  TagStrength if_match = TagStrength::strong;
};

enum class Verdict : std::uint8_t {
  proceed,       ///< do as the method says
  not_modified,  ///< 304, for GET and HEAD
  failed,        ///< 412
};

/// Evaluates If-Match, If-Unmodified-Since, If-None-Match and If-Modified-Since, in the order of
/// section 13.2.2. To be called where the response without conditions would be 2xx (13.2.1).
///
/// fields       of the request; a list field may have several lines, and dates that are none, or
///              that come twice, are ignored. Malformed lists match nothing.
/// now_seconds  since 1970, to read the dates by
[[nodiscard]] Verdict evaluate_preconditions(Method method, std::span<const Field> fields,
                                             const Representation& representation,
                                             std::int64_t now_seconds) noexcept;

/// Whether the fields name a state of what is there, so that who sends them overwrites nothing
/// unseen: If-Match, `If-None-Match: *`, or If-Unmodified-Since with a date to hold it against.
[[nodiscard]] bool names_state(std::span<const Field> fields, const Representation& representation,
                               std::int64_t now_seconds) noexcept;

/// The value of Range when it is to be looked at: for GET, when there is one such line, and
/// If-Range is absent or names the representation by a strong tag or by its exact date
/// (section 13.1.5).
///
/// now_seconds  since 1970: a date of this very second is no strong validator (section 8.8.2.2)
[[nodiscard]] std::optional<std::string_view> applicable_range(Method method,
                                                               std::span<const Field> fields,
                                                               const Representation& representation,
                                                               std::int64_t now_seconds) noexcept;

}  // namespace eider
