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

/// The bytes are limited before.
constexpr json::Limits object_limits(std::size_t depth_max, std::size_t elements_max) noexcept {
  return {.bytes_max = std::numeric_limits<std::size_t>::max(),
          .depth_max = depth_max,
          .elements_max = elements_max,
          .errors_max = 1};
}

/// Limits for headers, claims and single keys from untrusted senders.
inline constexpr json::Limits kForeignObject = object_limits(16, 4096);
/// Limits for an issuer's key set, in which each key may include its certificates.
inline constexpr json::Limits kKeySet = object_limits(16, 64UL * 1024);
/// Limits for the application's own claims: those of the reader.
inline constexpr json::Limits kOwnClaims =
    object_limits(json::Limits::kDepthMax, std::numeric_limits<std::size_t>::max());

/// Reads "header.payload.signature", base64url without padding. The payload is not checked.
///
/// errors  malformed: invalid characters, another number of parts, a header that is not a JSON
///         object or has a duplicate member, `crit` (no extension is supported), a missing or
///         unsupported `alg` (including "none"), `kid` or `typ` that is not a string, no signature;
///         more than `bytes_max` bytes
/// source  RFC 7515, sections 3.1, 4.1 and 5.2; RFC 8725, section 3
[[nodiscard]] Result<Jws, JwtError> parse_jws(std::string_view token, std::size_t bytes_max);

/// Returns the text to sign. type, key_id: omitted if empty.
[[nodiscard]] std::string signed_part_of(JwtAlgorithm algorithm, std::string_view key_id,
                                         std::string_view type, std::string_view payload);

/// Returns whether `typ` is that media type, ignoring case and a leading "application/".
///
/// source  RFC 7515, section 4.1.9
[[nodiscard]] bool is_same_type(std::string_view typ, std::string_view wanted) noexcept;

}  // namespace eider::detail::jwt
