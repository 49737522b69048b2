// Values that are stored in a request are found by type until the response is complete.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/support/extensions_app.h"

namespace eider {
namespace {

using std::chrono::milliseconds;

std::string slot_get(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

using SlotServer = SimAppServer<&add_slot_routes>;

std::string response_to(SlotServer& server, const std::string& request) {
  SimClient client = server.connect();
  client.send(request);
  server.kernel.advance(milliseconds(20));
  return client.take_received();
}

TEST(RequestSlots, last_until_the_response_is_complete_and_no_longer) {
  slots_alive = 0;
  SlotServer server;
  for (const char* target : {"/view", "/later", "/streamed", "/owning", "/refused"}) {
    const std::string received = response_to(server, slot_get(target));
    EXPECT_TRUE(received.contains(kCaller)) << target << "\n" << received;
    EXPECT_TRUE(received.contains("Seen: caller")) << target;
    EXPECT_EQ(slots_alive, 0) << target;
  }
  EXPECT_TRUE(response_to(server, slot_get("/arena")).ends_with("in the arena"));
  EXPECT_TRUE(response_to(server, slot_get("/large")).ends_with(std::string(300'000, 'c')));
  EXPECT_EQ(slots_alive, 0);
}

TEST(RequestSlots, end_with_requests_that_no_route_takes) {
  slots_alive = 0;
  SlotServer server;
  EXPECT_TRUE(response_to(server, slot_get("/nowhere")).contains("Seen: caller"));
  EXPECT_EQ(slots_alive, 0);
}

TEST(RequestSlots, are_each_requests_own_in_a_pipeline) {
  slots_alive = 0;
  SlotServer server;
  const std::string received =
      response_to(server, slot_get("/view") + slot_get("/later") + slot_get("/view"));
  const auto responses = read_responses(received);
  ASSERT_EQ(responses.size(), 3U);
  for (const ReadResponse& response : responses) {
    EXPECT_EQ(response.body, kCaller);
  }
  EXPECT_EQ(slots_alive, 0);
}

TEST(RequestSlots, are_there_for_content_that_comes_in_pieces) {
  slots_alive = 0;
  SlotServer server;
  SimClient client = server.connect();
  client.send("POST /content HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab");
  server.kernel.run_until_idle();
  client.send("cd");
  server.kernel.run_until_idle();
  EXPECT_TRUE(client.take_received().ends_with(kCaller));
  EXPECT_EQ(slots_alive, 0);
}

TEST(RequestSlots, end_when_the_client_leaves) {
  for (const char* target : {"/later", "/streamed", "/owning"}) {
    slots_alive = 0;
    SlotServer server;
    {
      SimClient client = server.connect();
      client.send(slot_get(target));
      server.kernel.run_until_idle();
      EXPECT_GT(slots_alive, 0) << target;
      client.reset();
    }
    server.kernel.run_until_idle();
    EXPECT_EQ(slots_alive, 0) << target;
  }
}

TEST(RequestSlots, end_with_the_request_that_opened_a_websocket) {
  slots_alive = 0;
  SlotServer server;
  SimClient client = server.connect();
  client.send(
      "GET /socket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  server.kernel.advance(milliseconds(20));
  EXPECT_TRUE(client.received().starts_with("HTTP/1.1 101"));
  EXPECT_EQ(slots_alive, 0);
}

std::vector<std::string> observed_slots;

void add_observed_slots(App& app) {
  add_slot_routes(app);
  app.observe([](const ResponseEvent& record) {
    const auto* caller = record.request.find<Caller>();
    observed_slots.push_back(caller == nullptr ? "nobody" : caller->name);
  });
}

// Observers are called when everything is sent: for a slow client, long after the response was
// made.
TEST(RequestSlots, are_there_for_observers) {
  for (const char* target : {"/view", "/later", "/streamed", "/owning", "/large", "/nowhere"}) {
    slots_alive = 0;
    observed_slots.clear();
    SimAppServer<&add_observed_slots> server;
    SimClient client = server.connect();
    client.set_window(40);
    client.send(slot_get(target));
    server.kernel.advance(milliseconds(20));
    client.set_window(1'000'000);
    for (int turn = 0; turn < 10; ++turn) {
      (void)client.take_received();
      server.kernel.advance(milliseconds(20));
    }
    EXPECT_EQ(observed_slots, std::vector{kCaller}) << target;
    EXPECT_EQ(slots_alive, 0) << target;
  }
}

}  // namespace
}  // namespace eider
