#include "eider/dashboard/dashboard.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/eider.h"
#include "eider/middleware/test_asked.h"

namespace eider {
namespace {

using testing::Answered;
using testing::Asked;
using testing::AskedApp;

constexpr std::string_view kPages[] = {"/_eider/", "/_eider/state.json", "/_eider/dashboard.js",
                                       "/_eider/dashboard.css", "/_eider/index.html"};

Asked local(std::string_view path, std::vector<Field> fields = {}) {
  return {.path = path,
          .fields = std::move(fields),
          .address = "127.0.0.1",
          .authority = "localhost:8080"};
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
         {"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"}) {
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
      if (!link.contains('#') && link != "/_eider/state.json") {  // which waits
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

}  // namespace
}  // namespace eider
