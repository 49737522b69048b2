// Fuzzes key sets of issuers: accepted keys must be usable, and must be readable after writing.
#include <cstdint>
#include <string_view>

#include "eider/auth/jwt/jwt_key.h"
#include "eider/core/base/assert.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto keys = parse_jwks(text, JwtAlgorithm::rs256, 4);
  for (const JwtKey& key : keys ? *keys : std::vector<JwtKey>()) {
    ensure(key.is_public_kind(), "a set has no secrets");
    ensure(!key.verify("text", "no signature"), "a key verifies what it has signed alone");
    const auto again = JwtKey::from_jwk(json::to_text(key.to_public_jwk()));
    ensure(again && again->algorithm() == key.algorithm() && again->id() == key.id(),
           "what is read is read again");
  }
  if (const auto key = JwtKey::from_jwk(text, JwtAlgorithm::hs256); key && key->can_sign()) {
    ensure(key->verify("text", key->sign("text")), "a key knows its own");
  }
  return 0;
}
