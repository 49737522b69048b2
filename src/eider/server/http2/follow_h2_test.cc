// Event streams that follow topics are HTTP/2 streams like others.
#include <gtest/gtest.h>

#include <string>

#include "tests/sim/sim_app.h"
#include "tests/support/h2_server.h"
#include "tests/support/room_app.h"

namespace eider::detail::http2 {
namespace {

using std::chrono::milliseconds;
using test::received_on;
using RoomH2Server = test::H2ServerOf<SimApp<&set_up_rooms>>;

std::string follow(std::uint32_t stream) {
  return test::frame(test::Type::headers, test::kEndHeaders | test::kEndStream, stream,
                     test::head("GET", "/rooms/a"));
}

std::string say_on(std::uint32_t stream, std::string_view text) {
  return test::frame(test::Type::headers, test::kEndHeaders, stream,
                     test::head("POST", "/rooms/a")) +
         test::frame(test::Type::data, test::kEndStream, stream, text);
}

TEST(FollowingH2, hears_what_is_said_on_another_stream) {
  RoomH2Server server;
  SimClient client = server.connect(follow(1) + follow(3));
  server.kernel.advance(milliseconds(200));
  (void)client.take_received();
  client.send(say_on(5, "hi"));
  server.kernel.advance(milliseconds(10));
  const std::string received = client.take_received();
  for (const std::uint32_t stream : {1U, 3U}) {
    EXPECT_EQ(received_on(received, stream).content, "id: 7\nevent: said\ndata: hi\n\n");
    EXPECT_FALSE(received_on(received, stream).is_whole);
  }
  EXPECT_EQ(received_on(received, 5).content, "2");
}

TEST(FollowingH2, ends_behind_what_waits_for_a_client_without_a_window) {
  RoomH2Server server;
  SimClient client = server.connect(follow(1));
  server.kernel.advance(milliseconds(200));
  (void)client.take_received();
  const std::string text(10'000, 'x');
  SimClient other = server.connect();
  for (std::uint32_t stream = 1; stream < 400; stream += 2) {
    other.send(say_on(stream, text));
    server.kernel.advance(milliseconds(1));
  }
  std::string received = client.take_received();
  EXPECT_LE(received_on(received, 1).content.size(), 65'535U);
  EXPECT_FALSE(received_on(received, 1).is_whole);
  client.send(test::window_update(0, 10'000'000) + test::window_update(1, 10'000'000));
  server.kernel.advance(milliseconds(100));
  received += client.take_received();
  EXPECT_TRUE(received_on(received, 1).is_whole);
  EXPECT_LT(received_on(received, 1).content.size(), 65'535U + 3 * kRoomBytesMax);
}

TEST(EventStreamEndH2, tells_the_client_when_to_come_back_as_the_server_drains) {
  RoomH2Server server;
  SimClient client = server.connect(follow(1) + test::get(3, "/own"));
  server.kernel.advance(milliseconds(200));
  server.drain(std::chrono::seconds(10));
  server.kernel.advance(std::chrono::seconds(3));
  for (const std::uint32_t stream : {1U, 3U}) {
    const test::Received received = received_on(client.received(), stream);
    EXPECT_TRUE(received.content.contains("\nretry: ")) << received.content;
    EXPECT_TRUE(received.content.ends_with("\n\n"));
    EXPECT_TRUE(received.is_whole);
    EXPECT_FALSE(received.is_reset);
  }
  EXPECT_TRUE(client.is_closed());
}

}  // namespace
}  // namespace eider::detail::http2
