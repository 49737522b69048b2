// Hooks and observers see every response that is sent over HTTP/1.1, independent of its origin.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/server/server.h"
#include "tests/sim/sim_server.h"
#include "tests/support/observed_app.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Lines = std::vector<std::string>;
using ObservedServer = SimServerOf<ObservedApp>;

std::string ask(std::string_view line, std::string_view more = "\r\n") {
  return std::string(line) + " HTTP/1.1\r\nHost: a\r\n" + std::string(more);
}

struct ResponseCase {
  std::string request;
  int status;
  std::string hooked;
  std::string logged;
};

const std::vector<ResponseCase> kCases = {
    {ask("GET /notes/7"), 200, "200 /notes/7", "GET /notes/7 200 1 "},
    {ask("HEAD /notes/7"), 200, "200 /notes/7", "HEAD /notes/7 200 0 "},
    {ask("GET /notes/x"), 400, "400 /notes/x", "GET /notes/x 400 "},
    {ask("GET /none"), 404, "404 /none", "GET /none 404 "},
    {ask("PUT /notes/7"), 405, "405 /notes/7", "PUT /notes/7 405 "},
    {ask("OPTIONS /notes/7"), 204, "204 /notes/7", "OPTIONS /notes/7 204 0 "},
    {ask("GET /changed"), 203, "203 /changed", "GET /changed 203 7 "},
    {ask("HEAD /changed"), 200, "200 /changed", "HEAD /changed 200 0 "},
    {ask("GET /refused"), 401, "401 /refused", "GET /refused 401 "},
    {ask("POST /notes", "Content-Length: 11\r\n\r\n"), 413, "413 /notes", "POST /notes 413 "},
    {ask("POST /notes", "Transfer-Encoding: chunked\r\n\r\n20\r\n0123456789abcdef"), 413,
     "413 /notes", "POST /notes 413 "},
    {ask("GET /a", "X: " + std::string(100'000, 'x') + "\r\n\r\n"), 431, "431 ", "- - 431 "},
    {ask("BREW /a"), 501, "501 ", "- - 501 "},
    {"G(T / HTTP/1.1\r\n\r\n", 400, "400 ", "- - 400 "},
};

TEST(EveryResponse, tells_how_long_a_handler_that_does_not_wait_was_at_work) {
  constexpr milliseconds kWork(30);
  Duration taken{};
  App app;
  app.observe([&taken](const ResponseEvent& record) { taken = record.ended - record.began; });
  app.get("/", [kWork] {
    for (const auto end = std::chrono::steady_clock::now() + kWork;
         std::chrono::steady_clock::now() < end;) {
    }
    return "done";
  });
  const auto service = app.make_service().value();
  {
    Server server(*service, {.port = 0, .threads = 1});
    ASSERT_TRUE(server.start());
    const testing::Peer peer(SocketAddress::parse("127.0.0.1", server.port()).value());
    EXPECT_TRUE(peer.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
    EXPECT_TRUE(peer.receive_all().ends_with("done"));
  }  // ends the server's threads, so that `taken` is read after all writes
  EXPECT_GE(taken, kWork);
}

TEST(EveryResponse, is_seen_once_by_hooks_and_observers) {
  for (const ResponseCase& one : kCases) {
    ObservedServer server;
    const std::string response = server.exchange(one.request);
    EXPECT_TRUE(response.starts_with("HTTP/1.1 " + std::to_string(one.status))) << response;
    EXPECT_TRUE(response.contains("\r\nX-After: 1\r\n")) << response;
    EXPECT_TRUE(response.contains("\r\nX-Request-Id: ")) << response;
    EXPECT_EQ(response.find("X-After"), response.rfind("X-After")) << response;
    EXPECT_EQ(noted().hooked, Lines{one.hooked});
    ASSERT_EQ(noted().log->lines.size(), 1U) << one.hooked;
    EXPECT_TRUE(noted().log->lines[0].starts_with(one.logged)) << noted().log->lines[0];
    EXPECT_TRUE(noted().log->lines[0].ends_with(" HTTP/1.1 -")) << noted().log->lines[0];
  }
}

TEST(EveryResponse, that_a_stream_becomes_by_refusing_has_what_was_said_ahead_of_it) {
  ObservedServer server;
  const std::string response = server.exchange(ask("GET /refused"));
  EXPECT_TRUE(response.contains("\r\nX-Before: 1\r\n")) << response;
  EXPECT_TRUE(response.contains("\r\nContent-Type: application/problem+json\r\n")) << response;
  EXPECT_FALSE(response.contains("Cache-Control")) << response;  // of the stream that was not sent
}

TEST(EveryResponse, is_a_500_where_a_hook_throws_ahead_of_a_streams_first_byte) {
  ObservedServer server;
  const std::string response = server.exchange(ask("GET /broken-hook"));
  EXPECT_TRUE(response.starts_with("HTTP/1.1 500 ")) << response;
  EXPECT_FALSE(response.contains("never")) << response;
  EXPECT_EQ(server.worker().in_flight(), 0U);
  EXPECT_TRUE(noted().log->lines.at(0).starts_with("GET /broken-hook 500 "));
}

TEST(EveryResponse, is_told_with_its_route_and_its_time) {
  ObservedServer server;
  SimClient client = server.connect();
  client.send(ask("GET /notes/7") + ask("GET /later") + ask("GET /none"));
  server.kernel.advance(seconds(1));
  EXPECT_EQ(noted().routes, (Lines{"/notes/{id}", "/later", ""}));
  ASSERT_EQ(noted().log->lines.size(), 3U);
  EXPECT_EQ(noted().log->lines[0], "GET /notes/7 200 1 0.0 HTTP/1.1 -");
  EXPECT_EQ(noted().log->lines[1], "GET /later 200 5 250.0 HTTP/1.1 -");
}

TEST(EveryResponse, is_told_when_its_last_byte_has_left) {
  ObservedServer server;
  SimClient client = server.connect();
  client.set_window(20'000);
  client.send(ask("GET /big"));
  server.kernel.advance(seconds(2));
  EXPECT_EQ(noted().log->lines, Lines{});
  client.set_window(10'000'000);
  (void)client.take_received();
  server.kernel.run_until_idle();
  EXPECT_EQ(noted().log->lines, Lines{"GET /big 200 1000000 2000.0 HTTP/1.1 -"});
}

TEST(EveryResponse, that_does_not_leave_whole_is_told_to_be_cut) {
  ObservedServer server;
  SimClient slow = server.connect();
  slow.set_window(20'000);
  slow.send(ask("GET /big"));
  SimClient endless = server.connect();
  endless.send(ask("GET /endless"));
  SimClient early = server.connect();
  early.send(ask("GET /later"));
  server.kernel.advance(milliseconds(150));
  for (SimClient* client : {&slow, &endless, &early}) {
    client->reset();
    server.kernel.run_until_idle();
  }
  ASSERT_EQ(noted().log->lines.size(), 3U);
  EXPECT_TRUE(noted().log->lines[0].starts_with("GET /big 200 ")) << noted().log->lines[0];
  EXPECT_FALSE(noted().log->lines[0].contains(" 1000000 ")) << noted().log->lines[0];
  EXPECT_TRUE(noted().log->lines[1].starts_with("GET /endless 200 24 150.0 "))
      << noted().log->lines[1];
  EXPECT_TRUE(noted().log->lines[2].starts_with("GET /later 0 0 150.0 ")) << noted().log->lines[2];
  for (const std::string& line : noted().log->lines) {
    EXPECT_TRUE(line.ends_with(" aborted")) << line;
  }
}

TEST(EveryResponse, is_told_when_the_server_ends_first) {
  {
    ObservedServer server;
    SimClient client = server.connect();
    client.set_window(20'000);
    client.send(ask("GET /big"));
    server.kernel.run_until_idle();
  }
  ASSERT_EQ(noted().log->lines.size(), 1U);
  EXPECT_TRUE(noted().log->lines[0].ends_with(" aborted")) << noted().log->lines[0];
}

}  // namespace
}  // namespace eider
