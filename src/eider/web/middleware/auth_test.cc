#include "eider/web/middleware/auth.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

std::string basic(std::string_view pair) {
  return "Basic " + to_base64(pair);
}

TEST(ParseBasic, reads_name_and_password) {
  const auto read = parse_basic(basic("ann:s:ecret"));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->user, "ann");
  EXPECT_EQ(read->password, "s:ecret");
  EXPECT_EQ(parse_basic("bAsIc   " + to_base64("a:"))->password, "");
  EXPECT_EQ(parse_basic(basic(":p"))->user, "");
  EXPECT_EQ(parse_basic(basic("caf\xC3\xA9:\xE2\x82\xAC"))->password, "\xE2\x82\xAC");
}

TEST(ParseBasic, refuses_what_is_none) {
  for (const std::string& text :
       {std::string(), std::string("Basic"), std::string("Basic "), std::string("Basic !!!!"),
        std::string("Basic YTpi="), std::string("Basic YTp"), std::string("Basic YTpi YTpi"),
        std::string("BasicYTpi"), std::string("Bearer YTpi"), basic("no colon"),
        basic(std::string_view("a\0b:c", 5)), basic("a:b\nc"), basic("a:\x7F"), basic("a:\xFF"),
        basic("a:\xC3"), std::string("Basic ") + std::string(100'000, '=')}) {
    EXPECT_FALSE(parse_basic(text).has_value()) << text.substr(0, 40);
  }
}

TEST(ParseBearer, reads_a_token68_and_nothing_else) {
  EXPECT_EQ(parse_bearer("Bearer abc.def-_~+/=="), "abc.def-_~+/==");
  EXPECT_EQ(parse_bearer("bearer  x"), "x");
  for (const char* text : {"", "Bearer", "Bearer ", "Bearer =", "Bearer a b", "Bearer a=b",
                           "Bearer a\"b", "Bearer a\xFF", "Basic abc", "Bearerabc", "Bearer,a"}) {
    EXPECT_FALSE(parse_bearer(text).has_value()) << text;
  }
}

TEST(SecretTable, finds_whole_secrets_alone) {
  const SecretTable table({{"one", {"ann"}}, {"two", {"bob"}}});
  EXPECT_EQ(table.find("one")->name, "ann");
  EXPECT_EQ(table.find("two")->name, "bob");
  for (const std::string& other : {std::string(), std::string("on"), std::string("one "),
                                   std::string("ONE"), std::string("one\0", 4)}) {
    EXPECT_FALSE(table.find(other).has_value()) << other;
  }
  EXPECT_FALSE(SecretTable().find("").has_value());
  EXPECT_THROW(SecretTable(std::map<std::string, Identity>{{"", {"ann"}}}), Failure);
}

/// An app with a guard: returns the status for an Authorization header, or the handler's text.
class Guarded {
 public:
  template <class G>
  explicit Guarded(G guard) {
    app.guard(std::move(guard));
    app.get("/me", [](const Identity& caller) { return caller.name; });
    app.get("/admin", [](const Identity& caller) { return caller.name; })
        .guard(require_scope("admin"));
    client = std::make_unique<TestClient>(app);
  }
  TestResponse ask(std::string_view field, std::string_view value, std::string path = "/me") {
    return client->send({.target = std::move(path), .headers = {{field, value}}});
  }

  App app;
  std::unique_ptr<TestClient> client;
};

TEST(BasicAuth, lets_known_names_with_their_passwords_through) {
  Guarded guarded(basic_auth({.realm = "notes", .users = {{"ann", "secret"}, {"b", "c:d"}}}));
  EXPECT_EQ(guarded.ask("Authorization", basic("ann:secret")).body, "ann");
  EXPECT_EQ(guarded.ask("Authorization", basic("b:c:d")).body, "b");
  for (const std::string& wrong : {basic("ann:secre"), basic("ann:secret "), basic("Ann:secret"),
                                   basic("b:secret"), basic("b:c:"), basic(":"), basic("ann"),
                                   std::string("Basic %%%"), std::string("Bearer x")}) {
    const TestResponse reply = guarded.ask("Authorization", wrong);
    EXPECT_EQ(reply.status, 401) << wrong;
    EXPECT_EQ(reply.header("WWW-Authenticate"), "Basic realm=\"notes\", charset=\"UTF-8\"");
  }
  EXPECT_EQ(guarded.client->get("/me").status, 401);
}

TEST(BasicAuth, asks_a_check_of_ones_own) {
  Guarded guarded(
      basic_auth({.check = [](const BasicCredentials& given) -> std::optional<Identity> {
        if (given.password != "open") {
          return std::nullopt;
        }
        return Identity{.name = given.user, .scopes = {"admin"}};
      }}));
  EXPECT_EQ(guarded.ask("Authorization", basic("eve:open"), "/admin").body, "eve");
  EXPECT_EQ(guarded.ask("Authorization", basic("eve:shut")).status, 401);
}

TEST(BearerAuth, lets_known_tokens_through_and_says_which_ones_are_not) {
  Guarded guarded(bearer_auth(
      {.tokens = {{"t-ann", {.name = "ann"}}, {"t-root", {.name = "root", .scopes = {"admin"}}}}}));
  EXPECT_EQ(guarded.ask("Authorization", "Bearer t-ann").body, "ann");
  EXPECT_EQ(guarded.client->get("/me").header("WWW-Authenticate"), "Bearer realm=\"restricted\"");
  EXPECT_EQ(guarded.ask("Authorization", "Bearer t-bob").header("WWW-Authenticate"),
            "Bearer realm=\"restricted\", error=\"invalid_token\"");
  EXPECT_EQ(guarded.ask("Authorization", "Bearer t-ann", "/admin").status, 403);
  EXPECT_EQ(guarded.ask("Authorization", "Bearer t-root", "/admin").body, "root");
}

TEST(ApiKeyAuth, lets_known_keys_through) {
  Guarded guarded(api_key_auth({.header = "X-Key", .keys = {{"k1", {.name = "ci"}}}}));
  EXPECT_EQ(guarded.ask("X-Key", "k1").body, "ci");
  for (const char* wrong : {"", "k", "k11", "K1", "k1\xFF"}) {
    EXPECT_EQ(guarded.ask("X-Key", wrong).status, 401) << wrong;
  }
  EXPECT_EQ(guarded.ask("Authorization", "k1").status, 401);
}

TEST(Auth, of_two_fields_the_first_counts) {
  Guarded guarded(bearer_auth({.tokens = {{"good", {.name = "ann"}}}}));
  const TestResponse reply = guarded.client->send(
      {.target = "/me",
       .headers = {{"Authorization", "Bearer bad"}, {"Authorization", "Bearer good"}}});
  EXPECT_EQ(reply.status, 401);
}

TEST(Auth, is_described_for_documents_and_lists) {
  App app;
  app.get("/a", [](const Identity& caller) { return caller.name; })
      .guard(basic_auth({.users = {{"a", "b"}}}));
  app.get("/b", [](const Identity& caller) { return caller.name; })
      .guard(bearer_auth({.tokens = {{"a", {"b"}}}}))
      .guard(require_scope("write"));
  app.get("/c", [](const Identity& caller) { return caller.name; })
      .guard(api_key_auth({.keys = {{"a", {"b"}}}}));
  const std::vector<Operation> operations = app.operations();
  using Kind = Operation::Security::Kind;
  EXPECT_EQ(operations[0].security.at(0).field, "basic");
  EXPECT_EQ(operations[1].security.at(0).field, "bearer");
  EXPECT_EQ(operations[2].security.at(0).field, "X-API-Key");
  EXPECT_EQ(operations[2].security.at(0).kind, Kind::api_key);
  for (const Operation& operation : operations) {
    EXPECT_NE(operation.find_response(401), nullptr);
  }
  EXPECT_NE(operations[1].find_response(403), nullptr);
  EXPECT_TRUE(app.list_routes().contains("bearer_auth > require_scope write > handler"));
}

TEST(Auth, of_a_realm_that_would_end_its_quotes_does_not_start) {
  EXPECT_THROW((void)basic_auth({.realm = "a\"b"}), Failure);
  EXPECT_THROW((void)basic_auth({.users = {{"admin", ""}}}), Failure);
  EXPECT_THROW((void)bearer_auth({.realm = "a\r\nb"}), Failure);
}

TEST(Auth, that_is_provided_asks_only_where_a_handler_wants_to_know) {
  App app;
  app.provide(bearer_auth({.tokens = {{"good", {.name = "ann"}}}}));
  app.get("/",
          [](const std::optional<Identity>& caller) { return caller ? caller->name : "nobody"; });
  app.get("/me", [](const Identity& caller) { return caller.name; });
  TestClient client(app);
  EXPECT_EQ(client.get("/").body, "nobody");
  EXPECT_EQ(client.get("/me").status, 401);
}

}  // namespace
}  // namespace eider
