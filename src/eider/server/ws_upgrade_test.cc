#include "eider/server/ws_upgrade.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider::detail::server {
namespace {

const std::vector<Field> kGood = {{"Host", "example.com"},
                                  {"Upgrade", "websocket"},
                                  {"Connection", "Upgrade"},
                                  {"Sec-WebSocket-Version", "13"},
                                  {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}};

constexpr RequestedSite kSite{"example.com", AskedOver::clear};

RequestHead head_of(const std::vector<Field>& fields) {
  RequestHead head;
  head.method = Method::get;
  head.wants_upgrade = true;
  head.authority = "example.com";
  head.fields = fields;
  return head;
}

std::vector<Field> with(std::string_view name, std::string_view value) {
  std::vector<Field> fields = kGood;
  fields.push_back({name, value});
  return fields;
}

TEST(WsUpgrade, accepts_the_example_of_the_rfc) {
  const auto accepted = accept_websocket(head_of(kGood), kSite, {});
  ASSERT_TRUE(accepted.has_value());
  EXPECT_EQ(accepted->handshake.accept_view(), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(accepted->agreement.subprotocol, ws::detail::WsAgreement::kNoSubprotocol);
  EXPECT_EQ(accepted->extensions, "");
}

TEST(WsUpgrade, chooses_the_subprotocol_that_it_likes_best_itself) {
  const WebSocketOptions options{.subprotocols = {"v3", "v2", "v1"}};
  const struct {
    std::string_view offered;
    std::uint8_t chosen;
  } cases[] = {
      {"v1, v2", 1}, {"v1", 2}, {"v9,v3", 0}, {"V3", ws::detail::WsAgreement::kNoSubprotocol}};
  for (const auto& one : cases) {
    const auto fields = with("Sec-WebSocket-Protocol", one.offered);
    const auto accepted = accept_websocket(head_of(fields), kSite, options);
    ASSERT_TRUE(accepted.has_value()) << one.offered;
    EXPECT_EQ(accepted->agreement.subprotocol, one.chosen) << one.offered;
  }
}

TEST(WsUpgrade, lets_pages_of_its_own_host_and_of_those_named_in) {
  const WebSocketOptions options{.origins = {"https://friend.example"}};
  const struct {
    std::string_view origin;
    int status;
  } cases[] = {{"https://example.com", 0},
               {"http://example.com", 0},
               {"https://friend.example", 0},
               {"https://foe.example", 403},
               {"null", 403},
               {"https://friend.example:444", 403}};
  for (const auto& one : cases) {
    const auto fields = with("Origin", one.origin);
    const auto accepted = accept_websocket(head_of(fields), kSite, options);
    EXPECT_EQ(accepted ? 0 : accepted.error().status, one.status) << one.origin;
  }
  const auto fields = with("Origin", "https://foe.example");
  EXPECT_TRUE(accept_websocket(head_of(fields), kSite, {.origins = {"*"}}).has_value());
}

TEST(WsUpgrade, refuses_extensions_that_are_no_list) {
  const auto fields = with("Sec-WebSocket-Extensions", "permessage-deflate; =x");
  const auto accepted = accept_websocket(head_of(fields), kSite, {});
  ASSERT_FALSE(accepted.has_value());
  EXPECT_EQ(accepted.error().status, 400);
}

TEST(WsUpgrade, agrees_on_compression_only_where_it_is_on) {
  const auto fields = with("Sec-WebSocket-Extensions", "permessage-deflate");
  for (const WebSocketOptions& options :
       {WebSocketOptions{}, WebSocketOptions{.compression = false}}) {
    EXPECT_FALSE(
        accept_websocket(head_of(fields), kSite, options)->agreement.compression.has_value());
  }
}

TEST(WsUpgrade, keeps_no_context_between_compressed_messages_unless_it_is_told_to) {
  using enum ws::Takeover;
  const auto fields = with("Sec-WebSocket-Extensions", "permessage-deflate");
  const std::vector<std::pair<WebSocketCompression, ws::DeflateTerms>> cases{
      {true, {.server_takeover = dropped, .client_takeover = dropped}},
      {WebSocketDeflate{.keeps_own_context = true},
       {.server_takeover = kept, .client_takeover = dropped}},
      {WebSocketDeflate{.keeps_peer_context = true, .own_window_bits = 10},
       {.server_takeover = dropped, .client_takeover = kept, .server_window_bits = 10}}};
  for (const auto& [compression, terms] : cases) {
    const auto accepted = accept_websocket(head_of(fields), kSite, {.compression = compression});
    ASSERT_TRUE(accepted && accepted->agreement.compression);
    EXPECT_EQ(*accepted->agreement.compression, terms);
    EXPECT_TRUE(accepted->extensions.starts_with("permessage-deflate")) << accepted->extensions;
  }
}

}  // namespace
}  // namespace eider::detail::server
