// Limits of the messages that all connections of an event loop receive and keep together.
#include "eider/io/ws/ws_input_budget.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "eider/io/runtime/sync.h"
#include "eider/protocols/http/ws/deflate_codec.h"
#include "eider/server/test_ws_line.h"
#include "eider/server/ws_hub.h"

namespace eider::ws::detail {
namespace {

using testing::TestSocket;
using testing::text_frame;
using testing::WsWorld;
using Words = std::vector<std::string>;

constexpr std::size_t kMessageBytes = 100'000;
constexpr std::size_t kBytesMax = 10 * kMessageBytes;
constexpr int kConnections = 50;
const std::string kTooManyIncomplete = "close:1013:too many messages are incomplete";
const std::string kTooManyWait = "close:1013:too many messages wait";

/// The first message is received only when `may_go` is set.
auto counts_when(AsyncEvent& may_go) {
  return [&may_go](WebSocket ws) -> Task<> {
    co_await may_go.wait();
    while (auto message = co_await ws.receive()) {
      co_await ws.send(std::to_string(message->bytes.size()));
    }
  };
}

Task<> counts(WebSocket ws) {
  while (auto message = co_await ws.receive()) {
    co_await ws.send(std::to_string(message->bytes.size()));
  }
}

std::size_t incomplete(WsWorld& world) {
  return world.hub().incomplete_messages().held();
}

std::size_t waiting(WsWorld& world) {
  return world.hub().waiting_messages().held();
}

void limit(WsWorld& world, std::size_t bytes_max) {
  world.loop().call([&] { set_input_bytes_max(world.loop(), bytes_max); });
}

TEST(WsInputBudget, limits_the_incomplete_messages_of_all_connections) {
  WsWorld world;
  limit(world, kBytesMax);
  const std::string frame = text_frame(std::string(kMessageBytes, 'x'));
  const std::string_view begin = std::string_view(frame).substr(0, frame.size() - 1);
  std::vector<TestSocket> sockets;
  int closed = 0;
  for (int count = 0; count < kConnections; ++count) {
    TestSocket& socket = sockets.emplace_back(world.connect(counts));
    const Words told = world.exchange(socket, begin);
    closed += told == Words{kTooManyIncomplete} ? 1 : 0;
    EXPECT_LE(incomplete(world), kBytesMax);
  }
  EXPECT_GE(closed, kConnections - 10);
  EXPECT_LT(closed, kConnections);
  // Complete messages need no memory, and the accepted ones end as usual.
  TestSocket other = world.connect(counts);
  EXPECT_EQ(world.exchange(other, text_frame("hello")), Words{"text:5"});
  EXPECT_EQ(world.exchange(sockets.front(), frame.substr(frame.size() - 1)),
            Words{"text:" + std::to_string(kMessageBytes)});
  sockets.clear();
  world.kernel.run_until_idle();
  EXPECT_EQ(incomplete(world), 0U);
}

TEST(WsInputBudget, counts_decompressed_bytes) {
  constexpr ws::DeflateTerms kAgreed{.server_takeover = ws::Takeover::dropped,
                                     .client_takeover = ws::Takeover::dropped};
  WsWorld world({.compression = true});
  limit(world, kBytesMax);
  const auto codec = ws::make_deflate_codec(ws::Side::client, kAgreed, {});
  Buffer packed;
  ASSERT_EQ(codec->deflate(std::string(kMessageBytes, 'x'), packed), ws::Deflated::done);
  const std::string bomb = testing::framed(
      {.opcode = ws::Opcode::text, .is_final = false, .is_compressed = true}, packed.view());
  ASSERT_LT(bomb.size(), 1000U);
  std::vector<TestSocket> sockets;
  for (int count = 0; count < kConnections; ++count) {
    TestSocket& socket = sockets.emplace_back(
        world.connect(WsPurpose(WsHandler(counts)), 0, {.compression = kAgreed}));
    const Words told = world.exchange(socket, bomb);
    EXPECT_TRUE(told.empty() || told == Words{kTooManyIncomplete}) << told.front();
    EXPECT_LE(incomplete(world), kBytesMax);
  }
  EXPECT_GT(incomplete(world), kBytesMax / 2);
  sockets.clear();
  world.kernel.run_until_idle();
  EXPECT_EQ(incomplete(world), 0U);
}

TEST(WsInputBudget, stops_reading_while_handlers_keep_too_many_messages) {
  WsWorld world;
  limit(world, kBytesMax);
  AsyncEvent may_go;
  const std::string frame = text_frame(std::string(kMessageBytes / 10, 'x'));
  std::vector<TestSocket> sockets;
  for (int count = 0; count < kConnections; ++count) {
    TestSocket& socket = sockets.emplace_back(world.connect(counts_when(may_go)));
    for (int sent = 0; sent < 20; ++sent) {
      EXPECT_TRUE(world.exchange(socket, frame).empty());
    }
  }
  // Each of the others has two messages, and is not read any more.
  EXPECT_GT(waiting(world), kBytesMax);
  EXPECT_LE(waiting(world), kBytesMax + kConnections * 2 * (frame.size() + 16));
  world.loop().call([&] { may_go.set(); });
  world.kernel.run_until_idle();
  for (TestSocket& socket : sockets) {
    EXPECT_EQ(world.take(socket), Words(20, "text:" + std::to_string(kMessageBytes / 10)));
  }
  EXPECT_EQ(waiting(world), 0U);
}

TEST(WsInputBudget, rejects_large_messages_while_too_many_wait) {
  WsWorld world;
  limit(world, kBytesMax);
  AsyncEvent may_go;
  const std::string frame = text_frame(std::string(kMessageBytes, 'x'));
  std::vector<TestSocket> sockets;
  std::vector<bool> is_closed;
  for (int count = 0; count < kConnections; ++count) {
    TestSocket& socket = sockets.emplace_back(world.connect(counts_when(may_go)));
    is_closed.push_back(world.exchange(socket, frame) == Words{kTooManyWait});
    EXPECT_LE(waiting(world), kBytesMax);
  }
  EXPECT_FALSE(is_closed.front());
  EXPECT_TRUE(is_closed.back());
  // A handler that waits for its message gets it, and small messages wait.
  TestSocket other = world.connect(counts);
  EXPECT_EQ(world.exchange(other, frame), Words{"text:" + std::to_string(kMessageBytes)});
  TestSocket small = world.connect(counts_when(may_go));
  EXPECT_TRUE(world.exchange(small, text_frame("hello")).empty());
  world.loop().call([&] { may_go.set(); });
  world.kernel.run_until_idle();
  EXPECT_EQ(world.take(small), Words{"text:5"});
  for (std::size_t index = 0; index < sockets.size(); ++index) {
    EXPECT_EQ(world.take(sockets[index]).size(), is_closed[index] ? 0U : 1U);
  }
  EXPECT_EQ(waiting(world), 0U);
}

TEST(WsInputBudget, one_message_alone_may_be_larger) {
  WsWorld world;
  limit(world, 1000);
  const std::string frame = text_frame(std::string(kMessageBytes, 'x'));
  TestSocket socket = world.connect(counts);
  EXPECT_TRUE(world.exchange(socket, frame.substr(0, frame.size() / 2)).empty());
  EXPECT_GT(incomplete(world), 1000U);
  EXPECT_EQ(world.exchange(socket, frame.substr(frame.size() / 2)),
            Words{"text:" + std::to_string(kMessageBytes)});
}

}  // namespace
}  // namespace eider::ws::detail
