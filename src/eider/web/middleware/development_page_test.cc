#include "eider/web/middleware/development_page.h"

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/app.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/error_pages.h"
#include "eider/web/middleware/response_cache.h"
#include "eider/web/middleware/test_asked.h"

namespace eider {
namespace {

using testing::Answered;
using testing::Asked;
using testing::AskedApp;

struct OutOfCheese : std::runtime_error {
  using std::runtime_error::runtime_error;
};

App failing_app() {
  App app;
  app.log_to(std::make_shared<LogLines>());
  app.use(error_pages());
  app.use(development_page());
  app.get("/fails/{id}", [](int id) -> std::string {
    throw OutOfCheese("no <cheese> for " + std::to_string(id));
  });
  app.get("/nested", []() -> std::string {
    try {
      throw std::out_of_range("inner");
    } catch (...) {
      std::throw_with_nested(OutOfCheese("outer"));
    }
  });
  app.get("/number", []() -> std::string { throw 7; });
  app.get("/unavailable",
          []() -> Result<std::string> { return fail(Error::unavailable("Soon.")); });
  app.get("/fine", [] { return "fine"; });
  return app;
}

/// Returns a request of a browser on this machine.
Asked local(std::string_view path, std::vector<Field> more = {}) {
  more.push_back({"Accept", "text/html"});
  return {.path = path,
          .fields = std::move(more),
          .address = "127.0.0.1",
          .authority = "localhost:8080"};
}

bool shows(const Answered& answered) {
  return answered.body.contains("OutOfCheese");
}

TEST(DevelopmentPage, shows_what_was_thrown_and_where) {
  const App app = failing_app();
  AskedApp asked(app);
  const Answered page =
      asked.ask(local("/fails/7?q=1&token=t0ps3cret", {{"Authorization", "Bearer t0ps3cret"},
                                                       {"Cookie", "sid=t0ps3cret"},
                                                       {"X-Api-Key", "t0ps3cret"},
                                                       {"X-Odd", "<img src=x onerror=alert(1)>"}}));
  EXPECT_EQ(page.status, 500);
  for (const std::string_view part :
       {"OutOfCheese</h1>", "no &lt;cheese&gt; for 7", "/fails/{id}", "development_page_test.cc:",
        "<td>7</td>", "(omitted: 16 bytes)", "&lt;img src=x onerror=alert(1)&gt;"}) {
    EXPECT_NE(page.body.find(part), std::string::npos) << part << "\n" << page.body;
  }
  EXPECT_EQ(page.body.find("t0ps3cret"), std::string::npos);
  EXPECT_EQ(page.body.find("<img"), std::string::npos);
  EXPECT_EQ(page.body.find("<script"), std::string::npos);
  EXPECT_TRUE(
      page.header("Content-Security-Policy").starts_with("default-src 'none'; style-src 'sha256-"));
  EXPECT_EQ(page.header("Cache-Control"), "no-store");
}

TEST(DevelopmentPage, tells_programs_the_same_in_the_problem_document) {
  const App app = failing_app();
  AskedApp asked(app);
  Asked program = local("/nested");
  program.fields = {};
  const std::string body = asked.ask(program).body;
  for (const std::string_view part :
       {"\"status\":500", "OutOfCheese", "\"outer\"", "\"std::out_of_range\"", "\"inner\"",
        "\"route\":\"/nested\"", "development_page_test.cc:"}) {
    EXPECT_NE(body.find(part), std::string::npos) << part << "\n" << body;
  }
}

TEST(DevelopmentPage, knows_what_is_no_exception) {
  const App app = failing_app();
  AskedApp asked(app);
  EXPECT_NE(asked.ask(local("/number")).body.find("<h1>int</h1>"), std::string::npos);
}

TEST(DevelopmentPage, is_for_this_machine_alone) {
  const App app = failing_app();
  AskedApp asked(app);
  EXPECT_TRUE(shows(asked.ask(local("/fails/1"))));
  for (const std::string_view address :
       {"192.0.2.1", "10.0.0.1", "", "unix:", "::2", "128.0.0.1", "2001:db8::127"}) {
    Asked foreign = local("/fails/1");
    foreign.address = address;
    EXPECT_FALSE(shows(asked.ask(foreign))) << address;
  }
  for (const std::string_view host : {"app.example", "localhost.example", "127.0.0.1.example:80",
                                      "", "[::2]", "evil:localhost"}) {
    Asked rebound = local("/fails/1");
    rebound.authority = host;
    EXPECT_FALSE(shows(asked.ask(rebound))) << host;
  }
  for (const std::string_view name :
       {"Forwarded", "X-Forwarded-For", "x-forwarded-host", "X-Forwarded-Proto", "X-Forwarded-Port",
        "X-Original-URI", "CF-Ray", "true-client-ip", "X-Real-IP", "Via"}) {
    EXPECT_FALSE(shows(asked.ask(local("/fails/1", {{name, "127.0.0.1"}})))) << name;
  }
  App proxied = failing_app();
  proxied.trust_proxies("127.0.0.0/8");
  EXPECT_FALSE(shows(AskedApp(proxied).ask(local("/fails/1"))));
  EXPECT_FALSE(shows(asked.ask(local("/fails/1", {{"Sec-Fetch-Site", "cross-site"}}))));
  EXPECT_TRUE(shows(asked.ask(local("/fails/1", {{"Sec-Fetch-Site", "same-origin"}}))));
  for (const std::string_view host : {"localhost", "127.0.0.1:80", "[::1]", "[::1]:8080"}) {
    Asked own = local("/fails/1");
    own.authority = host;
    own.address = "::1";
    EXPECT_TRUE(shows(asked.ask(own))) << host;
  }
}

TEST(DevelopmentPage, leaves_alone_what_was_not_thrown) {
  const App app = failing_app();
  AskedApp asked(app);
  EXPECT_EQ(asked.ask(local("/fine")).body, "fine");
  EXPECT_NE(asked.ask(local("/unavailable")).body.find("Soon."), std::string::npos);
  EXPECT_EQ(asked.ask(local("/nowhere")).status, 404);
}

TEST(DevelopmentPage, without_it_nothing_is_told) {
  App app;
  app.log_to(std::make_shared<LogLines>());
  app.get("/fails/{id}", [](int) -> std::string { throw OutOfCheese("secret"); });
  AskedApp asked(app);
  const Answered answered = asked.ask(local("/fails/1"));
  EXPECT_EQ(answered.status, 500);
  EXPECT_FALSE(shows(answered));
  EXPECT_EQ(answered.body.find("secret"), std::string::npos);
}

}  // namespace
}  // namespace eider
