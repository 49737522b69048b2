// Checks of an ID token against the login request (OpenID Connect Core 1.0, section 3.1.3.7).
// Layering: must not fetch keys.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/auth/jwt/jwt.h"
#include "eider/io/runtime/time.h"

namespace eider::detail::oauth {

/// access_token  from the same response; its digest is compared if the ID token contains one
/// max_age, acr_values  as in OAuthOptions
struct IdTokenRules {
  std::string issuer;
  std::string client_id;
  std::string nonce;
  std::string access_token;
  std::vector<JwtAlgorithm> algorithms;
  Duration leeway = std::chrono::seconds(30);
  std::optional<Duration> max_age = {};
  std::vector<std::string> acr_values = {};
};

/// now  seconds since 1970
[[nodiscard]] Result<JwtClaims, JwtError> check_id_token(std::string_view token,
                                                         std::span<const JwtKey> keys,
                                                         const IdTokenRules& rules,
                                                         std::int64_t now);

/// Returns the left half of the digest of `text`, in base64url.
///
/// source  OpenID Connect Core 1.0, section 3.1.3.6; SHA-512 for EdDSA with Ed25519
[[nodiscard]] std::string half_digest(JwtAlgorithm algorithm, std::string_view text);

}  // namespace eider::detail::oauth
