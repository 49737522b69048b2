// Values that are stored in an HTTP/2 request exist until its response is complete.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/extensions_app.h"
#include "tests/support/h2_server.h"

namespace eider::detail::http2 {
namespace {

using std::chrono::milliseconds;
using test::received_on;

std::vector<std::string> observed_callers;

void add_observed_slot_routes(App& app) {
  add_slot_routes(app);
  app.observe([](const ResponseEvent& record) {
    const auto* caller = record.request.find<Caller>();
    observed_callers.push_back(caller == nullptr ? "nobody" : caller->name);
  });
}

using SlotH2Server = test::H2ServerOf<SimApp<&add_observed_slot_routes>>;

TEST(SlotsH2, last_until_the_response_is_complete_and_no_longer) {
  for (const char* target : {"/view", "/later", "/streamed", "/owning", "/refused"}) {
    slots_alive = 0;
    observed_callers.clear();
    SlotH2Server server;
    SimClient client = server.connect();
    client.send(test::get(1, target));
    server.kernel.advance(milliseconds(20));
    const auto response = received_on(client.take_received(), 1);
    EXPECT_TRUE(response.is_whole) << target;
    EXPECT_TRUE(response.content.contains(kCaller)) << target;
    EXPECT_EQ(slots_alive, 0) << target;
    EXPECT_EQ(observed_callers, std::vector{kCaller}) << target;
  }
}

TEST(SlotsH2, are_each_streams_own) {
  slots_alive = 0;
  SlotH2Server server;
  SimClient client = server.connect();
  client.send(test::get(1, "/later") + test::get(3, "/view") + test::get(5, "/later"));
  server.kernel.run_until_idle();
  EXPECT_EQ(slots_alive, 2);
  server.kernel.advance(milliseconds(20));
  const std::string received = client.take_received();
  for (const std::uint32_t stream : {1U, 3U, 5U}) {
    EXPECT_EQ(received_on(received, stream).content, kCaller);
  }
  EXPECT_EQ(slots_alive, 0);
}

TEST(SlotsH2, end_when_the_stream_is_reset_or_the_client_leaves) {
  for (const char* target : {"/later", "/streamed", "/owning"}) {
    for (const bool is_reset : {true, false}) {
      slots_alive = 0;
      observed_callers.clear();
      SlotH2Server server;
      SimClient client = server.connect();
      client.send(test::get(1, target));
      server.kernel.run_until_idle();
      EXPECT_EQ(slots_alive, 1) << target;
      if (is_reset) {
        client.send(test::frame(test::Type::rst_stream, 0, 1, test::word(8)));
      } else {
        client.reset();
      }
      server.kernel.run_until_idle();
      EXPECT_EQ(slots_alive, 0) << target;
      EXPECT_EQ(observed_callers, std::vector{kCaller}) << target;
    }
  }
}

}  // namespace
}  // namespace eider::detail::http2
