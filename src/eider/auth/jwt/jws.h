// Reads and writes signed texts in three parts, without any key.
// Layering: must not trust the contents; the signature is verified elsewhere.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "eider/auth/jwt/algorithm.h"
#include "eider/core/base/result.h"
#include "eider/core/json/limits.h"
#include "eider/core/json/value.h"

namespace eider::detail::jwt {

/// signed_part  the first two parts with the dot between them, as they came: a view of the token
struct Jws {
  JwtAlgorithm algorithm;
  std::optional<std::string> key_id;
  std::optional<std::string> type;
  std::string payload;
  std::string signature;
  std::string_view signed_part;
};

inline constexpr std::size_t kKeyIdBytesMax = 256;

/// depth     of nested arrays and objects
/// elements  of all of these together
struct ObjectLimits {
  std::size_t depth;
  std::size_t elements;
};

/// Of headers, claims and single keys, as they come from anybody.
inline constexpr ObjectLimits kForeignObject{.depth = 16, .elements = 4096};
/// Of an issuer's set of keys, each of which may bring its certificates along.
inline constexpr ObjectLimits kKeySet{.depth = 16, .elements = 64UL * 1024};
/// Of the application's own claims: what the reader can do.
inline constexpr ObjectLimits kOwnClaims{.depth = json::Limits::kDepthMax,
                                         .elements = std::numeric_limits<std::size_t>::max()};

/// Reads "header.payload.signature", base64url without padding. The payload is not looked at.
///
/// errors  malformed: other characters or parts, a header that is no JSON object, has a member
///         twice, `crit` (no extension is known), no `alg` or one that is not known ("none" is
///         not), `kid` or `typ` that are no text, no signature; more than `bytes_max` bytes
/// source  RFC 7515, sections 3.1, 4.1 and 5.2; RFC 8725, section 3
[[nodiscard]] Result<Jws, JwtError> parse_jws(std::string_view token, std::size_t bytes_max);

/// A JSON object, without members that occur twice, within limits.
[[nodiscard]] std::optional<json::Value> parse_json_object(
    std::string_view text, const ObjectLimits& limits = kForeignObject);

/// The part that is to be signed. type, key_id: left out where empty.
[[nodiscard]] std::string signed_part_of(JwtAlgorithm algorithm, std::string_view key_id,
                                         std::string_view type, std::string_view payload);

/// Whether `typ` is that media type, the case and a leading "application/" apart.
///
/// source  RFC 7515, section 4.1.9
[[nodiscard]] bool is_same_type(std::string_view typ, std::string_view wanted) noexcept;

}  // namespace eider::detail::jwt
