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

/// signed_part  the first two parts with the dot between them, unchanged: a view of the token
struct Jws {
  JwtAlgorithm algorithm;
  std::optional<std::string> key_id;
  std::optional<std::string> type;
  std::string payload;
  std::string signature;
  std::string_view signed_part;
};

inline constexpr std::size_t kKeyIdBytesMax = 256;

/// depth     maximum nesting of arrays and objects
/// elements  maximum number of elements in all of them together
struct ObjectLimits {
  std::size_t depth;
  std::size_t elements;
};

/// Limits for headers, claims and single keys from untrusted senders.
inline constexpr ObjectLimits kForeignObject{.depth = 16, .elements = 4096};
/// Limits for an issuer's key set, in which each key may include its certificates.
inline constexpr ObjectLimits kKeySet{.depth = 16, .elements = 64UL * 1024};
/// Limits for the application's own claims: those of the reader.
inline constexpr ObjectLimits kOwnClaims{.depth = json::Limits::kDepthMax,
                                         .elements = std::numeric_limits<std::size_t>::max()};

/// Reads "header.payload.signature", base64url without padding. The payload is not checked.
///
/// errors  malformed: invalid characters, another number of parts, a header that is not a JSON
///         object or has a duplicate member, `crit` (no extension is supported), a missing or
///         unsupported `alg` (including "none"), `kid` or `typ` that is not a string, no signature;
///         more than `bytes_max` bytes
/// source  RFC 7515, sections 3.1, 4.1 and 5.2; RFC 8725, section 3
[[nodiscard]] Result<Jws, JwtError> parse_jws(std::string_view token, std::size_t bytes_max);

/// Parses a JSON object without duplicate members, within limits.
[[nodiscard]] std::optional<json::Value> parse_json_object(
    std::string_view text, const ObjectLimits& limits = kForeignObject);

/// Returns the text to sign. type, key_id: omitted if empty.
[[nodiscard]] std::string signed_part_of(JwtAlgorithm algorithm, std::string_view key_id,
                                         std::string_view type, std::string_view payload);

/// Returns whether `typ` is that media type, ignoring case and a leading "application/".
///
/// source  RFC 7515, section 4.1.9
[[nodiscard]] bool is_same_type(std::string_view typ, std::string_view wanted) noexcept;

}  // namespace eider::detail::jwt
