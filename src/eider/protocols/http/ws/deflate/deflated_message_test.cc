// Compressed messages through reader, codec and writer together, as in a connection.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/protocols/http/ws/deflate_codec.h"
#include "eider/protocols/http/ws/message_writer.h"
#include "tests/conformance/ws_case.h"
#include "tests/conformance/ws_feeder.h"

namespace eider::ws {
namespace {

constexpr DeflateTerms kDroppedByBoth{.server_takeover = Takeover::dropped,
                                      .client_takeover = Takeover::dropped};

SentFrame compressed(SentFrame frame) {
  frame.first |= 0x40U;
  return frame;
}

std::string bytes_of_message(std::initializer_list<int> values) {
  std::string made;
  for (const int value : values) {
    made.push_back(static_cast<char>(value));
  }
  return made;
}

/// The payload as the codec of the other side creates it.
std::string deflated(std::string_view message) {
  Buffer out;
  const auto codec = make_deflate_codec(Side::client, {}, {.bytes_min = 0});
  return codec->deflate(message, out) == Deflated::done ? std::string(out.view()) : "declined";
}

/// The first half and the rest of a compressed text.
std::vector<SentFrame> in_two(const std::string& payload) {
  const std::size_t half = payload.size() / 2;
  return {compressed(text_start(payload.substr(0, half))), last(payload.substr(half))};
}

const std::string& zeros() {
  static const std::string made(50'000, '0');
  return made;
}

WsCases good_cases() {
  const std::string hello = bytes_of_message({0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00});
  const std::string by_takeover = bytes_of_message({0xf2, 0x00, 0x11, 0x00, 0x00});
  const std::string final_hello = bytes_of_message({0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00});
  return {
      {"one frame", "7.2.3.1", {compressed(text(hello))}, {saw_text("Hello")}},
      {"two frames", "7.2.3.1", in_two(hello), {saw_text("Hello")}},
      {"the context of the message before",
       "7.2.3.2",
       {compressed(text(hello)), compressed(text(by_takeover))},
       {saw_text("Hello"), saw_text("Hello")}},
      {"a plain message between, which is no context",
       "7.2.3.2",
       {compressed(text(hello)), text("World"), compressed(text(by_takeover))},
       {saw_text("Hello"), saw_text("World"), saw_text("Hello")}},
      {"a block without compression",
       "7.2.3.3",
       {compressed(text(
           bytes_of_message({0x00, 0x05, 0x00, 0xfa, 0xff, 0x48, 0x65, 0x6c, 0x6c, 0x6f, 0x00})))},
       {saw_text("Hello")}},
      {"a block with BFINAL",
       "7.2.3.4",
       {compressed(text(final_hello + bytes_of_message({0x00})))},
       {saw_text("Hello")}},
      {"a block with BFINAL and nothing behind it",
       "7.2.3.4",
       {compressed(text(final_hello)), compressed(text(hello))},
       {saw_text("Hello"), saw_text("Hello")}},
      {"two blocks",
       "7.2.3.5",
       {compressed(text(bytes_of_message(
           {0xf2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xff, 0xff, 0xca, 0xc9, 0xc9, 0x07, 0x00})))},
       {saw_text("Hello")}},
      {"an empty message", "7.2.3.6", {compressed(text(bytes_of_message({0x00})))}, {saw_text("")}},
      {"an empty payload", "7.2.3.6", {compressed(text(""))}, {saw_text("")}},
      {"a ping between the frames",
       "6",
       {compressed(text_start(hello.substr(0, 3))), ping("p"), last(hello.substr(3))},
       {saw_ping("p"), saw_text("Hello")}},
  };
}

WsCases limited_and_bad_cases() {
  using enum Refusal;
  const std::string hello = bytes_of_message({0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00});
  const MessageLimits five{.message_bytes_max = 5};
  const MessageLimits four{.message_bytes_max = 4};
  const MessageLimits large{.message_bytes_max = 50'000};
  const MessageLimits less{.message_bytes_max = 49'999};
  return {
      {"a large message", "7.2.2", {compressed(binary(deflated(zeros())))}, {saw_binary(zeros())}},
      {"exactly as large as may be", "7.2.2", {compressed(text(hello))}, {saw_text("Hello")}, five},
      {"a byte too large",
       "7.2.2",
       {compressed(text(hello))},
       {saw_refused(message_too_large)},
       four},
      {"a bomb as large as may be", "7.2.2", in_two(deflated(zeros())), {saw_text(zeros())}, large},
      {"a bomb a byte too large",
       "7.2.2",
       in_two(deflated(zeros())),
       {saw_refused(message_too_large)},
       less},
      {"a bad block",
       "7.2.2",
       {compressed(text(bytes_of_message({0x07})))},
       {saw_refused(bad_compression)}},
      {"a reference to nothing",
       "7.2.2",
       {compressed(text(bytes_of_message({0xf2, 0x00, 0x11, 0x00, 0x00})))},
       {saw_refused(bad_compression)}},
      {"a message cut inside a block",
       "7.2.2",
       {compressed(text(hello.substr(0, 4)))},
       {saw_refused(bad_compression)}},
      {"no text", "8.1", {compressed(text(deflated("a\xFFz")))}, {saw_refused(bad_text)}},
      {"text cut inside a character by its frames",
       "8.1",
       in_two(deflated("\xC3\xA4\xC3\xB6\xC3\xBC")),
       {saw_text("\xC3\xA4\xC3\xB6\xC3\xBC")}},
  };
}

TEST(DeflatedMessage, each_case_is_told_alike_however_it_is_cut_and_delivered) {
  WsCases cases = good_cases();
  for (const WsCase& one : limited_and_bad_cases()) {
    cases.push_back(one);
  }
  for (const WsCase& one : cases) {
    for (const Side side : {Side::server, Side::client}) {
      for (const std::size_t step_bytes : {1UL, 2UL, 7UL, 4096UL, 1UL << 20U}) {
        for (const Delivery delivery : {Delivery::whole, Delivery::pieces}) {
          const auto codec = make_deflate_codec(side, DeflateTerms{}, {});
          Feeder feeder(side, one.limits);
          feeder.reader().set_codec(*codec);
          feeder.reader().set_delivery(delivery);
          feeder.feed(bytes_of(one.sent, side), step_bytes);
          EXPECT_TRUE(feeder.seen() == one.seen)
              << one.what << ", RFC 7692, " << one.section << ", by " << step_bytes;
        }
      }
    }
  }
}

TEST(DeflatedMessage, is_read_as_it_was_written) {
  for (const DeflateTerms& terms : {DeflateTerms{}, kDroppedByBoth}) {
    const auto server = make_deflate_codec(Side::server, terms, {});
    const auto client = make_deflate_codec(Side::client, terms, {});
    const MessageWriter writer;
    const MessageLimits limits{};
    Feeder feeder(Side::client, limits);
    feeder.reader().set_codec(*client);
    std::vector<Seen> expected;
    for (int number = 0; number < 50; ++number) {
      const std::string message = "{\"count\":" + std::to_string(number) +
                                  ",\"name\":\"counter\"," +
                                  std::string(static_cast<std::size_t>(number) * 3, 'x') + "}";
      Buffer payload;
      Buffer frame;
      if (server->deflate(message, payload) == Deflated::done) {
        writer.message(frame, {.form = Form::compressed}, payload.view());
      } else {
        writer.message(frame, {}, message);
      }
      feeder.feed(frame.view());
      expected.push_back(saw_text(message));
    }
    EXPECT_TRUE(feeder.seen() == expected);
  }
}

}  // namespace
}  // namespace eider::ws
