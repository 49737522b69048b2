// JSON Web Tokens: an issuer that publishes its keys, and a service that accepts its own tokens and
// those of another issuer.
//   ./20_tokens --port 8080
//   curl -d '{"name":"ann","role":"editor"}' 'localhost:8080/token?alg=ES256'
//   curl -H "Authorization: Bearer $TOKEN" localhost:8080/me
#include <eider/eider.h>
#include <eider/jwt.h>

#include <string>
#include <vector>

using namespace eider;
using namespace std::chrono_literals;

namespace {

struct TokenOptions {
  Secret secret;
  std::string jwks;

  static constexpr OptionText kOptions[] = {
      {"secret", "Key for HS256, HS384 and HS512, at least 64 bytes"},
      {"jwks", "URL of the key set of another issuer", "URL"}};
};

struct Choice {
  std::string alg = "ES256";
};

struct Wish {
  std::string name;
  std::string role;
};

struct Member {
  std::string role;
};

std::vector<JwtKey> make_keys(const Secret& secret) {
  std::vector<JwtKey> keys;
  for (const JwtAlgorithm algorithm :
       {JwtAlgorithm::rs256, JwtAlgorithm::ps256, JwtAlgorithm::es256, JwtAlgorithm::es384,
        JwtAlgorithm::es512, JwtAlgorithm::eddsa}) {
    keys.push_back(JwtKey::generate(algorithm, "key-" + std::string(to_text(algorithm))));
  }
  for (const JwtAlgorithm algorithm :
       {JwtAlgorithm::hs256, JwtAlgorithm::hs384, JwtAlgorithm::hs512}) {
    if (!secret.empty()) {
      keys.push_back(JwtKey::from_secret(algorithm, secret.reveal()).value());
    }
  }
  return keys;
}

Result<std::string> make_token(const std::vector<JwtKey>& keys, const std::string& algorithm,
                               const Wish& wish) {
  for (const JwtKey& key : keys) {
    if (to_text(key.algorithm()) == algorithm) {
      const std::int64_t now = Loop::current().wall_seconds();
      return sign_jwt(Member{wish.role},
                      {.issuer = "https://id.example",
                       .subject = wish.name,
                       .audience = {"notes"},
                       .expires_at = now + 600,
                       .issued_at = now},
                      key);
    }
  }
  return fail(Error::not_found("There is no key for this algorithm."));
}

std::string greeting(const Claims<Member>& claims) {
  return claims.registered.subject + " is " + claims.own.role + "\n";
}

App make_app(const TokenOptions& own) {
  const std::vector<JwtKey> keys = make_keys(own.secret);
  App app;
  app.get("/.well-known/jwks.json", [keys] { return to_jwks(keys); });
  app.post("/token", [keys](Query<Choice> choice, Json<Wish> wish) {
    return make_token(keys, choice->alg, *wish);
  });
  app.get("/me", &greeting)
      .guard(jwt_auth<Member>({.keys = keys, .issuer = "https://id.example", .audience = "notes"}));
  if (!own.jwks.empty()) {
    Routes partner = app.group("/partner");
    partner.guard(jwt_auth<Member>({.keys = Jwks({.url = own.jwks, .pause_min = 1s}),
                                    .issuer = "https://partner.example",
                                    .audience = "notes"}));
    partner.get("/me", &greeting);
  }
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<TokenOptions>("tokens", argc, argv, make_app);
}
