#include "eider/app/handlers/middleware.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/log.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"
#include "tests/sim/sim_app.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

/// Stores each status, and marks the response.
Middleware noting(std::vector<int>& statuses) {
  return [&statuses](Request&, Next next) -> Task<Response> {
    Response response = co_await next();
    statuses.push_back(response.status());
    response.add_header("X-Noted", "1");
    co_return response;
  };
}

TEST(Middleware, may_return_what_follows_without_waiting_for_it) {
  App app;
  app.use([](Request& /*request*/, Next next) { return next(); });
  app.get("/", [] { return "hi"; });
  app.get("/later", []() -> Task<std::string> {
    co_await sleep_for(1ms);
    co_return "later";
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/").body, "hi");
  EXPECT_EQ(client.get("/later").body, "later");
}

TEST(Middleware, is_given_the_response_that_what_is_thrown_becomes) {
  std::vector<int> statuses;
  App app;
  app.log_to(std::make_shared<LogLines>());
  app.use(noting(statuses));
  app.get("/now", []() -> int { throw Failure(Error::forbidden("No.")); });
  app.get("/later", []() -> Task<int> {
    co_await sleep_for(1ms);
    throw Failure(Error::conflict("Taken."));
  });
  app.get("/error", []() -> int { throw Error::unauthorized("Who are you?"); });
  app.get("/broken", []() -> int { throw std::runtime_error("secret"); });
  TestClient client(app);
  for (const char* target : {"/now", "/later", "/error", "/broken"}) {
    EXPECT_EQ(client.get(target).header("X-Noted"), "1") << target;
  }
  EXPECT_EQ(statuses, (std::vector<int>{403, 409, 401, 500}));
  EXPECT_EQ(client.get("/now").problem().detail, "No.");
}

TEST(Middleware, is_given_the_response_that_an_inner_one_throws) {
  std::vector<int> statuses;
  App app;
  app.use(noting(statuses));
  app.use([](Request&, Next) -> Task<Response> {
    throw Failure(Error(429, "Too many.").with_header("Retry-After", "30"));
    co_return Response();
  });
  app.get("/x", [] { return "x"; });
  const TestResponse reply = TestClient(app).get("/x");
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.header("Retry-After"), "30");
  EXPECT_EQ(reply.header("X-Noted"), "1");
  EXPECT_EQ(statuses, std::vector<int>{429});
}

TEST(Middleware, a_failure_inside_it_is_logged_once) {
  const auto log = std::make_shared<LogLines>();
  std::vector<int> statuses;
  App app;
  app.log_to(log);
  app.use(noting(statuses));
  app.use(noting(statuses));
  app.get("/x", []() -> int { throw std::runtime_error("secret"); });
  EXPECT_EQ(TestClient(app).get("/x").status, 500);
  ASSERT_EQ(log->lines.size(), 1U);
  EXPECT_TRUE(log->lines[0].starts_with("GET /x failed: secret (route at middleware_test.cc:"));
  EXPECT_EQ(statuses, (std::vector<int>{500, 500}));
}

TEST(Middleware, is_told_which_pattern_has_matched) {
  std::vector<std::string> routes;
  App app;
  app.on_response(
      [&routes](const Request& request, Response&) { routes.emplace_back(request.route()); });
  auto group = app.group("/api");
  group.get("/notes/{id}", [](int id) { return id; });
  group.get("/later/{id}", [](int id, const Request& request) -> Task<std::string> {
    co_await sleep_for(1ms);
    co_return std::string(request.route()) + std::to_string(id);
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/api/notes/7").status, 200);
  EXPECT_EQ(client.get("/none").status, 404);
  EXPECT_EQ(client.get("/api/later/7").body, "/api/later/{id}7");
  EXPECT_EQ(routes, (std::vector<std::string>{"/api/notes/{id}", "", "/api/later/{id}"}));
}

int calls_on_a_thread = 0;

void set_up_slow_middleware(App& app) {
  app.use([](Request&, Next next) -> Task<Response> {
    co_await sleep_for(10ms);
    co_return co_await next();
  });
  app.get("/", blocking([] { return ++calls_on_a_thread; }));
}

TEST(Middleware, that_waits_ahead_of_a_thread_takes_none_for_a_client_that_has_left) {
  for (const bool stays : {true, false}) {
    calls_on_a_thread = 0;
    SimAppServer<&set_up_slow_middleware> server;
    SimClient client = server.connect();
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    server.kernel.advance(5ms);
    if (!stays) {
      client.reset();
    }
    server.kernel.advance(50ms);
    EXPECT_EQ(calls_on_a_thread, stays ? 1 : 0);
  }
}

TEST(Hooks, of_a_group_see_the_methods_that_its_paths_lack) {
  App app;
  auto open = app.group("/open");
  open.on_response([](const Request&, Response& response) {
    response.add_header("Access-Control-Allow-Origin", "*");
  });
  open.post("/notes", [] { return "posted"; });
  app.get("/notes", [] { return "notes"; });
  TestClient client(app);
  for (const Method method : {Method::post, Method::options, Method::get, Method::query}) {
    const TestResponse reply = client.send({.method = method, .target = "/open/notes"});
    EXPECT_TRUE(reply.header("Access-Control-Allow-Origin").has_value()) << to_text(method);
  }
  EXPECT_EQ(client.send({.method = Method::put, .target = "/open/notes"}).status, 405);
  const TestResponse none = client.send({.method = Method::options, .target = "/open/none"});
  EXPECT_EQ(none.status, 404);
  EXPECT_TRUE(none.header("Access-Control-Allow-Origin").has_value());
  const TestResponse other = client.send({.method = Method::options, .target = "/notes"});
  EXPECT_FALSE(other.header("Access-Control-Allow-Origin").has_value());
}

TEST(Hooks, around_one_that_throws_see_the_response_that_this_becomes) {
  App app;
  app.log_to(std::make_shared<LogLines>());
  app.on_response([](const Request&, Response& response) {
    response.add_header("X-Outer", std::to_string(response.status()));
  });
  app.on_response([](const Request&, Response&) { throw std::runtime_error("inner"); });
  app.get("/", [] { return "text"; });
  TestClient client(app);
  const TestResponse reply = client.get("/");
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.header("X-Outer"), "500");
}

}  // namespace
}  // namespace eider
