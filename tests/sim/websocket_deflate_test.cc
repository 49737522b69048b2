// Compressed connections to the server, with the codec that applications use.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/protocols/http/ws/deflate_codec.h"
#include "eider/server/test_ws_line.h"

namespace eider {
namespace {

using testing::close_frame;
using testing::framed;
using testing::TestSocket;
using testing::text_frame;
using testing::WsWorld;
using Words = std::vector<std::string>;

WebSocketOptions compressing() {
  return {.compression = true};
}

constexpr ws::DeflateTerms kShared{.server_takeover = ws::Takeover::dropped,
                                   .client_takeover = ws::Takeover::dropped};

ws::detail::WsAgreement agreed(const ws::DeflateTerms& terms) {
  return {.subprotocol = ws::detail::WsAgreement::kNoSubprotocol, .compression = terms};
}

// Reads the messages that a server has sent to a client with this codec.
Words read(std::string_view bytes, ws::MessageCodec& codec) {
  static constexpr ws::MessageLimits kLimits{};
  ws::MessageReader reader(ws::Side::client, kLimits);
  reader.set_codec(codec);
  Buffer scratch;
  Words all;
  for (auto event = reader.read(bytes, scratch); event.kind != ws::EventKind::need_more;
       event = reader.read(bytes, scratch)) {
    bytes.remove_prefix(event.consumed);
    all.emplace_back(event.data);
    if (event.kind == ws::EventKind::refused) {
      break;
    }
  }
  return all;
}

TEST(CompressedTopics, all_forms_hear_the_same) {
  WsWorld world(compressing());
  const auto join = [](WebSocket ws) -> Task<> {
    ws.subscribe("room");
    while (auto message = co_await ws.receive()) {
      ws.publish("room", *message);
    }
  };
  const auto handler = [&join] { return ws::detail::WsPurpose(ws::detail::WsHandler(join)); };
  TestSocket plain = world.connect(handler(), 0);
  const ws::DeflateTerms own;
  TestSocket kept = world.connect(handler(), 0, agreed(own));
  std::vector<TestSocket> shared;
  for (int index = 0; index < 5; ++index) {
    shared.push_back(world.connect(handler(), 0, agreed(kShared)));
  }
  auto kept_codec = ws::make_deflate_codec(ws::Side::client, own, {});
  for (int round = 0; round < 20; ++round) {
    const std::string text = "again and again and again and again " + std::to_string(round);
    EXPECT_EQ(world.exchange(plain, text_frame(text) + text_frame("short")),
              (Words{"text:" + text, "text:short"}));
    const Words both{text, "short"};
    EXPECT_EQ(read(kept.client.take_received(), *kept_codec), both);
    for (TestSocket& socket : shared) {
      const std::string bytes = socket.client.take_received();
      EXPECT_LT(bytes.size(), text.size());
      auto codec = ws::make_deflate_codec(ws::Side::client, kShared, {});
      EXPECT_EQ(read(bytes, *codec), both);
    }
  }
}

TEST(CompressedTopics, a_bomb_is_ended) {
  WsWorld world(compressing());
  TestSocket socket = world.connect(ws::detail::WsPurpose(ws::detail::WsHandler(testing::echo)), 0,
                                    agreed(kShared));
  auto codec = ws::make_deflate_codec(ws::Side::client, kShared, {});
  Buffer bomb;
  ASSERT_EQ(codec->deflate(std::string(8UL << 20U, 'x'), bomb), ws::Deflated::done);
  const Words response = world.exchange(
      socket, framed({.opcode = ws::Opcode::text, .is_compressed = true}, bomb.view()));
  ASSERT_EQ(response.size(), 1U);
  EXPECT_TRUE(response[0].starts_with("close:1009")) << response[0];
}

}  // namespace
}  // namespace eider
