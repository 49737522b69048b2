#include <eider/jwt.h>

#include <cstdio>
#include <vector>

int main() {
  const auto key = eider::JwtKey::generate(eider::JwtAlgorithm::es256, "one");
  const auto token = eider::sign_jwt({.subject = "ann", .expires_at = 1'900'000'000}, key);
  const std::vector keys{key};
  const auto claims = eider::check_jwt(token, keys, {}, 1'800'000'000);
  const auto late = eider::check_jwt(token, keys, {}, 2'000'000'000);
  const auto guard = eider::jwt_auth({.keys = keys, .issuer = "id", .audience = "notes"});
  std::printf("%s\n%s\n", token.c_str(), guard.name().c_str());
  return claims && claims->registered().subject == "ann" && !late ? 0 : 1;
}
