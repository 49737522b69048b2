// Limits that change while the server runs: operations that have begun keep their deadline.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/sim/sim_server.h"

namespace eider::detail::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kPlain = "GET /plain HTTP/1.1\r\nHost: a\r\n\r\n";

int status_of(SimServer& server, SimClient& client, std::string_view bytes) {
  client.send(bytes);
  server.kernel.run_until_idle();
  const auto responses = read_responses(client.take_received());
  return responses.empty() ? 0 : responses.front().status;
}

TEST(OtherLimits, of_heads_hold_for_the_next_one_of_a_kept_connection) {
  SimServer server({.head_bytes_max = 1000, .target_bytes_max = 100, .headers_max = 2});
  const std::string long_one =
      "GET /plain HTTP/1.1\r\nHost: a\r\nA: b\r\nC: d\r\nE: " + std::string(2000, 'x') + "\r\n\r\n";
  SimClient client = server.connect();
  ASSERT_EQ(status_of(server, client, kPlain), 200);
  server.worker().take({});
  EXPECT_EQ(status_of(server, client, long_one), 200);
  server.worker().take({.target_bytes_max = 5});
  EXPECT_EQ(status_of(server, client, kPlain), 414);
  SimClient other = server.connect();
  server.worker().take({.headers_max = 2});
  EXPECT_EQ(status_of(server, other, long_one), 431);
}

TEST(OtherLimits, hold_for_a_head_that_has_half_come) {
  SimServer server({.head_bytes_max = 10'000});
  SimClient client = server.connect();
  client.send("GET /plain HTTP/1.1\r\nHost: a\r\nA: " + std::string(2000, 'x'));
  server.kernel.run_until_idle();
  server.worker().take({.head_bytes_max = 1500});
  EXPECT_EQ(status_of(server, client, "y"), 431);
}

/// Returns a request whose body lacks its last byte.
std::string most_of_a_post(std::size_t bytes) {
  return "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(bytes + 1) +
         "\r\n\r\n" + std::string(bytes, 'x');
}

TEST(OtherLimits, of_contents_count_those_that_are_there) {
  SimServer server({.bodies_bytes_max = 1000});
  SimClient first = server.connect();
  ASSERT_EQ(status_of(server, first, most_of_a_post(900)), 0);
  server.worker().take({.bodies_bytes_max = 500});
  SimClient second = server.connect();
  EXPECT_EQ(status_of(server, second, most_of_a_post(100)), 503) << "more is held by now";
  EXPECT_EQ(status_of(server, first, "x"), 503);
  SimClient third = server.connect();
  EXPECT_EQ(status_of(server, third, most_of_a_post(100)), 0);
  EXPECT_EQ(status_of(server, third, "x"), 200) << "what was held is given back";
}

TEST(OtherLimits, of_requests_count_those_that_are_there) {
  constexpr std::string_view kWaits = "GET /wait?10 HTTP/1.1\r\nHost: a\r\n\r\n";
  SimServer server;
  SimClient first = server.connect();
  SimClient second = server.connect();
  SimClient third = server.connect();
  ASSERT_EQ(status_of(server, first, kWaits), 0);
  ASSERT_EQ(status_of(server, second, kWaits), 0);
  server.worker().take({.in_flight_max = 1});
  EXPECT_EQ(status_of(server, third, kWaits), 503);
  server.kernel.advance(milliseconds(20));
  EXPECT_EQ(read_responses(first.take_received()).at(0).status, 200);
  EXPECT_EQ(read_responses(second.take_received()).at(0).status, 200);
  EXPECT_EQ(status_of(server, first, kWaits), 0);
  EXPECT_EQ(status_of(server, second, kWaits), 503);
}

TEST(OtherLimits, leave_deadlines_that_are_set) {
  SimServer server({.idle = seconds(75)});
  SimClient client = server.connect();
  ASSERT_EQ(status_of(server, client, kPlain), 200);
  server.worker().take({.idle = seconds(5)});
  server.kernel.advance(seconds(60));
  EXPECT_FALSE(client.is_closed());
  ASSERT_EQ(status_of(server, client, kPlain), 200);
  server.kernel.advance(seconds(6));
  EXPECT_TRUE(client.is_closed());
}

/// Sends this number of bytes per second, of a body without an end.
void trickle(SimServer& server, SimClient& client, std::size_t bytes, int for_seconds) {
  for (int second = 0; second < for_seconds && !client.is_closed(); ++second) {
    client.send(std::string(bytes, 'x'));
    server.kernel.advance(seconds(1));
  }
}

TEST(OtherLimits, of_a_body_s_pace_hold_a_span_that_has_begun_to_the_milder_one) {
  const Limits slow{.body = seconds(10), .bytes_per_second_min = 100};
  const Limits longer{.body = seconds(100), .bytes_per_second_min = 100};
  SimServer server(slow);
  SimClient client = server.connect();
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 90000\r\n\r\n");
  trickle(server, client, 150, 5);
  server.worker().take(longer);
  server.worker().take(longer);  // also after a change to the same limits
  trickle(server, client, 150, 300);
  EXPECT_EQ(client.received(), "") << "by neither it was too slow";
  trickle(server, client, 50, 250);
  EXPECT_EQ(read_responses(client.received()).at(0).status, 408);
}

}  // namespace
}  // namespace eider::detail::server
