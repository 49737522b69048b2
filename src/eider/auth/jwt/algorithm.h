// The algorithms by which tokens are signed, and why a token is refused.
// Must not choose: a key knows its own, and a token is never asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eider {

/// As RFC 7518 (section 3.1) and RFC 8037 name them. There is no "none".
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
/// Nothing for "none" and what is no algorithm; letters count.
[[nodiscard]] std::optional<JwtAlgorithm> parse_jwt_algorithm(std::string_view text) noexcept;

enum class JwtFault : std::uint8_t {
  malformed,        ///< no compact JWS, or beyond a limit; crit; members that occur twice
  unknown_key,      ///< no key has this id and algorithm
  bad_signature,    ///< the key has not signed this
  wrong_type,       ///< `typ` is another one
  missing_claim,    ///< one that is demanded is not there
  bad_claim,        ///< one is of another type, or the claims do not fit the application's struct
  wrong_issuer,     ///< `iss`
  wrong_audience,   ///< `aud`
  expired,          ///< `exp`
  not_yet_valid,    ///< `nbf`, or `iat` in the future
  keys_unavailable  ///< the issuer's keys cannot be had at present: nobody's fault but ours
};

/// fault  for programs
/// text   for logs: clients are told no more than that the token is invalid
struct JwtError {
  JwtFault fault;
  std::string text;
};

}  // namespace eider
