// Attacks on a login through the browser, another client, or the provider.
#include <gtest/gtest.h>

#include <string>

#include "eider/auth/oauth/test_openid.h"
#include "eider/core/base/base64.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using testing::http_response;
using testing::in_query;
using testing::kDocument;
using testing::kIssuer;
using testing::OpenIdTest;
using testing::ProviderRequest;

constexpr int kBadGateway = 502;

/// 300,000 spaces and "{}", compressed with gzip: 330 bytes.
std::string compressed_blanks() {
  return from_base64("H4sIAAAAAAACA+3BAQ0AAAwCoCr2dHZ/jw9I" + std::string(386, 'A') +
                     "Dgj+4AWvu9fuKTBAA=")
      .value();
}

TEST_F(OpenIdTest, a_login_that_another_browser_has_begun_is_none_here) {
  add();
  begin();
  // The attacker's own code and state, in a link that the victim follows (login CSRF).
  TestClient victim(app_, {.keeps_cookies = true});
  const TestResponse reply =
      victim.get(callback() + "&code=code-1&iss=http%3A%2F%2F127.0.0.1%3A9000");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(victim.get("/me").body, "");
  EXPECT_EQ(provider_.count("/token"), 0U);
}

TEST_F(OpenIdTest, a_code_that_was_put_into_another_login_has_another_nonce) {
  add();
  begin();
  const std::string of_another = provider_.nonce;
  begin();
  provider_.nonce = of_another;
  EXPECT_EQ(come_back().status, kBadGateway);
  EXPECT_EQ(user(), "");
}

TEST_F(OpenIdTest, a_response_counts_once) {
  add();
  const TestResponse begun = browser().get("/login");
  std::string cookie(begun.header("Set-Cookie").value_or(""));
  cookie.resize(cookie.find(';'));
  state_ = in_query(*begun.header("Location"), "state");
  provider_.nonce = in_query(*begun.header("Location"), "nonce");
  EXPECT_EQ(come_back().status, 303);
  EXPECT_EQ(come_back().status, 400) << "the cookie is gone";
  // A copy of the cookie is useless, too.
  const TestResponse again =
      browser().send({.target = callback() + "&code=code-1&iss=" + percent_encode(kIssuer),
                      .headers = {{"Cookie", cookie}}});
  EXPECT_EQ(again.status, 400);
  EXPECT_EQ(provider_.count("/token"), 1U);
}

TEST_F(OpenIdTest, a_response_that_has_failed_counts_no_more_either) {
  add();
  begin();
  EXPECT_EQ(
      browser().get(callback() + "&error=access_denied&iss=" + percent_encode(kIssuer)).status,
      403);
  EXPECT_EQ(come_back().status, 400);
}

TEST_F(OpenIdTest, a_response_that_asks_the_provider_nothing_is_not_remembered) {
  add();
  const TestResponse begun = browser().get("/login");
  std::string cookie(begun.header("Set-Cookie").value_or(""));
  cookie.resize(cookie.find(';'));
  state_ = in_query(*begun.header("Location"), "state");
  provider_.nonce = in_query(*begun.header("Location"), "nonce");
  const auto come_with = [&](const std::string& more) {
    return browser()
        .send({.target = callback() + more + "&iss=" + percent_encode(kIssuer),
               .headers = {{"Cookie", cookie}}})
        .status;
  };
  // Otherwise, clients could fill the table of completed logins without a provider.
  for (const char* error : {"server_error", "temporarily_unavailable", "access_denied"}) {
    EXPECT_NE(come_with(std::string("&error=") + error), 400) << error;
    EXPECT_NE(come_with(std::string("&error=") + error), 400) << error;
  }
  EXPECT_EQ(provider_.count("/token"), 0U);
  EXPECT_EQ(come_with("&code=code-1"), 303);
  EXPECT_EQ(come_with("&code=code-1"), 400) << "which is";
  EXPECT_EQ(come_with("&error=server_error"), 503) << "and does not make room for it again";
  EXPECT_EQ(come_with("&code=code-1"), 400);
  EXPECT_EQ(provider_.count("/token"), 1U);
}

TEST_F(OpenIdTest, logins_in_several_tabs_are_apart) {
  add();
  const std::string one = begin("/login?next=/one");
  const std::string nonce_of_one = provider_.nonce;
  const std::string state_of_one = state_;
  begin("/login?next=/two");
  EXPECT_EQ(come_back().header("Location"), "/two");
  provider_.nonce = nonce_of_one;
  state_ = state_of_one;
  EXPECT_EQ(come_back().header("Location"), "/one");
}

TEST_F(OpenIdTest, a_login_takes_ten_minutes_at_most) {
  add();
  begin();
  browser().advance(9min + 50s);
  EXPECT_EQ(come_back().status, 303);
  const TestResponse begun = browser().get("/login");
  std::string cookie(begun.header("Set-Cookie").value_or(""));
  cookie.resize(cookie.find(';'));
  state_ = in_query(*begun.header("Location"), "state");
  browser().advance(10min);
  // Even if the browser still has the cookie.
  EXPECT_EQ(browser()
                .send({.target = callback() + "&code=c&iss=" + percent_encode(kIssuer),
                       .headers = {{"Cookie", cookie}}})
                .status,
            400);
}

TEST_F(OpenIdTest, a_cookie_that_was_changed_is_none) {
  add();
  const TestResponse begun = browser().get("/login?next=/a");
  std::string cookie(begun.header("Set-Cookie").value_or(""));
  cookie.resize(cookie.find(';'));
  state_ = in_query(*begun.header("Location"), "state");
  const std::string target = callback() + "&code=c&iss=" + percent_encode(kIssuer);
  TestClient plain(app_);
  for (std::size_t at = 0; at < cookie.size(); ++at) {
    std::string changed = cookie;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';
    EXPECT_EQ(plain.send({.target = target, .headers = {{"Cookie", changed}}}).status, 400) << at;
    EXPECT_EQ(plain.send({.target = target, .headers = {{"Cookie", cookie.substr(0, at)}}}).status,
              400)
        << at;
  }
  EXPECT_EQ(provider_.count("/token"), 0U);
  EXPECT_EQ(plain.send({.target = target, .headers = {{"Cookie", cookie}}}).status, kBadGateway)
      << "it was good, only the nonce is not known to the provider";
}

TEST_F(OpenIdTest, of_two_providers_each_has_its_own_logins) {
  OAuthOptions other = usual();
  other.issuer = "https://evil.example";
  other.login = "/evil";
  other.callback = "/evil/callback";
  other.logout.clear();
  other.key = std::string(32, 'k');
  OAuthOptions options = usual();
  options.key = other.key;
  add(options);
  auto evil = std::make_shared<const detail::oauth::Login>(
      other, true, [this](const ClientOptions& given) { return provider_.make_client(given); });
  detail::oauth::add_login<OpenIdIdentity>(app_, evil, [](const OpenIdIdentity&) { return "in"; });
  begin();
  // A response of one provider at the callback of the other (mix-up).
  const TestResponse reply = browser().get("/evil" + callback().substr(6) + "&code=c");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(provider_.count("/token"), 0U);
}

TEST_F(OpenIdTest, a_response_says_whose_it_is_where_the_provider_always_does) {
  add();
  for (const char* issuer :
       {"", "&iss=", "&iss=https%3A%2F%2Fevil.example", "&iss=http%3A%2F%2F127.0.0.1%3A9000%2F",
        "&iss=http%3a%2f%2flocalhost%3A9000"}) {
    begin();
    EXPECT_EQ(browser().get(callback() + "&code=c" + issuer).status, kBadGateway) << issuer;
    // An error of another provider says nothing about this one.
    begin();
    EXPECT_EQ(browser().get(callback() + "&error=access_denied" + issuer).status, kBadGateway)
        << issuer;
  }
  EXPECT_EQ(provider_.count("/token"), 0U);
}

TEST_F(OpenIdTest, a_response_may_say_whose_it_is) {
  provider_.document["authorization_response_iss_parameter_supported"] = false;
  add();
  begin();
  EXPECT_EQ(browser().get(callback() + "&code=c").status, 303);
  begin();
  EXPECT_EQ(browser().get(callback() + "&code=c&iss=https%3A%2F%2Fevil.example").status,
            kBadGateway);
}

TEST_F(OpenIdTest, answers_that_are_none_are_refused) {
  add();
  const std::string iss = "&iss=" + percent_encode(kIssuer);
  for (const char* query :
       {"?", "?code=c", "?state=", "?state=a&code=c", "?state=%00&code=c", "?state=%zz&code=c",
        "?state=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&code=c"}) {
    EXPECT_EQ(browser().get("/login/callback" + std::string(query) + iss).status, 400) << query;
  }
  for (const std::string& more :
       {"&code=a&code=b" + iss, "&code=a&state=b" + iss, "&code=%FF" + iss, "&code=%" + iss,
        "&code=a" + iss + iss, "&code=" + std::string(8193, 'a') + iss}) {
    begin();
    const int status = browser().get(callback() + more).status;
    EXPECT_TRUE(status == 400 || status == 431 || status == 414) << more.substr(0, 40) << status;
  }
  for (const char* more : {"", "&code=", "&error="}) {
    begin();
    EXPECT_EQ(browser().get(callback() + more + iss).status, kBadGateway) << more;
  }
  EXPECT_EQ(provider_.count("/token"), 0U);
}

TEST_F(OpenIdTest, what_the_provider_says_of_an_error_is_not_told_on) {
  add();
  struct Case {
    const char* error;
    int status;
  };
  for (const auto& [error, status] :
       {Case{"access_denied", 403}, Case{"login_required", 403}, Case{"server_error", 503},
        Case{"temporarily_unavailable", 503}, Case{"invalid_request", kBadGateway},
        Case{"%3Cscript%3E", kBadGateway}, Case{"a%0D%0ASet-Cookie:%20a", kBadGateway}}) {
    begin();
    const TestResponse reply =
        browser().get(callback() + "&error=" + error +
                      "&error_description=%3Cscript%3Ealert(1)%3C/script%3E&error_uri=//evil" +
                      "&iss=" + percent_encode(kIssuer));
    EXPECT_EQ(reply.status, status) << error;
    EXPECT_FALSE(reply.body.contains("script") || reply.body.contains("evil")) << reply.body;
  }
}

TEST_F(OpenIdTest, a_login_leads_to_paths_of_this_service_alone) {
  add();
  for (const char* next : {"//evil.example", "https://evil.example", "%2F%2Fevil.example",
                           "/%5Cevil.example", "/%09/evil.example", "javascript:alert(1)", "notes",
                           "", "/a%0D%0AX:%20b", "%", "/a&next=/b"}) {
    begin(std::string("/login?next=") + next);
    EXPECT_EQ(come_back().header("Location"), "/") << next;
  }
}

TEST_F(OpenIdTest, logins_that_are_begun_and_left_do_not_fill_the_browser) {
  add();
  for (int index = 0; index < 100; ++index) {
    begin("/login?next=/" + std::string(static_cast<std::size_t>(index % 10) * 200, 'a'));
    browser().advance(1s);
  }
  EXPECT_EQ(come_back().status, 303) << "the fields of a request would be too many";
}

TEST_F(OpenIdTest, what_the_handler_refuses_is_its_own) {
  OAuthOptions options = usual();
  options.failure_page = "/welcome";
  options.logout.clear();
  login_ = std::make_shared<const detail::oauth::Login>(
      options, true, [this](const ClientOptions& given) { return provider_.make_client(given); });
  detail::oauth::add_login<OpenIdIdentity>(app_, login_, [](const OpenIdIdentity&) -> Result<int> {
    return fail(Error::forbidden("Not you."));
  });
  const TestResponse reply = log_in();
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(reply.problem().detail, "Not you.");
  EXPECT_EQ(reply.header("Cache-Control"), "no-store");
}

TEST_F(OpenIdTest, a_login_that_fails_may_lead_to_a_page) {
  OAuthOptions options = usual();
  options.failure_page = "/welcome?a=b";
  add(options);
  EXPECT_EQ(browser().get("/login/callback?state=a&code=b").header("Location"),
            "/welcome?a=b&login=invalid");
  begin();
  const TestResponse reply =
      browser().get(callback() + "&error=access_denied&iss=" + percent_encode(kIssuer));
  EXPECT_EQ(reply.status, 303);
  EXPECT_EQ(reply.header("Location"), "/welcome?a=b&login=declined");
  EXPECT_EQ(reply.header("Cache-Control"), "no-store");
  EXPECT_EQ(reply.header("Content-Type"), std::nullopt);
  provider_.says("/token", http_response("{}", "500 Internal Server Error"));
  EXPECT_EQ(log_in().header("Location"), "/welcome?a=b&login=unavailable");
  provider_.says("/token", http_response("{}"));
  EXPECT_EQ(log_in().header("Location"), "/welcome?a=b&login=refused");
  provider_.is_down = true;
  browser().advance(25h);
  EXPECT_EQ(browser().get("/login").header("Location"), "/welcome?a=b&login=unavailable");
}

// ID tokens from the provider, or from an attacker in its place.

TEST_F(OpenIdTest, id_tokens_that_are_not_for_this_login_are_refused) {
  add();
  const json::Value good = provider_.claims;
  struct Case {
    const char* claim;
    json::Value value;
  };
  for (const auto& [claim, value] :
       std::vector<Case>{{"iss", "https://evil.example"},
                         {"iss", "http://127.0.0.1:9000/"},
                         {"iss", nullptr},
                         {"aud", "mail"},
                         {"aud", json::array({})},
                         {"aud", json::array({"notes", "mail"})},  // without azp
                         {"azp", "mail"},
                         {"azp", 7},
                         {"sub", ""},
                         {"sub", 7},
                         {"sub", std::string(256, 'a')},
                         {"nonce", ""},
                         {"nonce", "other"},
                         {"nonce", nullptr},
                         {"exp", 1},
                         {"exp", "soon"},
                         {"exp", nullptr},
                         {"iat", nullptr},
                         {"iat", 4'000'000'000},
                         {"nbf", 4'000'000'000},
                         {"at_hash", "AAAAAAAAAAAAAAAAAAAAAA"},
                         {"at_hash", ""},
                         {"at_hash", 7}}) {
    provider_.claims = good;
    provider_.claims[claim] = value;
    EXPECT_EQ(log_in().status, kBadGateway) << claim << " " << json::to_text(value);
    EXPECT_EQ(user(), "");
  }
  provider_.claims = good;
  provider_.claims["aud"] = json::array({"mail", "notes"});
  provider_.claims["azp"] = "notes";
  provider_.claims["at_hash"] = detail::oauth::half_digest(JwtAlgorithm::es256, "access-1");
  EXPECT_EQ(log_in().status, 303);
  provider_.claims = good;
  provider_.claims["azp"] = nullptr;  // as a claim that is absent
  provider_.claims["at_hash"] = nullptr;
  EXPECT_EQ(log_in().status, 303);
}

TEST_F(OpenIdTest, id_tokens_that_somebody_else_has_signed_are_refused) {
  add();
  EXPECT_EQ(log_in().status, 303);
  const std::vector<JwtKey> good = provider_.keys;
  const std::string public_jwk = json::to_text(good.front().to_public_jwk());
  // A key with the same id, the public key as a secret, and no signature.
  const JwtKey stranger = JwtKey::generate(JwtAlgorithm::es256, "one");
  const JwtKey secret =
      JwtKey::from_secret(JwtAlgorithm::hs256, public_jwk.substr(0, 200), "one").value();
  for (const JwtKey& key : {stranger, secret}) {
    begin();
    provider_.responses["/token"] = [&](const ProviderRequest&) {
      provider_.keys = {key};
      json::Value response = provider_.token_response();
      provider_.keys = good;
      return http_response(json::to_text(response));
    };
    EXPECT_EQ(come_back().status, kBadGateway);
  }
  for (const char* token :
       {"", "a", "a.b.c", "eyJhbGciOiJub25lIn0.e30.", "eyJhbGciOiJub25lIn0.e30"}) {
    provider_.responses["/token"] = [&](const ProviderRequest&) {
      json::Value response = provider_.token_response();
      response["id_token"] = token;
      return http_response(json::to_text(response));
    };
    EXPECT_EQ(log_in().status, kBadGateway) << token;
  }
}

TEST_F(OpenIdTest, id_tokens_are_signed_as_the_options_say) {
  OAuthOptions options = usual();
  options.algorithms = {JwtAlgorithm::eddsa};
  add(options);
  EXPECT_EQ(log_in().status, kBadGateway);
  provider_.keys = {JwtKey::generate(JwtAlgorithm::eddsa, "two")};
  browser().advance(31s);
  EXPECT_EQ(log_in().status, 303) << "a new key is fetched";
}

TEST(IdToken, half_a_digest_is_that_of_the_algorithm) {
  using detail::oauth::half_digest;
  // This pair is from OpenID Connect Core 1.0, appendix A.3.
  EXPECT_EQ(half_digest(JwtAlgorithm::rs256, "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"),
            "77QmUPtjPfzWtF2AnpK9RQ");
  EXPECT_EQ(half_digest(JwtAlgorithm::es384, "a").size(), 32U);
  EXPECT_EQ(half_digest(JwtAlgorithm::eddsa, "a").size(), 43U);
}

TEST_F(OpenIdTest, answers_with_tokens_that_are_none_are_refused) {
  add();
  for (const char* response :
       {"", "null", "[]", "{}", "<html>", "{\"access_token\":\"a\"", R"({"access_token":"a"})",
        R"({"access_token":"","token_type":"Bearer"})",
        R"({"access_token":7,"token_type":"Bearer"})",
        R"({"access_token":"a\r\nX: y","token_type":"Bearer"})",
        R"({"access_token":"a","token_type":"DPoP"})",
        R"({"access_token":"a","token_type":"Bearer"})",
        R"({"access_token":"a","access_token":"b","token_type":"Bearer"})"}) {
    provider_.says("/token", http_response(response));
    EXPECT_EQ(log_in().status, kBadGateway) << response;
  }
}

TEST_F(OpenIdTest, how_long_a_token_lasts_is_a_number_that_can_be) {
  using detail::oauth::read_tokens;
  const auto expiry = [](const std::string& value) {
    return read_tokens(R"({"access_token":"a","token_type":"bearer","expires_in":)" + value + "}",
                       100)
        .value()
        .expires_at;
  };
  EXPECT_EQ(expiry("60"), 160);
  EXPECT_EQ(expiry("\"60\""), 160);
  for (const char* value : {"-1", "1e300", "null", "\"soon\"", "[]", "\"\"", "\"nan\""}) {
    EXPECT_EQ(expiry(value), std::nullopt) << value;
  }
}

/// Errors of the provider at each endpoint, and the resulting responses to the browser.
TEST_F(OpenIdTest, a_provider_that_misbehaves_fails_logins_and_nothing_else) {
  OAuthOptions options = usual();
  options.fetches_userinfo = true;
  add(options);
  const auto usual_responses = provider_.responses;
  struct Case {
    const char* name;
    std::string bytes;
    int status;
  };
  const std::string huge(300'000, ' ');
  for (const auto& [name, bytes, status] : std::vector<Case>{
           {"hangs", "", 503},
           {"hangs within its head", "HTTP/1.1 200 OK\r\n", 503},
           {"hangs within its content", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", 503},
           {"is too large", http_response(huge + "{}"), 502},
           {"redirects",
            http_response("{}", "302 Found", "Location: http://127.0.0.1:9000/userinfo\r\n"), 502},
           {"keeps the method",
            http_response("{}", "307 Temporary Redirect", "Location: https://evil.example/\r\n"),
            502},
           {"is overloaded", http_response("{}", "503 Service Unavailable"), 503},
           {"refuses", http_response(R"({"error":"invalid_client"})", "401 Unauthorized"), 502},
           {"says no JSON", http_response("<html>"), 502},
           {"is no HTTP", "hello\r\n\r\n", 502}}) {
    for (const char* place : {kDocument, "/token", "/jwks", "/userinfo"}) {
      client_.reset();
      provider_.responses = usual_responses;
      provider_.responses[place] = [response = bytes](const ProviderRequest&) { return response; };
      provider_.asked.clear();
      const TestResponse begun = browser().get("/login");
      int told = begun.status;
      if (told == 302) {
        state_ = in_query(*begun.header("Location"), "state");
        provider_.nonce = in_query(*begun.header("Location"), "nonce");
        told = come_back().status;
      }
      // Without a document or keys, no user can be authenticated; the browser sees the same
      // response.
      const bool is_kept =
          place == std::string_view(kDocument) || place == std::string_view("/jwks");
      EXPECT_EQ(told, is_kept ? 503 : status) << name << " at " << place;
      EXPECT_EQ(user(), "");
      EXPECT_EQ(provider_.count(place), 1U) << "asked once: " << name << " at " << place;
      EXPECT_EQ(provider_.count("/"), 0U);
    }
  }
}

TEST_F(OpenIdTest, a_provider_that_is_gone_is_asked_now_and_then) {
  add();
  provider_.responses.erase(kDocument);
  for (int second = 0; second < 60; ++second) {
    EXPECT_EQ(browser().get("/login").status, 503);
    browser().advance(1s);
  }
  EXPECT_LE(provider_.count(kDocument), 3U);
  provider_.responses[kDocument] = [this](const ProviderRequest&) {
    return http_response(json::to_text(provider_.document));
  };
  browser().advance(31s);
  EXPECT_EQ(log_in().status, 303);
}

TEST_F(OpenIdTest, a_document_is_kept_and_renewed_while_it_serves_on) {
  add();
  for (int index = 0; index < 20; ++index) {
    EXPECT_EQ(log_in().status, 303);
  }
  EXPECT_EQ(provider_.count(kDocument), 1U);
  EXPECT_EQ(provider_.count("/jwks"), 1U);
  provider_.responses[kDocument] = [](const ProviderRequest&) { return std::string(); };
  browser().advance(61min);
  EXPECT_EQ(log_in().status, 303) << "the old one serves on";
  browser().advance(10s);
  EXPECT_EQ(provider_.count(kDocument), 2U);
  browser().advance(24h);
  EXPECT_EQ(browser().get("/login").status, 503) << "it is too old";
}

TEST_F(OpenIdTest, many_that_begin_at_once_cost_one_request) {
  add();
  std::vector<std::string> responses;
  const std::string ask = "GET /login HTTP/1.1\r\nHost: test\r\n\r\n";
  for (int index = 0; index < 20; ++index) {
    (void)browser().raw(ask);  // waits for the document, and disconnects
  }
  EXPECT_EQ(log_in().status, 303);
  EXPECT_EQ(provider_.count(kDocument), 1U);
}

TEST_F(OpenIdTest, a_browser_that_leaves_takes_its_login_along_and_no_other) {
  add();
  begin("/login?next=/one");
  const std::string left = callback() + "&code=c&iss=" + percent_encode(kIssuer);
  const TestResponse begun = browser().get("/login?next=/two");
  std::string cookie(begun.header("Set-Cookie").value_or(""));
  cookie.resize(cookie.find(';'));
  const std::string state_of_two = in_query(*begun.header("Location"), "state");
  provider_.responses["/token"] = [](const ProviderRequest&) { return std::string(); };
  // The client waits for the keys, and disconnects at once.
  const std::string bytes = "GET /login/callback?state=" + state_of_two +
                            "&code=c&iss=" + percent_encode(kIssuer) +
                            " HTTP/1.1\r\nHost: test\r\nCookie: " + cookie + "\r\n\r\n";
  EXPECT_EQ(browser().raw(bytes), "");
  browser().advance(10ms);
  EXPECT_EQ(browser().raw(bytes).substr(0, 12), "HTTP/1.1 400") << "it has come back";
  provider_.responses["/token"] = [this](const ProviderRequest&) {
    return http_response(json::to_text(provider_.token_response()));
  };
  EXPECT_EQ(browser().get(left).header("Location"), "/one");
}

TEST_F(OpenIdTest, answers_that_grow_are_bounded_by_what_they_become) {
  add();
  const auto packed = compressed_blanks();
  provider_.says(kDocument, http_response(packed, "200 OK", "Content-Encoding: gzip\r\n"));
  EXPECT_EQ(browser().get("/login").status, 503);
}

TEST(ProviderResponses, that_are_cut_are_none) {
  using namespace detail::oauth;
  const std::string tokens = R"({"access_token":"a","token_type":"Bearer","id_token":"b"})";
  EXPECT_TRUE(read_tokens(tokens, 1));
  for (std::size_t cut = 0; cut < tokens.size(); ++cut) {
    EXPECT_FALSE(read_tokens(tokens.substr(0, cut), 1)) << cut;
  }
  const std::string query = "code=%41&state=%42&iss=c";
  for (std::size_t cut = 0; cut < query.size(); ++cut) {
    const auto response = read_response(query.substr(0, cut));
    EXPECT_TRUE(!response || !response->issuer || response->issuer->empty()) << cut;
  }
}

TEST_F(OpenIdTest, a_used_code_is_the_browsers_fault) {
  add();
  provider_.says("/token", http_response(R"({"error":"invalid_grant"})", "400 Bad Request"));
  EXPECT_EQ(log_in().status, 400);
}

TEST(ProviderPlaces, are_asked_for_where_that_is_safe_alone) {
  using detail::oauth::read_places;
  const auto document = [](std::string_view issuer, const char* name, const char* url) {
    json::Value all = json::object({{"issuer", issuer},
                                    {"authorization_endpoint", "https://id.example/a"},
                                    {"token_endpoint", "https://id.example/t"},
                                    {"jwks_uri", "https://id.example/k"}});
    all[name] = url;
    return json::to_text(all);
  };
  for (const char* name : {"authorization_endpoint", "token_endpoint", "jwks_uri"}) {
    for (const char* url :
         {"http://id.example/x", "http://127.0.0.1/x", "http://localhost:6379/", "http://[::1]/",
          "http://169.254.169.254/", "file:///etc/passwd", "javascript:alert(1)", "", "/x",
          "//id.example/x", "https://", "https://a:b@id.example/", "https://id.example/#x",
          "https://id.example/\r\nX: y", "https://id.example:99999/"}) {
      EXPECT_FALSE(read_places(document("https://id.example", name, url), "https://id.example"))
          << name << " " << url;
    }
    EXPECT_TRUE(read_places(document("https://id.example", name, "https://other.example/x?a=b"),
                            "https://id.example"));
    // If the issuer is on this machine, its endpoints may be, too; otherwise they need https.
    const char* here = "http://127.0.0.1:9000";
    EXPECT_TRUE(read_places(document(here, name, "http://127.0.0.1:9000/x"), here));
    EXPECT_FALSE(read_places(document(here, name, "http://192.168.0.1/x"), here));
  }
  // An unsafe URL that is not required is treated as missing.
  const auto places =
      read_places(document("https://id.example", "userinfo_endpoint", "http://127.0.0.1/x"),
                  "https://id.example");
  ASSERT_TRUE(places.has_value());
  EXPECT_EQ(places->user, "");
}

TEST(ProviderPlaces, are_the_issuers_own) {
  using detail::oauth::read_places;
  const std::string text = R"({"issuer":"https://id.example","authorization_endpoint":
      "https://id.example/a","token_endpoint":"https://id.example/t","jwks_uri":
      "https://id.example/k"})";
  EXPECT_TRUE(read_places(text, "https://id.example"));
  for (const char* issuer : {"https://id.example/", "https://ID.example", "https://evil.example",
                             "https://id.example:443", ""}) {
    EXPECT_FALSE(read_places(text, issuer)) << issuer;
  }
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    EXPECT_FALSE(read_places(text.substr(0, cut), "https://id.example")) << cut;
  }
  std::string twice = text;
  twice.insert(1, R"("issuer":"https://id.example",)");
  EXPECT_FALSE(read_places(twice, "https://id.example"));
  std::string implicit = text;
  implicit.insert(1, R"("response_types_supported":["token"],)");
  EXPECT_FALSE(read_places(implicit, "https://id.example"));
}

}  // namespace
}  // namespace eider
