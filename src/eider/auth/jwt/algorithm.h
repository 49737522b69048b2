// The signature algorithms of tokens, and the reasons to reject a token.
// Layering: must not choose an algorithm; each key has its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eider {

/// Algorithms with their names in RFC 7518 (section 3.1) and RFC 8037. "none" is not supported.
enum class JwtAlgorithm : std::uint8_t {
  hs256,
  hs384,
  hs512,
  rs256,
  rs384,
  rs512,
  ps256,
  ps384,
  ps512,
  es256,
  es384,
  es512,
  eddsa,
};

/// "HS256", "EdDSA".
[[nodiscard]] std::string_view to_text(JwtAlgorithm algorithm) noexcept;
/// Returns nothing for "none" and for unknown names; case matters.
[[nodiscard]] std::optional<JwtAlgorithm> parse_jwt_algorithm(std::string_view text) noexcept;

enum class JwtFault : std::uint8_t {
  malformed,        ///< not a compact JWS, above a limit, has `crit`, or has duplicate members
  unknown_key,      ///< no key matches the id and the algorithm
  bad_signature,    ///< the key did not create this signature
  wrong_type,       ///< `typ` is not the required one
  missing_claim,    ///< a required claim is missing
  bad_claim,        ///< a claim has the wrong type, or does not fit the application's struct
  wrong_issuer,     ///< `iss`
  wrong_audience,   ///< `aud`
  expired,          ///< `exp`
  not_yet_valid,    ///< `nbf`, or `iat` in the future
  keys_unavailable  ///< the issuer's keys are not available now; the token may be valid
};

/// fault  for programs
/// text   for logs: clients only learn that the token is invalid
struct JwtError {
  JwtFault fault;
  std::string text;
};

}  // namespace eider
