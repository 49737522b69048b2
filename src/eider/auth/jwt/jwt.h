// JSON Web Tokens, signed: made and checked (RFC 7519, RFC 7515, RFC 8725).
// Must not encrypt: whoever has a token reads it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "eider/auth/jwt/claims.h"
#include "eider/auth/jwt/jwt_key.h"

namespace eider {

/// Reads a token and checks it, in this order: form, key, signature, type, claims. No word of it is
/// believed ahead of its signature.
///
/// keys  the one with the token's `kid`; else those without an id. Of these, those for which its
///       `alg` is their own: the token does not choose. Where it has no `kid`, of the first 8
///       of its algorithm
/// now   seconds since 1970: Loop::current().wall_seconds()
[[nodiscard]] Result<JwtClaims, JwtError> check_jwt(std::string_view token,
                                                    std::span<const JwtKey> keys,
                                                    const JwtRules& rules, std::int64_t now);

namespace detail::jwt {

/// Whether one of the keys is to check that token by, its signature apart. What is malformed is
/// refused by any.
[[nodiscard]] bool has_key_for(std::string_view token, std::span<const JwtKey> keys);
[[nodiscard]] std::string sign(std::string_view own_claims, const RegisteredClaims& registered,
                               const JwtKey& key, std::string_view type);

}  // namespace detail::jwt

/// A token of claims of one's own (a struct) and registered ones, which go before those of the same
/// name.
///
///     sign_jwt(Session{.role = "admin"}, {.issuer = "https://id.example", .subject = "ann",
///                                         .expires_at = now + 600}, key)
///
/// Throws a Failure for claims that are no object, have a member twice, or are nested more than 512
/// deep. How many there are is the caller's affair: readers have limits of their own.
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
