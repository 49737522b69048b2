// Which user a login belongs to, its requirements, and failed logins.
#include <gtest/gtest.h>

#include <string>

#include "eider/auth/oauth/test_openid.h"
#include "eider/io/runtime/scope.h"
#include "eider/testkit/log_lines.h"
#include "eider/web/middleware/access_log.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using testing::in_query;
using testing::kIssuer;
using testing::OpenIdTest;
using testing::ProviderRequest;

constexpr int kRefused = 502;

TEST_F(OpenIdTest, of_two_groups_with_one_key_each_has_its_own_logins) {
  OAuthOptions options = usual();
  options.key = std::string(32, 'k');
  options.logout.clear();
  add_sessions<testing::TestVisit>(app_);
  Routes staff = app_.group("/staff");
  Routes guests = app_.group("/guests");
  for (Routes* const group : {&staff, &guests}) {
    const auto login = std::make_shared<const detail::oauth::Login>(
        options, true, [this](const ClientOptions& given) { return provider_.make_client(given); });
    detail::oauth::add_login<OpenIdIdentity>(*group, login,
                                             [](const OpenIdIdentity& who) { return who.subject; });
  }
  begin("/guests/login");
  const std::string more = callback() + "&code=c&iss=" + percent_encode(kIssuer);
  EXPECT_EQ(browser().get("/staff" + more).status, 400);
  EXPECT_EQ(provider_.count("/token"), 0U);
  begin("/guests/login");
  EXPECT_EQ(browser().get("/guests" + callback() + "&code=c&iss=" + percent_encode(kIssuer)).body,
            "ann");
}

TEST_F(OpenIdTest, a_login_that_one_user_has_begun_is_not_the_next_ones) {
  add();
  browser().as("ann");
  begin();
  browser().as("bob");
  EXPECT_EQ(come_back().status, 400);
  EXPECT_EQ(user(), "bob");
  EXPECT_EQ(provider_.count("/token"), 0U);
  begin();
  browser().post_form("/logout", std::vector<TestField>());
  EXPECT_EQ(come_back().status, 400) << "nor nobody's";
  begin();
  browser().as("ann");
  EXPECT_EQ(come_back().status, 303) << "of two tabs the second is finished, too";
  begin();
  EXPECT_EQ(come_back().status, 303) << "by the same user";
}

TEST_F(OpenIdTest, who_has_begun_a_login_is_told) {
  OAuthOptions options = usual();
  add_sessions<testing::TestVisit>(app_);
  login_ = std::make_shared<const detail::oauth::Login>(
      options, true, [this](const ClientOptions& given) { return provider_.make_client(given); });
  detail::oauth::add_login<OpenIdIdentity>(
      app_, login_, [](const OpenIdIdentity& who) { return "begun by " + who.started_by; });
  begin();
  browser().as("ann");
  EXPECT_EQ(come_back().body, "begun by ") << "ann has begun nothing";
  begin();
  EXPECT_EQ(come_back().body, "begun by ann");
}

TEST_F(OpenIdTest, a_login_is_as_young_and_as_good_as_was_asked_for) {
  OAuthOptions options = usual();
  options.max_age = 60s;
  options.acr_values = {"phr", "mfa"};
  add(options);
  const std::string location = begin();
  EXPECT_EQ(in_query(location, "max_age"), "60");
  EXPECT_EQ(in_query(location, "acr_values"), "phr mfa");
  const json::Value good = provider_.claims;
  struct Case {
    json::Value age;
    json::Value acr;
    int status;
  };
  for (const auto& [age, acr, status] : std::vector<Case>{{10, "mfa", 303},
                                                          {89, "phr", 303},
                                                          {-20, "phr", 303},
                                                          {92, "phr", kRefused},
                                                          {-60, "phr", kRefused},
                                                          {nullptr, "phr", kRefused},
                                                          {"10", "phr", kRefused},
                                                          {10, "0", kRefused},
                                                          {10, nullptr, kRefused},
                                                          {10, json::array({"phr"}), kRefused}}) {
    provider_.claims = good;
    if (!acr.is_null()) {
      provider_.claims["acr"] = acr;
    }
    provider_.age = age;
    EXPECT_EQ(log_in().status, status) << json::to_text(age) << " " << json::to_text(acr);
  }
}

TEST_F(OpenIdTest, a_login_that_fails_may_have_a_page_of_its_own) {
  OAuthOptions options = usual();
  std::vector<std::string> told;
  options.on_failure = [&told](OAuthFault fault, const std::string& text, Response& response) {
    told.push_back(std::to_string(static_cast<int>(fault)) + " " + text);
    response.set_static_type("text/html");
    response.set_body("<p>Not you.");
  };
  add(options);
  begin();
  const TestResponse reply =
      browser().get(callback() + "&error=access_denied&iss=" + percent_encode(kIssuer));
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(reply.header("Content-Type"), "text/html");
  EXPECT_EQ(reply.body, "<p>Not you.");
  EXPECT_EQ(reply.header("Cache-Control"), "no-store");
  EXPECT_EQ(come_back().body, "<p>Not you.");
  EXPECT_EQ(told, (std::vector<std::string>{
                      "0 the provider returned the error access_denied",
                      "1 this browser did not start this login, or the login took too long"}));
  EXPECT_EQ(log_in().status, 303);
  EXPECT_EQ(told.size(), 2U);
}

TEST_F(OpenIdTest, a_provider_may_change_its_key_and_leave_the_id) {
  add();
  EXPECT_EQ(log_in().status, 303);
  provider_.keys = {JwtKey::generate(JwtAlgorithm::es256, "one")};
  browser().advance(31s);
  EXPECT_EQ(log_in().status, 303);
  EXPECT_EQ(provider_.count("/jwks"), 2U);
}

TEST_F(OpenIdTest, a_response_is_remembered_where_the_provider_may_have_given_something_for_it) {
  add();
  struct Case {
    std::string response;
    int status;
    std::size_t asked;
  };
  for (const auto& [response, status, asked] :
       {Case{testing::http_response(R"({"error":"invalid_grant"})", "400 Bad Request"), 400, 2},
        Case{testing::http_response("{}", "503 Service Unavailable"), 503, 1}, Case{"", 503, 1}}) {
    const TestResponse begun = browser().get("/login");
    std::string cookie(begun.header("Set-Cookie").value_or(""));
    cookie.resize(cookie.find(';'));
    state_ = in_query(*begun.header("Location"), "state");
    provider_.says("/token", response);
    provider_.asked.clear();
    EXPECT_EQ(come_back().status, status);
    const TestRequest again{.target = callback() + "&code=c&iss=" + percent_encode(kIssuer),
                            .headers = {{"Cookie", cookie}}};
    EXPECT_EQ(browser().send(again).status, 400);
    EXPECT_EQ(provider_.count("/token"), asked) << response;
  }
}

TEST_F(OpenIdTest, a_responses_code_is_in_no_log) {
  const auto log = std::make_shared<LogLines>();
  app_.observe(access_log(log));
  add();
  begin("/login?next=/a");
  EXPECT_EQ(come_back().status, 303);
  EXPECT_EQ(browser().get(callback() + "&code=code-1").status, 400);
  browser().advance(1ms);
  std::string all;
  for (const std::string& line : log->lines) {
    all += line + "\n";
  }
  EXPECT_TRUE(all.contains("GET /login?next=/a 302")) << all;
  EXPECT_TRUE(all.contains("GET /login/callback?hidden 303")) << all;
  EXPECT_TRUE(all.contains("GET /login/callback?hidden 400")) << all;
  EXPECT_FALSE(all.contains("code-1") || all.contains(state_)) << all;
}

TEST_F(OpenIdTest, a_flood_of_exchanges_opens_so_many_connections_and_no_more) {
  add();
  provider_.responses["/token"] = [](const ProviderRequest&) { return std::string(); };
  const OAuthLogin handle(login_);
  app_.get("/flood", [handle]() -> Task<int> {
    Scope scope;
    int refused = 0;
    const auto exchange = [&refused, &handle]() -> Task<> {
      const auto tokens = co_await handle.refresh("refresh-1");
      refused += tokens ? 0 : 1;
    };
    for (int count = 0; count < 500; ++count) {
      scope.start(exchange());
    }
    co_await scope.join();
    co_return refused;
  });
  EXPECT_EQ(browser().get("/flood").body, "500");
  EXPECT_EQ(provider_.dialled, 32U) << "by the pool of the client";
}

}  // namespace
}  // namespace eider
