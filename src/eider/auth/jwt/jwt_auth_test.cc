#include "eider/auth/jwt/jwt_auth.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/loop.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/auth.h"

namespace eider {
namespace {

struct Member {
  std::string role;
  std::optional<std::string> scope;
};

struct Scoped {
  std::string scope;
};

/// An app with the guard, and a client with valid tokens.
class JwtAuthTest : public ::testing::Test {
 protected:
  JwtAuthTest() {
    Routes api = app_.group("/api");
    api.guard(jwt_auth({.keys = std::vector{key_}, .issuer = "id", .audience = "notes"}));
    api.get("/me", [](const Identity& caller) { return caller.name; });
    api.post("/notes", [] { return "kept"; }).guard(require_scope("write"));
    Routes own = app_.group("/own");
    own.guard(jwt_auth<Member>({.keys = std::vector{key_}, .issuer = "id", .audience = "notes"}));
    own.get("/role", [](const Claims<Member>& claims) {
      return claims.own.role + " " + claims.registered.subject;
    });
    app_.get("/now", [] { return std::to_string(Loop::current().wall_seconds()); });
  }

  std::int64_t now(TestClient& client) { return std::stoll(client.get("/now").body); }
  RegisteredClaims usual(TestClient& client) {
    return {
        .issuer = "id", .subject = "ann", .audience = {"notes"}, .expires_at = now(client) + 600};
  }
  static TestResponse ask(TestClient& client, std::string target, const std::string& authorization,
                          Method method = Method::get) {
    TestRequest request{.method = method, .target = std::move(target)};
    if (!authorization.empty()) {
      request.headers = {{"Authorization", authorization}};
    }
    return client.send(request);
  }

  JwtKey key_ = JwtKey::generate(JwtAlgorithm::eddsa, "one");
  App app_;
};

TEST_F(JwtAuthTest, handlers_know_who_asks) {
  TestClient client(app_);
  const std::string token = "Bearer " + sign_jwt(usual(client), key_);
  EXPECT_EQ(ask(client, "/api/me", token).body, "ann");
  EXPECT_EQ(ask(client, "/api/notes", token, Method::post).status, 403);
}

TEST_F(JwtAuthTest, scopes_are_those_that_guards_ask_for) {
  TestClient client(app_);
  const RegisteredClaims claims = usual(client);
  for (const char* scope : {"write", "read write", " write  read "}) {
    const std::string token = "Bearer " + sign_jwt(Scoped{scope}, claims, key_);
    EXPECT_EQ(ask(client, "/api/notes", token, Method::post).status, 200) << scope;
  }
  for (const char* scope : {"", "read", "writes", "Write", "write,read"}) {
    const std::string token = "Bearer " + sign_jwt(Scoped{scope}, claims, key_);
    EXPECT_EQ(ask(client, "/api/notes", token, Method::post).status, 403) << scope;
  }
}

TEST_F(JwtAuthTest, handlers_take_claims_of_their_own) {
  TestClient client(app_);
  const RegisteredClaims claims = usual(client);
  const Member member{.role = "admin", .scope = {}};
  EXPECT_EQ(ask(client, "/own/role", "Bearer " + sign_jwt(member, claims, key_)).body, "admin ann");
  const TestResponse reply = ask(client, "/own/role", "Bearer " + sign_jwt(claims, key_));
  EXPECT_EQ(reply.status, 401);
  EXPECT_EQ(reply.header("WWW-Authenticate"),
            "Bearer realm=\"restricted\", error=\"invalid_token\"");
}

TEST_F(JwtAuthTest, a_request_without_a_token_is_told_no_error_code) {
  TestClient client(app_);
  for (const char* field : {"", "Basic YTpi", "Bearer", "Bearer ", "Bearer a b", "Bearer a,b"}) {
    const TestResponse reply = ask(client, "/api/me", field);
    EXPECT_EQ(reply.status, 401) << field;
    EXPECT_EQ(reply.header("WWW-Authenticate"), "Bearer realm=\"restricted\"") << field;
  }
}

TEST_F(JwtAuthTest, whatever_is_wrong_a_client_is_told_the_same) {
  TestClient client(app_);
  const RegisteredClaims good = usual(client);
  RegisteredClaims late = good;
  late.expires_at = now(client) - 3600;
  RegisteredClaims early = good;
  early.not_before = now(client) + 3600;
  RegisteredClaims foreign = good;
  foreign.audience = {"mail"};
  RegisteredClaims other = good;
  other.issuer = "evil";
  RegisteredClaims nobody = good;
  nobody.subject.clear();
  const JwtKey stranger = JwtKey::generate(JwtAlgorithm::eddsa, "one");
  std::string body;
  for (const std::string& token :
       {sign_jwt(late, key_), sign_jwt(early, key_), sign_jwt(foreign, key_), sign_jwt(other, key_),
        sign_jwt(nobody, key_), sign_jwt(good, stranger), std::string("eyJhbGciOiJub25lIn0.e30."),
        std::string("a.b.c"), std::string(10'000, 'A')}) {
    const TestResponse reply = ask(client, "/api/me", "Bearer " + token);
    EXPECT_EQ(reply.status, 401) << token.substr(0, 100);
    EXPECT_EQ(reply.header("WWW-Authenticate"),
              "Bearer realm=\"restricted\", error=\"invalid_token\"");
    body = body.empty() ? reply.body : body;
    EXPECT_EQ(reply.body, body);
  }
}

TEST_F(JwtAuthTest, a_token_ends_as_the_loops_clock_says) {
  TestClient client(app_);
  const std::string token = "Bearer " + sign_jwt(usual(client), key_);
  client.advance(std::chrono::seconds(600 + 20));
  EXPECT_EQ(ask(client, "/api/me", token).status, 200) << "within the leeway";
  client.advance(std::chrono::seconds(20));
  EXPECT_EQ(ask(client, "/api/me", token).status, 401);
}

TEST_F(JwtAuthTest, documents_know_that_a_bearer_has_a_jwt) {
  for (const Operation& operation : app_.operations()) {
    const bool is_guarded = operation.pattern != "/now";
    ASSERT_EQ(operation.security.size(), is_guarded ? 1U : 0U) << operation.pattern;
    if (is_guarded) {
      EXPECT_EQ(operation.security[0].field, "bearer");
      EXPECT_EQ(operation.security[0].format, "JWT");
    }
  }
}

TEST(JwtAuth, what_lets_nobody_in_or_ends_a_line_is_refused) {
  EXPECT_THROW((void)jwt_auth({}), Failure);
  const std::vector keys{JwtKey::generate(JwtAlgorithm::hs256)};
  for (const char* realm : {"a\"b", "a\\b", "a\nb", "a\x7F"}) {
    EXPECT_THROW((void)jwt_auth({.keys = keys, .realm = realm}), Failure) << realm;
  }
}

TEST(JwtAuth, an_issuers_tokens_for_other_services_are_let_in_only_if_it_is_said_aloud) {
  const Jwks keys({.url = "https://id.example/jwks.json"});
  EXPECT_THROW((void)jwt_auth({.keys = keys}), Failure);
  EXPECT_THROW((void)jwt_auth({.keys = keys, .issuer = "https://id.example"}), Failure);
  EXPECT_NO_THROW((void)jwt_auth({.keys = keys, .audience = "notes"}));
  EXPECT_NO_THROW((void)jwt_auth({.keys = keys, .requires_audience = false}));
  EXPECT_NO_THROW((void)jwt_auth({.keys = std::vector{JwtKey::generate(JwtAlgorithm::eddsa)}}));
}

TEST(JwtAuth, keys_come_by_https_or_from_this_machine) {
  for (const char* url : {"https://id.example/jwks.json", "http://127.0.0.1:8080/jwks.json",
                          "http://[::1]/jwks.json", "http://localhost/jwks.json"}) {
    EXPECT_NO_THROW(Jwks({.url = url})) << url;
  }
  for (const char* url :
       {"", "jwks.json", "http://id.example/jwks.json", "http://127.0.0.1.example/",
        "http://localhost.example/", "http://127.0.0.1@id.example/", "file:///etc/jwks.json",
        "ftp://127.0.0.1/", "http://10.0.0.1/jwks.json"}) {
    EXPECT_THROW(Jwks({.url = url}), Failure) << url;
  }
}

}  // namespace
}  // namespace eider
