// Fuzzes tokens: parsed parts must match the text, and no invalid signature may be accepted.
#include <cstdint>
#include <string_view>
#include <vector>

#include "eider/auth/jwt/jws.h"
#include "eider/auth/jwt/jwt.h"
#include "eider/core/base/assert.h"
#include "eider/core/base/base64.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace eider;
  const std::string_view token(reinterpret_cast<const char*>(data), size);
  static const std::vector<JwtKey> keys{JwtKey::generate(JwtAlgorithm::hs256),
                                        JwtKey::generate(JwtAlgorithm::es256),
                                        JwtKey::generate(JwtAlgorithm::eddsa)};
  if (const auto jws = detail::jwt::parse_jws(token, 8192)) {
    ensure(to_base64url(jws->payload) == jws->signed_part.substr(jws->signed_part.find('.') + 1),
           "a payload has one spelling");
    ensure(token.substr(jws->signed_part.size()) == "." + to_base64url(jws->signature),
           "and so has a signature");
  }
  ensure(!check_jwt(token, keys, {}, 0), "nobody guesses a signature");
  // The same claims with a valid signature: reading must return for any content.
  const std::string part = to_base64url(R"({"alg":"HS256"})") + "." + to_base64url(token);
  const std::string own = part + "." + to_base64url(keys[0].sign(part));
  JwtRules rules{.bytes_max = own.size()};
  if (const auto claims = check_jwt(own, keys, rules, 0)) {
    ensure(claims->registered().expires_at.has_value(), "an end is demanded");
    ensure(claims->all().is_object(), "claims are an object");
  }
  return 0;
}
