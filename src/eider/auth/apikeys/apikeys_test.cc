#include "eider/auth/apikeys/apikeys.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "eider/auth/apikeys/apikey_text.h"
#include "eider/auth/apikeys/apikeys_page.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/token.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/eider.h"
#include "eider/testkit/test_client.h"
#include "eider/web/languages/library_texts.h"
#include "eider/web/middleware/caching.h"
#include "eider/web/middleware/cross_origin.h"
#include "eider/web/middleware/csrf.h"
#include "eider/web/middleware/idempotency.h"
#include "eider/web/middleware/response_cache.h"
#include "eider/web/openapi/openapi.h"

namespace eider {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(ApiKeyText, has_a_prefix_random_characters_and_a_checksum) {
  std::set<std::string> seen;
  for (int turn = 0; turn < 200; ++turn) {
    const std::string key = detail::apikeys::make_key("shop");
    EXPECT_TRUE(detail::apikeys::is_key(key, "shop")) << key;
    EXPECT_EQ(key.size(), 43U);
    EXPECT_EQ(key.substr(5).find_first_not_of(
                  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
              std::string::npos);
    seen.insert(key);
  }
  EXPECT_EQ(seen.size(), 200U);
}

TEST(ApiKeyText, is_not_valid_with_any_other_character_or_length) {
  const std::string key = detail::apikeys::make_key("shop");
  for (std::size_t at = 0; at < key.size(); ++at) {
    std::string other = key;
    other[at] = other[at] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(detail::apikeys::is_key(other, "shop")) << other;
    EXPECT_FALSE(detail::apikeys::is_key(key.substr(0, at), "shop"));
    other[at] = '\0';
    EXPECT_FALSE(detail::apikeys::is_key(other, "shop"));
  }
  EXPECT_FALSE(detail::apikeys::is_key(key + "0", "shop"));
  EXPECT_FALSE(detail::apikeys::is_key(key, "sho"));
  EXPECT_FALSE(detail::apikeys::is_key(key, "shops"));
  EXPECT_FALSE(detail::apikeys::is_key("", "shop"));
}

TEST(ApiKeyText, needs_a_short_prefix_of_small_letters_and_digits) {
  EXPECT_TRUE(detail::apikeys::is_key_prefix("a1"));
  for (const char* wrong : {"", "1a", "A", "a_b", "a b", "abcdefghijklmnopq"}) {
    EXPECT_FALSE(detail::apikeys::is_key_prefix(wrong)) << wrong;
  }
}

struct Person {
  std::string name;
  static constexpr bool kIsInjectable = true;
};

struct KeyDraft {
  std::string name = "ci";
  std::vector<std::string> scopes = {};
  int seconds = 0;
};
struct KeyShown {
  std::string secret;
  ApiKey key;
};
struct Note {
  std::string text;
};

class ApiKeysOnSqlite : public ::testing::Test {
 protected:
  App make_app(ApiKeyOptions options = {.prefix = "shop", .scopes = {"read", "write"}}) {
    App made;
    ApiKeys& keys = add_api_keys(made, database, std::move(options));
    made.use(csrf({.key = std::string(32, 'k'), .is_secure = false}));
    const Sessions visits = add_sessions(made, {.cookie = "session", .is_secure = false});
    add_users(made, visits, [](const UserKey& key) -> Result<Person> { return Person{key.text}; },
              {.login_page = "/login"});
    made.post("/keys",
              [](Json<KeyDraft> draft, const UserKey& user,
                 State<ApiKeys> all) -> Task<Result<Json<KeyShown>>> {
                auto created =
                    co_await all->create(user, {.name = draft->name,
                                                .scopes = draft->scopes,
                                                .lifetime = std::chrono::seconds(draft->seconds)});
                if (!created) {
                  co_return fail(created.error());
                }
                co_return Json(KeyShown{created->secret, created->key});
              });
    made.get("/keys", [](const UserKey& user, State<ApiKeys> all) -> Task<std::vector<ApiKey>> {
      return all->list(user);
    });
    made.del("/keys/{id}",
             [](std::string id, const UserKey& user, State<ApiKeys> all) -> Task<Result<void>> {
               const bool existed = co_await all->revoke(user, std::move(id));
               co_return existed ? Result<void>() : fail(Error::not_found());
             });
    made.get("/me", [](const Person& person) { return person.name; });
    Routes api = made.group("/api");
    accept_api_keys(api, keys, visits);
    api.get("/me", [](const Person& person) { return person.name; });
    api.get("/public", [](std::optional<Person> person) { return person ? person->name : "-"; });
    api.post("/notes",
             [](Form<Note> note, const Person& person) { return person.name + ": " + note->text; });
    api.get("/read", [](const Person& person) { return person.name; })
        .guard(require_key_scope("read"));
    api.get("/report", [] { return "report"; }).guard(require_key_scope("read"));
    made.get("/report", [] { return "report"; }).guard(require_key_scope("read"));
    made.get("/robot-read", [](const ApiKey& key) { return key.name; })
        .guard(require_key_scope("read"));
    made.get("/shared",
             [](std::optional<ApiKey> key) {
               Response response;
               response.set_static_type("text/plain");
               response.set_body(key ? key->user : "-");
               response.add_header("Cache-Control", "public, max-age=60");
               return response;
             })
        .use(response_cache());
    made.get("/hooked", [](std::optional<ApiKey> key) { return key ? key->user : "-"; })
        .use(cache_control({.max_age = minutes(1), .is_public = true}))
        .use(response_cache());
    api.get("/recent", [](const Person& person) { return person.name; })
        .guard(require_recent_login(minutes(10)));
    made.get("/robot", [](const ApiKey& key) { return key.name; });
    made.get("/session", [](Session<> session) { return session.user(); });
    serve_api_keys(made, "/account/keys");
    return made;
  }

  static TestResponse ask(TestClient& by, std::string target, const std::string& secret) {
    return by.send(
        {.target = std::move(target), .headers = {{"Authorization", "Bearer " + secret}}});
  }
  static KeyShown key_of(TestClient& by, const KeyDraft& draft = {}) {
    return by.post("/keys", draft).json<KeyShown>();
  }

  Database database = open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop});
  App app = make_app();
  TestClient client{app, {.keeps_cookies = true, .headers = {{"Sec-Fetch-Site", "same-origin"}}}};
  TestClient robot{app};
};

TEST_F(ApiKeysOnSqlite, stand_for_their_user_on_routes_that_accept_them) {
  client.as("ann");
  const KeyShown made = key_of(client);
  EXPECT_EQ(ask(robot, "/api/me", made.secret).body, "ann");
  EXPECT_EQ(ask(robot, "/api/public", made.secret).body, "ann");
  EXPECT_EQ(ask(robot, "/robot", made.secret).body, "ci");
  EXPECT_EQ(client.get("/api/me").body, "ann") << "the session works as before";
  EXPECT_EQ(robot.get("/api/me").status, 401);
  EXPECT_EQ(robot.get("/api/public").body, "-");
  EXPECT_EQ(client.get("/robot").status, 401) << "a session is not a key";
}

TEST_F(ApiKeysOnSqlite, do_nothing_on_other_routes) {
  client.as("ann");
  const KeyShown made = key_of(client, {.scopes = {"read", "write"}});
  EXPECT_EQ(ask(robot, "/me", made.secret).status, 401);
  EXPECT_EQ(ask(robot, "/keys", made.secret).status, 401);
  EXPECT_EQ(ask(robot, "/account/keys", made.secret).status, 401);
  EXPECT_EQ(ask(robot, "/api/recent", made.secret).status, 401) << "a key is not a login";
  EXPECT_EQ(robot
                .send({.method = Method::post,
                       .target = "/keys",
                       .headers = {{"Authorization", "Bearer " + made.secret},
                                   {"Content-Type", "application/json"}},
                       .body = R"({"name":"another","scopes":[],"seconds":0})"})
                .status,
            401);
}

TEST_F(ApiKeysOnSqlite, are_rejected_if_invalid_even_with_a_session) {
  client.as("ann");
  const std::string secret = key_of(client).secret;
  const std::string other = detail::apikeys::make_key("shop");
  for (const std::string& wrong :
       {other, secret + "0", std::string("shop_"), "shop_" + std::string(8000, 'x')}) {
    const TestResponse reply = ask(client, "/api/me", wrong);
    EXPECT_EQ(reply.status, 401) << wrong;
    EXPECT_TRUE(reply.header("WWW-Authenticate").value_or("").contains("invalid_token"));
    EXPECT_EQ(ask(client, "/api/read", wrong).status, 401);
  }
  EXPECT_EQ(ask(client, "/api/public", other).body, "-") << "and is nobody where that is allowed";
  EXPECT_EQ(ask(client, "/api/me", "a.jwt.of-another-guard").body, "ann") << "not of this prefix";
}

TEST_F(ApiKeysOnSqlite, are_not_mixed_with_the_session_of_the_same_request) {
  client.as("ann");
  const std::string of_ann = key_of(client).secret;
  client.as("mallory");
  EXPECT_EQ(client.get("/session").body, "mallory");
  EXPECT_EQ(ask(client, "/session", of_ann).body, "") << "the cookie is ignored";
  EXPECT_EQ(ask(client, "/api/me", of_ann).body, "ann");
  EXPECT_EQ(ask(client, "/api/recent", of_ann).status, 401)
      << "a fresh session does not make a stolen key fresh";
}

TEST_F(ApiKeysOnSqlite, need_no_csrf_token_while_cookies_do) {
  client.as("ann");
  const std::string secret = key_of(client).secret;
  const auto post = [](TestClient& by, std::vector<TestHeader> headers) {
    headers.push_back({"Content-Type", "application/x-www-form-urlencoded"});
    return by.send({.method = Method::post,
                    .target = "/api/notes",
                    .headers = std::move(headers),
                    .body = "text=hello"});
  };
  EXPECT_EQ(post(robot, {{"Authorization", "Bearer " + secret}}).body, "ann: hello");
  EXPECT_EQ(
      post(robot, {{"Authorization", "Bearer " + secret}, {"Sec-Fetch-Site", "cross-site"}}).body,
      "ann: hello");
  TestClient ann(app, {.keeps_cookies = true});
  ann.as("ann");
  EXPECT_EQ(post(ann, {}).status, 403);
  EXPECT_EQ(post(ann, {{"Sec-Fetch-Site", "cross-site"}}).status, 403);
  const TestResponse with_wrong_key =
      post(ann, {{"Authorization", "Bearer " + detail::apikeys::make_key("shop")}});
  EXPECT_EQ(with_wrong_key.status, 401) << "an invalid key does not lead to the session";
}

TEST_F(ApiKeysOnSqlite, have_scopes_that_sessions_do_not_need) {
  client.as("ann");
  EXPECT_EQ(ask(robot, "/api/read", key_of(client).secret).status, 403);
  EXPECT_EQ(ask(robot, "/api/read", key_of(client, {.scopes = {"write"}}).secret).status, 403);
  EXPECT_EQ(ask(robot, "/api/read", key_of(client, {.scopes = {"write", "read"}}).secret).body,
            "ann");
  EXPECT_EQ(client.get("/api/read").body, "ann");
  EXPECT_EQ(client.post("/keys", KeyDraft{.scopes = {"admin"}}).status, 422);
}

TEST_F(ApiKeysOnSqlite, with_a_scope_protect_handlers_that_have_no_user) {
  client.as("ann");
  const std::string without = key_of(client).secret;
  const std::string reader = key_of(client, {.scopes = {"read"}}).secret;
  for (const char* const path : {"/api/report", "/report"}) {
    const TestResponse anonymous = robot.get(path);
    EXPECT_EQ(anonymous.status, 401) << path;
    EXPECT_FALSE(anonymous.body.contains("report")) << anonymous.body;
    EXPECT_EQ(robot.get(path, {{"Accept", "text/html"}}).status, 303) << "to the login page";
    EXPECT_EQ(client.get(path).body, "report") << "a session";
    EXPECT_EQ(ask(robot, path, reader).body, "report");
    EXPECT_EQ(ask(robot, path, without).status, 403);
    EXPECT_EQ(ask(client, path, detail::apikeys::make_key("shop")).status, 401);
  }
  EXPECT_EQ(ask(robot, "/robot-read", reader).body, "ci");
  EXPECT_EQ(ask(robot, "/robot-read", without).status, 403);
  EXPECT_EQ(client.get("/robot-read").status, 401);
}

TEST_F(ApiKeysOnSqlite, inform_their_owner_before_they_exist) {
  std::vector<std::string> told;
  bool is_mail_down = false;
  App other = make_app({.prefix = "shop",
                        .keys_max = 2,
                        .before_create = [&](ApiKey key, std::string language) -> Task<> {
                          if (is_mail_down) {
                            throw Failure(Error::unavailable("No mail now."));
                          }
                          told.push_back(key.user + " " + key.name + " " + language);
                          co_return;
                        }});
  other.post("/german", [](const UserKey& user, State<ApiKeys> all) -> Task<bool> {
    const auto created = co_await all->create(user, {.name = "till", .language = "de"});
    co_return created.has_value();
  });
  TestClient ann(other, {.keeps_cookies = true});
  ann.as("ann");
  is_mail_down = true;
  EXPECT_EQ(ann.post("/keys", KeyDraft{}).status, 503);
  EXPECT_TRUE(ann.get("/keys").json<std::vector<ApiKey>>().empty());
  is_mail_down = false;
  EXPECT_EQ(ann.post("/german", Note{}).body, "true");
  EXPECT_EQ(ann.post("/keys", KeyDraft{}).status, 200);
  EXPECT_EQ(ann.post("/keys", KeyDraft{}).status, 409);
  EXPECT_EQ(ann.post("/keys", KeyDraft{.name = ""}).status, 422);
  EXPECT_EQ(told, (std::vector<std::string>{"ann till de", "ann ci "}));
}

TEST_F(ApiKeysOnSqlite, end_by_time_and_by_revocation) {
  client.as("ann");
  const std::string brief = key_of(client, {.seconds = 60}).secret;
  const KeyShown made = key_of(client);
  EXPECT_EQ(ask(robot, "/api/me", brief).status, 200);
  robot.advance(seconds(61));
  EXPECT_EQ(ask(robot, "/api/me", brief).status, 401);
  EXPECT_EQ(ask(robot, "/api/me", made.secret).status, 200);
  EXPECT_EQ(client.as("eve").del("/keys/" + made.key.id).status, 404);
  client.as("ann");
  EXPECT_EQ(client.del("/keys/" + made.key.id).status, 204);
  EXPECT_EQ(ask(robot, "/api/me", made.secret).status, 401);
}

TEST_F(ApiKeysOnSqlite, are_limited_per_user_and_by_name) {
  App few = make_app({.prefix = "shop", .keys_max = 2, .lifetime_max = hours(1)});
  TestClient ann(few, {.keeps_cookies = true});
  ann.as("ann");
  for (const std::string& name :
       {std::string(), std::string(101, 'x'), std::string("a\nb"), std::string("a\0b", 3)}) {
    EXPECT_GE(ann.post("/keys", KeyDraft{.name = name}).status, 400) << name;
  }
  EXPECT_EQ(ann.post("/keys", KeyDraft{.seconds = 3601}).status, 422);
  EXPECT_EQ(ann.post("/keys", KeyDraft{.seconds = -1}).status, 422);
  const KeyShown made = key_of(ann);
  EXPECT_EQ(made.key.expires, made.key.created + 3600) << "unlimited is the maximum";
  EXPECT_EQ(ann.post("/keys", KeyDraft{}).status, 200);
  EXPECT_EQ(ann.post("/keys", KeyDraft{}).status, 409);
  EXPECT_EQ(ann.as("bob").post("/keys", KeyDraft{}).status, 200);
}

TEST_F(ApiKeysOnSqlite, note_their_last_use_once_a_minute) {
  client.as("ann");
  const std::string secret = key_of(client).secret;
  const auto used = [this] { return client.get("/keys").json<std::vector<ApiKey>>().at(0).used; };
  EXPECT_EQ(used(), 0);
  (void)ask(robot, "/api/me", secret);
  const std::int64_t first = used();
  EXPECT_GT(first, 0);
  robot.advance(seconds(50));
  (void)ask(robot, "/api/me", secret);
  EXPECT_EQ(used(), first);
  robot.advance(seconds(20));
  (void)ask(robot, "/api/me", secret);
  EXPECT_GE(used(), first + 70);
}

TEST_F(ApiKeysOnSqlite, are_stored_as_digests_only) {
  App other = make_app();
  other.get("/dump", [this]() -> Task<std::string> {
    co_return (co_await database.one<std::string>(
                   "select digest || id || owner || user_key || name || scopes || hint from "
                   "eider_api_keys"))
        .value_or("");
  });
  TestClient ann(other, {.keeps_cookies = true});
  ann.as("ann");
  const std::string secret = key_of(ann).secret;
  const std::string dump = ann.get("/dump").body;
  EXPECT_TRUE(dump.contains(sha256_hex(secret))) << dump;
  EXPECT_FALSE(dump.contains(secret.substr(5, 8))) << dump;
}

TEST_F(ApiKeysOnSqlite, are_an_alternative_to_the_session_in_documents) {
  const json::Value document =
      json::read<json::Value>(openapi_document(app.operations(), {})).value();
  EXPECT_EQ(json::to_text(document.at("/paths/~1api~1me/get/security")),
            R"([{"session":[]},{"api_key":[]}])");
  for (const char* const path : {"/paths/~1api~1read", "/paths/~1api~1report"}) {
    EXPECT_EQ(json::to_text(document.at(std::string(path) + "/get/security")),
              R"([{"session":[]},{"api_key":[]}])")
        << path;
  }
  EXPECT_EQ(json::to_text(document.at("/paths/~1me/get/security")), R"([{"session":[]}])");
  EXPECT_EQ(json::to_text(document.at("/paths/~1robot/get/security")), R"([{"api_key":[]}])");
  EXPECT_EQ(json::to_text(document.at("/components/securitySchemes/api_key")),
            R"({"type":"http","scheme":"bearer","bearerFormat":"API key"})");
}

TEST_F(ApiKeysOnSqlite, come_in_another_header_if_the_app_says_so) {
  App other = make_app({.prefix = "shop", .header = "X-API-Key"});
  TestClient ann(other, {.keeps_cookies = true});
  const std::string secret = key_of(ann.as("ann")).secret;
  EXPECT_EQ(robot.get("/api/me").status, 401);
  TestClient program(other);
  EXPECT_EQ(program.get("/api/me", {{"X-API-Key", secret}}).body, "ann");
  EXPECT_EQ(ask(program, "/api/me", secret).status, 401);
}

TEST_F(ApiKeysOnSqlite, keep_clients_apart_for_caches_and_repeated_requests) {
  App other = make_app({.prefix = "shop", .header = "X-API-Key"});
  other.post("/once", [](const ApiKey& key) { return key.user; }).use(idempotency_keys());
  TestClient users(other, {.keeps_cookies = true});
  const std::string of_ann = key_of(users.as("ann")).secret;
  const std::string of_bob = key_of(users.as("bob")).secret;
  TestClient program(other);
  EXPECT_EQ(program.get("/robot", {{"X-API-Key", of_ann}}).header("Cache-Control"), "private");
  for (const auto& [key, user] : {std::pair(of_ann, "ann"), std::pair(of_bob, "bob")}) {
    const TestResponse reply =
        program.send({.method = Method::post,
                      .target = "/once",
                      .headers = {{"X-API-Key", key}, {"Idempotency-Key", "same"}}});
    EXPECT_EQ(reply.body, user);
  }
}

TEST_F(ApiKeysOnSqlite, are_named_to_caches_whether_sent_or_not) {
  for (const std::string& header : {std::string(), std::string("X-API-Key")}) {
    const std::string field = header.empty() ? "Authorization" : header;
    App other = make_app({.prefix = "shop", .header = header});
    TestClient ann(other, {.keeps_cookies = true});
    const std::string secret = key_of(ann.as("ann")).secret;
    const std::string value = header.empty() ? "Bearer " + secret : secret;
    TestClient program(other);
    for (int turn = 0; turn < 2; ++turn) {
      const TestResponse anonymous = program.get("/shared");
      EXPECT_EQ(anonymous.body, "-");
      EXPECT_EQ(anonymous.header("Vary"), field);
      EXPECT_EQ(anonymous.header("Cache-Control"), "public, max-age=60");
      const TestResponse with_key = program.get("/shared", {{field, value}});
      EXPECT_EQ(with_key.body, "ann");
      EXPECT_EQ(with_key.header("Vary"), field);
    }
    EXPECT_EQ(program.get("/api/public").header("Cache-Control"), "private");
    EXPECT_EQ(program.get("/hooked").header("Cache-Control"), "private") << "the handler decides";
    EXPECT_EQ(program.get("/hooked", {{field, value}}).body, "ann");
  }
}

TEST_F(ApiKeysOnSqlite, have_a_page_that_shows_a_new_key_once) {
  client.as("<b>ann");
  const TestResponse page = client.get("/account/keys");
  EXPECT_TRUE(page.body.contains("You have no API keys."));
  const TestResponse created =
      client.submit(page, {{"name", "<i>ci"}, {"scopes", "read"}, {"days", "30"}});
  ASSERT_EQ(created.status, 200) << created.body;
  EXPECT_EQ(created.header("Cache-Control"), "no-store");
  EXPECT_TRUE(created.body.contains("&lt;i&gt;ci")) << created.body;
  const std::size_t at = created.body.find("shop_");
  ASSERT_NE(at, std::string::npos);
  const std::string secret = created.body.substr(at, 43);
  EXPECT_EQ(ask(robot, "/api/read", secret).body, "<b>ann");
  EXPECT_FALSE(client.get("/account/keys").body.contains(secret));
  const std::string id = client.get("/keys").json<std::vector<ApiKey>>().at(0).id;
  const TestResponse without_token =
      client.post_form("/account/keys/" + id + "/revoke", std::vector<TestField>());
  EXPECT_EQ(without_token.status, 403);
  EXPECT_EQ(ask(robot, "/api/read", secret).status, 200);
}

TEST_F(ApiKeysOnSqlite, have_a_page_with_the_path_of_the_mounted_app) {
  App inner = make_app();
  inner.post("/enter", [](Session<> session) { session.log_in("ann"); });
  App outer;
  outer.mount("/shop", std::move(inner));
  TestClient visitor(outer,
                     {.keeps_cookies = true, .headers = {{"Sec-Fetch-Site", "same-origin"}}});
  visitor.post("/shop/enter", 0);
  const TestResponse page = visitor.get("/shop/account/keys");
  ASSERT_EQ(page.status, 200) << page.body;
  EXPECT_TRUE(page.body.contains("action=\"/shop/account/keys\"")) << page.body;
  const TestResponse made = visitor.submit(page, {{"name", "ci"}, {"days", "30"}});
  EXPECT_EQ(made.status, 200) << made.body;
  EXPECT_TRUE(made.body.contains("action=\"/shop/account/keys/")) << made.body;
}

TEST_F(ApiKeysOnSqlite, have_a_page_in_the_layout_of_the_application) {
  const auto layout = [](const PageContent& content, const Person& person, State<Database>) {
    return Html("<title>" + content.title + "</title>" + person.name + content.html);
  };
  App other = make_app();
  other.state(database);
  serve_api_keys(other, "/laid-out", {.title = "Keys", .layout = layout});
  TestClient ann(other, {.keeps_cookies = true, .headers = {{"Sec-Fetch-Site", "same-origin"}}});
  const TestResponse page = ann.as("ann").get("/laid-out");
  EXPECT_TRUE(page.body.starts_with("<title>Keys</title>ann<form")) << page.body;
  EXPECT_TRUE(page.body.contains("You have no API keys.")) << page.body;
  EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
  const TestResponse wrong = ann.submit(page, {{"name", "x"}, {"days", "1"}});
  EXPECT_EQ(wrong.status, 422);
  EXPECT_TRUE(wrong.body.starts_with("<title>Keys</title>ann<p role=\"alert\">")) << wrong.body;
  EXPECT_EQ(wrong.header("Cache-Control"), "no-store");
  EXPECT_TRUE(ann.get("/account/keys").body.starts_with("<!doctype html>"));
}

TEST_F(ApiKeysOnSqlite, neither_create_nor_revoke_keys_on_a_page_that_accepts_them) {
  App other;
  ApiKeys& keys = add_api_keys(other, database, {.prefix = "shop"});
  const Sessions visits = add_sessions(other, {.cookie = "session", .is_secure = false});
  add_users(other, visits, [](const UserKey& key) -> Result<Person> { return Person{key.text}; });
  Routes api = other.group("/api");
  accept_api_keys(api, keys, visits);
  serve_api_keys(api, "/keys", {.login_within = Duration::max()});
  TestClient thief(other);
  const auto made = thief.run(keys.create({"ann"}, {.name = "ci"}));
  ASSERT_TRUE(made) << made.error().detail();
  const auto send = [&](Method method, std::string target) {
    return thief.send({.method = method,
                       .target = std::move(target),
                       .headers = {{"Authorization", "Bearer " + made->secret},
                                   {"Content-Type", "application/x-www-form-urlencoded"}},
                       .body = method == Method::post ? "name=mine&days=90" : ""});
  };
  EXPECT_EQ(send(Method::get, "/api/keys").status, 401);
  EXPECT_EQ(send(Method::post, "/api/keys").status, 401);
  EXPECT_EQ(send(Method::post, "/api/keys/" + made->key.id + "/revoke").status, 401);
  EXPECT_EQ(thief.run(keys.list({"ann"})).size(), 1U);
  const std::vector<TestField> nothing;
  thief.as("ann");
  EXPECT_EQ(thief.post_form("/api/keys/" + made->key.id + "/revoke", nothing).status, 303);
  EXPECT_EQ(thief.run(keys.list({"ann"})).size(), 0U);
}

TEST_F(ApiKeysOnSqlite, have_a_page_in_the_language_of_the_user) {
  std::string informed_in;
  App other =
      make_app({.prefix = "shop",
                .scopes = {"read"},
                .before_create = [&informed_in](const ApiKey&, std::string language) -> Task<> {
                  informed_in = std::move(language);
                  co_return;
                }});
  add_languages(other, {.texts = {german()}, .detect_from = {LanguageSource::accept_language}});
  TestClient ann(other,
                 {.keeps_cookies = true,
                  .headers = {{"Sec-Fetch-Site", "same-origin"}, {"Accept-Language", "de"}}});
  const TestResponse page = ann.as("ann").get("/account/keys");
  EXPECT_EQ(page.header("Content-Language"), "de");
  for (const char* const part : {"<html lang=\"de\">", "<h1>API-Schlüssel</h1>", "90 Tage",
                                 "Unbegrenzt", "Sie haben keine API-Schlüssel."}) {
    EXPECT_TRUE(page.body.contains(part)) << part << page.body;
  }
  EXPECT_TRUE(ann.submit(page, {{"name", ""}, {"days", "30"}})
                  .body.contains("Name: muss 1 bis 100 Zeichen haben, ohne Steuerzeichen."));
  const TestResponse made =
      ann.submit(page, {{"name", "<ci>"}, {"scopes", "read"}, {"days", "30"}});
  EXPECT_EQ(informed_in, "de");
  for (const char* const part : {"Neuer Schlüssel", "Er wird nicht noch einmal angezeigt.", "Nie",
                                 "aria-label=\"&lt;ci&gt; widerrufen\">Widerrufen<"}) {
    EXPECT_TRUE(made.body.contains(part)) << part << made.body;
  }
  for (const char* const english : {"Create", "Copy", "Never", ">Key", "Revoke", "Scopes"}) {
    EXPECT_FALSE(made.body.contains(english)) << english << made.body;
  }
}

TEST_F(ApiKeysOnSqlite, have_one_of_the_lifetimes_that_their_page_offers) {
  client.as("ann");
  const TestResponse page = client.get("/account/keys");
  const std::string token = page.body.substr(page.body.find("csrf_token\" value=\"") + 19, 100);
  const TestField csrf_token("csrf_token", token.substr(0, token.find('"')));
  const auto post = [&](std::vector<TestField> fields) {
    fields.push_back(csrf_token);
    fields.push_back({"name", "ci"});
    return client.post_form("/account/keys", fields);
  };
  for (const char* const lifetime : {"31", "36500", "-30", "", "99999999999999999999"}) {
    EXPECT_EQ(post({{"days", lifetime}}).status, 422) << lifetime;
  }
  const TestResponse without = post({});
  EXPECT_EQ(without.status, 422);
  EXPECT_TRUE(without.body.contains("Days: must be one of the offered lifetimes.")) << without.body;
  EXPECT_TRUE(client.get("/keys").json<std::vector<ApiKey>>().empty());
  EXPECT_EQ(post({{"days", "30"}}).status, 200);
  EXPECT_EQ(post({{"days", "0"}}).status, 200) << "unlimited is offered by default";
}

TEST_F(ApiKeysOnSqlite, have_the_maximum_lifetime_if_their_page_offers_none) {
  App few = make_app({.prefix = "shop", .lifetime_max = hours(1)});
  TestClient ann(few, {.keeps_cookies = true, .headers = {{"Sec-Fetch-Site", "same-origin"}}});
  const TestResponse page = ann.as("ann").get("/account/keys");
  EXPECT_FALSE(page.body.contains("<select")) << page.body;
  EXPECT_EQ(ann.submit(page, {{"name", "ci"}}).status, 200);
  const ApiKey made = ann.get("/keys").json<std::vector<ApiKey>>().at(0);
  EXPECT_EQ(made.expires, made.created + 3600);
}

TEST_F(ApiKeysOnSqlite, need_a_recent_login_to_be_created) {
  TestClient ann(app, {.keeps_cookies = true, .headers = {{"Accept", "text/html"}}});
  ann.as("ann").advance(minutes(11));
  EXPECT_EQ(ann.get("/account/keys").header("Location"), "/login?next=%2Faccount%2Fkeys");
}

TEST(ApiKeyOptionsChecks, reject_an_invalid_prefix_or_scope) {
  const Database database = open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop});
  EXPECT_THROW(ApiKeys(database, {}), Failure);
  EXPECT_THROW(ApiKeys(database, {.prefix = "Shop"}), Failure);
  EXPECT_THROW(ApiKeys(database, {.prefix = "shop", .scopes = {"a b"}}), Failure);
  EXPECT_THROW(ApiKeys(database, {.prefix = "shop", .lifetime_max = seconds(-1)}), Failure);
}

}  // namespace
}  // namespace eider
