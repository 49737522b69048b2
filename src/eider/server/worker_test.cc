// Transfers between loops, descriptor shortage, and the drain.
#include "eider/server/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/sim/sim_server.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kPlainRequest = "GET /plain HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view kWait = "GET /wait?500 HTTP/1.1\r\nHost: a\r\n\r\n";

TEST(Worker, returns_the_memory_of_connections_that_have_closed) {
  SimServer server({.connections_per_address_max = 0});
  std::vector<SimClient> clients;
  for (int count = 0; count < 1500; ++count) {
    clients.push_back(server.connect());
    clients.back().send(kPlainRequest);
  }
  server.kernel.run_until_idle();
  EXPECT_GE(server.worker().connection_blocks(), 4U);
  clients.clear();
  server.kernel.run_until_idle();
  EXPECT_EQ(server.worker().connection_blocks(), 1U) << "one is kept for the next ones";
}

TEST(Worker, leaves_no_loop_more_than_one_above_the_least) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SimServer server({}, 4, seed);
    std::vector<SimClient> clients;
    for (int count = 0; count < 10; ++count) {
      clients.push_back(server.connect());
    }
    server.kernel.run_until_idle();
    std::vector<std::size_t> counts;
    for (std::size_t loop = 0; loop < 4; ++loop) {
      counts.push_back(server.balance.count(loop));
    }
    EXPECT_LE(*std::ranges::max_element(counts) - *std::ranges::min_element(counts), 1U);
    for (SimClient& client : clients) {
      client.send(kPlainRequest);
      server.kernel.run_until_idle();
      EXPECT_EQ(read_responses(client.received()).size(), 1U) << "seed " << seed;
    }
  }
}

TEST(Worker, accepts_again_after_a_shortage_of_descriptors) {
  SimServer server;
  server.kernel.set_faults({.failed_accept = 0.9});
  std::vector<SimClient> clients;
  for (int count = 0; count < 20; ++count) {
    clients.push_back(server.connect());
    clients.back().send(kPlainRequest);
  }
  server.kernel.advance(seconds(25));
  for (SimClient& client : clients) {
    EXPECT_EQ(read_responses(client.received()).size(), 1U);
  }
}

TEST(Worker, drains_what_is_in_flight_and_closes_what_is_idle) {
  SimServer server;
  SimClient idle = server.connect();
  SimClient waiting = server.connect();
  SimClient half = server.connect();
  idle.send(kPlainRequest);
  server.kernel.advance(seconds(1));
  waiting.send(kWait);
  half.send("GET /plain HTTP/1.1\r\nHo");
  server.kernel.run_until_idle();
  server.drain(seconds(10));
  half.send("st: a\r\n\r\n");
  server.kernel.advance(milliseconds(100));
  EXPECT_TRUE(server.connect().is_refused());
  EXPECT_TRUE(idle.is_closed());
  EXPECT_FALSE(idle.is_reset());
  EXPECT_TRUE(read_responses(half.received()).at(0).head.contains("Connection: close\r\n"));
  EXPECT_FALSE(waiting.is_closed());
  server.kernel.advance(seconds(1));
  EXPECT_EQ(read_responses(waiting.received()).at(0).body, "waited");
  EXPECT_TRUE(read_responses(waiting.received()).at(0).head.contains("Connection: close\r\n"));
}

TEST(Worker, answers_a_request_that_was_on_its_way_when_the_drain_began) {
  SimServer server;
  SimClient client = server.connect();
  client.send(kPlainRequest);
  server.kernel.run_until_idle();
  (void)client.take_received();
  server.drain(seconds(10));
  client.send(kPlainRequest);
  server.kernel.advance(milliseconds(100));
  const auto responses = read_responses(client.received());
  ASSERT_EQ(responses.size(), 1U);
  EXPECT_TRUE(responses[0].head.contains("Connection: close\r\n"));
}

TEST(Worker, keeps_a_connection_for_a_second_behind_its_last_response) {
  SimServer server;
  SimClient often = server.connect();
  SimClient once = server.connect();
  once.send(kPlainRequest);
  server.kernel.advance(milliseconds(500));
  often.send(kPlainRequest);
  server.kernel.run_until_idle();
  (void)often.take_received();
  server.drain(seconds(10));
  server.kernel.advance(milliseconds(550));
  EXPECT_TRUE(once.is_closed());
  server.kernel.advance(milliseconds(400));
  often.send(kPlainRequest);
  server.kernel.run_until_idle();
  const auto responses = read_responses(often.received());
  ASSERT_EQ(responses.size(), 1U);
  EXPECT_TRUE(responses[0].head.contains("Connection: close\r\n"));
  EXPECT_TRUE(often.is_closed());
}

TEST(Worker, lets_a_client_that_had_connected_ask_once) {
  SimServer server;
  SimClient client = server.connect();
  server.kernel.run_until_idle();
  server.drain(seconds(10));
  server.kernel.advance(milliseconds(900));
  client.send(kPlainRequest);
  server.kernel.run_until_idle();
  const auto responses = read_responses(client.received());
  ASSERT_EQ(responses.size(), 1U);
  EXPECT_TRUE(responses[0].head.contains("Connection: close\r\n"));
}

TEST(Worker, waits_a_second_for_a_client_that_asks_nothing) {
  SimServer server;
  SimClient client = server.connect();
  server.kernel.advance(seconds(5));
  server.drain(seconds(10));
  server.kernel.advance(milliseconds(990));
  EXPECT_FALSE(client.is_closed());
  server.kernel.advance(milliseconds(20));
  EXPECT_TRUE(client.is_closed());
}

TEST(Worker, answers_whoever_the_kernel_has_connected_when_the_drain_begins) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SimServer server({}, 4, seed);
    server.kernel.set_faults({.late = 0.5});
    std::vector<SimClient> clients;
    for (int count = 0; count < 10; ++count) {
      clients.push_back(server.connect());
      clients.back().send(kPlainRequest);
    }
    server.drain(seconds(10));  // before any turn: no connection is accepted or transferred
    EXPECT_TRUE(server.connect().is_refused());
    server.kernel.advance(milliseconds(100));
    for (const SimClient& client : clients) {
      EXPECT_EQ(read_responses(client.received()).size(), 1U) << "seed " << seed;
    }
  }
}

TEST(Worker, cancels_what_is_left_when_the_time_to_drain_is_up) {
  SimServer server;
  SimClient client = server.connect();
  client.send("GET /wait?60000 HTTP/1.1\r\nHost: a\r\n\r\n");
  server.kernel.run_until_idle();
  server.drain(seconds(10));
  server.kernel.advance(milliseconds(9'900));
  EXPECT_EQ(server.service.running, 1);
  server.kernel.advance(milliseconds(200));
  EXPECT_EQ(server.service.cancelled, 1);
  EXPECT_EQ(server.balance.count(0), 0U);
}

TEST(Worker, stops_its_loop_when_it_is_drained) {
  SimServer server;
  SimClient client = server.connect();
  client.send(kWait);
  server.kernel.run_until_idle();
  server.loop().post([&server] { server.worker().drain(seconds(10)); });
  const Instant before = server.kernel.now();
  server.loop().run();  // returns because the worker stops it
  EXPECT_EQ(server.service.finished, 1);
  EXPECT_LT(server.kernel.now() - before, seconds(2)) << "500 ms for the response, 1 s to close";
}

// Clients that keep their side open: each gets its complete response, and the server waits briefly.

TEST(Worker, waits_one_second_for_a_client_that_keeps_its_side_open_after_the_last_response) {
  SimServer server({.linger = seconds(5)});
  SimClient client = server.connect();
  client.send(kWait);
  server.kernel.run_until_idle();
  server.drain(seconds(10));
  server.kernel.advance(milliseconds(1'400));
  EXPECT_EQ(server.balance.count(0), 1U);
  server.kernel.advance(milliseconds(200));
  EXPECT_EQ(server.balance.count(0), 0U);
  EXPECT_FALSE(client.is_reset());
  EXPECT_EQ(read_responses(client.received()).at(0).status, 200);
}

TEST(Worker, shortens_the_wait_for_a_client_that_was_refused_before_the_drain) {
  SimServer server({.linger = seconds(60)});
  SimClient client = server.connect();
  client.send("bad\r\n\r\n");
  server.kernel.advance(seconds(3));
  server.drain(seconds(10));
  server.kernel.advance(milliseconds(1'200));
  EXPECT_EQ(server.balance.count(0), 0U);
  EXPECT_TRUE(client.received().starts_with("HTTP/1.1 400 ")) << client.received();
}

TEST(Worker, sends_all_of_a_response_to_a_slow_client_that_keeps_its_side_open) {
  SimServer server;
  SimClient client = server.connect();
  client.set_window(10'000);
  client.send("GET /big?100000 HTTP/1.1\r\nHost: a\r\n\r\n");
  server.kernel.run_until_idle();
  server.drain(seconds(30));
  std::string received;
  for (int second = 0; second < 14; ++second) {
    received += client.take_received();
    server.kernel.advance(seconds(1));
  }
  received += client.take_received();
  EXPECT_EQ(read_responses(received).at(0).body.size(), 100'000U);
  EXPECT_EQ(server.balance.count(0), 0U);
}

// Clients that are silent within a request: they get a 408, long before the time is up.

TEST(Worker, waits_two_seconds_for_the_rest_of_a_request) {
  for (const char* part :
       {"GET /plain HTTP/1.1\r\nHo",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe",
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nh"}) {
    SimServer server;
    SimClient client = server.connect();
    client.send(part);
    server.kernel.run_until_idle();
    server.drain(seconds(10));
    server.kernel.advance(milliseconds(1'900));
    EXPECT_EQ(client.received(), "") << part;
    server.kernel.advance(milliseconds(2'300));  // progress counts once; then one second to close
    EXPECT_TRUE(client.received().starts_with("HTTP/1.1 408 ")) << part << client.received();
    server.kernel.advance(milliseconds(1'000));
    EXPECT_EQ(server.balance.count(0), 0U) << part;
    EXPECT_FALSE(client.is_reset()) << part;
  }
}

TEST(Worker, gives_a_request_its_usual_time_if_another_process_has_taken_over) {
  for (const char* part : {"GET /plain HTTP/1.1\r\nHo",
                           "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe"}) {
    SimServer server;
    SimClient client = server.connect();
    client.send(part);
    server.kernel.run_until_idle();
    server.loop().post(
        [&server] { server.worker().drain(seconds(30), detail::server::Departure::handed_over); });
    server.kernel.advance(seconds(8));
    EXPECT_EQ(client.received(), "") << part;
    server.drain(seconds(30));  // now it stops
    server.kernel.advance(seconds(7));
    EXPECT_TRUE(client.received().starts_with("HTTP/1.1 408 ")) << part;
  }
}

TEST(Worker, serves_a_request_that_arrives_slowly_while_it_drains) {
  const std::string whole = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
  for (const std::size_t sent : {std::size_t{3}, whole.size() - 3}) {
    SimServer server;
    SimClient client = server.connect();
    client.send(whole.substr(0, sent));
    server.kernel.run_until_idle();
    server.drain(seconds(30));
    for (std::size_t at = sent; at < whole.size(); at += 10) {
      server.kernel.advance(milliseconds(1'800));
      client.send(whole.substr(at, 10));
    }
    server.kernel.run_until_idle();
    const auto responses = read_responses(client.received());
    ASSERT_EQ(responses.size(), 1U) << sent;
    EXPECT_EQ(responses[0].status, 200) << sent;
    EXPECT_TRUE(responses[0].head.contains("Connection: close\r\n"));
  }
}

TEST(Worker, drops_all_at_once_when_told_to) {
  SimServer server;
  SimClient client = server.connect();
  client.send(kWait);
  server.kernel.run_until_idle();
  server.drain(Duration::zero());
  server.kernel.advance(milliseconds(2));
  EXPECT_EQ(server.service.cancelled, 1);
  EXPECT_EQ(server.balance.count(0), 0U);
}

TEST(Worker, is_handed_nothing_once_it_has_ended_because_time_was_up) {
  SimServer server({}, 2);
  EXPECT_EQ(server.balance.place(0), 0U);
  EXPECT_EQ(server.balance.place(0), 1U) << "this one is on its way from one loop to the other";
  server.drain(Duration::zero());
  server.kernel.advance(milliseconds(50));
  server.balance.release(1);  // it has arrived, and was closed
  server.kernel.advance(milliseconds(50));
  EXPECT_EQ(server.balance.place(0), 0U);
  EXPECT_EQ(server.balance.place(0), 0U) << "the other loop does not run any more";
}

TEST(Worker, counts_a_thousand_connections_down_to_none) {
  SimServer server({}, 2);
  for (int round = 0; round < 10; ++round) {
    std::vector<SimClient> clients;
    for (int count = 0; count < 100; ++count) {
      clients.push_back(server.connect());
      clients.back().send(count % 3 == 0 ? kWait : kPlainRequest);
    }
    server.kernel.run_until_idle();
    EXPECT_EQ(server.balance.count(0) + server.balance.count(1), 100U);
    clients.clear();
    server.kernel.advance(seconds(2));
    EXPECT_EQ(server.balance.count(0) + server.balance.count(1), 0U);
    EXPECT_EQ(server.kernel.open_connections(), 0U);
  }
}

}  // namespace
}  // namespace eider
