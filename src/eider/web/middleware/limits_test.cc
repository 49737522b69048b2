#include "eider/web/middleware/limits.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "eider/app/app.h"
#include "eider/app/handlers/event_stream.h"
#include "eider/app/handlers/producing.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/test_client.h"
#include "tests/sim/sim_app.h"
#include "tests/support/h2_server.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
namespace h2 = detail::http2::test;

/// The number of tasks that were destroyed while they waited.
int given_up = 0;

struct Watch {
  ~Watch() { given_up += is_done ? 0 : 1; }
  bool is_done = false;
};

Task<std::string> slow_handler() {
  Watch watch;
  co_await sleep_for(1s);
  watch.is_done = true;
  co_return "slow";
}

void add_timed(App& app) {
  app.use(timeout(100ms));
  app.get("/slow", &slow_handler);
  app.get("/plain", [] { return "plain"; });
  app.get("/soon", []() -> Task<std::string> {
    co_await sleep_for(90ms);
    co_return "soon";
  });
  app.get("/streamed", [](ResponseStream out) -> Task<> {
    co_await out.write("a");
    co_await sleep_for(1s);
    co_await out.write("b");
  });
  app.get("/blocking", blocking([] {
            std::this_thread::yield();
            return std::string("blocked");
          }));
  app.get("/throws", []() -> Task<std::string> {
    throw Failure(Error::conflict("No."));
    co_return "";
  });
}

TEST(Timeout, gives_up_a_handler_that_takes_too_long) {
  App app;
  add_timed(app);
  TestClient client(app);
  given_up = 0;
  const TestResponse reply = client.get("/slow");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.problem().detail, "The request timed out.");
  EXPECT_EQ(given_up, 1);
}

TEST(Timeout, leaves_all_that_answers_in_time_as_it_is) {
  App app;
  add_timed(app);
  TestClient client(app);
  EXPECT_EQ(client.get("/plain").body, "plain");
  EXPECT_EQ(client.get("/soon").body, "soon");
  EXPECT_EQ(client.get("/throws").status, 409);
  EXPECT_EQ(client.get("/blocking").body, "blocked");
  EXPECT_EQ(client.get("/streamed").body, "ab");
}

TEST(Timeout, holds_over_http2_and_leaves_other_streams_alone) {
  h2::H2ServerOf<SimApp<&add_timed>> server;
  const auto get = [](std::uint32_t stream, const char* path) {
    return h2::frame(h2::Type::headers, h2::kEndHeaders | h2::kEndStream, stream,
                     h2::head("GET", path));
  };
  given_up = 0;
  SimClient client = server.connect(get(1, "/slow") + get(3, "/soon"));
  server.kernel.advance(150ms);
  const std::string received = client.take_received();
  EXPECT_TRUE(h2::received_on(received, 1).content.contains("\"status\":503"));
  EXPECT_EQ(h2::received_on(received, 3).content, "soon");
  EXPECT_EQ(given_up, 1);
}

void add_limited(App& app) {
  app.use(concurrency_limit({.requests = 2, .retry_after = 7s}));
  app.get("/slow", &slow_handler);
  app.get("/plain", [] { return "plain"; });
  app.post("/upload", [](Body content) { return content.size(); });
  app.get("/events", [](EventStream events) -> Task<> {
    while (true) {
      co_await events.send({.data = "x"});
      co_await sleep_for(100ms);
    }
  });
}

using LimitedServer = SimAppServer<&add_limited>;

std::string get_of(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

TEST(ConcurrencyLimit, answers_at_once_that_there_is_too_much_to_do) {
  LimitedServer server;
  SimClient one = server.connect();
  SimClient two = server.connect();
  SimClient three = server.connect();
  one.send(get_of("/slow"));
  two.send(get_of("/slow"));
  server.kernel.run_until_idle();
  three.send(get_of("/plain"));
  server.kernel.run_until_idle();
  const std::string refused = three.take_received();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503")) << refused;
  EXPECT_TRUE(refused.contains("Retry-After: 7\r\n")) << refused;
  server.kernel.advance(1100ms);
  EXPECT_TRUE(one.take_received().ends_with("slow"));
  three.send(get_of("/plain"));
  server.kernel.run_until_idle();
  EXPECT_TRUE(three.take_received().ends_with("plain"));
}

TEST(ConcurrencyLimit, gives_the_place_of_a_client_that_leaves_to_the_next) {
  for (const char* path : {"/slow", "/events"}) {
    LimitedServer server;
    SimClient one = server.connect();
    SimClient two = server.connect();
    SimClient three = server.connect();
    one.send(get_of(path));
    two.send(get_of(path));
    server.kernel.advance(10ms);
    three.send(get_of("/plain"));
    server.kernel.run_until_idle();
    EXPECT_TRUE(three.take_received().starts_with("HTTP/1.1 503")) << path;
    one.reset();
    server.kernel.advance(300ms);
    three.send(get_of("/plain"));
    server.kernel.run_until_idle();
    EXPECT_TRUE(three.take_received().starts_with("HTTP/1.1 200")) << path;
  }
}

TEST(ConcurrencyLimit, counts_streams_of_one_http2_connection) {
  h2::H2ServerOf<SimApp<&add_limited>> server;
  const auto get = [](std::uint32_t stream, const char* path) {
    return h2::frame(h2::Type::headers, h2::kEndHeaders | h2::kEndStream, stream,
                     h2::head("GET", path));
  };
  SimClient client = server.connect(get(1, "/slow") + get(3, "/events") + get(5, "/plain"));
  server.kernel.advance(10ms);
  EXPECT_TRUE(h2::received_on(client.take_received(), 5).content.contains("\"status\":503"));
  server.kernel.advance(1100ms);
  client.send(get(7, "/plain"));
  server.kernel.advance(10ms);
  EXPECT_EQ(h2::received_on(client.take_received(), 7).content, "plain");
}

// The body of a rejected request is neither read nor requested (100 Continue): otherwise uploads
// would continue above the limit.
TEST(ConcurrencyLimit, bounds_uploads_ahead_of_their_content) {
  LimitedServer server;
  const auto upload = [&server](std::string_view more) {
    SimClient client = server.connect();
    client.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n" + std::string(more) +
                "\r\n");
    server.kernel.run_until_idle();
    return client;
  };
  SimClient one = upload("");
  SimClient two = upload("Expect: 100-continue\r\n");
  SimClient three = upload("Expect: 100-continue\r\n");
  EXPECT_EQ(one.take_received(), "");
  EXPECT_EQ(two.take_received(), "HTTP/1.1 100 Continue\r\n\r\n");
  const std::string refused = three.take_received();
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 503")) << refused;
  EXPECT_TRUE(refused.contains("Connection: close\r\n")) << refused;
  one.send("abcd");
  server.kernel.run_until_idle();
  EXPECT_TRUE(one.take_received().ends_with("\r\n\r\n4"));
}

TEST(ConcurrencyLimit, bounds_uploads_of_one_http2_connection) {
  h2::H2ServerOf<SimApp<&add_limited>> server;
  std::string begun;
  for (std::uint32_t stream = 1; stream < 7; stream += 2) {
    begun += h2::frame(h2::Type::headers, h2::kEndHeaders, stream, h2::head("POST", "/upload"));
  }
  SimClient client = server.connect(begun);
  server.kernel.advance(10ms);
  const std::string early = client.take_received();
  EXPECT_FALSE(h2::received_on(early, 3).has_head);
  EXPECT_TRUE(h2::received_on(early, 5).content.contains("\"status\":503"));
  client.send(h2::frame(h2::Type::data, h2::kEndStream, 3, "abcd"));
  server.kernel.advance(10ms);
  EXPECT_EQ(h2::received_on(client.take_received(), 3).content, "4");
}

TEST(Limits, of_nothing_are_told_at_once) {
  EXPECT_THROW((void)timeout(0s), Failure);
  EXPECT_THROW((void)concurrency_limit({.requests = 0}), Failure);
}

}  // namespace
}  // namespace eider
