#include "eider/auth/jwt/jwt_key.h"

#include <openssl/ecdsa.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <array>
#include <utility>

#include "eider/auth/jwt/jws.h"
#include "eider/auth/jwt/key_material.h"
#include "eider/core/base/assert.h"
#include "eider/core/base/secret_bytes.h"
#include "eider/core/base/text.h"
#include "eider/core/json/members.h"

namespace eider {

namespace {

using detail::jwt::AlgorithmFacts;
using detail::jwt::facts_of;
using detail::jwt::KeyFamily;
using detail::jwt::KeyMaterial;
using detail::tls::KeyPtr;
using detail::tls::octets;

using DigestPtr = std::unique_ptr<EVP_MD_CTX, detail::tls::Freer<&EVP_MD_CTX_free>>;
using PairOfNumbersPtr = std::unique_ptr<ECDSA_SIG, detail::tls::Freer<&ECDSA_SIG_free>>;
using CheckPtr = std::unique_ptr<EVP_PKEY_CTX, detail::tls::Freer<&EVP_PKEY_CTX_free>>;
using Material = std::shared_ptr<const KeyMaterial>;

constexpr std::size_t kSecretBytesMax = 1024;
constexpr std::size_t kPemBytesMax = 64UL * 1024;
constexpr std::size_t kJwkBytesMax = 16UL * 1024;
constexpr unsigned kRsaBitsMade = 2048;

std::unexpected<Error> bad_key(std::string why) {
  return fail(Error::internal("Invalid token key: " + std::move(why)));
}

Result<Material> secret_material(JwtAlgorithm algorithm, std::string_view secret, std::string id) {
  const AlgorithmFacts& facts = facts_of(algorithm);
  if (facts.family != KeyFamily::secret) {
    return bad_key(std::string(to_text(algorithm)) + " does not use a secret");
  }
  // A public key used as a secret would be known to everyone.
  if (secret.contains("-----BEGIN ")) {
    return bad_key("a secret must not be PEM");
  }
  if (secret.size() < facts.hash_bytes || secret.size() > kSecretBytesMax) {
    return bad_key("a secret for " + std::string(to_text(algorithm)) + " must have " +
                   std::to_string(facts.hash_bytes) + " to " + std::to_string(kSecretBytesMax) +
                   " bytes");
  }
  auto material = std::make_shared<KeyMaterial>(algorithm, std::move(id));
  material->secret = secret;
  material->can_sign = true;
  return material;
}

Result<Material> pair_material(JwtAlgorithm algorithm, KeyPtr pair, std::string id, bool can_sign) {
  const AlgorithmFacts& facts = facts_of(algorithm);
  if (pair == nullptr) {
    return bad_key("it cannot be used for " + std::string(to_text(algorithm)) + ": " +
                   detail::tls::take_openssl_error());
  }
  std::string fault = detail::jwt::fault_of_pair(pair.get(), facts);
  if (fault.empty() && can_sign && facts.family != KeyFamily::ed25519) {
    const CheckPtr check(EVP_PKEY_CTX_new(pair.get(), nullptr));
    const bool belong = check != nullptr && EVP_PKEY_pairwise_check(check.get()) == 1;
    fault = belong ? "" : "its private part belongs to another key";
  }
  detail::tls::forget_openssl_errors();
  if (!fault.empty()) {
    return bad_key(std::move(fault));
  }
  auto material = std::make_shared<KeyMaterial>(algorithm, std::move(id));
  material->pair = std::move(pair);
  material->can_sign = can_sign;
  return material;
}

/// Prevents OpenSSL from prompting for a password.
int no_password(char* /*to*/, int /*size*/, int /*use*/, void* /*argument*/) {
  return -1;
}

std::string signature_of(EVP_PKEY* pair, const AlgorithmFacts& facts, std::string_view bytes) {
  const DigestPtr digest(EVP_MD_CTX_new());
  detail::tls::ensure_memory(digest.get());
  EVP_PKEY_CTX* settings = nullptr;
  bool is_good = EVP_DigestSignInit_ex(digest.get(), &settings, facts.hash_name, nullptr, nullptr,
                                       pair, nullptr) == 1;
  if (is_good && facts.family == KeyFamily::rsa_pss) {
    is_good = EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1 &&
              EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST) == 1;
  }
  std::string signature(static_cast<std::size_t>(EVP_PKEY_get_size(pair)), '\0');
  std::size_t size = signature.size();
  is_good = is_good && EVP_DigestSign(digest.get(), octets(signature), &size, octets(bytes),
                                      bytes.size()) == 1;
  ensure(is_good, "a verified key can sign");
  signature.resize(size);
  return signature;
}

bool is_signature_of(EVP_PKEY* pair, const AlgorithmFacts& facts, std::string_view bytes,
                     std::string_view signature) {
  const DigestPtr digest(EVP_MD_CTX_new());
  detail::tls::ensure_memory(digest.get());
  EVP_PKEY_CTX* settings = nullptr;
  bool is_good = EVP_DigestVerifyInit_ex(digest.get(), &settings, facts.hash_name, nullptr, nullptr,
                                         pair, nullptr) == 1;
  if (is_good && facts.family == KeyFamily::rsa_pss) {
    // RFC 7518, section 3.5: the salt has the length of the hash.
    is_good = EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1 &&
              EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST) == 1;
  }
  is_good = is_good && EVP_DigestVerify(digest.get(), octets(signature), signature.size(),
                                        octets(bytes), bytes.size()) == 1;
  detail::tls::forget_openssl_errors();
  return is_good;
}

/// Converts OpenSSL's DER to two numbers of equal length (RFC 7518, section 3.4).
std::string raw_of_der(std::string_view der, std::size_t number_bytes) {
  const unsigned char* at = octets(der);
  const PairOfNumbersPtr numbers(d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size())));
  detail::tls::ensure_memory(numbers.get());
  std::string raw(2 * number_bytes, '\0');
  const int size = static_cast<int>(number_bytes);
  BN_bn2binpad(ECDSA_SIG_get0_r(numbers.get()), octets(raw), size);
  BN_bn2binpad(ECDSA_SIG_get0_s(numbers.get()), octets(raw) + number_bytes, size);
  return raw;
}

/// The reverse conversion; empty for another length.
std::string der_of_raw(std::string_view raw, std::size_t number_bytes) {
  if (raw.size() != 2 * number_bytes) {
    return "";
  }
  const int size = static_cast<int>(number_bytes);
  const PairOfNumbersPtr numbers(ECDSA_SIG_new());
  detail::tls::ensure_memory(numbers.get());
  BIGNUM* r = BN_bin2bn(octets(raw), size, nullptr);
  BIGNUM* s = BN_bin2bn(octets(raw) + number_bytes, size, nullptr);
  detail::tls::ensure_memory(r);
  detail::tls::ensure_memory(s);
  ECDSA_SIG_set0(numbers.get(), r, s);  // takes ownership of both
  std::string der(static_cast<std::size_t>(i2d_ECDSA_SIG(numbers.get(), nullptr)), '\0');
  unsigned char* to = octets(der);
  i2d_ECDSA_SIG(numbers.get(), &to);
  return der;
}

std::string hmac_of(const KeyMaterial& key, std::string_view bytes) {
  const AlgorithmFacts& facts = facts_of(key.algorithm);
  std::string tag(facts.hash_bytes, '\0');
  unsigned size = 0;
  const unsigned char* made =
      HMAC(EVP_get_digestbyname(facts.hash_name), key.secret.data(),
           static_cast<int>(key.secret.size()), octets(bytes), bytes.size(), octets(tag), &size);
  detail::tls::ensure_memory(made);
  return tag;
}

/// Returns the algorithm from `alg`, the curve or `fallback`, in this order; nothing if none
/// applies.
std::optional<JwtAlgorithm> algorithm_of(const json::Value& jwk,
                                         std::optional<JwtAlgorithm> fallback) {
  if (jwk.find("alg") != nullptr) {
    return parse_jwt_algorithm(json::text_member(jwk, "alg").value_or(""));
  }
  const auto curve = json::text_member(jwk, "crv");
  if (!curve) {
    return fallback;
  }
  for (const JwtAlgorithm algorithm :
       {JwtAlgorithm::es256, JwtAlgorithm::es384, JwtAlgorithm::es512, JwtAlgorithm::eddsa}) {
    if (facts_of(algorithm).curve == *curve) {
      return algorithm;
    }
  }
  return std::nullopt;
}

/// Returns null if the key does not have the member. Some libraries write a JSON null for that.
const json::Value* given(const json::Value& jwk, std::string_view name) {
  const json::Value* const member = jwk.find(name);
  return member == nullptr || member->is_null() ? nullptr : member;
}

/// RFC 7517, sections 4.2 and 4.3.
bool is_for_signatures(const json::Value& jwk) {
  const json::Value* use = given(jwk, "use");
  if (use != nullptr && (!use->is_string() || use->text() != "sig")) {
    return false;
  }
  const json::Value* operations = given(jwk, "key_ops");
  return operations == nullptr ||
         (operations->is_array() &&
          std::ranges::any_of(operations->elements(), [](const json::Value& operation) {
            return operation.is_string() &&
                   (operation.text() == "verify" || operation.text() == "sign");
          }));
}

KeyPtr make_pair(const AlgorithmFacts& facts) {
  switch (facts.family) {
    case KeyFamily::secret:
      return nullptr;
    case KeyFamily::rsa:
    case KeyFamily::rsa_pss:
      return KeyPtr(EVP_RSA_gen(kRsaBitsMade));
    case KeyFamily::ec:
      return KeyPtr(EVP_EC_gen(facts.group));
    case KeyFamily::ed25519:
      return KeyPtr(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  }
  return nullptr;
}

}  // namespace

Result<JwtKey> JwtKey::made_of(Result<Material> material) {
  if (!material) {
    return fail(std::move(material.error()));
  }
  return JwtKey(std::move(*material));
}

Result<JwtKey> JwtKey::from_secret(JwtAlgorithm algorithm, std::string_view secret,
                                   std::string id) {
  return made_of(secret_material(algorithm, secret, std::move(id)));
}

Result<JwtKey> JwtKey::from_pem(JwtAlgorithm algorithm, std::string_view pem, std::string id) {
  if (pem.size() > kPemBytesMax || facts_of(algorithm).family == KeyFamily::secret) {
    return bad_key("PEM must not contain a secret and must have at most 64 KiB");
  }
  const detail::tls::BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  detail::tls::ensure_memory(bio.get());
  const bool is_private = pem.contains("PRIVATE KEY-----");
  KeyPtr pair(is_private ? PEM_read_bio_PrivateKey(bio.get(), nullptr, &no_password, nullptr)
                         : PEM_read_bio_PUBKEY(bio.get(), nullptr, &no_password, nullptr));
  return made_of(pair_material(algorithm, std::move(pair), std::move(id), is_private));
}

Result<JwtKey> JwtKey::from_jwk(std::string_view json, std::optional<JwtAlgorithm> fallback) {
  const auto jwk = json.size() > kJwkBytesMax
                       ? std::nullopt
                       : json::read_object(json, detail::jwt::kForeignObject);
  return jwk ? from_jwk_value(*jwk, fallback) : bad_key("it is not a JSON object");
}

Result<JwtKey> JwtKey::from_jwk_value(const json::Value& jwk,
                                      std::optional<JwtAlgorithm> fallback) {
  const auto algorithm = algorithm_of(jwk, fallback);
  const auto id = json::text_member(jwk, "kid");
  if (!algorithm || !is_for_signatures(jwk) || (!id && given(jwk, "kid") != nullptr) ||
      (id && id->size() > detail::jwt::kKeyIdBytesMax)) {
    return bad_key("its alg, use, key_ops or kid is invalid or not supported");
  }
  const AlgorithmFacts& facts = facts_of(*algorithm);
  std::string own_id(id.value_or(""));
  if (facts.family == KeyFamily::secret) {
    const auto secret = json::bytes_member(jwk, "k");
    if (json::text_member(jwk, "kty") != "oct" || !secret) {
      return bad_key("it is not a secret");
    }
    return from_secret(*algorithm, *secret, std::move(own_id));
  }
  return made_of(pair_material(*algorithm, detail::jwt::pair_from_jwk(jwk, facts),
                               std::move(own_id), jwk.find("d") != nullptr));
}

JwtKey JwtKey::generate(JwtAlgorithm algorithm, std::string id) {
  const AlgorithmFacts& facts = facts_of(algorithm);
  auto made = facts.family == KeyFamily::secret
                  ? secret_material(algorithm, secret_bytes(facts.hash_bytes), std::move(id))
                  : pair_material(algorithm, make_pair(facts), std::move(id), true);
  ensure(made.has_value(), "a generated key is valid");
  return JwtKey(std::move(*made));
}

JwtAlgorithm JwtKey::algorithm() const noexcept {
  return material_->algorithm;
}

const std::string& JwtKey::id() const noexcept {
  return material_->id;
}

bool JwtKey::can_sign() const noexcept {
  return material_->can_sign;
}

bool JwtKey::is_public_kind() const noexcept {
  return material_->pair != nullptr;
}

json::Value JwtKey::to_public_jwk() const {
  ensure(is_public_kind(), "a secret must not be published");
  json::Value jwk =
      detail::jwt::public_members(material_->pair.get(), facts_of(material_->algorithm));
  jwk["use"] = "sig";
  jwk["alg"] = to_text(algorithm());
  if (!id().empty()) {
    jwk["kid"] = id();
  }
  return jwk;
}

std::string JwtKey::sign(std::string_view bytes) const {
  ensure(can_sign(), "a public key cannot sign");
  const AlgorithmFacts& facts = facts_of(algorithm());
  if (facts.family == KeyFamily::secret) {
    return hmac_of(*material_, bytes);
  }
  std::string signature = signature_of(material_->pair.get(), facts, bytes);
  return facts.family == KeyFamily::ec ? raw_of_der(signature, facts.number_bytes) : signature;
}

bool JwtKey::verify(std::string_view bytes, std::string_view signature) const {
  const AlgorithmFacts& facts = facts_of(algorithm());
  if (facts.family == KeyFamily::secret) {
    return equals_in_constant_time(signature, hmac_of(*material_, bytes));
  }
  if (facts.family != KeyFamily::ec) {
    return is_signature_of(material_->pair.get(), facts, bytes, signature);
  }
  const std::string der = der_of_raw(signature, facts.number_bytes);
  return !der.empty() && is_signature_of(material_->pair.get(), facts, bytes, der);
}

json::Value to_jwks(std::span<const JwtKey> keys) {
  json::Value list = json::array({});
  for (const JwtKey& key : keys) {
    if (key.is_public_kind()) {
      list.push_back(key.to_public_jwk());
    }
  }
  return json::object({{"keys", std::move(list)}});
}

Result<std::vector<JwtKey>> parse_jwks(std::string_view json, JwtAlgorithm rsa_default,
                                       std::size_t keys_max) {
  const auto set = json::read_object(json, detail::jwt::kKeySet);
  const json::Value* list = set ? set->find("keys") : nullptr;
  if (list == nullptr || !list->is_array()) {
    return bad_key("it is not a JWK Set");
  }
  std::vector<JwtKey> keys;
  for (std::size_t index = 0; index < std::min(list->size(), keys_max); ++index) {
    auto key = JwtKey::from_jwk_value((*list)[index], rsa_default);
    if (key && key->is_public_kind()) {
      keys.push_back(std::move(*key));
    }
  }
  return keys;
}

}  // namespace eider
