// Each deadline ends only what it applies to.
#include <gtest/gtest.h>

#include <string>

#include "tests/sim/sim_server.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kPlain = "GET /plain HTTP/1.1\r\nHost: a\r\n\r\n";

TEST(ConnectionTime, a_client_that_sends_nothing_is_closed_without_a_word) {
  SimServer server({.first_byte = seconds(30)});
  SimClient client = server.connect();
  server.kernel.advance(milliseconds(29'990));
  EXPECT_FALSE(client.is_closed());
  server.kernel.advance(milliseconds(20));
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(client.received(), "");
}

TEST(ConnectionTime, a_slow_head_is_a_408_however_its_bytes_trickle) {
  SimServer server({.head = seconds(10)});
  SimClient client = server.connect();
  client.send("GET /");
  for (int second = 0; second < 9; ++second) {
    server.kernel.advance(seconds(1));
    client.send("x");
    server.kernel.run_until_idle();
    ASSERT_FALSE(client.is_closed());
  }
  server.kernel.advance(milliseconds(1010));
  EXPECT_EQ(read_responses(client.received()).at(0).status, 408);
  EXPECT_TRUE(client.is_closed());
}

TEST(ConnectionTime, a_slow_second_head_has_its_own_time) {
  SimServer server({.head = seconds(10), .idle = seconds(75)});
  SimClient client = server.connect();
  client.send(kPlain);
  server.kernel.advance(seconds(60));
  client.send("GET ");
  server.kernel.advance(seconds(9));
  client.send("/plain HTTP/1.1\r\nHost: a\r\n\r\nGET ");
  server.kernel.advance(seconds(9));
  EXPECT_EQ(read_responses(client.received()).size(), 2U);
  server.kernel.advance(seconds(2));
  EXPECT_EQ(read_responses(client.received()).at(2).status, 408);
}

TEST(ConnectionTime, a_body_that_stops_is_a_408) {
  SimServer server({.body = seconds(30)});
  SimClient client = server.connect();
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nx");
  server.kernel.advance(seconds(29));
  EXPECT_EQ(client.received(), "");
  server.kernel.advance(seconds(2));
  EXPECT_EQ(read_responses(client.received()).at(0).status, 408);
}

TEST(ConnectionTime, a_body_below_the_least_rate_is_a_408_and_one_above_is_not) {
  const struct {
    std::size_t bytes_per_second;
    int status;
  } cases[] = {{100, 408}, {400, 408}, {600, 200}, {5000, 200}};
  for (const auto& one : cases) {
    SimServer server({.body = seconds(30), .bytes_per_second_min = 512});
    SimClient client = server.connect();
    client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
    for (std::size_t sent = 0; sent < 100'000 && !client.is_closed();) {
      const std::size_t bytes = std::min(one.bytes_per_second, 100'000 - sent);
      client.send(std::string(bytes, 'x'));
      sent += bytes;
      server.kernel.advance(seconds(1));
    }
    EXPECT_EQ(read_responses(client.received()).at(0).status, one.status) << one.bytes_per_second;
  }
}

TEST(ConnectionTime, an_idle_connection_is_closed_without_a_word) {
  SimServer server({.idle = seconds(75)});
  SimClient client = server.connect();
  client.send(kPlain);
  server.kernel.advance(seconds(74));
  (void)client.take_received();
  EXPECT_FALSE(client.is_closed());
  server.kernel.advance(seconds(2));
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(client.received(), "");
  EXPECT_FALSE(client.is_reset());
}

TEST(ConnectionTime, each_request_lets_an_idle_connection_begin_anew) {
  SimServer server({.idle = seconds(75)});
  SimClient client = server.connect();
  for (int round = 0; round < 10; ++round) {
    client.send(kPlain);
    server.kernel.advance(seconds(70));
  }
  EXPECT_EQ(read_responses(client.received()).size(), 10U);
  EXPECT_FALSE(client.is_closed());
}

TEST(ConnectionTime, a_client_that_does_not_read_a_large_response_is_cut_off) {
  SimServer server({.write = seconds(30)});
  SimClient client = server.connect();
  client.set_window(1000);
  client.send("GET /big?1000000 HTTP/1.1\r\nHost: a\r\n\r\n");
  server.kernel.advance(seconds(29));
  EXPECT_EQ(server.balance.count(0), 1U);
  server.kernel.advance(seconds(2));
  EXPECT_EQ(server.balance.count(0), 0U);
  EXPECT_TRUE(client.is_reset());
}

TEST(ConnectionTime, a_client_that_does_not_read_small_responses_is_cut_off) {
  SimServer server({.write = seconds(30), .idle = seconds(75)});
  SimClient client = server.connect();
  client.set_window(10);
  client.send(kPlain);
  server.kernel.advance(seconds(29));
  EXPECT_EQ(server.balance.count(0), 1U);
  server.kernel.advance(seconds(32));
  EXPECT_EQ(server.balance.count(0), 0U);
  EXPECT_TRUE(client.is_reset());
}

TEST(ConnectionTime, a_client_that_reads_slowly_but_enough_is_served) {
  SimServer server({.write = seconds(30), .bytes_per_second_min = 512});
  SimClient client = server.connect();
  client.set_window(1000);
  client.send("GET /big?100000 HTTP/1.1\r\nHost: a\r\n\r\n");
  std::string received;
  for (int second = 0; second < 150; ++second) {
    server.kernel.advance(seconds(1));
    received += client.take_received();
  }
  EXPECT_EQ(read_responses(received).at(0).body.size(), 100'000U);
  EXPECT_FALSE(client.is_closed());
}

TEST(ConnectionTime, a_refused_client_is_let_go_when_it_does_not_close) {
  SimServer server({.linger = seconds(5)});
  SimClient client = server.connect();
  client.send("bad\r\n\r\n");
  server.kernel.advance(milliseconds(4'900));
  EXPECT_EQ(server.balance.count(0), 1U);
  server.kernel.advance(milliseconds(200));
  EXPECT_EQ(server.balance.count(0), 0U);
}

TEST(ConnectionTime, a_waiting_request_has_no_deadline_of_the_server) {
  SimServer server;
  SimClient client = server.connect();
  client.send("GET /wait?3600000 HTTP/1.1\r\nHost: a\r\n\r\n");
  server.kernel.advance(seconds(3601));
  EXPECT_EQ(read_responses(client.received()).at(0).status, 200);
}

TEST(ConnectionTime, keep_alive_costs_no_timer_operation_per_request) {
  SimServer server({.idle = seconds(75)});
  SimClient client = server.connect();
  server.kernel.run_until_idle();
  client.send(kPlain);
  server.kernel.run_until_idle();
  const std::uint64_t before = server.kernel.fingerprint();
  server.kernel.advance(seconds(20));
  EXPECT_EQ(server.kernel.fingerprint(), before) << "the timer of the begin stands";
}

}  // namespace
}  // namespace eider
