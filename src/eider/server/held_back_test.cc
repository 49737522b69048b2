// HTTP/1.1 requests that wait while the output budget of all connections is used up.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "eider/server/test_making_server.h"

namespace eider::detail::server::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kGet = "GET /string HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view kGetAndClose =
    "GET /string HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

/// This number of responses uses up the budget.
constexpr int kFull = kBudgetBytes / kBodyBytes;

/// Clients that do not read use up the budget.
class HeldBack : public ::testing::Test {
 protected:
  explicit HeldBack(Limits limits = {.waiting_bytes_max = kBudgetBytes})
      : server_(limits), idle_(server_.begin("/string", kFull)) {
    made_ = server_.service.made;
    EXPECT_EQ(made_, kFull);
  }

  [[nodiscard]] SimClient ask(std::string_view bytes) {
    SimClient client = server_.connect();
    client.send(bytes);
    server_.kernel.run_until_idle();
    return client;
  }
  [[nodiscard]] int made_since() const { return server_.service.made - made_; }
  void make_room() {
    idle_.clear();
    server_.kernel.run_until_idle();
  }
  [[nodiscard]] std::size_t open() { return server_.worker().state().connections.open; }

  MakingServer server_;
  std::vector<SimClient> idle_;
  int made_ = 0;
};

TEST_F(HeldBack, a_request_waits_until_there_is_room) {
  const SimClient client = ask(kGet);
  EXPECT_EQ(made_since(), 0);
  EXPECT_EQ(resets_of(idle_), 0) << "they have had no time to read";
  make_room();
  EXPECT_EQ(read_responses(client.received()).at(0).body.size(), kBodyBytes);
}

TEST_F(HeldBack, requests_are_served_in_the_order_of_waiting) {
  std::vector<SimClient> clients = server_.begin("/string", 5);
  idle_.resize(kFull - 4);
  server_.kernel.run_until_idle();
  EXPECT_EQ(made_since(), 4);
  for (std::size_t index = 0; index < clients.size(); ++index) {
    EXPECT_EQ(clients[index].received().empty(), index == 4) << index;
  }
}

TEST_F(HeldBack, what_is_not_large_is_served_at_once) {
  const SimClient small = ask("GET /small HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(read_responses(small.received()).at(0).body, "small");
  const SimClient head = ask("HEAD /string HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(read_responses(head.received(), true).at(0).status, 200);
  const SimClient wrong = ask("GET /string HTTP/1.1\r\nHost : a\r\n\r\n");
  EXPECT_EQ(read_responses(wrong.received()).at(0).status, 400);
}

TEST_F(HeldBack, of_a_pipeline_nothing_is_lost) {
  std::string asks("GET /small HTTP/1.1\r\nHost: a\r\n\r\n");
  asks.append(kGet).append("GET /small HTTP/1.1\r\nHost: a\r\n\r\n").append(kGetAndClose);
  SimClient client = ask(asks);
  EXPECT_EQ(read_responses(client.received()).size(), 1U);
  EXPECT_EQ(made_since(), 0);
  make_room();
  const auto responses = read_responses(client.received());
  ASSERT_EQ(responses.size(), 4U);
  EXPECT_EQ(responses[1].body.size(), kBodyBytes);
  EXPECT_EQ(responses[2].body, "small");
  EXPECT_EQ(responses[3].body.size(), kBodyBytes);
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HeldBack, what_is_sent_meanwhile_stays_with_the_client) {
  SimClient client = ask(kGet);
  std::string rest;
  for (int count = 0; count < 3000; ++count) {
    rest += "GET /small HTTP/1.1\r\nHost: a\r\n\r\n";
  }
  client.send(rest);
  make_room();
  EXPECT_EQ(read_responses(client.received()).size(), 3001U);
}

TEST_F(HeldBack, a_client_that_has_closed_its_half_is_answered) {
  SimClient client = ask(kGet);
  client.half_close();
  server_.kernel.advance(milliseconds(200));
  EXPECT_EQ(made_since(), 0);
  make_room();
  EXPECT_EQ(read_responses(client.received()).at(0).body.size(), kBodyBytes);
  EXPECT_TRUE(client.is_closed());
  EXPECT_FALSE(client.is_reset());
}

TEST_F(HeldBack, a_client_that_disconnects_is_noticed) {
  const std::size_t before = open();
  {
    SimClient client = ask(kGet);
    EXPECT_EQ(open(), before + 1);
    client.reset();
    server_.kernel.run_until_idle();
    EXPECT_EQ(open(), before);
  }
  {
    const SimClient client = ask(kGet);
    EXPECT_EQ(open(), before + 1);
  }
  // All idle clients read enough to stay connected.
  for (int step = 0; step < 4; ++step) {
    for (SimClient& client : idle_) {
      client.set_window(10'000);
      (void)client.take_received();
    }
    server_.kernel.advance(milliseconds(100));
  }
  EXPECT_EQ(open(), before) << "after the probe of a half-closed connection";
  EXPECT_EQ(made_since(), 0);
}

TEST_F(HeldBack, the_client_continues_when_its_request_is_served) {
  const SimClient client =
      ask("POST /string HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.received(), "");
  make_room();
  EXPECT_TRUE(client.received().starts_with("HTTP/1.1 100 ")) << client.received();
}

TEST_F(HeldBack, a_request_with_a_body_waits_as_well) {
  SimClient client = ask("POST /string HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab");
  client.send("c");
  make_room();
  EXPECT_EQ(read_responses(client.received()).at(0).body.size(), kBodyBytes);
}

TEST_F(HeldBack, a_request_whose_body_arrives_already_goes_on) {
  make_room();
  SimClient begun =
      ask("POST /later HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  idle_ = server_.begin("/string", kFull);
  const SimClient waits = ask(kGet);
  begun.send("0\r\n\r\n");
  server_.kernel.run_until_idle();
  EXPECT_EQ(read_responses(begun.received()).at(0).body.size(), kBodyBytes);
  EXPECT_EQ(waits.received(), "");
}

TEST_F(HeldBack, a_shutdown_answers_or_ends_it) {
  const SimClient client = ask(kGet);
  server_.drain(seconds(5));
  server_.kernel.advance(milliseconds(100));
  EXPECT_FALSE(client.is_closed());
  make_room();
  const auto responses = read_responses(client.received());
  EXPECT_EQ(responses.at(0).body.size(), kBodyBytes);
  EXPECT_NE(responses.at(0).head.find("Connection: close"), std::string::npos);
}

TEST_F(HeldBack, a_shutdown_does_not_wait_beyond_its_deadline) {
  const SimClient client = ask(kGet);
  server_.drain(milliseconds(200));
  server_.kernel.advance(milliseconds(220));
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(open(), 0U);
}

/// A connection with a waiting response continues, and its next request waits like others.
TEST_F(HeldBack, a_connection_that_takes_room_itself_goes_on) {
  SimClient& reader = idle_.front();
  reader.send(kGet);
  server_.kernel.run_until_idle();
  reader.set_window(10 * kBodyBytes);
  std::string received = reader.take_received();
  for (int step = 0; step < 10; ++step) {
    server_.kernel.advance(milliseconds(100));
    received += reader.take_received();
  }
  EXPECT_EQ(read_responses(received).size(), 2U);
}

/// Many clients that read a complete response within a second.
int resets_of_fast_clients(MakingServer& server, std::size_t count, std::size_t& whole) {
  std::vector<SimClient> clients;
  for (std::size_t index = 0; index < count; ++index) {
    clients.push_back(server.begin("/string"));
    clients.back().set_window(kBodyBytes / 10);
  }
  std::vector<std::size_t> received(count);
  for (int step = 0; step < 300; ++step) {
    for (std::size_t index = 0; index < count; ++index) {
      received[index] += clients[index].take_received().size();
    }
    server.kernel.advance(milliseconds(100));
  }
  whole = static_cast<std::size_t>(
      std::ranges::count_if(received, [](std::size_t bytes) { return bytes > kBodyBytes; }));
  return resets_of(clients);
}

TEST(HeldBackClients, that_read_fast_get_all_of_their_responses) {
  for (const std::size_t loops : {1U, 2U}) {
    MakingServer server({.waiting_bytes_max = 16 * kBodyBytes}, loops);
    std::size_t whole = 0;
    EXPECT_EQ(resets_of_fast_clients(server, 400, whole), 0) << loops;
    EXPECT_EQ(whole, 400U) << loops;
  }
}

TEST(HeldBackClients, outlive_the_keep_alive_timeout) {
  MakingServer server({.waiting_bytes_max = kBudgetBytes, .idle = seconds(2)});
  SimClient reader = server.begin("/large");
  reader.set_window(15'000);
  const SimClient client = server.begin("/small");
  SimClient waits = server.connect();
  waits.send(kGet);
  for (int step = 0; step < 100; ++step) {
    (void)reader.take_received();
    server.kernel.advance(milliseconds(100));
  }
  EXPECT_TRUE(client.is_closed());
  EXPECT_FALSE(waits.is_closed());
  EXPECT_FALSE(reader.is_reset());
  EXPECT_EQ(server.service.made, 1);
  reader.close();
  server.kernel.run_until_idle();
  EXPECT_EQ(read_responses(waits.received()).at(0).body.size(), kBodyBytes);
}

TEST(HeldBackClients, are_served_when_the_budget_is_raised) {
  MakingServer server({.waiting_bytes_max = kBudgetBytes});
  const std::vector<SimClient> idle = server.begin("/string", kFull);
  const SimClient client = server.begin("/string");
  EXPECT_EQ(server.service.made, kFull);
  server.loop().post([&] { server.worker().take({.waiting_bytes_max = 2 * kBudgetBytes}); });
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.made, kFull + 1);
}

}  // namespace
}  // namespace eider::detail::server::test
