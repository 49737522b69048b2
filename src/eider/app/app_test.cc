#include "eider/app/app.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/core/base/log.h"
#include "eider/io/runtime/sleep.h"
#include "eider/server/server.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

struct Paging {
  int page = 1;
};

class Counter {
 public:
  int next() { return ++count_; }

 private:
  int count_ = 0;
};

TestResponse get(const App& app, const std::string& target) {
  TestClient client(app);
  return client.get(target);
}

TEST(States, one_object_is_shared_and_may_be_overridden) {
  App app;
  app.state(Counter());
  app.get("/next", [](State<Counter> counter) { return counter->next(); });
  {
    TestClient client(app);
    EXPECT_EQ(client.get("/next").body, "1");
    EXPECT_EQ(client.get("/next").body, "2");
  }
  app.override_state(Counter());
  EXPECT_EQ(get(app, "/next").body, "1");
}

/// Returns the text of the Failure that the call throws.
std::string thrown_by(auto call) {
  try {
    call();
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "nothing is thrown";
}

TEST(States, a_second_one_of_a_type_is_told_by_its_name) {
  App app;
  app.state(std::string("one"));
  app.state(Counter());
  const std::string told = thrown_by([&app] { app.state<Counter>(); });
  EXPECT_TRUE(told.contains("Counter is already registered")) << told;
  EXPECT_TRUE(told.contains("override_state")) << told;
  EXPECT_TRUE(thrown_by([&app] { app.state(std::string("two")); }).contains("already"));
}

TEST(Routes, that_are_added_while_the_app_is_served_are_told) {
  App app;
  Routes group = app.group("/group");
  app.get("/x", [] { return "x"; });
  {
    const TestClient client(app);
    const std::string told = thrown_by([&group] { group.get("/late", [] { return "y"; }); });
    const std::string line = std::to_string(__LINE__ - 1);
    EXPECT_TRUE(told.contains("app_test.cc:" + line +
                              ": GET /group/late was added after the app had started"))
        << told;
    EXPECT_TRUE(told.contains("TestClient")) << told;
    const auto nothing = [](const Request&, Response&) {};
    EXPECT_TRUE(thrown_by([&] { app.on_response(nothing); }).contains("after the app had started"));
    EXPECT_TRUE(thrown_by([&] { app.guard([] {}); }).contains("after the app had started"));
    EXPECT_TRUE(thrown_by([&] { (void)app.group("/y"); }).contains("after the app had started"));
    EXPECT_TRUE(
        thrown_by([&] { app.override_state(Counter()); }).contains("after the app had started"));
  }
  app.get("/y", [] { return "y"; });
  EXPECT_EQ(get(app, "/y").body, "y");
}

TEST(States, what_cannot_be_moved_is_made_in_place) {
  struct Guarded {
    std::mutex mutex;
    int count = 0;
    explicit Guarded(int first) : count(first) {}
  };
  App app;
  app.state<Guarded>(41);
  app.state<std::atomic<int>>();
  app.get("/next", [](State<Guarded> guarded, State<std::atomic<int>> calls) {
    const std::lock_guard lock(guarded->mutex);
    return ++guarded->count + *calls;
  });
  EXPECT_EQ(get(app, "/next").body, "42");
  app.override_state<Guarded>(6);
  EXPECT_EQ(get(app, "/next").body, "7");
}

TEST(States, a_missing_one_is_reported_before_the_first_request) {
  App app;
  app.get("/next", [](State<Counter> counter) { return counter->next(); });
  const auto service = app.make_service();
  ASSERT_FALSE(service.has_value());
  EXPECT_TRUE(service.error().cause().contains("GET /next needs State<"));
  EXPECT_TRUE(service.error().cause().contains("Counter"));
}

TEST(Routes, conflicts_are_reported_before_the_first_request) {
  App app;
  const int line = __LINE__ + 1;
  app.get("/a/{x}", [](int x) { return x; });
  app.get("/a/{y}", [](int y) { return y; });
  app.get(RuntimePattern{"no-slash"}, [] { return "x"; });
  const auto service = app.make_service();
  ASSERT_FALSE(service.has_value());
  EXPECT_TRUE(service.error().cause().contains("/a/{x}"));
  EXPECT_TRUE(service.error().cause().contains("no-slash"));
  const std::string lines = service.error().cause();
  EXPECT_TRUE(lines.starts_with("app_test.cc:" + std::to_string(line + 1) + ": ")) << lines;
  EXPECT_TRUE(lines.contains("\napp_test.cc:" + std::to_string(line + 2) + ": ")) << lines;
  EXPECT_TRUE(lines.contains(": error[invalid-route]: ")) << lines;
}

TEST(Routes, an_empty_pattern_is_the_prefix_of_its_group) {
  App app;
  auto notes = app.group("/notes");
  notes.get("", [] { return "all"; });
  notes.get("/", [] { return "below"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/notes").body, "all");
  EXPECT_EQ(client.get("/notes/").body, "below");
}

TEST(Routes, an_empty_pattern_without_a_group_is_told_at_the_start) {
  App app;
  app.get("", [] { return "all"; });
  EXPECT_FALSE(app.make_service());
}

TEST(Routes, a_group_adds_its_prefix) {
  App app;
  auto api = app.group("/api/v1");
  api.get("/notes", [] { return "notes"; });
  api.group("/deep").get("/er", [] { return "deeper"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/api/v1/notes").body, "notes");
  EXPECT_EQ(client.get("/api/v1/deep/er").body, "deeper");
  EXPECT_EQ(client.get("/notes").status, 404);
}

TEST(Routes, head_options_and_405_come_by_themselves) {
  App app;
  app.get("/a", [] { return "text"; });
  app.post("/a", [](Body) { return "text"; });
  TestClient client(app);
  const TestResponse head = client.head("/a");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), "4");
  EXPECT_EQ(head.body, "");
  const TestResponse options = client.send({.method = Method::options, .target = "/a"});
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.header("Allow"), "GET, HEAD, POST, OPTIONS");
  const TestResponse refused = client.del("/a");
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.header("Allow"), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(client.get("/%zz").status, 400);
}

TEST(Routes, a_query_has_content_and_is_allowed_where_it_has_a_route) {
  App app;
  app.query("/search", [](Json<Paging> paging) { return paging->page; });
  app.get("/notes", [] { return "notes"; });
  TestClient client(app);
  const TestResponse found = client.send({.method = Method::query,
                                          .target = "/search",
                                          .headers = {{"Content-Type", "application/json"}},
                                          .body = R"({"page":7})"});
  EXPECT_EQ(found.body, "7");
  const TestResponse refused = client.send({.method = Method::query, .target = "/notes"});
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.header("Allow"), "GET, HEAD, OPTIONS");
  EXPECT_EQ(client.send({.method = Method::get, .target = "/search"}).header("Allow"),
            "OPTIONS, QUERY");
  EXPECT_TRUE(client.raw("BREW /notes HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("HTTP/1.1 501 "));
}

TEST(Serving, that_cannot_begin_says_so_in_the_log_and_returns) {
  const auto log = std::make_shared<LogLines>();
  App app;
  app.log_to(log);
  app.get("/next", [](State<Counter> counter) { return counter->next(); });
  app.get("/a/{x}", [](int x) { return x; });
  app.get("/a/{y}", [](int y) { return y; });
  EXPECT_EQ(app.serve({}).code(), 1);
  ASSERT_EQ(log->lines.size(), 2U);
  EXPECT_TRUE(log->lines[0].contains(": GET /next needs State<"));
  EXPECT_TRUE(log->lines[0].ends_with(" code=missing-state")) << log->lines[0];
  EXPECT_TRUE(log->lines[1].contains("/a/{x}"));
  EXPECT_TRUE(log->lines[1].ends_with(" code=duplicate-route")) << log->lines[1];
}

TEST(Errors, a_result_and_a_thrown_failure_have_their_own_status) {
  App app;
  app.get("/result", []() -> Result<int> { return fail(Error::conflict("Taken.")); });
  app.get("/failure", []() -> int { throw Failure(Error::forbidden("No.")); });
  app.get("/later", []() -> Task<Result<int>> { co_return fail(Error::not_found()); });
  TestClient client(app);
  EXPECT_EQ(client.get("/result").status, 409);
  EXPECT_EQ(client.get("/result").problem().detail, "Taken.");
  EXPECT_EQ(client.get("/failure").status, 403);
  EXPECT_EQ(client.get("/later").status, 404);
}

TEST(Errors, an_exception_is_a_500_that_names_nothing_inside_and_is_logged) {
  const auto log = std::make_shared<LogLines>();
  App app;
  app.log_to(log);
  app.get("/now", []() -> int { throw std::runtime_error("secret"); });
  app.get("/later", []() -> Task<int> {
    co_await sleep_for(1ms);
    throw std::runtime_error("secret");
  });
  app.get("/odd", []() -> int { throw 7; });
  app.get("/said", []() -> int { throw Failure(Error::unavailable("Come back later.")); });
  TestClient client(app);
  for (const char* target : {"/now", "/later", "/odd"}) {
    const TestResponse reply = client.get(target);
    EXPECT_EQ(reply.status, 500) << target;
    EXPECT_FALSE(reply.body.contains("secret")) << target;
  }
  EXPECT_EQ(client.get("/said").status, 503);
  ASSERT_EQ(log->lines.size(), 4U);
  EXPECT_TRUE(log->lines[0].starts_with("GET /now failed: secret (route at app_test.cc:"));
  EXPECT_TRUE(log->lines[1].starts_with("GET /later failed: secret (route at app_test.cc:"));
  // Without a cause, the detail is logged:
  EXPECT_TRUE(log->lines[3].starts_with("GET /said failed: Come back later. (route at app_test"));
}

TEST(Errors, a_header_that_would_split_the_response_is_a_500) {
  App app;
  app.log_to(std::make_shared<LogLines>());
  app.get("/to/{where}", [](std::string where) { return Response().add_header("X-Where", where); });
  TestClient client(app);
  const TestResponse reply = client.get("/to/a%0d%0aSet-Cookie:%20x=1");
  EXPECT_EQ(reply.status, 500);
  EXPECT_FALSE(reply.header("Set-Cookie").has_value());
}

TEST(Hooks, run_outer_first_and_see_every_response) {
  std::string order;
  App app;
  app.use(Hook{.on_request =
                   [&order](Request&, Response&) {
                     order += "a";
                     return true;
                   },
               .on_response = [&order](const Request&, Response&) { order += "A"; }});
  auto group = app.group("/g");
  group.use(Hook{.on_request =
                     [&order](Request&, Response&) {
                       order += "b";
                       return true;
                     },
                 .on_response = [&order](const Request&, Response&) { order += "B"; }});
  group.get("/x", [&order] {
    order += "x";
    return "x";
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/g/x").body, "x");
  EXPECT_EQ(client.get("/none").status, 404);
  EXPECT_EQ(order, "abxBAaA");
}

TEST(Hooks, before_may_refuse) {
  App app;
  app.on_request([](Request& request) -> Result<void> {
    if (!request.header("X-Key")) {
      return fail(Error::unauthorized("Send X-Key."));
    }
    return {};
  });
  app.get("/x", [] { return "x"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/x").status, 401);
  EXPECT_EQ(client.send({.target = "/x", .headers = {{"X-Key", "1"}}}).body, "x");
}

TEST(Middleware, wraps_handlers_that_wait_and_those_that_do_not) {
  App app;
  app.use([](Request&, Next next) -> Task<Response> {
    Response response = co_await next();
    response.add_header("X-Outer", "1");
    co_return response;
  });
  auto group = app.group("/g");
  group.use([](Request& request, Next next) -> Task<Response> {
    if (request.header("X-Stop")) {
      co_return Response::text("stopped", 403);
    }
    co_return co_await next();
  });
  group.get("/now", [] { return "now"; });
  group.get("/later", []() -> Task<std::string> {
    co_await sleep_for(10ms);
    co_return "later";
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/g/now").body, "now");
  EXPECT_EQ(client.get("/g/now").header("X-Outer"), "1");
  EXPECT_EQ(client.get("/g/later").body, "later");
  EXPECT_EQ(client.send({.target = "/g/later", .headers = {{"X-Stop", "1"}}}).status, 403);
}

TEST(Waiting, a_task_answers_later_and_its_request_is_still_there) {
  App app;
  app.post("/echo/{name}", [](std::string_view name, Body body) -> Task<std::string> {
    co_await sleep_for(200ms);
    co_return std::string(name) + ":" + std::string(body.view());
  });
  TestClient client(app);
  const TestResponse reply =
      client.send({.method = Method::post, .target = "/echo/a%20b", .body = "payload"});
  EXPECT_EQ(reply.body, "a b:payload");
}

TEST(Waiting, blocking_work_runs_on_the_pool_with_its_arguments) {
  App app;
  app.get("/slow/{n}", blocking([](int n, Request& request) {
            return std::to_string(n) + std::string(request.path());
          }));
  app.get("/throws", blocking([]() -> int { throw Failure(Error::conflict("no")); }));
  TestClient client(app);
  EXPECT_EQ(client.get("/slow/7").body, "7/slow/7");
  EXPECT_EQ(client.get("/throws").status, 409);
}

}  // namespace
}  // namespace eider
