#include "eider/io/ws/ws_session.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/io/runtime/sync.h"
#include "eider/server/test_ws_line.h"

namespace eider::ws::detail {
namespace {

using std::chrono::seconds;
using testing::binary_frame;
using testing::close_frame;
using testing::echo;
using testing::framed;
using testing::Noted;
using testing::ping_frame;
using testing::TestSocket;
using testing::text_frame;
using testing::WsWorld;
using Words = std::vector<std::string>;

TEST(WsSession, echoes_text_and_binary) {
  WsWorld world;
  TestSocket socket = world.connect(echo);
  EXPECT_EQ(world.exchange(socket, text_frame("hello")), Words{"text:hello"});
  EXPECT_EQ(world.exchange(socket, binary_frame({"\0\xFF", 2})),
            Words{std::string("binary:\0\xFF", 9)});
  EXPECT_EQ(world.exchange(socket, text_frame("")), Words{"text:"});
  EXPECT_FALSE(socket.client.is_closed());
}

// 1,500 connections once used a megabyte as long as the server ran.
TEST(WsSession, its_memory_is_returned_when_many_have_closed) {
  WsWorld world;
  const WebSocketHandlers silent;
  std::vector<TestSocket> sockets;
  for (int count = 0; count < 1500; ++count) {
    sockets.push_back(count % 2 == 0 ? world.connect(&silent) : world.connect(echo));
    EXPECT_EQ(world.exchange(sockets.back(), ping_frame("?")), Words{"pong:?"});
  }
  EXPECT_GE(world.hub().session_blocks(), 3U);
  for (std::size_t index = 0; index < sockets.size(); ++index) {
    if (index % 3 == 0) {
      (void)world.exchange(sockets[index], close_frame(1000));
    } else {
      sockets[index].client = {};  // disconnects without a close frame
      world.kernel.run_until_idle();
    }
    EXPECT_TRUE(sockets[index].line->is_over());
  }
  EXPECT_EQ(world.hub().session_blocks(), 1U) << "one is kept for the next ones";
}

TEST(WsSession, answers_alike_wherever_the_bytes_are_cut) {
  const std::string good = text_frame("one") +
                           framed({.opcode = ws::Opcode::text, .is_final = false}, "tw") +
                           ping_frame("?") + framed({.opcode = ws::Opcode::continuation}, "o") +
                           binary_frame(std::string(300, 'b')) + close_frame(1000, "bye");
  const Words expected{"text:one", "text:two", "binary:" + std::string(300, 'b'), "close:1000:"};
  for (std::size_t cut = 0; cut <= good.size(); ++cut) {
    WsWorld world;
    TestSocket socket = world.connect(echo);
    Words all = world.exchange(socket, std::string_view(good).substr(0, cut));
    const Words rest = world.exchange(socket, std::string_view(good).substr(cut));
    all.insert(all.end(), rest.begin(), rest.end());
    // Messages wait for their handler, but pings get their pongs immediately.
    std::erase(all, "pong:?");
    EXPECT_EQ(all, expected) << "cut at " << cut;
    EXPECT_TRUE(socket.line->is_over());
  }
}

TEST(WsSession, answers_pings_in_their_place) {
  WsWorld world;
  TestSocket socket = world.connect(echo);
  EXPECT_EQ(world.exchange(socket, ping_frame("a") + ping_frame("") + ping_frame("c")),
            (Words{"pong:a", "pong:", "pong:c"}));
  const std::string between = framed({.opcode = ws::Opcode::text, .is_final = false}, "he") +
                              ping_frame("mid") +
                              framed({.opcode = ws::Opcode::continuation}, "llo");
  EXPECT_EQ(world.exchange(socket, between), (Words{"pong:mid", "text:hello"}));
}

TEST(WsSession, takes_the_largest_message_and_no_larger) {
  WsWorld world({.message_bytes_max = 100});
  TestSocket socket = world.connect(echo);
  EXPECT_EQ(world.exchange(socket, text_frame(std::string(100, 'x'))),
            Words{"text:" + std::string(100, 'x')});
  const std::string half =
      framed({.opcode = ws::Opcode::text, .is_final = false}, std::string(60, 'x'));
  const Words response = world.exchange(
      socket, half + framed({.opcode = ws::Opcode::continuation}, std::string(60, 'x')));
  ASSERT_EQ(response.size(), 1U);
  EXPECT_TRUE(response[0].starts_with("close:1009")) << response[0];
}

TEST(WsSession, ends_a_message_of_too_many_fragments) {
  WsWorld world({.fragments_max = 10});
  TestSocket socket = world.connect(echo);
  std::string bytes = framed({.opcode = ws::Opcode::text, .is_final = false}, "");
  for (int index = 0; index < 10; ++index) {
    bytes += framed({.opcode = ws::Opcode::continuation, .is_final = false}, "");
  }
  const Words response = world.exchange(socket, bytes);
  ASSERT_EQ(response.size(), 1U);
  EXPECT_TRUE(response[0].starts_with("close:10")) << response[0];
}

TEST(WsSession, takes_4_mib_in_fragments_of_64_bytes) {
  WsWorld world({.message_bytes_max = 4UL * 1024 * 1024});
  TestSocket socket = world.connect(echo);
  const std::string piece(64, 'x');
  std::string bytes = framed({.opcode = ws::Opcode::text, .is_final = false}, piece);
  for (int index = 1; index < 65'536; ++index) {
    bytes += framed({.opcode = ws::Opcode::continuation, .is_final = false}, piece);
  }
  bytes += framed({.opcode = ws::Opcode::continuation}, "");  // as in Autobahn 9.3.1
  const Words response = world.exchange(socket, bytes);
  ASSERT_EQ(response.size(), 1U);
  EXPECT_EQ(response[0].size(), std::string_view("text:").size() + 4UL * 1024 * 1024)
      << response[0];
}

TEST(WsSession, ends_a_message_of_empty_fragments_that_does_not_end) {
  WsWorld world;
  TestSocket socket = world.connect(echo);
  std::string bytes = framed({.opcode = ws::Opcode::text, .is_final = false}, "");
  for (std::uint32_t index = 0; index < ws::kFragmentsMaxDefault; ++index) {
    bytes += framed({.opcode = ws::Opcode::continuation, .is_final = false}, "");
  }
  const Words response = world.exchange(socket, bytes);
  ASSERT_EQ(response.size(), 1U);
  EXPECT_TRUE(response[0].starts_with("close:1008")) << response[0];
}

/// A line that sends nothing until `drain`, but whose input is still read, like a stream of HTTP/2.
class StalledLine final : public UpgradedLine {
 public:
  explicit StalledLine(Loop& loop) noexcept : loop_(loop) {}
  [[nodiscard]] Loop& loop() noexcept override { return loop_; }
  [[nodiscard]] Buffer& output() override { return corked_; }
  bool flush() override {
    waiting_bytes_ += corked_.size();
    corked_.clear();
    return waiting_bytes_ == 0;
  }
  [[nodiscard]] std::size_t waiting_bytes() const noexcept override { return waiting_bytes_; }
  void pause_reading() noexcept override { is_paused = true; }
  void resume_reading() override { is_paused = false; }
  void end() override {}
  void reset() noexcept override {}
  [[nodiscard]] std::string address() const override { return {}; }
  void close() noexcept override {}
  void drain() noexcept { waiting_bytes_ = 0; }

  bool is_paused = false;

 private:
  Loop& loop_;
  Buffer corked_;
  std::size_t waiting_bytes_ = 0;
};

/// Pings followed by a message, so that they do not count as a flood.
std::string pings_and_a_message() {
  std::string round;
  for (int index = 0; index < 16; ++index) {
    round += ping_frame(std::string(125, 'p'));
  }
  return round + text_frame("");
}

/// Sends such rounds until they are no longer read.
void expect_bounded(WsWorld& world, WsPurpose purpose) {
  constexpr std::size_t kRoundBytes = 16 * 127;
  StalledLine line(world.loop());
  eider::detail::server::WsUpgrade upgrade(world.route, world.topics, {}, std::move(purpose));
  UpgradedPtr upgraded;
  world.loop().call([&] { upgraded = upgrade.take_over(line); });
  const std::string round = pings_and_a_message();
  for (int rounds = 0; rounds < 1000 && !line.is_paused; ++rounds) {
    world.loop().call([&] {
      upgraded->on_bytes(round);
      (void)line.flush();
    });
    world.kernel.run_until_idle();
  }
  EXPECT_TRUE(line.is_paused);
  EXPECT_LE(line.waiting_bytes(), 10'000 + kRoundBytes);
  line.drain();
  world.loop().call([&] { upgraded->on_drained(); });
  world.kernel.run_until_idle();
  EXPECT_FALSE(line.is_paused) << "what waited has been taken";
  world.loop().call([&] { upgraded.reset(); });
}

TEST(WsSession, reads_no_more_pings_than_their_pongs_may_wait) {
  WsWorld world({.backpressure_bytes_max = 10'000});
  Noted noted;
  WsHandler kept = testing::noting(noted);  // its coroutine refers to it
  expect_bounded(world, WsHandler([&kept](WebSocket ws) { return kept(std::move(ws)); }));
  EXPECT_GE(noted.received.size(), 4U);
  const WebSocketHandlers silent{.message = [](WebSocketRef&, const WsMessage&) {}};
  expect_bounded(world, &silent);
}

TEST(WsSession, is_not_read_from_over_http1_while_its_pongs_wait) {
  WsWorld world;
  Noted noted;
  TestSocket socket = world.connect(testing::noting(noted), 0, 1000);
  const std::string round = pings_and_a_message();
  for (int rounds = 0; rounds < 1000; ++rounds) {
    socket.client.send(round);
    world.kernel.run_until_idle();
  }
  EXPECT_LE(socket.line->waiting_bytes(), 10 * round.size());
  EXPECT_LT(noted.received.size(), 20U);
}

TEST(WsSession, reads_no_more_while_the_handler_is_busy) {
  WsWorld world({.queued_messages_max = 10});
  Noted noted;
  eider::AsyncEvent may_go;
  TestSocket socket = world.connect([&](WebSocket ws) -> Task<> {
    co_await may_go.wait();
    while (auto message = co_await ws.receive()) {
      noted.received.emplace_back(message->bytes);
    }
  });
  Words expected;
  for (int index = 0; index < 1000; ++index) {
    expected.push_back(std::to_string(index));
    socket.client.send(text_frame(expected.back()));
    world.kernel.run_until_idle();
  }
  socket.client.send(close_frame(1000));
  world.kernel.run_until_idle();
  EXPECT_FALSE(socket.line->is_over()) << "the close frame stands behind what is not read";
  world.loop().call([&] { may_go.set(); });
  world.kernel.run_until_idle();
  EXPECT_EQ(noted.received, expected);
  EXPECT_TRUE(socket.line->is_over());
}

TEST(WsSession, gives_way_to_others_when_it_sends_without_end) {
  WsWorld world;
  int sent = 0;
  int sent_when_others_ran = 0;
  TestSocket talker = world.connect([&](WebSocket ws) -> Task<> {
    const std::string large(100'000, 'x');
    world.loop().post([&] { sent_when_others_ran = sent; });
    for (; sent < 100; ++sent) {
      co_await ws.send(large);
    }
  });
  EXPECT_EQ(sent, 100);
  EXPECT_GT(sent_when_others_ran, 0);
  EXPECT_LT(sent_when_others_ran, 20);
}

TEST(WsSession, serves_callbacks_from_opened_to_closed) {
  WsWorld world;
  Words seen;
  WebSocketRef* address = nullptr;
  const WebSocketHandlers handlers{
      .opened =
          [&](WebSocketRef& socket) {
            address = &socket;
            seen.emplace_back("opened");
            socket.try_send("welcome");
          },
      .message =
          [&](WebSocketRef& socket, const WsMessage& message) {
            EXPECT_EQ(&socket, address);
            seen.emplace_back(message.bytes);
            socket.try_send(message);
          },
      .closed =
          [&](WebSocketRef& socket) {
            EXPECT_FALSE(socket.is_open());
            seen.push_back("closed " + std::to_string(static_cast<int>(socket.close_code())));
          }};
  TestSocket socket = world.connect(WsPurpose(&handlers));
  EXPECT_EQ(world.take(socket), Words{"text:welcome"});
  EXPECT_EQ(world.exchange(socket, text_frame("a") + ping_frame("p") + text_frame("b")),
            (Words{"text:a", "pong:p", "text:b"}));
  EXPECT_EQ(world.exchange(socket, close_frame(1001)), Words{"close:1001:"});
  EXPECT_EQ(seen, (Words{"opened", "a", "b", "closed 1001"}));
  EXPECT_TRUE(socket.line->is_over());
}

TEST(WsSession, takes_bytes_that_came_with_the_request_behind_opened) {
  WsWorld world;
  Words seen;
  const WebSocketHandlers handlers{
      .opened = [&](WebSocketRef&) { seen.emplace_back("opened"); },
      .message = [&](WebSocketRef&, const WsMessage& message) { seen.emplace_back(message.bytes); },
      .closed = {}};
  SimPair pair = world.kernel.connect_pair();
  pair.client.send(text_frame("early"));
  eider::detail::server::WsUpgrade upgrade(world.route, world.topics, {}, WsPurpose(&handlers));
  std::unique_ptr<testing::TestLine> line;
  world.loop().call([&] {
    line = std::make_unique<testing::TestLine>(world.loop(), std::move(pair.server), upgrade);
  });
  EXPECT_EQ(seen, (Words{"opened", "early"}));
}

TEST(WsSession, echoes_everything_whatever_the_kernel_does) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    WsWorld world({.queued_messages_max = 5}, 1, seed);
    world.kernel.set_faults(SimFaults::harmless(0.3));
    TestSocket socket = world.connect(echo);
    std::string sent;
    Words expected;
    for (int index = 0; index < 60; ++index) {
      const std::string text(static_cast<std::size_t>(index * index * 7 % 3000), 'a');
      sent += text_frame(text);
      expected.push_back("text:" + text);
    }
    for (std::size_t at = 0; at < sent.size(); at += 777) {
      socket.client.send(std::string_view(sent).substr(at, 777));
      world.kernel.run_until_idle();
    }
    world.kernel.advance(seconds(1));
    ASSERT_EQ(world.take(socket), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace eider::ws::detail
