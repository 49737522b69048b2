#include "eider/auth/oauth/id_token.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <utility>

#include "eider/auth/jwt/jws.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/text.h"
#include "eider/core/json/members.h"

namespace eider::detail::oauth {

namespace {

/// Larger than for access tokens, because providers put groups and more into ID tokens.
constexpr std::size_t kTokenBytesMax = std::size_t{32} * 1024;
/// OpenID Connect Core 1.0, section 2.
constexpr std::size_t kSubjectBytesMax = 255;

std::unexpected<JwtError> refuse(JwtFault fault, std::string text) {
  return fail(JwtError{fault, std::move(text)});
}

/// Returns null if the token does not have the claim. Some providers write a JSON null for that.
const json::Value* given(const json::Value& claims, std::string_view name) {
  const json::Value* const claim = claims.find(name);
  return claim == nullptr || claim->is_null() ? nullptr : claim;
}

bool is_text(const json::Value* claim, std::string_view wanted) {
  return claim != nullptr && claim->is_string() && equals_in_constant_time(claim->text(), wanted);
}

Result<void, JwtError> check_own_claims(const JwtClaims& claims, const IdTokenRules& rules,
                                        JwtAlgorithm algorithm) {
  const RegisteredClaims& registered = claims.registered();
  if (registered.subject.empty() || registered.subject.size() > kSubjectBytesMax) {
    return refuse(JwtFault::bad_claim, "the ID token's 'sub' is invalid");
  }
  if (!registered.issued_at) {
    return refuse(JwtFault::missing_claim, "the ID token has no 'iat'");
  }
  const json::Value* const party = given(claims.all(), "azp");
  // A token for several audiences is for this client only if `azp` says that this client requested
  // it.
  if ((party != nullptr || registered.audience.size() > 1) && !is_text(party, rules.client_id)) {
    return refuse(JwtFault::wrong_audience, "the ID token was issued for another client");
  }
  // The nonce differs if an attacker has inserted a token of another login.
  if (!is_text(claims.all().find("nonce"), rules.nonce)) {
    return refuse(JwtFault::bad_claim, "the ID token belongs to another login");
  }
  const json::Value* const digest = given(claims.all(), "at_hash");
  if (digest != nullptr && !is_text(digest, half_digest(algorithm, rules.access_token))) {
    return refuse(JwtFault::bad_claim, "the ID token belongs to another access token");
  }
  return {};
}

/// OpenID Connect Core 1.0, section 3.1.3.7, steps 12 and 13: the provider may have ignored the
/// parameters, and the browser may have removed them from the URL.
Result<void, JwtError> check_asked_claims(const json::Value& claims, const IdTokenRules& rules,
                                          std::int64_t now) {
  const auto seconds = [](Duration duration) {
    return static_cast<double>(std::chrono::floor<std::chrono::seconds>(duration).count());
  };
  if (rules.max_age) {
    const json::Value* const told = claims.find("auth_time");
    const double age =
        told != nullptr && told->is_number() ? static_cast<double>(now) - told->number() : -1e300;
    if (age < -seconds(rules.leeway)) {
      return refuse(JwtFault::bad_claim, "the ID token's 'auth_time' is invalid");
    }
    if (age > seconds(*rules.max_age) + seconds(rules.leeway)) {
      return refuse(JwtFault::expired, "the login at the provider was too long ago");
    }
  }
  const auto acr = json::text_member(claims, "acr");
  if (!rules.acr_values.empty() &&
      (!acr || std::ranges::find(rules.acr_values, *acr) == rules.acr_values.end())) {
    return refuse(JwtFault::bad_claim,
                  "the login at the provider does not have a requested authentication level");
  }
  return {};
}

}  // namespace

std::string half_digest(JwtAlgorithm algorithm, std::string_view text) {
  const std::string_view name = to_text(algorithm);
  const char* const hash = name.ends_with("256")   ? "SHA256"
                           : name.ends_with("384") ? "SHA384"
                                                   : "SHA512";
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  std::size_t bytes = 0;
  if (EVP_Q_digest(nullptr, hash, nullptr, text.data(), text.size(), digest.data(), &bytes) != 1) {
    return {};
  }
  return to_base64url({reinterpret_cast<const char*>(digest.data()), bytes / 2});
}

Result<JwtClaims, JwtError> check_id_token(std::string_view token, std::span<const JwtKey> keys,
                                           const IdTokenRules& rules, std::int64_t now) {
  auto jws = jwt::parse_jws(token, kTokenBytesMax);
  if (!jws) {
    return fail(std::move(jws.error()));
  }
  if (std::ranges::find(rules.algorithms, jws->algorithm) == rules.algorithms.end()) {
    return refuse(JwtFault::unknown_key,
                  "the ID token is signed with an algorithm that is not allowed");
  }
  const JwtRules common{.issuer = rules.issuer,
                        .audience = rules.client_id,
                        .leeway = rules.leeway,
                        .bytes_max = kTokenBytesMax};
  auto claims = check_jwt(token, keys, common, now);
  if (!claims) {
    return claims;
  }
  if (auto own = check_own_claims(*claims, rules, jws->algorithm); !own) {
    return fail(std::move(own.error()));
  }
  if (auto asked = check_asked_claims(claims->all(), rules, now); !asked) {
    return fail(std::move(asked.error()));
  }
  return claims;
}

}  // namespace eider::detail::oauth
