#include "eider/io/ws/ws_session.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/io/runtime/sleep.h"
#include "eider/io/ws/test_held_line.h"
#include "eider/server/test_ws_line.h"

namespace eider::ws::detail {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::echo;
using testing::framed;
using testing::HeldLine;
using testing::Noted;
using testing::noting;
using testing::ping_frame;
using testing::TestSocket;
using testing::text_frame;
using testing::told;
using testing::WsWorld;
using Words = std::vector<std::string>;

TEST(WsSessionTime, waits_for_the_clients_close_frame_only_so_long) {
  WsWorld world;
  TestSocket socket = world.connect([](WebSocket) -> Task<> { co_return; });
  EXPECT_EQ(world.take(socket), Words{"close:1000:"});
  world.kernel.advance(milliseconds(4900));
  EXPECT_FALSE(socket.line->is_over());
  world.kernel.advance(milliseconds(200));
  EXPECT_TRUE(socket.line->is_over());
}

TEST(WsSessionTime, ends_a_message_that_does_not_come_to_its_end) {
  WsWorld world;
  TestSocket socket = world.connect(echo);
  world.exchange(socket, framed({.opcode = ws::Opcode::text, .is_final = false}, "x"));
  for (int second = 0; second < 61; ++second) {
    world.kernel.advance(seconds(1));
    socket.client.send(framed({.opcode = ws::Opcode::continuation, .is_final = false}, "x"));
    world.kernel.run_until_idle();
  }
  EXPECT_EQ(world.take(socket), Words{"close:1008:a message took too long to arrive"});
}

TEST(WsSessionTime, answers_the_last_ping_of_a_flood_and_ends_a_larger_one) {
  WsWorld world;
  TestSocket socket = world.connect(echo);
  std::string pings;
  for (int index = 0; index < 60; ++index) {
    pings += ping_frame(std::to_string(index));
  }
  const Words response = world.exchange(socket, pings);
  ASSERT_EQ(response.size(), 17U);
  EXPECT_EQ(response[15], "pong:15");
  EXPECT_EQ(response[16], "pong:59");
  const Words end = world.exchange(socket, pings);
  EXPECT_EQ(end.back(), "close:1008:too many control frames");
}

TEST(WsSessionTime, counts_control_frames_anew_each_second_and_behind_each_message) {
  WsWorld world;
  TestSocket socket = world.connect(echo);
  std::string pings;
  for (int index = 0; index < 90; ++index) {
    pings += ping_frame();
  }
  EXPECT_EQ(world.exchange(socket, pings).back(), "pong:");
  world.kernel.advance(milliseconds(1000));
  EXPECT_EQ(world.exchange(socket, pings).back(), "pong:");
  EXPECT_EQ(world.exchange(socket, text_frame("data") + pings).back(), "text:data");
  EXPECT_FALSE(socket.client.is_closed());
}

TEST(WsSessionTime, pings_a_silent_client_and_drops_one_that_does_not_answer) {
  WsWorld world;
  Noted noted;
  TestSocket socket = world.connect(noting(noted));
  world.kernel.advance(milliseconds(29'900));
  EXPECT_EQ(world.take(socket), Words{});
  world.kernel.advance(milliseconds(200));
  EXPECT_EQ(world.take(socket), Words{"ping:"});
  world.exchange(socket, framed({.opcode = ws::Opcode::pong}, {}));
  world.kernel.advance(seconds(30));
  EXPECT_EQ(world.take(socket), Words{"ping:"});
  world.kernel.advance(milliseconds(9800));
  EXPECT_FALSE(socket.line->is_over());
  world.kernel.advance(milliseconds(300));
  EXPECT_TRUE(socket.line->is_over());
  EXPECT_TRUE(noted.has_ended);
  EXPECT_EQ(noted.code, CloseCode::abnormal);
}

TEST(WsSessionTime, asks_a_talking_client_for_nothing) {
  WsWorld world;
  TestSocket socket = world.connect(echo);
  for (int index = 0; index < 10; ++index) {
    world.kernel.advance(seconds(20));
    EXPECT_EQ(world.exchange(socket, text_frame("x")), Words{"text:x"});
  }
}

TEST(WsSessionTime, does_not_hold_a_slow_handler_against_the_client) {
  WsWorld world({.queued_messages_max = 1});
  TestSocket socket = world.connect([&](WebSocket ws) -> Task<> {
    co_await sleep_for(seconds(100));
    co_await echo(std::move(ws));
  });
  world.exchange(socket, text_frame("a") + text_frame("b") + text_frame("c"));
  world.kernel.advance(seconds(101));
  EXPECT_EQ(world.take(socket), (Words{"text:a", "text:b", "text:c"}));
}

constexpr std::size_t kSmallWindow = 20'000;

// Sends 100 messages of 10 kB; `sent` counts them.
WsHandler talking(int& sent) {
  return [&sent](WebSocket ws) -> Task<> {
    const std::string large(10'000, 'x');
    for (; sent < 100; ++sent) {
      if (!co_await ws.send(large)) {
        break;
      }
    }
  };
}

TEST(WsSessionTime, does_not_wait_in_send_while_the_client_is_fast) {
  WsWorld world;
  int sent = 0;
  TestSocket socket = world.connect(talking(sent));
  EXPECT_EQ(sent, 100);
  EXPECT_EQ(world.take(socket).size(), 101U);  // and the close frame
}

TEST(WsSessionTime, resets_a_client_that_does_not_read_and_keeps_little_for_it) {
  WsWorld world;
  int sent = 0;
  TestSocket socket = world.connect(talking(sent), 0, kSmallWindow);
  EXPECT_LT(sent, 20);
  world.kernel.advance(seconds(20));
  EXPECT_FALSE(socket.line->is_over());
  world.kernel.advance(seconds(60));
  EXPECT_TRUE(socket.line->is_over()) << "it took nothing for a span of `write`";
  EXPECT_TRUE(socket.client.is_reset());
  EXPECT_LT(sent, 20);
}

TEST(WsSessionTime, lets_a_slow_reader_live_that_reads) {
  WsWorld world;
  int sent = 0;
  TestSocket socket = world.connect(talking(sent), 0, kSmallWindow);
  std::string all;
  for (int step = 0; step < 60; ++step) {
    world.kernel.advance(seconds(4));
    all += socket.client.take_received();
  }
  EXPECT_EQ(sent, 100);
  const Words messages = told(all);
  ASSERT_EQ(messages.size(), 101U);
  EXPECT_EQ(messages.back(), "close:1000:");
}

/// A session with callbacks on a line that the test controls.
struct Held {
  explicit Held(WebSocketOptions options) : world(std::move(options)) {
    world.loop().call([this] { session.start(&handlers); });
    world.kernel.run_until_idle();
  }
  void hear(std::string_view bytes) {
    world.loop().call([this, bytes] { session.on_bytes(bytes); });
  }
  /// Sends so much that the line refuses it; `in_kernel` of it is in the kernel.
  void send_much(std::size_t in_kernel) {
    world.loop().call([this] { session.try_send(std::string(300'000, 'x')); });
    line.in_kernel += in_kernel;
    line.waiting -= in_kernel;
  }
  void drain() {
    line.waiting = 0;
    line.in_kernel = 0;
    world.loop().call([this] { session.on_drained(); });
  }

  WsWorld world;
  WebSocketHandlers handlers;
  HeldLine line{world.loop()};
  WsSession session{world.hub(), world.route, line, {}};
};

TEST(WsSessionTime, what_the_kernel_gives_to_a_reader_counts_as_taken) {
  Held held({.write = seconds(30), .bytes_per_second_min = 512});
  held.send_much(200'000);
  for (int span = 0; span < 5; ++span) {
    held.line.in_kernel -= std::size_t{512} * 30;
    held.world.kernel.advance(seconds(30));
    EXPECT_FALSE(held.line.was_reset) << span;
  }
  held.line.in_kernel -= std::size_t{512} * 30 - 1;
  held.world.kernel.advance(seconds(29));
  EXPECT_FALSE(held.line.was_reset);
  held.world.kernel.advance(seconds(1));
  EXPECT_TRUE(held.line.was_reset);
}

TEST(WsSessionTime, what_is_added_meanwhile_is_not_held_against_a_reader) {
  Held held({.backpressure_bytes_max = 1UL << 30U, .write = seconds(30)});
  held.send_much(0);
  for (int span = 0; span < 3; ++span) {
    held.send_much(0);
    held.line.waiting -= 16'000;
    held.world.kernel.advance(seconds(30));
    EXPECT_FALSE(held.line.was_reset) << span;
  }
}

TEST(WsSessionTime, a_reader_that_lets_all_leave_late_in_each_span_is_reset) {
  Held held({.write = seconds(30)});
  held.send_much(299'000);
  held.world.kernel.advance(seconds(29));
  held.line.waiting = 0;  // the bytes in the kernel are not read
  held.world.loop().call([&held] { held.session.on_drained(); });
  held.send_much(299'000);
  held.world.kernel.advance(milliseconds(900));
  EXPECT_FALSE(held.line.was_reset);
  held.world.kernel.advance(milliseconds(200));
  EXPECT_TRUE(held.line.was_reset);
}

TEST(WsSessionTime, a_message_has_its_time_without_that_in_which_output_waits) {
  Held held({.message_within = seconds(60), .bytes_per_second_min = 0, .ping_after = seconds(999)});
  held.hear(framed({.opcode = ws::Opcode::text, .is_final = false}, "half"));
  held.send_much(0);
  held.world.kernel.advance(seconds(100));
  held.drain();
  held.line.is_open = true;
  held.world.kernel.advance(seconds(59));
  EXPECT_TRUE(held.session.is_open());
  held.world.kernel.advance(seconds(2));
  EXPECT_EQ(held.session.reason(), "a message took too long to arrive");
}

TEST(WsSessionTime, no_pong_is_awaited_while_output_waits) {
  Held held({.ping_after = seconds(30), .pong_within = seconds(10)});
  held.line.is_open = true;
  held.world.kernel.advance(seconds(31));
  held.line.is_open = false;
  held.send_much(0);
  held.world.kernel.advance(seconds(12));
  EXPECT_FALSE(held.line.was_reset);
  held.drain();
  held.line.is_open = true;
  held.world.kernel.advance(seconds(41));
  EXPECT_TRUE(held.line.was_reset) << "asked again, and silent still";
}

}  // namespace
}  // namespace eider::ws::detail
