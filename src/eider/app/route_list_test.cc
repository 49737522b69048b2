// The output of `--routes`, hooks and middleware of single routes, and functions before routing.

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/client.h"
#include "eider/app/handlers/respond.h"
#include "eider/app/handlers/websocket.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/server/server.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

struct Visitor {
  int number;
};

Hook noting(std::string name, std::vector<std::string>& steps) {
  return {.on_request =
              [name, &steps](Request&, Response&) {
                steps.push_back(name);
                return true;
              },
          .on_response = [name, &steps](const Request&,
                                        Response&) { steps.push_back(name + " after"); },
          .name = name};
}

Middleware around(std::string name, std::vector<std::string>& steps) {
  return {[name, &steps](Request&, Next next) -> Task<Response> {
            steps.push_back(name);
            Response response = co_await next();
            steps.push_back(name + " after");
            co_return response;
          },
          name};
}

TEST(RouteList, tells_each_route_with_what_stands_around_it_and_where_it_is_written) {
  std::vector<std::string> steps;
  App app;
  app.use(Rewrite{.function = [](RequestHead&) {}, .name = "changes"});
  app.use(noting("outer", steps));
  app.guard([]() -> Visitor { return {1}; });
  Routes group = app.group("/notes");
  group.use(around("slow", steps));
  group.use(Hook{.on_body = [](Request&, Response&) { return true; }, .name = "looks"});
  group.get("/{id}", [](int) { return "x"; }).use(noting("own", steps)).body_bytes_max(4096);
  const unsigned line = __LINE__ - 1;
  app.ws("/live", [](WebSocket) -> Task<> { co_return; });
  const std::string text = app.list_routes();
  EXPECT_TRUE(text.starts_with("before routing: changes\n")) << text;
  EXPECT_TRUE(text.contains("GET /notes/{id}  outer > own > guard of eider::")) << text;
  EXPECT_TRUE(text.contains("Visitor > looks (request body) > slow > handler")) << text;
  EXPECT_TRUE(text.contains("4 KiB  route_list_test.cc:" + std::to_string(line) + "\n")) << text;
  EXPECT_TRUE(text.contains(" > websocket ")) << text;
  EXPECT_TRUE(text.contains("1 MiB")) << text;
}

TEST(RouteUse, holds_for_that_route_alone_within_its_group) {
  std::vector<std::string> steps;
  App app;
  app.use(noting("group", steps));
  app.use(around("outer", steps));
  app.get("/one",
          [&steps] {
            steps.emplace_back("handler");
            return "one";
          })
      .use(noting("own", steps))
      .use(around("inner", steps));
  app.get("/other", [] { return "other"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/one").body, "one");
  EXPECT_EQ(steps,
            (std::vector<std::string>{"group", "own", "outer", "inner", "handler", "inner after",
                                      "outer after", "own after", "group after"}));
  steps.clear();
  EXPECT_EQ(client.get("/other").body, "other");
  EXPECT_EQ(steps, (std::vector<std::string>{"group", "outer", "outer after", "group after"}));
}

TEST(RouteUse, lets_its_handler_take_what_its_hook_puts) {
  App app;
  const Hook puts{.on_request =
                      [](Request& request, Response&) {
                        request.set(Visitor{7});
                        return true;
                      },
                  .extensions = {kExtension<Visitor>}};
  app.get("/one", [](Extension<Visitor> visitor) { return visitor->number; }).use(puts);
  EXPECT_EQ(TestClient(app).get("/one").body, "7");
  app.get("/other", [](Extension<Visitor> visitor) { return visitor->number; });
  EXPECT_FALSE(app.make_service().has_value());
  app.use(puts);
  EXPECT_TRUE(app.make_service().has_value());
}

TEST(ClientHooks, are_told_of_the_trust_that_is_given_later) {
  const ClientHook hook{[](const ProxyTrust& trust) {
    return Hook{.on_request =
                    [&trust](Request& request, Response& response) {
                      response.add_header("X-Client", client_of(request, trust).address);
                      return true;
                    },
                .on_response = {}};
  }};
  App app;
  app.get("/route", [] { return "x"; }).use(hook);
  app.use(hook);
  app.trust_proxies("127.0.0.1");
  const auto service = app.make_service().value();
  Server server(*service, {.port = 0, .threads = 1});
  ASSERT_TRUE(server.start());
  const testing::Peer peer(SocketAddress::parse("127.0.0.1", server.port()).value());
  EXPECT_TRUE(peer.send(
      "GET /route HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-For: 192.0.2.9\r\n\r\n"));
  const std::string response = peer.receive_all();
  EXPECT_TRUE(response.contains("X-Client: 192.0.2.9\r\nX-Client: 192.0.2.9\r\n")) << response;
}

TEST(Rewrites, choose_the_route_also_of_handlers_that_wait) {
  App app;
  app.use(Rewrite{.function = [](RequestHead& head) {
    if (head.method == Method::post) {
      head.method = Method::put;
      head.path = "/target";
    }
  }});
  app.put("/target", [](const Request& request, Body body) -> Task<std::string> {
    const std::string said =
        std::string(to_text(request.method())) + " " + std::string(body.view());
    co_await sleep_for(1ms);
    co_return said + " " + std::string(request.path()) + " " +
        std::string(to_text(request.method()));
  });
  TestClient client(app);
  EXPECT_EQ(client.send({.method = Method::post, .target = "/a?b=c", .body = "text"}).body,
            "PUT text /target PUT");
  EXPECT_EQ(client.send({.method = Method::put, .target = "/a", .body = "text"}).status, 404);
}

TEST(Rewrites, that_throw_are_told_to_the_log_and_route_what_came) {
  const auto log = std::make_shared<LogLines>();
  App app;
  app.log_to(log);
  app.use(Rewrite{.function = [](RequestHead&) { throw std::runtime_error("broken rewrite"); }});
  app.get("/x", [] { return "x"; });
  EXPECT_EQ(TestClient(app).get("/x").body, "x");
  ASSERT_FALSE(log->lines.empty());
  EXPECT_TRUE(log->lines[0].contains("broken rewrite"));
}

TEST(RouteList, pads_no_line_for_one_that_is_much_longer) {
  App app;
  std::vector<std::string> steps;
  app.get("/short", [] { return "x"; });
  app.get("/guarded", [] { return "x"; }).use(noting(std::string(300, 'n'), steps));
  const std::string text = app.list_routes();
  EXPECT_LT(text.find('\n'), 100U) << text;
  EXPECT_TRUE(text.contains(std::string(300, 'n') + " > handler  1 MiB  route_list_test.cc:"))
      << text;
}

}  // namespace
}  // namespace eider
