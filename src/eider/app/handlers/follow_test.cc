// Event streams that subscribe to topics, on several simulated event loops, and how they end.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
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

// How they end when the server shuts down.

constexpr std::string_view kOwn = "GET /own HTTP/1.1\r\nHost: a\r\n\r\n";

/// Returns the body of the only response, which has ended.
std::string content_of(const SimClient& client) {
  EXPECT_TRUE(client.received().ends_with("\r\n0\r\n\r\n")) << client.received();
  EXPECT_TRUE(client.is_closed());
  std::string_view chunks = client.received();
  chunks.remove_prefix(std::min(chunks.find("\r\n\r\n") + 4, chunks.size()));
  std::string content;
  while (!chunks.starts_with("0\r\n") && chunks.contains("\r\n")) {
    const std::size_t bytes = std::stoul(std::string(chunks), nullptr, 16);
    content += chunks.substr(chunks.find("\r\n") + 2, bytes);
    chunks.remove_prefix(std::min(chunks.find("\r\n") + bytes + 4, chunks.size()));
  }
  return content;
}

/// Returns the time to reconnect, in milliseconds, that follows `before` at the end of the body.
int pause_behind(std::string_view content, std::string_view before) {
  constexpr std::string_view kField = "retry: ";
  EXPECT_TRUE(content.starts_with(before)) << content;
  content.remove_prefix(std::min(before.size(), content.size()));
  EXPECT_TRUE(content.starts_with(kField) && content.ends_with("\n\n")) << content;
  EXPECT_EQ(std::ranges::count(content, '\n'), 2) << content;
  return std::stoi(std::string(content.substr(std::min(kField.size(), content.size()))));
}

TEST(EventStreamEnd, tells_each_client_when_to_come_back_as_the_server_drains) {
  for (const std::string_view target : {"/own", "/rooms/a"}) {
    RoomServer server;
    std::vector<SimClient> clients;
    for (int count = 0; count < 20; ++count) {
      clients.push_back(server.connect());
      clients.back().send("GET " + std::string(target) + " HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    server.kernel.advance(milliseconds(200));
    server.drain(std::chrono::seconds(10));
    server.kernel.advance(std::chrono::seconds(2));
    std::set<int> pauses;
    for (const SimClient& client : clients) {
      const bool is_own = target == "/own";
      pauses.insert(
          pause_behind(content_of(client), is_own ? "data: of the handler's own\n\n" : ":\n"));
    }
    EXPECT_GT(pauses.size(), 10U);
    EXPECT_GE(*pauses.begin(), 500);
    EXPECT_LE(*pauses.rbegin(), 5000);
  }
}

TEST(EventStreamEnd, tells_a_client_that_asks_while_the_server_drains) {
  RoomServer server;
  SimClient client = server.connect();
  server.kernel.run_until_idle();
  server.drain(std::chrono::seconds(10));
  server.kernel.advance(milliseconds(300));
  client.send(kOwn);
  server.kernel.advance(std::chrono::seconds(2));
  EXPECT_GE(pause_behind(content_of(client), "data: of the handler's own\n\n"), 500);
}

TEST(EventStreamEnd, adds_nothing_within_an_event_that_this_would_complete) {
  RoomServer server;
  SimClient slow = server.connect();
  slow.send(kFollow);
  server.kernel.advance(milliseconds(200));
  slow.set_window(0);
  (void)server.exchange(say(std::string(200'000, 'x')));
  server.drain(std::chrono::seconds(10));
  server.kernel.advance(milliseconds(1500));  // until the handler is destroyed
  slow.set_window(std::size_t{1} << 30);
  server.kernel.advance(std::chrono::seconds(2));
  const std::string content = content_of(slow);
  EXPECT_TRUE(content.starts_with(":\nid: 7\nevent: said\ndata: xxx"));
  EXPECT_TRUE(content.ends_with("xxx"));
}

TEST(EventStreamEnd, tells_nothing_where_the_client_leaves_or_the_handler_ends) {
  RoomServer server;
  SimClient client = server.connect();
  client.send(kFollow);
  server.kernel.advance(milliseconds(200));
  client.set_window(0);
  for (int count = 0; count < 400; ++count) {
    (void)server.exchange(say(std::string(10'000, 'x')));
  }
  client.set_window(std::size_t{1} << 30);
  server.kernel.advance(milliseconds(100));
  EXPECT_TRUE(client.received().ends_with("\r\n0\r\n\r\n"));
  EXPECT_FALSE(client.received().contains("retry"));
}

}  // namespace
}  // namespace eider
