#include "eider/auth/jwt/key_material.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "eider/core/base/base64.h"
#include "eider/core/json/members.h"
#include "eider/io/tls/key_parts.h"

namespace eider::detail::jwt {

namespace {

using BigPtr = std::unique_ptr<BIGNUM, tls::Freer<&BN_clear_free>>;
constexpr std::array<AlgorithmFacts, 13> kFacts{
    AlgorithmFacts{"HS256", KeyFamily::secret, "SHA256", 32, "", nullptr, 0},
    AlgorithmFacts{"HS384", KeyFamily::secret, "SHA384", 48, "", nullptr, 0},
    AlgorithmFacts{"HS512", KeyFamily::secret, "SHA512", 64, "", nullptr, 0},
    AlgorithmFacts{"RS256", KeyFamily::rsa, "SHA256", 32, "", nullptr, 0},
    AlgorithmFacts{"RS384", KeyFamily::rsa, "SHA384", 48, "", nullptr, 0},
    AlgorithmFacts{"RS512", KeyFamily::rsa, "SHA512", 64, "", nullptr, 0},
    AlgorithmFacts{"PS256", KeyFamily::rsa_pss, "SHA256", 32, "", nullptr, 0},
    AlgorithmFacts{"PS384", KeyFamily::rsa_pss, "SHA384", 48, "", nullptr, 0},
    AlgorithmFacts{"PS512", KeyFamily::rsa_pss, "SHA512", 64, "", nullptr, 0},
    AlgorithmFacts{"ES256", KeyFamily::ec, "SHA256", 32, "P-256", "prime256v1", 32},
    AlgorithmFacts{"ES384", KeyFamily::ec, "SHA384", 48, "P-384", "secp384r1", 48},
    AlgorithmFacts{"ES512", KeyFamily::ec, "SHA512", 64, "P-521", "secp521r1", 66},
    AlgorithmFacts{"EdDSA", KeyFamily::ed25519, nullptr, 0, "Ed25519", nullptr, tls::kEd25519Bytes},
};

/// returns  whether the JWK has the member, as a valid number
bool add(tls::KeyParts& parts, const json::Value& jwk, std::string_view name,
         const char* parameter) {
  const auto bytes = json::bytes_member(jwk, name);
  return bytes && parts.add_number(parameter, *bytes);
}

int selection_of(bool is_private) noexcept {
  return is_private ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY;
}

tls::KeyPtr rsa_from_jwk(const json::Value& jwk) {
  tls::KeyParts parts;
  const auto has = [&](std::string_view name, const char* parameter) {
    return add(parts, jwk, name, parameter);
  };
  if (json::text_member(jwk, "kty") != "RSA" || !has("n", OSSL_PKEY_PARAM_RSA_N) ||
      !has("e", OSSL_PKEY_PARAM_RSA_E)) {
    return nullptr;
  }
  const bool is_private = jwk.find("d") != nullptr;
  // Keys of more than two primes ("oth") and keys without primes are not supported.
  if (is_private &&
      (jwk.find("oth") != nullptr || !has("d", OSSL_PKEY_PARAM_RSA_D) ||
       !has("p", OSSL_PKEY_PARAM_RSA_FACTOR1) || !has("q", OSSL_PKEY_PARAM_RSA_FACTOR2) ||
       !has("dp", OSSL_PKEY_PARAM_RSA_EXPONENT1) || !has("dq", OSSL_PKEY_PARAM_RSA_EXPONENT2) ||
       !has("qi", OSSL_PKEY_PARAM_RSA_COEFFICIENT1))) {
    return nullptr;
  }
  return parts.make("RSA", selection_of(is_private));
}

tls::KeyPtr ec_from_jwk(const json::Value& jwk, const AlgorithmFacts& facts) {
  const auto x = json::bytes_member(jwk, "x");
  const auto y = json::bytes_member(jwk, "y");
  const auto d = json::bytes_member(jwk, "d");
  const bool is_private = jwk.find("d") != nullptr;
  // Each coordinate in its full length (RFC 7518, section 6.2.1.2).
  if (json::text_member(jwk, "kty") != "EC" || json::text_member(jwk, "crv") != facts.curve || !x ||
      !y || x->size() != facts.number_bytes || y->size() != facts.number_bytes ||
      (is_private && (!d || d->size() != facts.number_bytes))) {
    return nullptr;
  }
  tls::KeyParts parts;
  parts.add_point(facts.group, *x, *y);
  if (is_private && !add(parts, jwk, "d", OSSL_PKEY_PARAM_PRIV_KEY)) {
    return nullptr;
  }
  return parts.make("EC", selection_of(is_private));
}

tls::KeyPtr ed25519_from_jwk(const json::Value& jwk) {
  const auto x = json::bytes_member(jwk, "x");
  if (json::text_member(jwk, "kty") != "OKP" || json::text_member(jwk, "crv") != "Ed25519" || !x) {
    return nullptr;
  }
  tls::KeyPtr known = tls::ed25519_of(*x);
  if (jwk.find("d") == nullptr) {
    return known;
  }
  const auto d = json::bytes_member(jwk, "d");
  if (!d || d->size() != tls::kEd25519Bytes) {
    return nullptr;
  }
  tls::KeyPtr pair(EVP_PKEY_new_raw_private_key(
      EVP_PKEY_ED25519, nullptr, reinterpret_cast<const unsigned char*>(d->data()), d->size()));
  const bool belong =
      pair != nullptr && known != nullptr && EVP_PKEY_eq(pair.get(), known.get()) == 1;
  return belong ? std::move(pair) : nullptr;
}

std::string number_of(EVP_PKEY* pair, const char* parameter, std::size_t bytes_min) {
  BIGNUM* read = nullptr;
  EVP_PKEY_get_bn_param(pair, parameter, &read);
  const BigPtr number(read);
  tls::ensure_memory(number.get());
  const auto size = static_cast<std::size_t>(BN_num_bytes(number.get()));
  std::string bytes(std::max(size, bytes_min), '\0');
  BN_bn2binpad(number.get(), reinterpret_cast<unsigned char*>(bytes.data()),
               static_cast<int>(bytes.size()));
  return to_base64url(bytes);
}

}  // namespace

const AlgorithmFacts& facts_of(JwtAlgorithm algorithm) noexcept {
  return kFacts[static_cast<std::size_t>(algorithm)];
}

KeyMaterial::KeyMaterial(JwtAlgorithm its_algorithm, std::string its_id)
    : algorithm(its_algorithm), id(std::move(its_id)) {}

KeyMaterial::~KeyMaterial() {
  OPENSSL_cleanse(secret.data(), secret.size());
}

std::string fault_of_pair(EVP_PKEY* pair, const AlgorithmFacts& facts) {
  switch (facts.family) {
    case KeyFamily::secret:
      return "it is not a secret";
    case KeyFamily::rsa:
    case KeyFamily::rsa_pss:
      return tls::fault_of_rsa(pair);
    case KeyFamily::ec:
      return tls::fault_of_ec(pair, facts.group);
    case KeyFamily::ed25519:
      return tls::fault_of_ed25519(pair);
  }
  return "its type is not supported";
}

tls::KeyPtr pair_from_jwk(const json::Value& jwk, const AlgorithmFacts& facts) {
  switch (facts.family) {
    case KeyFamily::secret:
      return nullptr;
    case KeyFamily::rsa:
    case KeyFamily::rsa_pss:
      return rsa_from_jwk(jwk);
    case KeyFamily::ec:
      return ec_from_jwk(jwk, facts);
    case KeyFamily::ed25519:
      return ed25519_from_jwk(jwk);
  }
  return nullptr;
}

json::Value public_members(EVP_PKEY* pair, const AlgorithmFacts& facts) {
  const std::size_t bytes = facts.number_bytes;
  switch (facts.family) {
    case KeyFamily::secret:
      return json::object({});
    case KeyFamily::rsa:
    case KeyFamily::rsa_pss:
      return json::object({{"kty", "RSA"},
                           {"n", number_of(pair, OSSL_PKEY_PARAM_RSA_N, 1)},
                           {"e", number_of(pair, OSSL_PKEY_PARAM_RSA_E, 1)}});
    case KeyFamily::ec:
      return json::object({{"kty", "EC"},
                           {"crv", facts.curve},
                           {"x", number_of(pair, OSSL_PKEY_PARAM_EC_PUB_X, bytes)},
                           {"y", number_of(pair, OSSL_PKEY_PARAM_EC_PUB_Y, bytes)}});
    case KeyFamily::ed25519: {
      std::string x(tls::kEd25519Bytes, '\0');
      std::size_t size = x.size();
      EVP_PKEY_get_raw_public_key(pair, reinterpret_cast<unsigned char*>(x.data()), &size);
      return json::object({{"kty", "OKP"}, {"crv", facts.curve}, {"x", to_base64url(x)}});
    }
  }
  return json::object({});
}

}  // namespace eider::detail::jwt

namespace eider {

std::string_view to_text(JwtAlgorithm algorithm) noexcept {
  return detail::jwt::facts_of(algorithm).name;
}

std::optional<JwtAlgorithm> parse_jwt_algorithm(std::string_view text) noexcept {
  using detail::jwt::AlgorithmFacts;
  const auto found = std::ranges::find(detail::jwt::kFacts, text, &AlgorithmFacts::name);
  return found == detail::jwt::kFacts.end()
             ? std::nullopt
             : std::optional(static_cast<JwtAlgorithm>(found - detail::jwt::kFacts.begin()));
}

}  // namespace eider
