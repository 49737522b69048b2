#include "eider/web/middleware/error_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/html.h"
#include "eider/core/base/sha256.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"
#include "eider/web/languages/languages.h"
#include "eider/web/middleware/request_id.h"
#include "eider/web/middleware/security_headers.h"
#include "tests/sim/sim_app.h"
#include "tests/support/h2_server.h"

namespace eider {
namespace {

namespace h2 = detail::http2::test;

constexpr std::string_view kBrowser =
    "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

void add_paged(App& app) {
  app.log_to(std::make_shared<LogLines>());
  app.use(request_id());
  app.use(security_headers());
  app.use(error_pages({.by_status = {{405,
                                      [](const ErrorPage& error) {
                                        return "<p>" + escape_html(error.title) + " at " +
                                               escape_html(error.request.path());
                                      }},
                                     {409, [](const ErrorPage&) -> std::string {
                                        throw std::runtime_error("no page today");
                                      }}}}));
  add_languages(app, {.texts = {{"en", {{"No resource at this URL.", "We have no such page."}}}}});
  app.body_bytes_max(10);
  app.get("/fails", []() -> std::string { throw std::runtime_error("secret cause"); });
  app.get("/said", [](const Request&) -> Result<std::string> {
    return fail(Error::forbidden("<script>alert(\"1\")</script> & 'more'"));
  });
  app.get("/conflict", []() -> Result<std::string> { return fail(Error::conflict("No.")); });
  app.get("/own", [] { return Response::text("mine", 404); });
  app.post("/x", [](Body) {});
}

class ErrorPagesTest : public ::testing::Test {
 public:
  TestResponse ask(std::string target, std::string_view accept = kBrowser,
                   Method method = Method::get, std::string body = {}) {
    return client_.send(
        {.method = method, .target = target, .headers = {{"Accept", accept}}, .body = body});
  }

 private:
  static App made_app() {
    App app;
    add_paged(app);
    return app;
  }
  TestClient client_{made_app()};
};

TEST_F(ErrorPagesTest, are_what_a_browser_gets_of_all_that_goes_wrong) {
  const struct {
    Method method;
    std::string target;
    std::string body;
    int status;
    std::string_view says;
  } rows[] = {{Method::get, "/nowhere", "", 404, "We have no such page."},
              {Method::get, "/x", "", 405, "<p>Method Not Allowed at /x"},
              {Method::post, "/x", "12345678901", 413, "<h1>Content Too Large</h1>"},
              {Method::get, "/fails", "", 500, "<h1>Internal Server Error</h1>"}};
  for (const auto& row : rows) {
    const TestResponse reply = ask(row.target, kBrowser, row.method, row.body);
    EXPECT_EQ(reply.status, row.status) << row.target;
    EXPECT_EQ(reply.header("Content-Type"), "text/html; charset=utf-8") << row.target;
    EXPECT_NE(reply.body.find(row.says), std::string::npos) << reply.body;
    EXPECT_EQ(reply.body.find("secret"), std::string::npos);
    EXPECT_TRUE(reply.header("X-Request-Id")) << row.target;
  }
  EXPECT_EQ(ask("/x").header("Allow"), "POST, OPTIONS");
}

TEST_F(ErrorPagesTest, stay_problem_documents_for_programs) {
  for (const std::string_view accept :
       {"", "*/*", "application/json", "application/problem+json, text/html", "text/html;q=0",
        "application/json, text/html;q=0.1", "application/json, text/html",
        "text/html;q=0.5, application/problem+json;q=0.1, application/json"}) {
    const TestResponse reply = ask("/nowhere", accept);
    EXPECT_EQ(reply.problem().detail, "We have no such page.") << accept;
    EXPECT_NE(std::string(reply.headers.empty() ? "" : reply.body).find("404"), std::string::npos);
  }
}

TEST_F(ErrorPagesTest, are_for_those_that_ask_for_html_rather_than_for_json) {
  for (const std::string_view accept :
       {"text/html", "text/html, application/json;q=0.9", "application/json;q=0.5, text/*"}) {
    EXPECT_EQ(ask("/nowhere", accept).header("Content-Type"), "text/html; charset=utf-8") << accept;
  }
}

TEST_F(ErrorPagesTest, vary_by_accept_either_way) {
  for (const std::string_view accept : {kBrowser, std::string_view("*/*")}) {
    bool varies = false;
    for (const auto& [name, value] : ask("/nowhere", accept).headers) {
      varies = varies || (name == "Vary" && value == "Accept");
    }
    EXPECT_TRUE(varies) << accept;
  }
}

/// Returns the hash of the inline style, as the browser computes it.
std::string style_source(const std::string& page) {
  const std::size_t begin = page.find("<style>") + std::string_view("<style>").size();
  const std::string_view style =
      std::string_view(page).substr(begin, page.find("</style>") - begin);
  return "'sha256-" + to_base64(to_view(sha256(style))) + "'";
}

TEST_F(ErrorPagesTest, have_a_policy_that_allows_the_style_of_the_plain_page) {
  for (const char* target : {"/nowhere", "/fails", "/said"}) {
    const TestResponse reply = ask(target);
    const std::string policy(reply.header("Content-Security-Policy").value_or(""));
    EXPECT_TRUE(policy.contains("style-src " + style_source(reply.body))) << policy;
    EXPECT_EQ(std::ranges::count(reply.headers, "Content-Security-Policy",
                                 &std::pair<std::string, std::string>::first),
              1);
  }
  const std::string of_own_page(ask("/x").header("Content-Security-Policy").value_or(""));
  EXPECT_TRUE(of_own_page.starts_with("default-src 'self'")) << of_own_page;
}

TEST(ErrorPages, have_their_policy_where_the_security_headers_are_inside_of_them) {
  App app;
  app.use(error_pages());
  app.use(security_headers());
  TestClient client(std::move(app));
  const TestResponse reply = client.send({.target = "/nowhere", .headers = {{"Accept", kBrowser}}});
  const std::string policy(reply.header("Content-Security-Policy").value_or(""));
  EXPECT_TRUE(policy.contains("style-src " + style_source(reply.body))) << policy;
  EXPECT_EQ(std::ranges::count(reply.headers, "Content-Security-Policy",
                               &std::pair<std::string, std::string>::first),
            1);
}

TEST_F(ErrorPagesTest, show_foreign_text_as_text) {
  const TestResponse reply = ask("/said");
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(reply.body.find("<script>"), std::string::npos);
  EXPECT_NE(reply.body.find("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more"),
            std::string::npos)
      << reply.body;
}

TEST_F(ErrorPagesTest, that_throw_leave_a_problem_document) {
  const TestResponse reply = ask("/conflict");
  EXPECT_EQ(reply.status, 409);
  EXPECT_EQ(reply.problem().detail, "No.");
  // Set by a hook outside of it.
  EXPECT_TRUE(reply.header("X-Content-Type-Options"));
}

TEST_F(ErrorPagesTest, leave_content_of_a_handlers_own) {
  EXPECT_EQ(ask("/own").body, "mine");
}

TEST_F(ErrorPagesTest, stand_over_http2_too) {
  h2::H2ServerOf<SimApp<&add_paged>> server;
  SimClient client = server.connect();
  client.send(h2::frame(h2::Type::headers, h2::kEndHeaders | h2::kEndStream, 1,
                        h2::head("GET", "/nowhere") + h2::literal("accept", "text/html")));
  server.kernel.advance(std::chrono::milliseconds(10));
  const auto received = h2::received_on(client.take_received(), 1);
  EXPECT_NE(received.content.find("<p>We have no such page.</p>"), std::string::npos);
}

TEST(EscapeHtml, writes_what_has_a_meaning_as_references) {
  EXPECT_EQ(escape_html("<a href=\"x\" b='y'>&amp;</a>"),
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;");
  EXPECT_EQ(escape_html("plain ü"), "plain ü");
}

}  // namespace
}  // namespace eider
