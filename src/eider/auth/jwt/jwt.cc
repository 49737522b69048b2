#include "eider/auth/jwt/jwt.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "eider/auth/jwt/jws.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/json/members.h"

namespace eider {

namespace {

using detail::jwt::Jws;

/// Maximum number of keys to try for a token without an id.
constexpr int kTriesMax = 8;

bool is_named(const JwtKey& key, const std::optional<std::string>& id) {
  return !key.id().empty() && id == key.id();
}

/// Returns the keys that may have signed the token: those with its algorithm and, if a key has the
/// token's id, only that key. Keys without an id are used if no key has the token's id. Tokens
/// without an id are tried with all keys.
auto candidates_of(const Jws& jws, std::span<const JwtKey> keys) {
  const bool is_known =
      std::ranges::any_of(keys, [&](const JwtKey& key) { return is_named(key, jws.key_id); });
  return std::views::filter(keys, [&jws, is_known](const JwtKey& key) {
    const bool is_wanted =
        is_known ? is_named(key, jws.key_id) : key.id().empty() || !jws.key_id.has_value();
    return is_wanted && key.algorithm() == jws.algorithm;
  });
}

Result<void, JwtError> check_signature(const Jws& jws, std::span<const JwtKey> keys) {
  int tries = 0;
  auto candidates = candidates_of(jws, keys);
  for (const JwtKey& key : candidates) {
    if (tries++ == kTriesMax) {
      break;
    }
    if (key.verify(jws.signed_part, jws.signature)) {
      return {};
    }
  }
  return tries > 0
             ? fail(JwtError{JwtFault::bad_signature, "the token's signature is invalid"})
             : fail(JwtError{JwtFault::unknown_key, "no key matches the token's id and algorithm"});
}

}  // namespace

Result<JwtClaims, JwtError> check_jwt(std::string_view token, std::span<const JwtKey> keys,
                                      const JwtRules& rules, std::int64_t now) {
  auto jws = detail::jwt::parse_jws(token, rules.bytes_max);
  if (!jws) {
    return fail(std::move(jws.error()));
  }
  if (auto checked = check_signature(*jws, keys); !checked) {
    return fail(std::move(checked.error()));
  }
  if (!rules.type.empty() && !(jws->type && detail::jwt::is_same_type(*jws->type, rules.type))) {
    return fail(JwtError{JwtFault::wrong_type, "the token has the wrong type"});
  }
  auto all = json::read_object(jws->payload, detail::jwt::kForeignObject);
  if (!all) {
    return fail(JwtError{JwtFault::malformed, "the token's claims are not a JSON object"});
  }
  auto registered = detail::jwt::read_registered(*all);
  if (!registered) {
    return fail(std::move(registered.error()));
  }
  if (auto checked = detail::jwt::check_claims(*registered, rules, now); !checked) {
    return fail(std::move(checked.error()));
  }
  return JwtClaims(std::move(*registered), std::move(*all), std::move(jws->payload));
}

bool detail::jwt::has_key_for(std::string_view token, std::span<const JwtKey> keys) {
  const auto jws = parse_jws(token, token.size());
  if (!jws) {
    return true;
  }
  auto candidates = candidates_of(*jws, keys);
  return candidates.begin() != candidates.end();
}

std::string detail::jwt::sign(std::string_view own_claims, const RegisteredClaims& registered,
                              const JwtKey& key, std::string_view type) {
  auto claims = json::read_object(own_claims, kOwnClaims);
  if (!claims) {
    throw Failure(Error::internal(
        "Claims must be a JSON object without duplicate members, nested at most 512 levels deep"));
  }
  add_registered(*claims, registered);
  const std::string part = signed_part_of(key.algorithm(), key.id(), type, json::to_text(*claims));
  return part + "." + to_base64url(key.sign(part));
}

}  // namespace eider
