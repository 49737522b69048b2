#include "eider/web/middleware/csrf.h"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/test_asked.h"

namespace eider {
namespace {

const std::string kCsrfKey(32, 'k');
constexpr std::string_view kPairs = "application/x-www-form-urlencoded";

/// The state of one user's browser.
struct Page {
  std::string cookie;  // "__Host-csrf=…"
  std::string token;
};

class FormApp {
 public:
  explicit FormApp(CsrfOptions options = {.key = kCsrfKey}) {
    app_.use(csrf(std::move(options)));
    app_.get("/form", [](const CsrfToken& token) { return token.text() + "\n" + token.field(); });
    app_.get("/other", [] { return "x"; });
    app_.post("/write", [](Body body) { return std::string(body.view()); });
    app_.del("/write", [] { return "gone"; });
    client_ = std::make_unique<TestClient>(app_);
  }

  TestResponse form(std::string cookie = "") {
    return client_->send({.target = "/form", .headers = {{"Cookie", cookie}}});
  }
  Page page() {
    const TestResponse reply = form();
    const std::string set(reply.header("Set-Cookie").value_or(""));
    return {set.substr(0, set.find(';')), reply.body.substr(0, reply.body.find('\n'))};
  }
  int post(const std::vector<TestHeader>& headers, std::string body = "",
           Method method = Method::post) {
    return client_
        ->send({.method = method, .target = "/write", .headers = headers, .body = std::move(body)})
        .status;
  }
  TestClient& client() { return *client_; }

 private:
  App app_;
  std::unique_ptr<TestClient> client_;
};

std::string encoded(std::string text) {
  for (const auto& [from, to] : {std::pair{'+', "%2B"}, {'/', "%2F"}, {'=', "%3D"}}) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += 3) {
      text.replace(at, 1, to);
    }
  }
  return text;
}

TEST(Csrf, a_form_with_the_token_of_its_page_writes) {
  FormApp app;
  const Page page = app.page();
  EXPECT_EQ(page.cookie.find("__Host-csrf="), 0U);
  EXPECT_EQ(app.post({{"Content-Type", kPairs}, {"Cookie", page.cookie}},
                     "a=b&csrf_token=" + encoded(page.token)),
            200);
  EXPECT_EQ(app.post({{"Content-Type", "Application/X-WWW-Form-UrlEncoded; charset=utf-8"},
                      {"Cookie", "other=1; " + page.cookie},
                      {"X-CSRF-Token", page.token}},
                     "a=b"),
            200);
}

TEST(Csrf, a_form_without_it_does_not) {
  FormApp app;
  const Page page = app.page();
  const Page other = app.page();
  EXPECT_NE(page.token, other.token);
  const TestHeader form("Content-Type", kPairs);
  const TestHeader cookie("Cookie", page.cookie);
  EXPECT_EQ(app.post({form, cookie}, "a=b"), 403);
  EXPECT_EQ(app.post({form}, "csrf_token=" + encoded(page.token)), 403);
  EXPECT_EQ(app.post({form, cookie}, "csrf_token=" + encoded(other.token)), 403);
  EXPECT_EQ(app.post({form, cookie}, "csrf_token="), 403);
  EXPECT_EQ(app.post({form, cookie}, "csrf_token=%zz"), 403);
  EXPECT_EQ(app.post({form, {"Cookie", "__Host-csrf="}}, "csrf_token="), 403);
  EXPECT_EQ(app.post({form, cookie, {"X-CSRF-Token", std::string("a\x80\xFF")}}, ""), 403);
}

TEST(Csrf, a_planted_cookie_is_no_token_since_it_is_not_signed) {
  FormApp app;
  const std::string planted = std::string(24, 'A') + std::string(44, 'B');
  for (const std::string& token : {planted, std::string("x"), std::string(24, 'A')}) {
    EXPECT_EQ(app.post({{"Content-Type", kPairs}, {"Cookie", "__Host-csrf=" + token}},
                       "csrf_token=" + encoded(token)),
              403)
        << token;
  }
  FormApp stranger({.key = std::string(32, 's')});
  const Page page = stranger.page();
  EXPECT_EQ(app.post({{"Content-Type", kPairs}, {"Cookie", page.cookie}},
                     "csrf_token=" + encoded(page.token)),
            403);
}

TEST(Csrf, a_token_of_another_session_is_refused) {
  FormApp app({.key = kCsrfKey, .session = [](const Request& request) {
                 return std::string(request.header("Session").value_or(""));
               }});
  const Page page = app.page();  // without a session
  const TestHeader form("Content-Type", kPairs);
  const std::string body = "csrf_token=" + encoded(page.token);
  EXPECT_EQ(app.post({form, {"Cookie", page.cookie}}, body), 200);
  EXPECT_EQ(app.post({form, {"Cookie", page.cookie}, {"Session", "ann"}}, body), 403);
}

TEST(Csrf, pages_of_other_sites_do_not_write_whatever_they_send) {
  FormApp app;
  const Page page = app.page();
  for (const TestHeader& from :
       {TestHeader("Origin", "https://evil.example"), TestHeader("Origin", "null"),
        TestHeader("Origin", "not a URL at all \xFF"), TestHeader("Origin", "https://"),
        TestHeader("Sec-Fetch-Site", "cross-site"), TestHeader("Sec-Fetch-Site", "same-site")}) {
    EXPECT_EQ(app.post({{"Content-Type", "application/json"}, from}, "{}"), 403) << from.value;
    EXPECT_EQ(app.post({{"Content-Type", kPairs}, {"Cookie", page.cookie}, from},
                       "csrf_token=" + encoded(page.token)),
              403)
        << from.value;
  }
  FormApp trusting({.key = kCsrfKey, .trusted_origins = {"https://admin.example"}});
  EXPECT_EQ(trusting.post(
                {{"Content-Type", "application/json"}, {"Origin", "https://admin.example"}}, "{}"),
            200);
}

TEST(Csrf, what_a_page_cannot_send_unasked_needs_no_token) {
  FormApp app;
  EXPECT_EQ(app.post({{"Content-Type", "application/json"}}, "{}"), 200);
  EXPECT_EQ(app.post({}, ""), 200);  // a program: no cookies of a user
  EXPECT_EQ(app.post({}, "", Method::delete_), 200);
}

TEST(Csrf, files_text_and_no_type_need_the_browsers_word_or_the_header_where_cookies_come_along) {
  FormApp app;
  const Page page = app.page();
  const TestHeader cookie("Cookie", page.cookie);
  for (const char* type : {"multipart/form-data; boundary=x", "text/plain"}) {
    EXPECT_EQ(app.post({{"Content-Type", type}, cookie}, "x"), 403) << type;
    EXPECT_EQ(app.post({{"Content-Type", type}, cookie, {"Sec-Fetch-Site", "same-origin"}}, "x"),
              200);
    EXPECT_EQ(app.post({{"Content-Type", type}, cookie, {"X-CSRF-Token", page.token}}, "x"), 200);
  }
  EXPECT_EQ(app.post({cookie}, "", Method::delete_), 403);
}

TEST(Csrf, what_browsers_send_by_themselves_counts_as_a_cookie_does) {
  App app;
  app.use(csrf({.key = kCsrfKey}));
  app.post("/write", [] { return "x"; });
  testing::AskedApp asked(app);
  const auto status = [&asked](std::vector<Field> fields, std::string fingerprint = {}) {
    fields.push_back({"Content-Type", "text/plain"});
    return asked.status({.method = Method::post,
                         .path = "/write",
                         .fields = std::move(fields),
                         .body = "x",
                         .is_secure = true,
                         .fingerprint = std::move(fingerprint)});
  };
  EXPECT_EQ(status({}), 200);
  for (const char* known : {"Basic YTpi", "basic YTpi", "Digest username=\"a\"", "Negotiate YTpi",
                            "NTLM YTpi", "Basic"}) {
    EXPECT_EQ(status({{"Authorization", known}}), 403) << known;
    EXPECT_EQ(status({{"Authorization", known}, {"Sec-Fetch-Site", "same-origin"}}), 200) << known;
  }
  EXPECT_EQ(status({{"Authorization", "Bearer YTpi"}}), 200);  // only a script can add it
  EXPECT_EQ(status({}, "ab12"), 403);
}

TEST(Csrf, sets_its_cookie_with_the_page_that_takes_a_token_and_once) {
  FormApp app;
  EXPECT_FALSE(app.client().get("/other").header("Set-Cookie"));
  const TestResponse first = app.form();
  const std::string set(first.header("Set-Cookie").value_or(""));
  EXPECT_TRUE(set.ends_with("; Path=/; SameSite=Lax; Secure; HttpOnly") ||
              (set.contains("Secure") && set.contains("HttpOnly") && set.contains("SameSite=Lax")))
      << set;
  EXPECT_EQ(first.header("Cache-Control"), "no-store");
  const std::string cookie = set.substr(0, set.find(';'));
  const TestResponse again = app.form(cookie);
  EXPECT_FALSE(again.header("Set-Cookie"));
  EXPECT_EQ(again.body, first.body);
  EXPECT_TRUE(first.body.ends_with("<input type=\"hidden\" name=\"csrf_token\" value=\"" +
                                   cookie.substr(cookie.find('=') + 1) + "\">"));
}

TEST(Csrf, is_checked_also_behind_guards_and_of_content_that_comes_late) {
  App app;
  app.use(csrf({.key = kCsrfKey}));
  app.guard([]() -> Result<void> { return {}; });
  app.post("/write", [](Body body) { return std::string(body.view()); });
  TestClient client(app);
  const std::string head =
      "POST /write HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n";
  EXPECT_TRUE(client.raw(head + "Content-Length: 3\r\n\r\na=b").starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(client.raw(head + "Transfer-Encoding: chunked\r\n\r\n3\r\na=b\r\n0\r\n\r\n")
                  .starts_with("HTTP/1.1 403"));
}

TEST(Csrf, options_that_cannot_hold_are_told_at_once) {
  EXPECT_THROW((void)csrf({.key = "short"}), Failure);
  EXPECT_THROW((void)csrf({.cookie = "two words"}), Failure);
  EXPECT_THROW((void)csrf({.cookie = "__Host-csrf", .is_secure = false}), Failure);
  EXPECT_NO_THROW((void)csrf({.is_secure = false}));
}

TEST(Csrf, a_handler_that_takes_a_token_without_the_middleware_does_not_start) {
  App app;
  app.get("/form", [](const CsrfToken& token) { return token.text(); });
  EXPECT_FALSE(app.make_service().has_value());
}

}  // namespace
}  // namespace eider
