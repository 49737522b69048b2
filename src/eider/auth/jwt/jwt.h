// Creates and verifies signed JSON Web Tokens (RFC 7519, RFC 7515, RFC 8725).
// Layering: must not encrypt; anyone who has a token can read it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "eider/auth/jwt/claims.h"
#include "eider/auth/jwt/jwt_key.h"

namespace eider {

/// Parses a token and checks it, in this order: form, key, signature, type, claims. Nothing is
/// trusted before the signature is verified.
///
/// keys  the one with the token's `kid`, otherwise those without an id; of these, those whose own
///       algorithm is the token's `alg`. Without `kid`, the first 8 of the algorithm
/// now   seconds since 1970: Loop::current().wall_seconds()
[[nodiscard]] Result<JwtClaims, JwtError> check_jwt(std::string_view token,
                                                    std::span<const JwtKey> keys,
                                                    const JwtRules& rules, std::int64_t now);

namespace detail::jwt {

/// Returns whether one of the keys can check that token, apart from its signature. A malformed
/// token is rejected with any key.
[[nodiscard]] bool has_key_for(std::string_view token, std::span<const JwtKey> keys);
[[nodiscard]] std::string sign(std::string_view own_claims, const RegisteredClaims& registered,
                               const JwtKey& key, std::string_view type);

}  // namespace detail::jwt

/// Creates a token from custom claims (a struct) and registered ones, which take precedence.
///
///     sign_jwt(Access{.role = "admin"}, {.issuer = "https://id.example", .subject = "ann",
///                                        .expires_at = now + 600}, key)
///
/// Throws a Failure for claims that are not an object, have a duplicate member, or are nested more
/// than 512 levels deep. The size is not limited here, but readers have limits.
///
/// type  `typ`, such as "at+jwt"
/// Pre: key.can_sign()
template <class T>
[[nodiscard]] std::string sign_jwt(const T& own, const RegisteredClaims& registered,
                                   const JwtKey& key, std::string_view type = "JWT") {
  return detail::jwt::sign(json::to_text(own), registered, key, type);
}
[[nodiscard]] inline std::string sign_jwt(const RegisteredClaims& registered, const JwtKey& key,
                                          std::string_view type = "JWT") {
  return detail::jwt::sign("{}", registered, key, type);
}

}  // namespace eider
