// Event streams that follow topics, on several simulated loops.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sim/sim_app.h"
#include "tests/support/room_app.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using RoomServer = SimAppServer<&set_up_rooms>;

constexpr std::string_view kFollow = "GET /rooms/a HTTP/1.1\r\nHost: a\r\n\r\n";

std::string say(std::string_view text) {
  std::string request("POST /rooms/a HTTP/1.1\r\nHost: a\r\nContent-Length: ");
  return request.append(std::to_string(text.size())).append("\r\n\r\n").append(text);
}

TEST(Following, hears_what_is_said_on_any_loop) {
  RoomServer server({}, 3);
  std::vector<SimClient> followers;
  for (int count = 0; count < 6; ++count) {
    followers.push_back(server.connect());
    followers.back().send(kFollow);
  }
  server.kernel.advance(milliseconds(200));
  for (SimClient& follower : followers) {
    EXPECT_TRUE(follower.take_received().contains("text/event-stream"));
  }
  EXPECT_TRUE(server.exchange(say("hi")).ends_with("\r\n\r\n6"));
  server.kernel.advance(milliseconds(1));
  for (SimClient& follower : followers) {
    EXPECT_TRUE(follower.take_received().contains("id: 7\nevent: said\ndata: hi\n\n"));
  }
}

TEST(Following, ends_with_its_connection) {
  RoomServer server({}, 3);
  {
    SimClient follower = server.connect();
    follower.send(kFollow);
    server.kernel.advance(milliseconds(200));
    EXPECT_TRUE(server.exchange(say("hi")).ends_with("\r\n\r\n1"));
    follower.close();
    server.kernel.advance(milliseconds(1));
  }
  EXPECT_TRUE(server.exchange(say("hi")).ends_with("\r\n\r\n0"));
}

TEST(Following, of_a_client_that_reads_nothing_ends_within_its_bounds) {
  RoomServer server;
  SimClient slow = server.connect();
  slow.send(kFollow);
  server.kernel.advance(milliseconds(200));
  slow.set_window(0);
  const std::string text(10'000, 'x');
  for (int count = 0; count < 400; ++count) {
    (void)server.exchange(say(text));
  }
  EXPECT_TRUE(server.exchange(say("hi")).ends_with("\r\n\r\n1"));
  slow.set_window(std::size_t{1} << 30);
  server.kernel.advance(milliseconds(100));
  EXPECT_TRUE(slow.received().ends_with("\r\n0\r\n\r\n"));
  EXPECT_TRUE(server.exchange(say("hi")).ends_with("\r\n\r\n0"));
}

}  // namespace
}  // namespace eider
