// The parts of a key in OpenSSL, and the facts about its algorithm.
// Layering: must not be included by a public header.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "eider/auth/jwt/algorithm.h"
#include "eider/core/json/value.h"
#include "eider/io/tls/openssl.h"

namespace eider::detail::jwt {

enum class KeyFamily : std::uint8_t { secret, rsa, rsa_pss, ec, ed25519 };

/// name          in tokens
/// hash_name     OpenSSL's name; empty: the algorithm includes the hash
/// curve         name in a JWK
/// group         name in OpenSSL
/// number_bytes  size of a coordinate, and of each of the two numbers of an ECDSA signature
struct AlgorithmFacts {
  std::string_view name;
  KeyFamily family;
  const char* hash_name;
  std::size_t hash_bytes;
  std::string_view curve;
  const char* group;
  std::size_t number_bytes;
};

[[nodiscard]] const AlgorithmFacts& facts_of(JwtAlgorithm algorithm) noexcept;

/// Either a key pair (or only its public part) or a secret.
struct KeyMaterial {
  KeyMaterial(JwtAlgorithm its_algorithm, std::string its_id);
  ~KeyMaterial();
  KeyMaterial(const KeyMaterial&) = delete;
  KeyMaterial& operator=(const KeyMaterial&) = delete;

  JwtAlgorithm algorithm;
  std::string id;
  bool can_sign = false;
  tls::KeyPtr pair;
  std::string secret;
};

/// Returns an error if the pair is not valid for this algorithm; otherwise an empty string.
[[nodiscard]] std::string fault_of_pair(EVP_PKEY* pair, const AlgorithmFacts& facts);

/// Creates a pair from the members of a JWK; null if it is invalid. With `d`, the pair can sign.
///
/// source  RFC 7518, sections 6.2 and 6.3; RFC 8037, section 2
[[nodiscard]] tls::KeyPtr pair_from_jwk(const json::Value& jwk, const AlgorithmFacts& facts);

/// Returns `kty` and the members of the public part.
[[nodiscard]] json::Value public_members(EVP_PKEY* pair, const AlgorithmFacts& facts);

}  // namespace eider::detail::jwt
