#include "eider/server/connection.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/sim/sim_server.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string get(std::string_view target, std::string_view fields = {}) {
  std::string request("GET ");
  request.append(target).append(" HTTP/1.1\r\nHost: a\r\n").append(fields).append("\r\n");
  return request;
}

std::string post(std::string_view target, std::string_view body) {
  std::string request("POST ");
  request.append(target).append(" HTTP/1.1\r\nHost: a\r\nContent-Length: ");
  request.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
  return request;
}

std::string repeat(std::string_view text, int count) {
  std::string all;
  for (int index = 0; index < count; ++index) {
    all.append(text);
  }
  return all;
}

TEST(ConnectionH1, answers_a_request_and_stays_open) {
  SimServer server;
  SimClient client = server.connect();
  for (int round = 0; round < 3; ++round) {
    client.send(get("/plain"));
    server.kernel.run_until_idle();
    const auto responses = read_responses(client.take_received());
    ASSERT_EQ(responses.size(), 1U);
    EXPECT_EQ(responses[0].body, "hello");
    EXPECT_FALSE(responses[0].head.contains("Connection"));
  }
  EXPECT_FALSE(client.is_closed());
  EXPECT_EQ(server.worker().requests(), 3U);
}

TEST(ConnectionH1, answers_a_request_that_comes_byte_by_byte) {
  for (const std::string& request : {get("/plain"), post("/echo", "hello")}) {
    SimServer server;
    SimClient client = server.connect();
    for (const char byte : request) {
      EXPECT_EQ(client.received(), "");
      client.send({&byte, 1});
      server.kernel.run_until_idle();
    }
    const auto responses = read_responses(client.received());
    ASSERT_EQ(responses.size(), 1U) << request;
    EXPECT_EQ(responses[0].body, "hello");
  }
}

TEST(ConnectionH1, answers_alike_wherever_two_requests_are_cut) {
  const std::string both = post("/wait-echo?5", "first") + get("/plain");
  for (std::size_t cut = 0; cut <= both.size(); ++cut) {
    SimServer server;
    SimClient client = server.connect();
    client.send(std::string_view(both).substr(0, cut));
    server.kernel.run_until_idle();
    client.send(std::string_view(both).substr(cut));
    server.kernel.advance(milliseconds(6));
    const auto responses = read_responses(client.received());
    ASSERT_EQ(responses.size(), 2U) << "cut at " << cut;
    EXPECT_EQ(responses[0].body, "/wait-echo?5 wait-echo a first");
    EXPECT_EQ(responses[1].body, "hello");
  }
}

TEST(ConnectionH1, answers_ten_thousand_pipelined_requests_without_going_deeper) {
  SimServer server;
  SimClient client = server.connect();
  client.send(repeat(get("/plain"), 10'000));
  server.kernel.run_until_idle();
  EXPECT_EQ(read_responses(client.received()).size(), 10'000U);
}

TEST(ConnectionH1, answers_waiting_requests_that_need_not_wait_without_going_deeper) {
  SimServer server;
  SimClient client = server.connect();
  client.send(repeat(get("/wait-now") + get("/plain"), 5'000));
  server.kernel.run_until_idle();
  EXPECT_EQ(read_responses(client.received()).size(), 10'000U);
}

TEST(ConnectionH1, keeps_the_order_of_pipelined_requests_that_wait) {
  SimServer server;
  SimClient client = server.connect();
  client.send(repeat(get("/wait?1") + get("/plain"), 2'000));
  server.kernel.advance(seconds(3));
  const auto responses = read_responses(client.received());
  ASSERT_EQ(responses.size(), 4'000U);
  for (std::size_t index = 0; index < responses.size(); ++index) {
    ASSERT_EQ(responses[index].body, index % 2 == 0 ? "waited" : "hello");
  }
}

TEST(ConnectionH1, holds_a_client_back_that_sends_much_behind_a_request_that_waits) {
  SimServer server;
  SimClient client = server.connect();
  client.send(get("/wait?1000"));
  client.send(repeat(get("/plain"), 50'000));
  server.kernel.advance(milliseconds(500));
  EXPECT_EQ(server.service.planned, 1);
  server.kernel.advance(seconds(1));
  EXPECT_EQ(read_responses(client.received()).size(), 50'001U);
}

TEST(ConnectionH1, gives_a_request_that_waits_its_own_copy) {
  SimServer server;
  SimClient slow = server.connect();
  SimClient quick = server.connect();
  slow.send(post("/wait-echo?100", "mine"));
  server.kernel.run_until_idle();
  quick.send(repeat(post("/echo", std::string(3000, 'x')), 20));
  server.kernel.advance(milliseconds(200));
  EXPECT_EQ(read_responses(slow.received()).at(0).body, "/wait-echo?100 wait-echo a mine");
}

TEST(ConnectionH1, answers_500_for_a_task_that_throws) {
  SimServer server;
  SimClient client = server.connect();
  client.send(get("/wait-throw") + get("/plain"));
  server.kernel.run_until_idle();
  const auto responses = read_responses(client.received());
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].status, 500);
  EXPECT_EQ(responses[1].status, 200);
}

TEST(ConnectionH1, refuses_a_large_body_before_it_is_read) {
  SimServer server;
  SimClient client = server.connect();
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 262145\r\n\r\n");
  server.kernel.run_until_idle();
  EXPECT_EQ(read_responses(client.received()).at(0).status, 413);
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(server.service.answered, 0);
}

TEST(ConnectionH1, lets_a_refused_client_see_its_response_while_it_still_sends) {
  SimServer server;
  SimClient client = server.connect();
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  server.kernel.run_until_idle();
  for (int part = 0; part < 10; ++part) {
    client.send(std::string(100'000, 'x'));
    server.kernel.run_until_idle();
  }
  EXPECT_FALSE(client.is_reset());
  EXPECT_EQ(read_responses(client.received()).at(0).status, 413);
  client.half_close();
  server.kernel.run_until_idle();
  EXPECT_EQ(server.balance.count(0), 0U);
  EXPECT_FALSE(client.is_reset());
}

TEST(ConnectionH1, ends_a_refused_client_that_sends_without_end) {
  SimServer server({.linger_bytes_max = 100'000});
  SimClient client = server.connect();
  client.send("bad\r\n\r\n");
  server.kernel.run_until_idle();
  client.send(std::string(100'001, 'x'));
  server.kernel.run_until_idle();
  EXPECT_EQ(server.balance.count(0), 0U);
}

TEST(ConnectionH1, sends_100_continue_only_for_a_body_that_it_takes) {
  SimServer server;
  const std::string small =
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";
  SimClient client = server.connect();
  client.send(small);
  server.kernel.run_until_idle();
  EXPECT_EQ(client.take_received(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hello");
  server.kernel.run_until_idle();
  EXPECT_EQ(read_responses(client.received()).at(0).body, "hello");
  EXPECT_FALSE(server.exchange(small + "h").contains("100 Continue"));
  const std::string large =
      "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 300000\r\nExpect: 100-continue\r\n\r\n";
  EXPECT_TRUE(server.exchange(large).starts_with("HTTP/1.1 413 "));
}

TEST(ConnectionH1, answers_a_client_that_has_closed_its_half_and_closes) {
  SimServer server;
  SimClient client = server.connect();
  client.send(get("/plain") + get("/wait?20") + get("/plain"));
  client.half_close();
  server.kernel.advance(milliseconds(50));
  EXPECT_EQ(read_responses(client.received()).size(), 3U);
  EXPECT_TRUE(client.is_closed());
  EXPECT_FALSE(client.is_reset());
  EXPECT_FALSE(client.received().contains("100 Continue"));
  EXPECT_EQ(server.balance.count(0), 0U);
}

TEST(ConnectionH1, drops_the_kept_half_of_a_request_whose_client_has_closed_its_half) {
  for (const char* const framing : {"Content-Length: 99", "Transfer-Encoding: chunked"}) {
    SimServer server;
    SimClient client = server.connect();
    client.send(get("/wait?20") + "POST /wait-echo?1 HTTP/1.1\r\nHost: a\r\n" + framing +
                "\r\n\r\n4\r\nhalf");
    client.half_close();
    server.kernel.advance(milliseconds(50));
    EXPECT_EQ(read_responses(client.received()).size(), 1U);
    EXPECT_TRUE(client.is_closed());
    EXPECT_FALSE(client.is_reset());
    EXPECT_EQ(server.balance.count(0), 0U);
  }
}

TEST(ConnectionH1, answers_a_half_closed_client_that_waits_long) {
  SimServer server;
  SimClient client = server.connect();
  client.send(get("/wait?60000"));
  client.half_close();
  server.kernel.advance(seconds(61));
  EXPECT_EQ(read_responses(client.received()).at(0).body, "waited");
  EXPECT_EQ(server.service.cancelled, 0);
  EXPECT_TRUE(client.is_closed());
}

TEST(ConnectionH1, cancels_the_request_of_a_client_that_has_left) {
  SimServer server;
  {
    SimClient client = server.connect();
    client.send(get("/wait?60000"));
    server.kernel.run_until_idle();
    EXPECT_EQ(server.service.running, 1);
  }
  server.kernel.advance(seconds(1));
  EXPECT_EQ(server.service.running, 0);
  EXPECT_EQ(server.service.cancelled, 1);
  EXPECT_EQ(server.balance.count(0), 0U);
}

TEST(ConnectionH1, cancels_the_request_of_a_client_that_resets) {
  SimServer server;
  SimClient client = server.connect();
  client.send(get("/wait?60000"));
  server.kernel.run_until_idle();
  client.reset();
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.cancelled, 1);
}

TEST(ConnectionH1, asks_an_http_1_0_client_that_half_closed_nothing) {
  SimServer server;
  SimClient client = server.connect();
  client.send("GET /wait?60000 HTTP/1.0\r\n\r\n");
  client.half_close();
  server.kernel.advance(seconds(61));
  EXPECT_FALSE(client.received().contains("100 Continue"));
  EXPECT_EQ(read_responses(client.received()).at(0).body, "waited");
}

TEST(ConnectionH1, keeps_a_request_that_outlives_its_client_until_its_end) {
  SimServer server;
  SimClient client = server.connect();
  client.send(post("/wait-on?1000", "x"));
  server.kernel.run_until_idle();
  client.reset();
  server.kernel.run_until_idle();
  EXPECT_EQ(server.balance.count(0), 0U);
  EXPECT_EQ(server.service.running, 1);
  server.kernel.advance(seconds(2));
  EXPECT_EQ(server.service.cancelled, 0);
  EXPECT_EQ(server.service.finished, 1);
  EXPECT_TRUE(server.service.was_cancelled_at_end);
}

TEST(ConnectionH1, sends_large_responses_whole_and_in_order) {
  SimServer server;
  SimClient client = server.connect();
  client.set_window(10'000);
  client.send(get("/big?300000") + get("/plain") + get("/big-view?1000000") + get("/plain"));
  std::string received;
  for (int turn = 0; turn < 1000; ++turn) {
    server.kernel.run_until_idle();
    received += client.take_received();
  }
  const auto responses = read_responses(received);
  ASSERT_EQ(responses.size(), 4U);
  EXPECT_EQ(responses[0].body, std::string(300'000, 'b'));
  EXPECT_EQ(responses[1].body, "hello");
  EXPECT_EQ(responses[2].body, std::string(1'000'000, 'v'));
  EXPECT_EQ(responses[3].body, "hello");
}

TEST(ConnectionH1, answers_no_further_request_while_the_client_does_not_read) {
  SimServer server;
  SimClient client = server.connect();
  client.set_window(1000);
  client.send(repeat(get("/big?1000000"), 100));
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.answered, 1);
  std::string received;
  while (read_responses(received).size() < 3) {
    client.set_window(10'000'000);
    server.kernel.run_until_idle();
    received += client.take_received();
  }
  EXPECT_GE(server.service.answered, 3);
}

TEST(ConnectionH1, bounds_what_small_responses_pile_up_to) {
  SimServer server;
  SimClient client = server.connect();
  client.set_window(0);
  client.send(repeat(get("/plain"), 100'000));
  server.kernel.run_until_idle();
  EXPECT_LT(server.service.answered, 5'000);
  client.set_window(100'000'000);
  server.kernel.run_until_idle();
  EXPECT_EQ(read_responses(client.received()).size(), 100'000U);
}

TEST(ConnectionH1, refuses_with_503_what_would_wait_beyond_the_limit) {
  SimServer server({.in_flight_max = 2});
  SimClient first = server.connect();
  SimClient second = server.connect();
  SimClient third = server.connect();
  first.send(get("/wait?1000"));
  second.send(get("/wait?1000"));
  server.kernel.run_until_idle();
  third.send(get("/wait?1000"));
  server.kernel.run_until_idle();
  EXPECT_EQ(read_responses(third.received()).at(0).status, 503);
  server.kernel.advance(seconds(2));
  EXPECT_EQ(read_responses(first.received()).at(0).status, 200);
  EXPECT_EQ(read_responses(second.received()).at(0).status, 200);
}

TEST(ConnectionH1, closes_connections_beyond_the_limit) {
  SimServer server({.connections_max = 1});
  SimClient first = server.connect();
  server.kernel.run_until_idle();
  SimClient second = server.connect();
  server.kernel.run_until_idle();
  EXPECT_FALSE(first.is_closed());
  EXPECT_TRUE(second.is_closed());
}

}  // namespace
}  // namespace eider
