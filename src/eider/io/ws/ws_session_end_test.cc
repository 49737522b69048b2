#include "eider/io/ws/ws_session.h"

#include <gtest/gtest.h>

#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "eider/io/runtime/frame_pool.h"
#include "eider/io/runtime/sleep.h"
#include "eider/server/test_ws_line.h"
#include "eider/testkit/sim_random.h"

namespace eider::ws::detail {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::close_frame;
using testing::echo;
using testing::framed;
using testing::Noted;
using testing::noting;
using testing::TestSocket;
using testing::text_frame;
using testing::WsWorld;
using Words = std::vector<std::string>;

TEST(WsSessionEnd, gives_all_messages_that_came_before_the_close) {
  WsWorld world;
  Noted noted;
  TestSocket socket = world.connect(noting(noted));
  const auto response =
      world.exchange(socket, text_frame("a") + text_frame("b") + close_frame(4001, "enough"));
  EXPECT_EQ(response, Words{"close:4001:"});
  EXPECT_EQ(noted.received, (Words{"a", "b"}));
  EXPECT_EQ(static_cast<int>(noted.code), 4001);
  EXPECT_EQ(noted.reason, "enough");
  EXPECT_TRUE(socket.client.is_closed());
  EXPECT_FALSE(socket.client.is_reset());
  EXPECT_TRUE(socket.line->is_over());
}

TEST(WsSessionEnd, answers_a_close_behind_what_the_handler_has_to_say) {
  WsWorld world;
  TestSocket socket = world.connect(echo);
  socket.client.send(text_frame("a") + text_frame("b") + close_frame(1000));
  socket.client.half_close();
  world.kernel.run_until_idle();
  EXPECT_EQ(world.take(socket), (Words{"text:a", "text:b", "close:1000:"}));
  EXPECT_TRUE(socket.line->is_over());
}

TEST(WsSessionEnd, answers_a_close_in_time_when_the_handler_has_no_time) {
  WsWorld world;
  TestSocket socket = world.connect([](WebSocket ws) -> Task<> {
    co_await ws.receive();
    co_await sleep_for(seconds(60));
  });
  EXPECT_EQ(world.exchange(socket, text_frame("a") + close_frame(1000)), Words{});
  world.kernel.advance(milliseconds(4900));
  EXPECT_EQ(world.take(socket), Words{});
  world.kernel.advance(milliseconds(200));
  EXPECT_EQ(world.take(socket), Words{"close:1000:"});
  world.kernel.advance(seconds(5));
  EXPECT_TRUE(socket.line->is_over());
}

TEST(WsSessionEnd, answers_a_close_with_its_code_also_when_the_handler_ends_or_closes_itself) {
  for (const bool closes : {false, true}) {
    WsWorld world;
    TestSocket socket = world.connect([closes](WebSocket ws) -> Task<> {
      co_await ws.receive();
      if (closes) {
        ws.close(CloseCode::going_away);
      }
    });
    EXPECT_EQ(world.exchange(socket, text_frame("a") + close_frame(4444)), Words{"close:4444:"});
    EXPECT_TRUE(socket.line->is_over());
  }
}

TEST(WsSessionEnd, answers_a_close_without_a_code_by_one_without) {
  WsWorld world;
  Noted noted;
  TestSocket socket = world.connect(noting(noted));
  EXPECT_EQ(world.exchange(socket, framed({.opcode = ws::Opcode::close}, {})),
            Words{"close:1005:"});
  EXPECT_EQ(noted.code, CloseCode::no_status);
}

TEST(WsSessionEnd, closes_with_1000_when_the_handler_returns) {
  WsWorld world;
  TestSocket socket = world.connect([](WebSocket ws) -> Task<> { co_await ws.send("hi"); });
  EXPECT_EQ(world.take(socket), (Words{"text:hi", "close:1000:"}));
  EXPECT_FALSE(socket.client.is_closed()) << "the client's close frame is awaited";
  EXPECT_EQ(world.exchange(socket, text_frame("ignored") + close_frame(1000)), Words{});
  EXPECT_TRUE(socket.line->is_over());
}

TEST(WsSessionEnd, closes_with_1011_and_a_line_in_the_log_when_the_handler_throws) {
  WsWorld world;
  TestSocket socket = world.connect([](WebSocket ws) -> Task<> {
    const auto message = co_await ws.receive();
    throw std::runtime_error("not for the client: " + std::string(message->bytes));
  });
  EXPECT_EQ(world.exchange(socket, text_frame("x")), Words{"close:1011:the server failed"});
  EXPECT_EQ(world.log->lines, Words{"WebSocket /test failed: not for the client: x"});
}

TEST(WsSessionEnd, closes_by_the_handlers_word_and_hears_no_more_messages) {
  WsWorld world;
  Words received;
  CloseCode code = CloseCode::normal;
  TestSocket socket = world.connect([&](WebSocket ws) -> Task<> {
    ws.close(static_cast<CloseCode>(4000), "go");
    EXPECT_FALSE(ws.is_open());
    const bool is_sent = co_await ws.send("too late");
    EXPECT_FALSE(is_sent);
    while (auto message = co_await ws.receive()) {
      received.emplace_back(message->bytes);
    }
    code = ws.close_code();
  });
  EXPECT_EQ(world.take(socket), Words{"close:4000:go"});
  EXPECT_EQ(world.exchange(socket, text_frame("late") + close_frame(4002)), Words{});
  EXPECT_EQ(received, Words{});
  EXPECT_EQ(static_cast<int>(code), 4002);
  EXPECT_TRUE(socket.line->is_over());
}

TEST(WsSessionEnd, refuses_to_close_with_a_code_that_is_never_sent) {
  WsWorld world;
  int thrown = 0;
  TestSocket socket = world.connect([&](WebSocket ws) -> Task<> {
    for (const unsigned code : {0U, 999U, 1004U, 1005U, 1006U, 1015U, 2000U, 5000U}) {
      try {
        ws.close(static_cast<CloseCode>(code));
      } catch (const std::invalid_argument&) {
        ++thrown;
      }
    }
    co_await ws.receive();
  });
  EXPECT_EQ(thrown, 8);
  EXPECT_EQ(world.exchange(socket, close_frame(1000)), Words{"close:1000:"});
}

TEST(WsSessionEnd, tells_the_handler_when_the_client_ends_or_breaks_the_connection) {
  for (const bool is_reset : {false, true}) {
    WsWorld world;
    Noted noted;
    TestSocket socket = world.connect(noting(noted));
    is_reset ? socket.client.reset() : socket.client.half_close();
    world.kernel.run_until_idle();
    EXPECT_TRUE(noted.has_ended) << is_reset;
    EXPECT_EQ(noted.code, CloseCode::abnormal);
    EXPECT_TRUE(socket.line->is_over());
    EXPECT_EQ(world.hub().orphans(), 0U);
  }
}

TEST(WsSessionEnd, lets_a_handler_finish_behind_the_end_for_a_while) {
  for (const bool is_reset : {false, true}) {
    for (const int work_seconds : {3, 60}) {
      WsWorld world;
      bool has_finished = false;
      bool was_destroyed = false;
      TestSocket socket = world.connect([&](WebSocket ws) -> Task<> {
        struct AtEnd {
          bool& flag;
          ~AtEnd() { flag = true; }
        } const at_end{was_destroyed};
        co_await ws.receive();
        co_await sleep_for(seconds(work_seconds));
        has_finished = true;
      });
      is_reset ? socket.client.reset() : socket.client.half_close();
      world.kernel.run_until_idle();
      EXPECT_FALSE(was_destroyed);
      world.kernel.advance(milliseconds(3100));
      EXPECT_EQ(has_finished, work_seconds == 3);
      world.kernel.advance(milliseconds(2000));
      EXPECT_TRUE(was_destroyed);
      EXPECT_TRUE(socket.line->is_over());
      EXPECT_EQ(world.hub().orphans(), 0U);
    }
  }
}

TEST(WsSessionEnd, ends_a_handler_whose_peer_was_not_answered_before_the_line_broke) {
  WsWorld world;
  bool was_destroyed = false;
  TestSocket socket = world.connect([&](WebSocket ws) -> Task<> {
    struct AtEnd {
      bool& flag;
      ~AtEnd() { flag = true; }
    } const at_end{was_destroyed};
    co_await ws.receive();
    co_await sleep_for(std::chrono::hours(1));
  });
  socket.client.send(text_frame("a") + close_frame(1000));
  world.kernel.run_until_idle();
  socket.client.reset();
  world.kernel.run_until_idle();
  EXPECT_FALSE(was_destroyed);
  world.kernel.advance(seconds(6));
  EXPECT_TRUE(was_destroyed);
  EXPECT_EQ(world.hub().orphans(), 0U);
}

TEST(WsSessionEnd, destroys_the_handler_when_the_line_is_dropped) {
  WsWorld world;
  Noted noted;
  TestSocket socket = world.connect(noting(noted));
  world.loop().call([&] { socket.line->drop(); });
  EXPECT_TRUE(noted.was_destroyed);
  EXPECT_FALSE(noted.has_ended);
  EXPECT_EQ(world.hub().orphans(), 0U);
}

TEST(WsSessionEnd, says_goodbye_when_the_server_stops) {
  WsWorld world;
  Noted noted;
  TestSocket socket = world.connect(noting(noted));
  world.loop().call([&] { socket.line->stop(); });
  EXPECT_EQ(world.take(socket), Words{"close:1001:the server is shutting down"});
  EXPECT_FALSE(noted.has_ended);
  EXPECT_EQ(world.exchange(socket, close_frame(1001)), Words{});
  EXPECT_TRUE(noted.has_ended);
  EXPECT_TRUE(socket.line->is_over());
}

TEST(WsSessionEnd, waits_only_briefly_for_a_silent_client_when_the_server_stops) {
  for (const bool has_closed : {false, true}) {
    WsWorld world;
    Noted noted;
    TestSocket socket = world.connect([&](WebSocket ws) -> Task<> {
      if (has_closed) {
        ws.close(CloseCode::normal);  // its usual wait of five seconds is shortened, too
      }
      while (const auto message = co_await ws.receive()) {
      }
      noted.has_ended = true;
    });
    world.kernel.advance(milliseconds(100));
    world.loop().call([&] { socket.line->stop(); });
    world.kernel.advance(milliseconds(900));
    EXPECT_FALSE(socket.client.is_closed());
    world.kernel.advance(milliseconds(200));
    EXPECT_TRUE(noted.has_ended);
    EXPECT_TRUE(socket.client.is_closed());
    EXPECT_FALSE(socket.client.is_reset());
    world.kernel.advance(seconds(1));
    EXPECT_TRUE(socket.line->is_over());
    EXPECT_EQ(world.hub().orphans(), 0U);
  }
}

TEST(WsSessionEnd, finishes_the_work_of_its_handler_when_the_server_stops) {
  WsWorld world;
  bool is_finished = false;
  TestSocket socket = world.connect([&](WebSocket ws) -> Task<> {
    co_await ws.receive();
    co_await sleep_for(milliseconds(4500));
    is_finished = true;
  });
  world.exchange(socket, text_frame("a"));
  world.loop().call([&] { socket.line->stop(); });
  world.kernel.advance(milliseconds(4600));
  EXPECT_TRUE(is_finished);
  world.kernel.advance(seconds(4));
  EXPECT_EQ(world.hub().orphans(), 0U);
  EXPECT_TRUE(socket.line->is_over());
}

TEST(WsSessionEnd, fails_what_breaks_a_rule_with_its_code) {
  const struct {
    std::string bytes;
    std::string_view response;
  } cases[] = {
      {std::string("\x81\x01x", 3), "close:1002"},                          // not masked
      {framed({.opcode = static_cast<ws::Opcode>(3)}, "x"), "close:1002"},  // reserved
      {framed({.opcode = ws::Opcode::continuation}, "x"), "close:1002"},    // unstarted
      {framed({.opcode = ws::Opcode::ping, .is_final = false}, "x"), "close:1002"},
      {framed({.opcode = ws::Opcode::text, .is_compressed = true}, "x"), "close:1002"},
      {text_frame("\xC0\x80"), "close:1007"},
      {text_frame(std::string(101, 'x')), "close:1009"},
      {close_frame(1005), "close:1002"},
      {framed({.opcode = ws::Opcode::close}, "x"), "close:1002"},
  };
  for (const auto& wrong : cases) {
    WsWorld world({.message_bytes_max = 100});
    Noted noted;
    TestSocket socket = world.connect(noting(noted));
    const Words response = world.exchange(socket, text_frame("before") + wrong.bytes);
    ASSERT_EQ(response.size(), 1U);
    EXPECT_TRUE(response[0].starts_with(wrong.response)) << response[0];
    EXPECT_EQ(noted.received, Words{"before"});
    EXPECT_TRUE(noted.has_ended);
    EXPECT_TRUE(socket.client.is_closed());
    world.exchange(socket, text_frame("nobody listens"));
    world.kernel.advance(milliseconds(5100));
    EXPECT_TRUE(socket.line->is_over());
  }
}

TEST(WsSessionEnd, calls_closed_once_however_it_ends) {
  for (int way = 0; way < 5; ++way) {
    WsWorld world;
    int opened = 0;
    int closed = 0;
    auto handlers = std::make_unique<WebSocketHandlers>(WebSocketHandlers{
        .opened = [&](WebSocketRef&) { ++opened; },
        .message = [](WebSocketRef&, const WsMessage&) { throw std::runtime_error("no"); },
        .closed = [&](WebSocketRef&) { ++closed; }});
    TestSocket socket = world.connect(WsPurpose(std::move(handlers)));
    switch (way) {
      case 0:
        socket.client.reset();
        break;
      case 1:
        socket.client.half_close();
        break;
      case 2:
        EXPECT_EQ(world.exchange(socket, text_frame("x")), Words{"close:1011:the server failed"});
        break;
      case 3:
        world.loop().call([&] { socket.line->drop(); });
        break;
      default:
        world.loop().call([&] { socket.line->stop(); });
        break;
    }
    world.kernel.advance(seconds(6));
    EXPECT_EQ(opened, 1) << way;
    EXPECT_EQ(closed, 1) << way;
    EXPECT_TRUE(socket.line->is_over());
  }
}

TEST(WsSessionEnd, reads_from_a_failed_client_in_silence_but_not_without_end) {
  WsWorld world;
  TestSocket socket = world.connect(echo);
  world.exchange(socket, std::string("\x81\x01x", 3));
  for (int index = 0; index < 6 && !socket.line->is_over(); ++index) {
    socket.client.send(std::string(1024UL * 1024, 'f'));
    world.kernel.run_until_idle();
  }
  EXPECT_TRUE(socket.line->is_over());
}

TEST(WsSessionEnd, leaves_nothing_behind) {
  const auto frames = frames_in_use();
  {
    WsWorld world;
    for (int index = 0; index < 20; ++index) {
      TestSocket socket = world.connect(echo);
      world.exchange(socket, text_frame("x"));
      index % 2 == 0 ? socket.client.reset() : socket.client.close();
      world.kernel.run_until_idle();
      EXPECT_TRUE(socket.line->is_over());
    }
    EXPECT_EQ(world.hub().orphans(), 0U);
    EXPECT_EQ(world.kernel.open_connections(), 0U);
  }
  EXPECT_EQ(frames_in_use(), frames);
}

// Frames of all kinds and some invalid ones, cut randomly, with a kernel that behaves randomly.
std::string random_frame(SimRandom& random) {
  constexpr unsigned kKinds[] = {1, 1, 1, 1, 2, 2, 0, 9, 9, 10, 8, 3};
  const unsigned kind = kKinds[random.below(random.below(4) == 0 ? std::size(kKinds) : 6)];
  const ws::FrameHeader header{.opcode = static_cast<ws::Opcode>(kind),
                               .is_final = random.below(20) != 0,
                               .is_compressed = random.below(100) == 0};
  return framed(header, std::string(random.below(120), static_cast<char>(random.below(130))));
}

TEST(WsSessionEnd, comes_to_its_end_whatever_the_client_sends) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    WsWorld world({.message_bytes_max = 300, .queued_messages_max = 2}, 1, seed);
    world.kernel.set_faults(SimFaults::harmless(0.2));
    SimRandom random(seed);
    TestSocket other = world.connect(echo);
    TestSocket socket = world.connect([](WebSocket ws) -> Task<> {
      ws.subscribe("room");
      while (auto message = co_await ws.receive()) {
        ws.publish("room", *message);
        co_await ws.send(*message);
      }
    });
    std::string bytes = text_frame("begin");
    for (int index = 0; index < 20; ++index) {
      bytes += random_frame(random);
    }
    while (!bytes.empty()) {
      const std::size_t part = random.below(bytes.size()) + 1;
      socket.client.send(std::string_view(bytes).substr(0, part));
      bytes.erase(0, part);
      world.kernel.advance(milliseconds(random.below(300)));
    }
    seed % 2 == 0 ? socket.client.reset() : socket.client.half_close();
    world.kernel.advance(seconds(12));
    EXPECT_TRUE(socket.line->is_over()) << "seed " << seed;
    EXPECT_EQ(world.topics.size(), 0U);
    EXPECT_EQ(world.hub().orphans(), 0U);
    EXPECT_EQ(world.exchange(other, text_frame("still")), Words{"text:still"});
  }
}

}  // namespace
}  // namespace eider::ws::detail
