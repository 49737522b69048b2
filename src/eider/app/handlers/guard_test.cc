// Guards: their order, the requests that they reject, and their startup errors.
#include "eider/app/handlers/guard.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/testkit/test_client.h"
#include "tests/support/guards_app.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using GuardServer = SimAppServer<&set_up_guards>;

const std::vector<std::string> kGroups = {"/plain", "/waiting", "/hooked"};

std::string guarded_get(const std::string& target, const std::string& who = "ann") {
  return "GET " + target + " HTTP/1.1\r\nHost: a\r\nWho: " + who + "\r\n\r\n";
}

/// Returns the request line and headers of a POST.
std::string guarded_post(const std::string& target, const std::string& who,
                         const std::string& fields) {
  return "POST " + target + " HTTP/1.1\r\nHost: a\r\nWho: " + who + "\r\n" + fields + "\r\n";
}

std::string length_field(std::size_t bytes) {
  return "Content-Length: " + std::to_string(bytes) + "\r\n";
}

std::string response_of(GuardServer& server, const std::string& request) {
  SimClient client = server.connect();
  client.send(request);
  server.kernel.advance(milliseconds(50));
  return client.take_received();
}

TEST(Guards, give_their_handlers_what_they_learned) {
  for (const std::string& group : kGroups) {
    for (const char* target : {"/me", "/later", "/streamed", "/events"}) {
      GuardServer server;
      const std::string response = response_of(server, guarded_get(group + target));
      EXPECT_TRUE(response.starts_with("HTTP/1.1 200")) << group << target << "\n" << response;
      EXPECT_TRUE(response.contains("ann")) << group << target << "\n" << response;
      EXPECT_TRUE(response.contains("X-Asking: ann")) << group << target << "\n" << response;
    }
  }
}

TEST(Guards, answer_in_the_handlers_place) {
  for (const std::string& group : kGroups) {
    for (const char* target : {"/me", "/later", "/streamed", "/events", "/socket", "/blocking"}) {
      GuardServer server;
      const std::string stranger = response_of(server, guarded_get(group + target, ""));
      EXPECT_TRUE(stranger.starts_with("HTTP/1.1 401")) << group << target << "\n" << stranger;
      EXPECT_TRUE(stranger.contains("WWW-Authenticate: Bearer")) << target;
      EXPECT_TRUE(stranger.contains("X-Hook: 0")) << target;
      EXPECT_TRUE(stranger.contains("X-Asking: -")) << target;
      EXPECT_TRUE(
          response_of(server, guarded_get(group + target, "bad")).starts_with("HTTP/1.1 403"))
          << target;
      EXPECT_TRUE(
          response_of(server, guarded_get(group + target, "broken")).starts_with("HTTP/1.1 500"))
          << target;
    }
  }
}

TEST(Guards, run_behind_hooks_and_ahead_of_the_content) {
  for (const std::string& group : kGroups) {
    GuardServer server;
    const std::string response =
        response_of(server, guarded_post(group + "/content", "ann", length_field(4)) + "abcd");
    EXPECT_TRUE(response.ends_with("ann:4")) << response;
    EXPECT_TRUE(response.contains("X-Hook: 0")) << response;  // even if the body has arrived
    EXPECT_TRUE(response.contains("X-Content: 4")) << response;
    EXPECT_EQ(take_steps(), (std::vector<std::string>{"hook", group.substr(1) + " guard of 0",
                                                      "content hook", "handler"}));
  }
}

TEST(Guards, ask_for_the_content_when_they_have_let_it_through) {
  for (const std::string& group : kGroups) {
    GuardServer server;
    SimClient client = server.connect();
    client.send(
        guarded_post(group + "/content", "ann", length_field(4) + "Expect: 100-continue\r\n"));
    server.kernel.advance(milliseconds(50));
    EXPECT_EQ(client.take_received(), "HTTP/1.1 100 Continue\r\n\r\n") << group;
    client.send("abcd");
    server.kernel.run_until_idle();
    const std::string response = client.take_received();
    EXPECT_TRUE(response.ends_with("ann:4")) << response;
    EXPECT_FALSE(response.contains("Connection: close")) << response;
    client.send(guarded_get("/open"));
    server.kernel.run_until_idle();
    EXPECT_TRUE(client.take_received().ends_with("open"));
  }
}

TEST(Guards, gather_content_of_any_length_and_framing) {
  const std::string content(600'000, 'x');
  const std::vector<std::string> framed = {
      length_field(content.size()) + "\r\n" + content,
      "Transfer-Encoding: chunked\r\n\r\n927c0\r\n" + content + "\r\n0\r\n\r\n"};
  for (const std::string& group : kGroups) {
    for (const std::string& rest : framed) {
      GuardServer server;
      SimClient client = server.connect();
      const std::string request =
          "POST " + group + "/content HTTP/1.1\r\nHost: a\r\nWho: ann\r\n" + rest;
      for (std::size_t at = 0; at < request.size(); at += 50'000) {
        client.send(std::string_view(request).substr(at, 50'000));
        server.kernel.run_until_idle();
      }
      client.send(guarded_get("/open"));
      server.kernel.advance(milliseconds(50));
      const auto responses = read_responses(client.take_received());
      ASSERT_EQ(responses.size(), 2U) << group;
      EXPECT_EQ(responses[0].body, "ann:600000");
      EXPECT_EQ(responses[1].body, "open");
    }
  }
}

// Bytes that a rejected client still sends are not a request, even if they look like one.
TEST(Guards, end_the_connection_of_which_they_refuse_the_content) {
  const std::string hidden = guarded_get("/open");
  for (const std::string& group : kGroups) {
    for (const std::string& who : {std::string(), std::string("bad"), std::string("broken")}) {
      for (const char* target : {"/content", "/stream"}) {
        GuardServer server;
        SimClient client = server.connect();
        client.send(guarded_post(group + target, who,
                                 length_field(hidden.size()) + "Expect: 100-continue\r\n"));
        server.kernel.advance(milliseconds(50));
        const std::string response = client.take_received();
        EXPECT_TRUE(response.starts_with("HTTP/1.1 ")) << response;
        EXPECT_FALSE(response.starts_with("HTTP/1.1 100")) << response;
        EXPECT_TRUE(response.contains("Connection: close")) << response;
        client.send(hidden);
        server.kernel.advance(milliseconds(50));
        EXPECT_EQ(client.take_received(), "") << group << target;
      }
    }
  }
}

// Nor are bytes that arrived with the headers, or while the guard waited.
TEST(Guards, take_half_a_content_for_no_request_either) {
  const std::string hidden = guarded_get("/open");
  const std::vector<std::string> framed = {length_field(hidden.size() * 2 + 4) + "\r\nab",
                                           "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
                                           "Transfer-Encoding: chunked\r\n\r\nff\r\n"};
  for (const std::string& group : kGroups) {
    for (const std::string& begun : framed) {
      for (const char* target : {"/content", "/stream", "/blocking-content"}) {
        GuardServer server;
        SimClient client = server.connect();
        client.send("POST " + group + target + " HTTP/1.1\r\nHost: a\r\nWho: bad\r\n" + begun);
        server.kernel.advance(milliseconds(5));
        client.send(hidden + hidden);
        server.kernel.advance(milliseconds(50));
        const auto responses = read_responses(client.take_received());
        ASSERT_EQ(responses.size(), 1U) << group << target << begun;
        EXPECT_EQ(responses[0].status, 403) << group << target << begun;
        EXPECT_TRUE(responses[0].head.contains("Connection: close")) << group << target << begun;
      }
    }
  }
}

TEST(Guards, may_send_clients_elsewhere_or_throw_what_they_like) {
  App app;
  app.log_to(nullptr);
  app.get("/away", [] { return "x"; }).guard([]() -> Result<void> {
    return fail(Error(303, "Log in first.").with_header("Location", "/login"));
  });
  app.get("/error", [] { return "x"; }).guard([]() -> Task<Result<void>> {
    throw Error(418, "I am a teapot.");
    co_return Result<void>();
  });
  app.get("/number", [] { return "x"; }).guard([] { throw 7; });
  TestClient client(app);
  const TestResponse away = client.get("/away");
  EXPECT_EQ(away.status, 303);
  EXPECT_EQ(away.header("Location"), "/login");
  EXPECT_EQ(client.get("/error").status, 418);
  EXPECT_EQ(client.get("/number").status, 500);
}

// The end of the body was received, so the next bytes are a request.
TEST(Guards, keep_the_connection_when_the_content_has_come) {
  GuardServer server;
  const std::string response =
      response_of(server, guarded_post("/plain/content", "bad", length_field(4)) + "abcd" +
                              guarded_get("/open"));
  const auto responses = read_responses(response);
  ASSERT_EQ(responses.size(), 2U) << response;
  EXPECT_EQ(responses[0].status, 403);
  EXPECT_EQ(responses[1].body, "open");
}

TEST(Guards, leave_the_bounds_of_content_as_they_are) {
  for (const std::string& group : kGroups) {
    GuardServer server;
    const std::string announced =
        response_of(server, guarded_post(group + "/content", "ann", length_field(1'000'001)));
    EXPECT_TRUE(announced.starts_with("HTTP/1.1 413")) << announced;
    const std::string chunked = response_of(
        server, guarded_post(group + "/content", "ann", "Transfer-Encoding: chunked\r\n") +
                    "f4250\r\n" + std::string(1'000'016, 'x') + "\r\n0\r\n\r\n");
    EXPECT_TRUE(chunked.starts_with("HTTP/1.1 413")) << chunked;
    EXPECT_TRUE(chunked.contains("Connection: close"));
    SimClient slow = server.connect();
    slow.send(guarded_post(group + "/content", "ann", length_field(4)) + "a");
    server.kernel.advance(seconds(120));
    const std::string response = slow.take_received();
    EXPECT_TRUE(response.starts_with("HTTP/1.1 408")) << response;
    EXPECT_TRUE(response.contains("Connection: close")) << response;
  }
}

TEST(Guards, are_destroyed_where_they_wait_when_the_client_leaves) {
  for (const char* target : {"/me", "/later", "/events", "/socket", "/blocking"}) {
    GuardServer server;
    SimClient client = server.connect();
    client.send(guarded_get(std::string("/waiting") + target));
    server.kernel.run_until_idle();
    EXPECT_EQ(guards_noted().waiting, 1) << target;
    client.reset();
    server.kernel.run_until_idle();
    EXPECT_EQ(guards_noted().waiting, 0) << target;
  }
}

// A request is not destroyed while a thread may be using it, even if the client disconnects. No
// thread does while a guard waits, or the body is being received.
TEST(Guards, ahead_of_a_thread_end_at_once_when_the_client_leaves) {
  for (const bool has_guard_ended : {false, true}) {
    GuardServer server;
    AliveAsking::count = 0;
    SimClient client = server.connect();
    client.send(guarded_post("/waiting/blocking-content", "ann", length_field(4)) + "ab");
    server.kernel.advance(milliseconds(has_guard_ended ? 20 : 5));
    EXPECT_EQ(AliveAsking::count, has_guard_ended ? 1 : 0);
    client.reset();
    server.kernel.run_until_idle();
    EXPECT_EQ(guards_noted().waiting, 0);
    EXPECT_EQ(AliveAsking::count, 0);
    server.kernel.advance(milliseconds(50));
    for (const std::string& step : take_steps()) {
      EXPECT_NE(step, "handler");
    }
  }
}

Task<> wait_for_long(AliveAsking /*alive*/) {
  co_await sleep_for(seconds(1000));
}

void set_up_guard_on_a_thread(App& app) {
  app.guard(blocking([] {}));
  app.get("/task", []() -> Task<> { return wait_for_long({}); });
  app.get("/content", [](BodyStream) -> Task<> { return wait_for_long({}); });
  app.get("/guarded", [] { return "x"; }).guard([]() -> Task<> { return wait_for_long({}); });
}

// The task of such a request is not destroyed, but the wait of its handler is canceled.
TEST(Guards, on_a_thread_leave_a_handler_that_waits_to_its_client) {
  for (const char* target : {"/task", "/content", "/guarded"}) {
    SimAppServer<&set_up_guard_on_a_thread> server;
    AliveAsking::count = 0;
    SimClient client = server.connect();
    client.send(guarded_get(target));
    server.kernel.run_until_idle();
    EXPECT_EQ(AliveAsking::count, 1) << target;
    client.reset();
    server.kernel.run_until_idle();
    EXPECT_EQ(AliveAsking::count, 0) << target;
  }
}

TEST(Guards, that_wait_hold_up_what_is_pipelined_behind_them) {
  GuardServer server;
  SimClient client = server.connect();
  std::string all;
  for (const char* who : {"ann", "bob", "cid"}) {
    all += guarded_post("/waiting/content", who, length_field(4)) + "abcd";
    all += guarded_post("/waiting/content", who, "Transfer-Encoding: chunked\r\n") +
           "4\r\nabcd\r\n0\r\nTrailer: x\r\n\r\n";
    all += guarded_get("/plain/me", who);
  }
  for (std::size_t at = 0; at < all.size(); at += 7) {  // independent of the size of the pieces
    client.send(std::string_view(all).substr(at, 7));
    server.kernel.run_until_idle();
  }
  server.kernel.advance(milliseconds(200));
  const auto responses = read_responses(client.take_received());
  ASSERT_EQ(responses.size(), 9U);
  for (std::size_t index = 0; index < responses.size(); ++index) {
    const std::string who = std::vector<std::string>{"ann", "bob", "cid"}[index / 3];
    EXPECT_EQ(responses[index].body, index % 3 == 2 ? who : who + ":4");
  }
}

TEST(Guards, are_waited_for_by_a_drain) {
  GuardServer server;
  SimClient client = server.connect();
  client.send(guarded_post("/waiting/content", "ann", length_field(4)) + "ab");
  server.kernel.run_until_idle();
  EXPECT_EQ(guards_noted().waiting, 1);
  server.drain(seconds(5));
  client.send("cd");
  server.kernel.advance(milliseconds(50));
  const std::string response = client.take_received();
  EXPECT_TRUE(response.ends_with("ann:4")) << response;
  EXPECT_TRUE(response.contains("Connection: close"));
}

TEST(Guards, are_asked_about_handlers_alone) {
  App app;
  int asked = 0;
  app.guard([&asked] { ++asked; });
  app.get("/here", [] { return "here"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/nowhere").status, 404);
  EXPECT_EQ(client.post("/here", {}).status, 405);
  EXPECT_EQ(client.send({.method = Method::options, .target = "/here"}).status, 204);
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(client.head("/here").status, 200);
  EXPECT_EQ(client.get("/here").status, 200);
  EXPECT_EQ(asked, 2);
}

TEST(Guards, run_from_the_outermost_group_to_the_route) {
  App app;
  std::string order;
  const auto guard_named = [&order](std::string name) { return [&order, name] { order += name; }; };
  Routes outer = app.group("/outer");
  Routes inner = outer.group("/inner");
  inner.get("/x", [] { return "x"; }).guard(guard_named("4")).guard(guard_named("5"));
  inner.guard(guard_named("3"));
  outer.guard(guard_named("2"));
  app.guard(guard_named("1"));
  app.guard(guard_named("!"));
  Routes host = app.host("other.example");
  host.guard(guard_named("h"));
  host.get("/x", [] { return "host"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/outer/inner/x").body, "x");
  EXPECT_EQ(std::exchange(order, {}), "1!2345");
  EXPECT_EQ(client.raw("GET /x HTTP/1.1\r\nHost: other.example\r\n\r\n").substr(9, 3), "200");
  EXPECT_EQ(order, "1!h");
}

TEST(Guards, of_two_that_put_the_same_the_inner_is_found) {
  App app;
  app.guard([] { return Asking{"outer"}; });
  Routes inner = app.group("/in");
  inner.guard([](Extension<Asking> outer) { return Asking{outer->name + ", inner"}; });
  inner.get("/", [](Extension<Asking> asking) { return asking->name; });
  app.get("/", [](Extension<Asking> asking) { return asking->name; });
  TestClient client(app);
  EXPECT_EQ(client.get("/in/").body, "outer, inner");
  EXPECT_EQ(client.get("/").body, "outer");
}

TEST(Guards, that_are_plain_leave_a_plain_call) {
  App app;
  set_up_guards(app);
  const auto service = app.make_service().value();
  const auto plan_of = [&service](std::string_view path) {
    Request request;
    request.head().method = Method::get;
    request.head().path = path;
    return service->plan(request);
  };
  EXPECT_FALSE(plan_of("/plain/me").waits);
  EXPECT_TRUE(plan_of("/waiting/me").waits);
  EXPECT_TRUE(plan_of("/plain/me").decides_first);
}

TEST(Guards, may_run_on_the_blocking_pool) {
  App app;
  app.guard(blocking([](Header<"who", std::string> who) { return Asking{*who}; }));
  app.get("/", [](Extension<Asking> asking) { return asking->name; });
  const auto service = app.make_service().value();
  Request request;
  request.head().method = Method::get;
  request.head().path = "/";
  EXPECT_TRUE(service->plan(request).outlives_client);
}

TEST(Guards, leave_middleware_what_they_put) {
  App app;
  app.guard([] { return Asking{"ann"}; });
  app.use([](Request& request, Next next) -> Task<Response> {
    Response response = co_await next();
    response.add_header("X-Around", request.find<Asking>()->name);
    co_return response;
  });
  app.get("/", [](Extension<Asking> asking) { return asking->name; });
  TestClient client(app);
  const TestResponse reply = client.get("/");
  EXPECT_EQ(reply.body, "ann");
  EXPECT_EQ(reply.header("X-Around"), "ann");
}

/// Its middleware refers to the guard.
struct MeteringGuard {
  std::string field = "X-Units-Left-Of-Those-That-A-Key-Has";

  Result<void> operator()(const Request& /*request*/) const { return {}; }
  [[nodiscard]] Middleware middleware() const {
    return Middleware([this](Request& /*request*/, Next next) -> Task<Response> {
      Response response = co_await next();
      response.add_header(field, "7");
      co_return response;
    });
  }
};

TEST(Guards, live_as_long_as_what_they_put_around_their_routes) {
  App app;
  app.guard(MeteringGuard());
  app.get("/", [] { return "x"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/").header(MeteringGuard().field), "7");
}

/// A stateless guard with its own constructor.
struct CountingGuard {
  static inline int made = 0;

  CountingGuard() { ++made; }
  Result<void> operator()(const Request& /*request*/) const { return {}; }
};

TEST(Guards, without_state_may_have_constructors) {
  App app;
  app.guard(CountingGuard());
  app.get("/", [] { return "x"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/").body, "x");
  EXPECT_EQ(CountingGuard::made, 1);
}

}  // namespace
}  // namespace eider
