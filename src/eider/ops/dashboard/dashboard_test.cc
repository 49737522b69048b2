#include "eider/ops/dashboard/dashboard.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/life/log_stderr.h"
#include "eider/core/base/log_tail.h"
#include "eider/eider.h"
#include "eider/ops/telemetry/log.h"
#include "eider/web/middleware/test_asked.h"

namespace eider {
namespace {

using testing::Answered;
using testing::Asked;
using testing::AskedApp;

constexpr std::string_view kPages[] = {"/_eider/", "/_eider/state.json", "/_eider/dashboard.js",
                                       "/_eider/dashboard.css", "/_eider/index.html"};

constexpr std::string_view kToken = "a-token-of-these-tests";
constexpr std::string_view kCookie = "eider_dashboard=a-token-of-these-tests";
[[maybe_unused]] const int kIsTokenSet = ::setenv("EIDER_DASHBOARD_TOKEN", kToken.data(), 1);

Asked without_token(std::string_view path, std::vector<Field> fields = {}) {
  return {.path = path,
          .fields = std::move(fields),
          .address = "127.0.0.1",
          .authority = "localhost:8080"};
}

Asked local(std::string_view path, std::vector<Field> fields = {}) {
  fields.push_back({"Cookie", kCookie});
  return without_token(path, std::move(fields));
}

TEST(Dashboard, needs_the_token_without_a_guard) {
  App app;
  serve_dashboard(app);
  AskedApp asked(app);
  for (const std::string_view page : kPages) {
    EXPECT_EQ(asked.ask(without_token(page)).status, 403) << page;
    for (const std::string_view wrong :
         {"eider_dashboard=", "eider_dashboard=a-token-of-these-test",
          "other=a-token-of-these-tests", "eider_dashboard=A-token-of-these-tests"}) {
      EXPECT_EQ(asked.ask(without_token(page, {{"Cookie", wrong}})).status, 403) << wrong;
    }
  }
  EXPECT_EQ(asked.ask(without_token("/_eider/")).status, 403);
  EXPECT_EQ(asked.ask(local("/_eider/dashboard.js")).status, 200);
  EXPECT_EQ(asked
                .ask(without_token("/_eider/dashboard.js",
                                   {{"Authorization", "Bearer a-token-of-these-tests"}}))
                .status,
            200);
}

TEST(Dashboard, the_link_sets_the_token_as_a_cookie) {
  App app;
  serve_dashboard(app);
  AskedApp asked(app);
  EXPECT_EQ(asked.ask(without_token("/_eider/?token=a-token-of-these-test")).status, 403);
  const Answered linked = asked.ask(without_token("/_eider/?a=b&token=a-token-of-these-tests"));
  EXPECT_EQ(linked.status, 303);
  EXPECT_EQ(linked.header("Location"), "/_eider/");
  const std::string cookie = linked.header("Set-Cookie");
  EXPECT_TRUE(cookie.starts_with(kCookie)) << cookie;
  for (const std::string_view part : {"; HttpOnly", "; SameSite=Strict", "; Path=/_eider"}) {
    EXPECT_TRUE(cookie.contains(part)) << cookie;
  }
}

TEST(Dashboard, refuses_a_token_that_is_too_short) {
  for (const char* const token : {"short", "123456789012345", "with;a;semicolon;and;more"}) {
    ::setenv("EIDER_DASHBOARD_TOKEN", token, 1);
    App app;
    EXPECT_THROW(serve_dashboard(app), Failure) << token;
  }
  ::setenv("EIDER_DASHBOARD_TOKEN", kToken.data(), 1);
}

TEST(Dashboard, a_trusted_proxy_on_this_machine_is_not_this_machine) {
  App app;
  serve_dashboard(app);
  app.trust_proxies("127.0.0.1");
  EXPECT_EQ(AskedApp(app).ask(local("/_eider/")).status, 403);
}

TEST(Dashboard, is_for_nobody_elsewhere) {
  App app;
  serve_dashboard(app);
  AskedApp asked(app);
  for (const std::string_view page : kPages) {
    for (const std::string_view host : {"shop.example", "127.0.0.1.shop.example", ""}) {
      Asked other = local(page);
      other.authority = host;
      EXPECT_EQ(asked.ask(other).status, 403) << page << " of " << host;
    }
    Asked foreign = local(page);
    foreign.address = "192.0.2.1";
    EXPECT_EQ(asked.ask(foreign).status, 403) << page;
    for (const std::string_view field :
         {"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
          "X-Forwarded-Port", "X-Real-IP", "X-Original-URL", "Via", "CF-Connecting-IP", "CF-Ray",
          "True-Client-IP", "x-forwarded-server"}) {
      EXPECT_EQ(asked.ask(local(page, {{field, "for=1.2.3.4"}})).status, 403) << field;
    }
  }
}

TEST(Dashboard, page_loads_nothing_from_elsewhere_and_has_no_script_or_style_within) {
  App app;
  serve_dashboard(app);
  AskedApp asked(app);
  const Answered page = asked.ask(local("/_eider/"));
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.header("Content-Security-Policy").contains("default-src 'none'"));
  EXPECT_EQ(page.header("Cache-Control"), "no-store");
  for (const std::string_view never : {"style=", "<style", "http://", "https://", " onclick="}) {
    EXPECT_FALSE(page.body.contains(never)) << never;
  }
  int count = 0;
  for (const std::string_view mark : {"href=\"", "src=\""}) {
    for (std::size_t at = page.body.find(mark); at != page.body.npos;
         at = page.body.find(mark, at)) {
      at += mark.size();
      const std::string link = "/_eider/" + page.body.substr(at, page.body.find('"', at) - at);
      if (!link.contains('#') && link != "/_eider/state.json") {  // it would wait
        EXPECT_EQ(asked.ask(local(link)).status, 200) << link;
        ++count;
      }
    }
  }
  EXPECT_EQ(count, 3);
}

TEST(Dashboard, is_found_without_the_slash) {
  App app;
  serve_dashboard(app);
  const Answered answered = AskedApp(app).ask(local("/_eider"));
  EXPECT_EQ(answered.status, 308);
  EXPECT_EQ(answered.header("Location"), "/_eider/");
}

TEST(Dashboard, behind_a_guard_is_for_whom_that_lets_in) {
  App app;
  serve_dashboard(app, {.guard = [](Routes& pages) {
                    pages.guard([](const Request& request) -> Result<void> {
                      if (request.header("X-Key") != "right") {
                        return fail(Error(401, "Who are you?"));
                      }
                      return {};
                    });
                  }});
  AskedApp asked(app);
  for (const std::string_view page : kPages) {
    EXPECT_EQ(asked.ask(local(page)).status, 401) << page;
  }
  EXPECT_EQ(asked.ask({.path = "/_eider/", .fields = {{"X-Key", "right"}}}).status, 200);
}

/// Returns the log lines after that number of lines.
std::vector<std::string> kept_since(std::uint64_t lines) {
  return detail::base::log_tail(lines).lines;
}

TEST(Dashboard, keeps_lines_of_the_log_as_they_are_written) {
  App app;
  serve_dashboard(app);
  const std::uint64_t before = detail::base::log_tail(0).lines_so_far;
  stderr_log()->write(LogLevel::warning, "a\nb");
  for (const LogFormat format : {LogFormat::json, LogFormat::text}) {
    open_log({.file = "/dev/null", .format = format}).info("in", {{"password", "x"}, {"by", "y"}});
  }
  const std::vector<std::string> lines = kept_since(before);
  ASSERT_EQ(lines.size(), 3U) << ::testing::PrintToString(lines);
  EXPECT_TRUE(lines[0].ends_with("Z warning a?b")) << lines[0];
  EXPECT_TRUE(lines[1].ends_with(R"(Z","level":"info","message":"in","password":"***","by":"y"})"))
      << lines[1];
  EXPECT_TRUE(lines[2].ends_with("Z info in password=\"***\" by=y")) << lines[2];
}

TEST(Dashboard, keeps_what_its_page_asks_out_of_the_log_it_shows_and_nothing_else) {
  App app;
  serve_dashboard(app);
  const std::uint64_t before = detail::base::log_tail(0).lines_so_far;
  const auto note = [](std::string_view target, std::string_view route, int status) {
    const std::array<LogField, 5> fields = {LogField("method", "GET"), LogField("target", target),
                                            LogField("route", route), LogField("status", status),
                                            LogField("user", "")};
    stderr_log()->write(LogLevel::info, "GET " + std::string(target) + " " +
                                            std::to_string(status) + " 7 0.1 HTTP/1.1 ::1");
    for (const LogFormat format : {LogFormat::json, LogFormat::text}) {
      open_log({.file = "/dev/null", .format = format})
          .sink()
          ->write_fields(LogLevel::info, "request", fields);
    }
  };
  constexpr std::string_view kRoute = "/_eider/state.json";
  note("/_eider/state.json?after=17", kRoute, 200);
  EXPECT_EQ(kept_since(before), std::vector<std::string>());
  note("/_eider/state.json?after=17", kRoute, 403);
  note("/_eider/state.json?after=17&x", kRoute, 200);
  note("/x/_eider/state.json?after=17", "/x/{rest*}", 200);
  note(R"(/x","target":"/_eider/state.json?after=1","route":"/_eider/state.json","status":200,)",
       "", 404);
  note(R"(/x" route=/_eider/state.json?after=1" route=/_eider/state.json status=200 )", "", 404);
  stderr_log()->write(LogLevel::error, "not info GET /_eider/state.json?after=1 200 ");
  stderr_log()->write(LogLevel::info, "x info GET /_eider/state.json?after=1 200 ");
  EXPECT_EQ(kept_since(before).size(), (5U * 3) + 2)
      << ::testing::PrintToString(kept_since(before));
}

}  // namespace
}  // namespace eider
