#include "eider/web/middleware/health.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

/// Simulates a database, and counts its checks.
struct Store {
  std::string fault;
  Duration takes = Duration::zero();
  int asked = 0;
};

struct Connected {
  std::shared_ptr<Store> to;
};

Task<> ask(State<Connected> connected) {
  Store& store = *connected->to;
  ++store.asked;
  co_await sleep_for(store.takes);
  if (!store.fault.empty()) {
    throw Failure(Error::unavailable(store.fault));
  }
}

struct Lines final : LogSink {
  void write(LogLevel, std::string_view line) noexcept override { all.emplace_back(line); }
  std::vector<std::string> all;
};

class HealthTest : public ::testing::Test {
 protected:
  App healthy(HealthOptions options = {}) {
    App app;
    app.log_to(lines);
    app.state(Connected{store});
    app.check("database", &ask);
    serve_health(app, options);
    return app;
  }

  const std::shared_ptr<Store> store = std::make_shared<Store>();
  const std::shared_ptr<Lines> lines = std::make_shared<Lines>();
};

TEST_F(HealthTest, is_told_by_every_check_and_kept_by_nobody) {
  TestClient client(healthy());
  const TestResponse ready = client.get("/readyz");
  EXPECT_EQ(ready.status, 200);
  EXPECT_EQ(ready.body, R"({"status":"ok","checks":{"database":"ok"}})");
  EXPECT_EQ(ready.header("Cache-Control"), "no-store");
}

TEST_F(HealthTest, of_a_failing_check_is_503_whose_reason_only_the_log_has) {
  TestClient client(healthy());
  store->fault = "no way to db.internal";
  const TestResponse ready = client.get("/readyz");
  EXPECT_EQ(ready.status, 503);
  EXPECT_EQ(ready.body, R"({"status":"failing","checks":{"database":"failing"}})");
  EXPECT_EQ(client.get("/livez").status, 200);
  EXPECT_EQ(client.get("/startupz").status, 200);
  client.advance(2s);
  client.get("/readyz");
  store->fault.clear();
  client.advance(2s);
  EXPECT_EQ(client.get("/readyz").status, 200);
  EXPECT_EQ(lines->all,
            (std::vector<std::string>{"the health check database fails: no way to db.internal",
                                      "the health check database succeeds again"}));
}

TEST_F(HealthTest, is_asked_once_a_second_however_many_want_to_know) {
  TestClient client(healthy());
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(client.get("/readyz").status, 200);
  }
  EXPECT_EQ(store->asked, 1);
  client.advance(1001ms);
  client.get("/readyz");
  EXPECT_EQ(store->asked, 2);
}

TEST_F(HealthTest, of_a_check_that_hangs_is_failing_in_time) {
  store->takes = 1h;
  TestClient client(healthy({.within = 100ms}));
  EXPECT_EQ(client.get("/readyz").status, 503);
  EXPECT_EQ(lines->all, (std::vector<std::string>{
                            "the health check database fails: the check took longer than 100ms"}));
}

TEST_F(HealthTest, goes_on_to_be_asked_when_whoever_asked_first_has_left) {
  store->takes = 1s;
  TestClient client(healthy());
  EXPECT_EQ(client.raw("GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"), "");
  EXPECT_EQ(client.get("/readyz").status, 200);
  EXPECT_EQ(store->asked, 1);
}

struct Search {
  static constexpr std::string_view kName = "search";
  Result<void> check() {
    return is_built ? Result<void>() : fail(Error::unavailable("the index is being built"));
  }
  bool is_built = false;
};

TEST_F(HealthTest, takes_in_modules_groups_and_mounted_apps) {
  App inner;
  inner.state(Connected{store});
  inner.check("inner database", &ask);
  App app;
  auto& search = app.add_module<Search>();
  app.group("/api").check("nothing", [] {});
  serve_health(app);
  app.mount("/inner", std::move(inner));
  TestClient client(std::move(app));
  EXPECT_EQ(
      client.get("/readyz").body,
      R"({"status":"failing","checks":{"inner database":"ok","nothing":"ok","search":"failing"}})");
  search.is_built = true;
  client.advance(2s);
  EXPECT_EQ(client.get("/readyz").status, 200);
}

TEST_F(HealthTest, is_where_the_options_say) {
  TestClient client(healthy({.live = "", .ready = "/ready", .startup = ""}));
  EXPECT_EQ(client.get("/ready").status, 200);
  EXPECT_EQ(client.get("/livez").status, 404);
}

TEST_F(HealthTest, of_two_servers_of_one_app_is_each_ones_own) {
  const App app = healthy();
  {
    TestClient other(app);
    EXPECT_EQ(other.get("/readyz").status, 200);
  }
  TestClient client(app);
  EXPECT_EQ(client.get("/readyz").status, 200);
  EXPECT_EQ(store->asked, 2);
}

}  // namespace
}  // namespace eider
