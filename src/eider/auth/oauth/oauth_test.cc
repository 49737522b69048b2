#include "eider/auth/oauth/oauth.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/auth/oauth/test_openid.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/sha256.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using testing::http_response;
using testing::in_query;
using testing::OpenIdTest;

TEST_F(OpenIdTest, a_login_ends_where_the_browser_wanted_to_go) {
  add();
  const std::string location = begin("/login?next=/notes%3Fpage%3D2");
  EXPECT_TRUE(location.starts_with("http://127.0.0.1:9000/authorize?response_type=code&"));
  EXPECT_EQ(in_query(location, "client_id"), "notes");
  EXPECT_EQ(in_query(location, "redirect_uri"), "https://notes.example/login/callback");
  EXPECT_EQ(in_query(location, "scope"), "openid email");
  EXPECT_EQ(in_query(location, "code_challenge_method"), "S256");
  const TestResponse reply = come_back();
  EXPECT_EQ(reply.status, 303) << reply.body;
  EXPECT_EQ(reply.header("Location"), "/notes?page=2");
  EXPECT_EQ(reply.header("Referrer-Policy"), "no-referrer");
  EXPECT_EQ(user(), "http://127.0.0.1:9000 ann");
}

TEST_F(OpenIdTest, the_code_is_exchanged_with_the_verifier_of_the_challenge) {
  add();
  const std::string location = begin();
  come_back();
  const std::string asked = provider_.last("/token");
  const std::string body = asked.substr(asked.find("\r\n\r\n") + 4);
  const std::string verifier = in_query("?" + body, "code_verifier");
  EXPECT_EQ(verifier.size(), 43U);
  EXPECT_EQ(to_base64url(to_view(sha256(verifier))), in_query(location, "code_challenge"));
  EXPECT_EQ(in_query("?" + body, "code"), "code-1");
  EXPECT_EQ(in_query("?" + body, "grant_type"), "authorization_code");
  EXPECT_EQ(in_query("?" + body, "redirect_uri"), "https://notes.example/login/callback");
  EXPECT_TRUE(asked.contains("Basic " + to_base64("notes:se%20cret") + "\r\n")) << asked;
  EXPECT_FALSE(body.contains("secret"));
}

TEST_F(OpenIdTest, nothing_of_the_verifier_goes_through_the_browser) {
  add();
  const TestResponse begun = browser().get("/login");
  std::string all = begun.body;
  for (const auto& [name, value] : begun.headers) {
    all += name + ": " + value + "\n";
  }
  provider_.nonce = in_query(*begun.header("Location"), "nonce");
  state_ = in_query(*begun.header("Location"), "state");
  come_back();
  const std::string asked = provider_.last("/token");
  const std::string verifier =
      in_query("?" + asked.substr(asked.find("\r\n\r\n") + 4), "code_verifier");
  ASSERT_EQ(verifier.size(), 43U);
  EXPECT_FALSE(all.contains(verifier));
}

TEST_F(OpenIdTest, a_login_gives_the_browser_another_session) {
  add();
  browser().get("/visit");
  browser().get("/visit");
  begin();
  const TestResponse reply = come_back();
  std::string session;
  for (const auto& [name, value] : reply.headers) {
    session += name == "Set-Cookie" && value.starts_with("__Host-session=") ? value : "";
  }
  EXPECT_FALSE(session.empty()) << "one that somebody has planted would go on";
  EXPECT_EQ(browser().get("/visit").body, "3");
}

TEST_F(OpenIdTest, the_cookie_is_the_browsers_for_the_time_of_the_login) {
  add();
  const TestResponse begun = browser().get("/login");
  const std::string cookie(begun.header("Set-Cookie").value_or(""));
  EXPECT_TRUE(cookie.starts_with("__Host-login-")) << cookie;
  for (const char* word :
       {"; Path=/", "; Max-Age=600", "; Secure", "; HttpOnly", "; SameSite=Lax"}) {
    EXPECT_TRUE(cookie.contains(word)) << cookie;
  }
  EXPECT_FALSE(cookie.contains("Domain"));
  EXPECT_EQ(begun.header("Cache-Control"), "no-store");
  state_ = in_query(*begun.header("Location"), "state");
  const TestResponse back = come_back();
  EXPECT_EQ(back.header("Cache-Control"), "no-store");
  const std::string ended(back.header("Set-Cookie").value_or(""));
  EXPECT_TRUE(ended.starts_with(cookie.substr(0, cookie.find('=') + 1) + ";")) << ended;
  EXPECT_TRUE(ended.contains("Max-Age=0")) << ended;
}

TEST_F(OpenIdTest, a_secret_goes_as_the_provider_takes_it) {
  provider_.document["token_endpoint_auth_methods_supported"] =
      json::array({"private_key_jwt", "client_secret_post"});
  add();
  EXPECT_EQ(log_in().status, 303);
  EXPECT_TRUE(provider_.last("/token").contains("client_secret=se%20cret"));
  EXPECT_FALSE(provider_.last("/token").contains("Authorization:"));
}

TEST_F(OpenIdTest, a_secret_that_the_provider_takes_in_no_way_is_not_sent) {
  provider_.document["token_endpoint_auth_methods_supported"] = json::array({"private_key_jwt"});
  add();
  EXPECT_EQ(log_in().status, 502);
  EXPECT_EQ(provider_.count("/token"), 0U);
}

TEST_F(OpenIdTest, a_public_client_has_no_secret) {
  OAuthOptions options = usual();
  options.client_secret.clear();
  add(options);
  EXPECT_EQ(log_in().status, 303);
  EXPECT_TRUE(provider_.last("/token").contains("client_id=notes"));
  EXPECT_FALSE(provider_.last("/token").contains("Authorization:"));
}

TEST_F(OpenIdTest, userinfo_is_the_same_users) {
  OAuthOptions options = usual();
  options.fetches_userinfo = true;
  add(options);
  EXPECT_EQ(log_in().status, 303);
  EXPECT_TRUE(provider_.last("/userinfo").contains("Authorization: Bearer access-1\r\n"));
  for (const char* other : {R"({"sub":"bob"})", R"({})", R"({"sub":7})", R"([])", R"({"sub":"ann")",
                            R"({"sub":"bob","sub":"ann"})"}) {
    provider_.says("/userinfo", http_response(other));
    EXPECT_EQ(log_in().status, 502) << other;
  }
}

TEST_F(OpenIdTest, userinfo_may_have_the_subject_as_a_number) {
  OAuthOptions options = usual();
  options.fetches_userinfo = true;
  add(options);
  provider_.claims["sub"] = "70";
  for (const auto& [userinfo, status] : {std::pair(R"({"sub":70})", 303),
                                         {R"({"sub":7})", 502},
                                         {R"({"sub":70.5})", 502},
                                         {R"({"sub":true})", 502}}) {
    provider_.says("/userinfo", http_response(userinfo));
    EXPECT_EQ(log_in().status, status) << userinfo;
  }
}

TEST_F(OpenIdTest, a_token_without_a_type_is_a_bearer_token) {
  add();
  for (const auto& [type, status] : {std::pair(json::Value(nullptr), 303),
                                     {json::Value("bearer"), 303},
                                     {json::Value("mac"), 502},
                                     {json::Value(""), 502},
                                     {json::Value(7), 502}}) {
    provider_.changes = json::object({{"token_type", type}});
    EXPECT_EQ(log_in().status, status) << json::to_text(type);
  }
  EXPECT_TRUE(detail::oauth::read_tokens(R"({"access_token":"a"})", 1).has_value());
}

struct Profile {
  std::string email;
  std::optional<bool> email_verified = {};
  std::optional<std::string> name = {};
};

TEST(OpenIdIdentity, has_what_is_wanted_of_it) {
  OpenIdIdentity identity{.issuer = "http://127.0.0.1:9000",
                          .subject = "ann",
                          .claims = json::object({{"sub", "ann"}, {"email", "a@example.org"}}),
                          .userinfo = json::object({{"email", "b@example.org"}, {"name", "Ann"}})};
  const auto profile = identity.as<Profile>();
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(profile->email, "a@example.org") << "what was signed goes ahead";
  EXPECT_EQ(profile->name, "Ann");
  identity.claims = {};
  identity.userinfo = {};
  EXPECT_EQ(identity.as<Profile>().error().status(), 502);
}

struct OddProfile {
  bool email_verified = false;
  std::optional<bool> admin;
  std::int64_t age = 0;
  double score = 0;
  std::string id;
  std::vector<std::string> groups;
  std::optional<std::uint16_t> level;
};

TEST(OpenIdIdentity, reads_values_that_providers_write_as_another_type) {
  const auto read = [](std::string_view claims) {
    return OAuthIdentity{.user = *json::read<json::Value>(claims)}.as<OddProfile>();
  };
  const auto odd = read(R"({"email_verified":"true","admin":"FALSE","age":"30","score":"1.5",)"
                        R"("id":9007199254740993,"groups":"admins","level":"7"})");
  ASSERT_TRUE(odd.has_value());
  EXPECT_TRUE(odd->email_verified);
  EXPECT_EQ(odd->admin, false);
  EXPECT_EQ(odd->age, 30);
  EXPECT_EQ(odd->score, 1.5);
  EXPECT_EQ(odd->id, "9007199254740993");
  EXPECT_EQ(odd->groups, std::vector<std::string>{"admins"});
  EXPECT_EQ(odd->level, 7);
  EXPECT_TRUE(read(R"({"email_verified":1,"id":"a","groups":[7]})")->email_verified);
  EXPECT_FALSE(read(R"({"email_verified":"false","id":"true","groups":[]})")->email_verified);
  EXPECT_EQ(read(R"({"id":"007","groups":[]})")->id, "007");
  EXPECT_TRUE(read(R"({"email_verified":"1","id":"a","groups":[]})")->email_verified);
  const auto nulls = read(
      R"({"email_verified":null,"age":null,"score":null,"id":"a","groups":["b"],"level":null})");
  ASSERT_TRUE(nulls.has_value());
  EXPECT_FALSE(nulls->email_verified);
  EXPECT_EQ(nulls->age, 0);
  EXPECT_EQ(nulls->level, std::nullopt);
  for (const char* wrong :
       {R"({"id":"a","groups":[],"email_verified":"maybe"})",
        R"({"id":"a","groups":[],"email_verified":2})", R"({"id":null,"groups":[]})",
        R"({"id":"a","groups":[],"age":"3x"})", R"({"id":"a","groups":[],"age":"1.5"})",
        R"({"id":{},"groups":[]})", R"({"id":true,"groups":[]})", R"({"id":"a","groups":{}})"}) {
    EXPECT_EQ(read(wrong).error().status(), 502) << wrong;
  }
}

TEST_F(OpenIdTest, errors_about_the_code_get_a_400_whatever_status_the_provider_sends) {
  add();
  for (const char* word : {"bad_verification_code", "invalid_grant", "code_expired"}) {
    for (const char* status : {"200 OK", "400 Bad Request", "401 Unauthorized"}) {
      provider_.says("/token",
                     http_response(R"({"error":")" + std::string(word) + R"("})", status));
      EXPECT_EQ(log_in().status, 400) << word << " " << status;
    }
  }
  provider_.says("/token", http_response(R"({"error":"incorrect_client_credentials"})"));
  EXPECT_EQ(log_in().status, 502);
}

TEST(OpenIdIdentity, takes_an_address_and_whether_it_is_verified_from_one_document) {
  const auto profile_of = [](json::Value claims, json::Value userinfo) {
    return OpenIdIdentity{.claims = std::move(claims), .userinfo = std::move(userinfo)}
        .as<Profile>()
        .value();
  };
  const json::Value verified = json::object({{"email", "b@example.org"}, {"email_verified", true}});
  const Profile mixed = profile_of(json::object({{"email", "a@example.org"}}), verified);
  EXPECT_EQ(mixed.email, "a@example.org");
  EXPECT_EQ(mixed.email_verified, std::nullopt) << "nobody says it of this one";
  const Profile other = profile_of(json::object({{"email_verified", true}}),
                                   json::object({{"email", "b@example.org"}}));
  EXPECT_EQ(other.email, "b@example.org");
  EXPECT_EQ(other.email_verified, std::nullopt);
  const Profile own = profile_of(json::object({{"email_verified", false}}), verified);
  EXPECT_EQ(own.email_verified, true);
}

TEST_F(OpenIdTest, tokens_are_given_to_the_application) {
  add();
  OAuthTokens kept;
  app_.override_provided([&kept] {
    return OpenIdIdentity{.issuer = "i", .subject = "s", .tokens = kept, .next = "/a"};
  });
  EXPECT_EQ(browser().get("/login/callback").header("Location"), "/a") << "for tests of one's own";
  EXPECT_EQ(user(), "i s");
}

TEST_F(OpenIdTest, a_refresh_token_makes_new_ones) {
  add();
  const OAuthLogin handle(login_);
  app_.get("/refresh", [handle]() -> Task<Result<std::string>> {
    auto tokens = co_await handle.refresh("refresh-1");
    if (!tokens) {
      co_return fail(std::move(tokens.error()));
    }
    co_return tokens->access_token + " " + tokens->refresh_token + " " + tokens->id_token;
  });
  provider_.says("/token", http_response(R"({"access_token":"b","token_type":"bearer",
                                          "id_token":"x"})"));
  EXPECT_EQ(browser().get("/refresh").body, "b refresh-1 ");
  EXPECT_TRUE(provider_.last("/token").contains("grant_type=refresh_token"));
  provider_.says("/token", http_response(R"({"error":"invalid_grant"})", "400 Bad Request"));
  EXPECT_EQ(browser().get("/refresh").status, 401);
  provider_.is_down = true;
  browser().advance(1min);
  EXPECT_EQ(browser().get("/refresh").status, 503);
}

TEST_F(OpenIdTest, a_logout_ends_the_session_here_and_there) {
  add();
  log_in();
  ASSERT_FALSE(user().empty());
  const TestResponse reply = browser().post_form("/logout", std::vector<TestField>());
  EXPECT_EQ(reply.status, 303);
  const std::string location(reply.header("Location").value_or(""));
  EXPECT_TRUE(location.starts_with("http://127.0.0.1:9000/logout?")) << location;
  EXPECT_EQ(in_query(location, "client_id"), "notes");
  EXPECT_EQ(in_query(location, "post_logout_redirect_uri"), "https://notes.example/");
  EXPECT_EQ(user(), "");
  EXPECT_EQ(browser().get("/logout").status, 405);
}

TEST_F(OpenIdTest, a_logout_ends_the_session_also_where_the_provider_is_gone) {
  add();
  provider_.is_down = true;
  browser().as("ann");
  EXPECT_EQ(user(), "ann");
  EXPECT_EQ(browser().post_form("/logout", std::vector<TestField>()).header("Location"), "/");
  EXPECT_EQ(user(), "");
}

TEST_F(OpenIdTest, a_login_by_a_provider_without_openid) {
  OAuthOptions options{.endpoints = {.authorization = "http://127.0.0.1:9000/login?a=b",
                                     .token = "http://127.0.0.1:9000/token",
                                     .user = "http://127.0.0.1:9000/user"},
                       .client_id = "notes",
                       .client_secret = "secret",
                       .origin = "https://notes.example"};
  add_sessions<testing::TestVisit>(app_);
  login_ = std::make_shared<const detail::oauth::Login>(
      options, false, [this](const ClientOptions& given) { return provider_.make_client(given); });
  detail::oauth::add_login<OAuthIdentity>(
      app_, login_, [](const OAuthIdentity& who, Session<> session) -> Result<Redirect> {
        struct GitUser {
          std::int64_t id;
        };
        auto git = who.as<GitUser>();
        if (!git) {
          return fail(std::move(git.error()));
        }
        session.log_in("git " + std::to_string(git->id));
        return Redirect(who.next);
      });
  app_.get("/me", [](Session<> session) { return session.user(); });
  provider_.says("/token",
                 http_response(R"({"access_token":"t","token_type":"bearer","scope":""})"));
  provider_.says("/user", http_response(R"({"id":7,"login":"ann"})"));
  const std::string location = begin("/login?next=/x");
  EXPECT_TRUE(location.starts_with("http://127.0.0.1:9000/login?a=b&response_type=code&"));
  EXPECT_EQ(in_query(location, "nonce"), "");
  const TestResponse reply = browser().get(callback() + "&code=c");
  EXPECT_EQ(reply.header("Location"), "/x") << reply.body;
  EXPECT_EQ(user(), "git 7");
  EXPECT_TRUE(provider_.last("/token").contains("Accept: application/json\r\n"));
  // GitHub sends errors with status 200.
  provider_.says("/token", http_response(R"({"error":"bad_verification_code"})"));
  begin();
  EXPECT_EQ(browser().get(callback() + "&code=c").status, 400);
  for (const char* wrong : {"[]", "", "{\"id\":\"x\"}"}) {
    provider_.says("/token", http_response(R"({"access_token":"t","token_type":"bearer"})"));
    provider_.says("/user", http_response(wrong));
    begin();
    EXPECT_EQ(browser().get(callback() + "&code=c").status, 502) << wrong;
  }
}

TEST_F(OpenIdTest, a_login_may_be_in_a_group_and_in_an_app_that_is_mounted) {
  OAuthOptions options = usual();
  options.logout.clear();
  App inner;
  Routes group = inner.group("/in");
  login_ = std::make_shared<const detail::oauth::Login>(
      options, true, [this](const ClientOptions& given) { return provider_.make_client(given); });
  detail::oauth::add_login<OpenIdIdentity>(group, login_,
                                           [](const OpenIdIdentity& who) { return who.subject; });
  app_.mount("/apps", std::move(inner));
  const std::string location = begin("/apps/in/%6Cogin");
  EXPECT_EQ(in_query(location, "redirect_uri"), "https://notes.example/apps/in/login/callback");
  const TestResponse reply =
      browser().get("/apps/in" + callback() + "&code=c&iss=" + percent_encode(testing::kIssuer));
  EXPECT_EQ(reply.body, "ann");
  EXPECT_EQ(reply.header("Cache-Control"), "no-store");
  EXPECT_TRUE(reply.header("Set-Cookie").value_or("").contains("Max-Age=0"));
}

TEST_F(OpenIdTest, without_an_origin_it_is_the_clients_if_that_is_safe) {
  OAuthOptions options = usual();
  options.origin.clear();
  app_.trust_proxies("unix");
  add(options);
  EXPECT_EQ(browser().get("/login").status, 500) << "http://test is in the clear";
}

TEST(OAuthOptions, that_cannot_be_are_told_at_start) {
  using Change = std::function<void(OAuthOptions&)>;
  const std::vector<Change> changes{
      [](OAuthOptions& o) { o.issuer = ""; },
      [](OAuthOptions& o) { o.issuer = "http://id.example"; },
      [](OAuthOptions& o) { o.issuer = "https://id.example#a"; },
      [](OAuthOptions& o) { o.issuer = "https://id.example?a=b"; },
      [](OAuthOptions& o) { o.issuer = "https://u:p@id.example"; },
      [](OAuthOptions& o) { o.client_id = ""; },
      [](OAuthOptions& o) { o.callback = "login"; },
      [](OAuthOptions& o) { o.login = ""; },
      [](OAuthOptions& o) { o.failure_page = "https://evil.example/"; },
      [](OAuthOptions& o) { o.after_logout = "//evil.example/"; },
      [](OAuthOptions& o) { o.origin = "https://notes.example/"; },
      [](OAuthOptions& o) { o.origin = "notes.example"; },
      [](OAuthOptions& o) { o.key = "short"; },
      [](OAuthOptions& o) { o.is_secure = false; },
      [](OAuthOptions& o) { o.cookie = "a b"; },
      [](OAuthOptions& o) { o.parameters = {{"state", "1"}}; },
      [](OAuthOptions& o) { o.parameters = {{"redirect_uri", "https://evil.example"}}; },
      [](OAuthOptions& o) { o.parameters = {{"max_age", "60"}}; },
      [](OAuthOptions& o) { o.parameters = {{"acr_values", "phr"}}; },
      [](OAuthOptions& o) { o.max_age = -1s; },
      [](OAuthOptions& o) { o.callback = "/{tenant}/callback"; },
      [](OAuthOptions& o) { o.login = "/{tenant}/login"; },
      [](OAuthOptions& o) { o.algorithms = {JwtAlgorithm::hs256}; },
      [](OAuthOptions& o) { o.login_within = 0s; },
      [](OAuthOptions& o) { o.deadline = 0s; },
      [](OAuthOptions& o) { o.pause_min = 0s; },
      [](OAuthOptions& o) {
        o.client_secret = "";
        o.client_auth = OAuthClientAuth::post;
      }};
  for (std::size_t index = 0; index < changes.size(); ++index) {
    OAuthOptions options{.issuer = "https://id.example", .client_id = "a", .client_secret = "b"};
    EXPECT_NO_THROW((void)detail::oauth::make_login(options, true));
    changes[index](options);
    EXPECT_THROW((void)detail::oauth::make_login(options, true), Failure) << index;
  }
  EXPECT_THROW((void)detail::oauth::make_login({.client_id = "a"}, false), Failure);
}

TEST(OAuthOptions, an_issuer_on_this_machine_may_be_in_the_clear) {
  for (const char* issuer : {"http://127.0.0.1:9000", "http://[::1]:9000", "http://localhost:9000",
                             "https://id.example/realms/a", "https://id.example/"}) {
    EXPECT_NO_THROW((void)detail::oauth::make_login({.issuer = issuer, .client_id = "a"}, true));
  }
}

}  // namespace
}  // namespace eider
