// Messages that a codec has compressed: how the reader handles them, with a codec of the tests.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/conformance/ws_case.h"
#include "tests/conformance/ws_feeder.h"
#include "tests/conformance/ws_toy_codec.h"

namespace eider::ws {
namespace {

SentFrame compressed(SentFrame frame) {
  frame.first |= 0x40U;
  return frame;
}

std::vector<WsCase> cases() {
  using enum Refusal;
  const MessageLimits ten{.message_bytes_max = 10};
  return {
      {"a compressed text", "6.2", {compressed(text("\3a\1b"))}, {saw_text("aaab")}},
      {"a compressed binary", "6.2", {compressed(binary("\2\xFF"))}, {saw_binary("\xFF\xFF")}},
      {"an empty one", "6.2", {compressed(text(""))}, {saw_text("")}},
      {"a plain one between",
       "6",
       {compressed(text("\2a")), text("\2a"), compressed(text("\2b"))},
       {saw_text("aa"), saw_text("\2a"), saw_text("bb")}},
      {"fragments cut within a pair",
       "6.2",
       {compressed(text_start("\3a\2")), middle("b\1"), last("c")},
       {saw_text("aaabbc")}},
      {"empty fragments",
       "6.2",
       {compressed(text_start("")), middle("\1a"), last("")},
       {saw_text("a")}},
      {"a ping between",
       "6.2",
       {compressed(text_start("\3a")), ping("\1p"), last("\1b")},
       {saw_ping("\1p"), saw_text("aaab")}},
      {"a large one",
       "6.2",
       {compressed(binary(std::string(20000, '\7')))},
       {saw_binary(std::string(70000, '\7'))}},
      {"UTF-8 that comes out", "6.2", {compressed(text("\1\xC3\1\xA4"))}, {saw_text("\xC3\xA4")}},
      {"as large as may be", "6", {compressed(text("\12a"))}, {saw_text("aaaaaaaaaa")}, ten},
      {"a byte too large", "6", {compressed(text("\13a"))}, {saw_refused(message_too_large)}, ten},
      {"too large over its fragments",
       "6",
       {compressed(text_start("\5a")), middle("\5b"), last("\1c")},
       {saw_refused(message_too_large)},
       ten},
      {"too large before it is corrupt",
       "6",
       {compressed(text(std::string("\13a\0a", 4)))},
       {saw_refused(message_too_large)},
       ten},
      {"more wire bytes than so small a message can have",
       "6",
       {announcing(compressed(text("")), 2000)},
       {saw_refused(message_too_large)},
       ten},
      {"corrupt", "6.2", {compressed(text(std::string("\0a", 2)))}, {saw_refused(bad_compression)}},
      {"corrupt at its end", "6.2", {compressed(text("\3a\3"))}, {saw_refused(bad_compression)}},
      {"no text", "8.1", {compressed(text("\1a\1\xFF"))}, {saw_refused(bad_text)}},
      {"no text, found before its end",
       "8.1",
       {announcing(compressed(text("\1a\1\xFF")), 100)},
       {saw_refused(bad_text)}},
      {"no text before it is corrupt",
       "8.1",
       {compressed(text(std::string("\1\xFF\0a", 4)))},
       {saw_refused(bad_text)}},
      {"half a character", "8.1", {compressed(text("\1\xC3"))}, {saw_refused(bad_text)}},
      {"a compressed continuation",
       "6.1",
       {compressed(text_start("\1a")), compressed(last("\1a"))},
       {saw_refused(reserved_bit)}},
      {"a compressed ping", "6.1", {compressed(ping("\1a"))}, {saw_refused(reserved_bit)}},
      {"a compressed close", "6.1", {compressed(close(1000))}, {saw_refused(reserved_bit)}},
      {"other bits too", "5.2", {{0xE1, "\1a"}}, {saw_refused(reserved_bit)}},
  };
}

void expect_case(const WsCase& one, Side side, Delivery delivery, std::size_t step_bytes) {
  ToyCodec codec;
  Feeder feeder(side, one.limits);
  feeder.reader().set_codec(codec);
  feeder.reader().set_delivery(delivery);
  feeder.feed(bytes_of(one.sent, side), step_bytes);
  EXPECT_TRUE(feeder.seen() == one.seen) << one.what << ", RFC 7692, " << one.section;
  EXPECT_EQ(feeder.reader().kept_bytes(), 0U) << one.what;
}

TEST(CompressedMessage, each_case_is_told_alike_however_it_is_cut_and_delivered) {
  for (const WsCase& one : cases()) {
    for (const Side side : {Side::server, Side::client}) {
      for (const std::size_t step_bytes : {1UL, 2UL, 3UL, 5UL, 4095UL, 4097UL, 1UL << 20U}) {
        expect_case(one, side, Delivery::whole, step_bytes);
        expect_case(one, side, Delivery::pieces, step_bytes);
      }
    }
  }
}

constexpr MessageLimits kLimits{};

TEST(CompressedMessage, the_codec_is_told_of_each_end_once) {
  ToyCodec codec;
  Feeder feeder(Side::server, kLimits);
  feeder.reader().set_codec(codec);
  feeder.feed(bytes_of({compressed(text("\1a")), text("b"), compressed(text_start("\1c")),
                        ping("p"), last("\1d")},
                       Side::server),
              1);
  EXPECT_EQ(codec.messages_ended, 2);
}

TEST(CompressedMessage, without_a_codec_it_is_refused) {
  Feeder feeder(Side::server, kLimits);
  feeder.feed(bytes_of(compressed(text("\1a")), Side::server));
  EXPECT_EQ(feeder.reader().refusal(), Refusal::reserved_bit);
}

}  // namespace
}  // namespace eider::ws
