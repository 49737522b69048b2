#include "eider/protocols/http/ws/message_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/conformance/ws_feeder.h"

namespace eider::ws {
namespace {

using namespace std::string_view_literals;

/// Always the key of the examples in RFC 6455, section 5.7.
class OneKey final : public MaskSource {
 public:
  [[nodiscard]] MaskKey next() override {
    ++asked;
    return {0x37, 0xFA, 0x21, 0x3D};
  }
  int asked = 0;
};

template <class Write>
std::string written(const MessageWriter& writer, Write write) {
  Buffer out;
  write(writer, out);
  return std::string(out.view());
}

TEST(MessageWriter, writes_the_examples_of_the_rfc_for_a_server) {
  const MessageWriter server;
  EXPECT_EQ(written(server, [](auto& writer, Buffer& out) { writer.message(out, {}, "Hello"); }),
            "\x81\x05Hello"sv);
  EXPECT_EQ(written(server,
                    [](auto& writer, Buffer& out) {
                      writer.message(out, {.fragment = Fragment::first}, "Hel");
                      writer.message(out, {.fragment = Fragment::last}, "lo");
                    }),
            "\x01\x03Hel\x80\x02lo"sv);
  EXPECT_EQ(written(server, [](auto& writer, Buffer& out) { writer.ping(out, "Hello"); }),
            "\x89\x05Hello"sv);
  const Outgoing binary{.type = MessageType::binary};
  EXPECT_EQ(
      written(server, [&](auto& writer,
                          Buffer& out) { writer.message(out, binary, std::string(256, '\0')); }),
      std::string("\x82\x7E\x01\x00", 4).append(256, '\0'));
  EXPECT_EQ(
      written(server, [&](auto& writer,
                          Buffer& out) { writer.message(out, binary, std::string(65536, '\0')); }),
      std::string("\x82\x7F\x00\x00\x00\x00\x00\x01\x00\x00", 10).append(65536, '\0'));
}

TEST(MessageWriter, writes_the_examples_of_the_rfc_for_a_client) {
  OneKey keys;
  const MessageWriter client(keys);
  EXPECT_EQ(written(client, [](auto& writer, Buffer& out) { writer.message(out, {}, "Hello"); }),
            "\x81\x85\x37\xFA\x21\x3D\x7F\x9F\x4D\x51\x58"sv);
  EXPECT_EQ(written(client, [](auto& writer, Buffer& out) { writer.pong(out, "Hello"); }),
            "\x8A\x85\x37\xFA\x21\x3D\x7F\x9F\x4D\x51\x58"sv);
  EXPECT_EQ(keys.asked, 2);
}

/// The messages that the other side receives.
std::vector<Seen> seen_by(Side side, std::string_view bytes) {
  const MessageLimits limits{};
  Feeder feeder(side, limits);
  feeder.feed(bytes, 3);
  return feeder.seen();
}

void write_all(const MessageWriter& writer, Buffer& out) {
  for (const std::size_t size : {0UL, 1UL, 125UL, 126UL, 65535UL, 65536UL}) {
    writer.message(out, {.type = MessageType::binary}, std::string(size, 'x'));
  }
  writer.message(out, {.fragment = Fragment::first}, "a");
  writer.ping(out, "p");
  writer.message(out, {.fragment = Fragment::middle}, "b");
  writer.pong(out, std::string(125, 'q'));
  writer.message(out, {.fragment = Fragment::last}, "c");
  writer.close(out, CloseCode::going_away, "bye");
}

TEST(MessageWriter, is_understood_by_the_reader_of_the_other_side) {
  OneKey keys;
  for (const Side side : {Side::server, Side::client}) {
    Buffer out;
    write_all(side == Side::server ? MessageWriter(keys) : MessageWriter(), out);
    std::vector<Seen> expected;
    for (const std::size_t size : {0UL, 1UL, 125UL, 126UL, 65535UL, 65536UL}) {
      expected.push_back(saw_binary(std::string(size, 'x')));
    }
    expected.insert(expected.end(), {saw_ping("p"), saw_pong(std::string(125, 'q')),
                                     saw_text("abc"), saw_close(1001, "bye")});
    EXPECT_TRUE(seen_by(side, out.view()) == expected);
  }
}

std::vector<Seen> seen_close(CloseCode code, std::string_view reason) {
  return seen_by(Side::client, written(MessageWriter(), [&](auto& writer, Buffer& out) {
                   writer.close(out, code, reason);
                 }));
}

TEST(MessageWriter, closes_with_and_without_a_code) {
  EXPECT_EQ(written(MessageWriter(),
                    [](auto& writer, Buffer& out) { writer.close(out, CloseCode::no_status); }),
            "\x88\x00"sv);
  EXPECT_TRUE(seen_close(CloseCode::no_status, "x") == std::vector{saw_close(1005)});
  EXPECT_TRUE(seen_close(CloseCode::normal, "") == std::vector{saw_close(1000)});
  EXPECT_TRUE(seen_close(static_cast<CloseCode>(4999), "x") == std::vector{saw_close(4999, "x")});
}

TEST(MessageWriter, cuts_a_long_reason_between_characters) {
  const std::string euro = "\xE2\x82\xAC";
  for (std::size_t before = 115; before < 130; ++before) {
    const std::string reason = std::string(before, 'x') + euro + euro;
    const std::vector<Seen> seen = seen_close(CloseCode::normal, reason);
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].kind, EventKind::close);
    EXPECT_TRUE(reason.starts_with(seen[0].data));
    EXPECT_LE(seen[0].data.size(), 123U);
    EXPECT_GE(seen[0].data.size(), 121U);
  }
}

TEST(MessageWriter, marks_the_first_frame_of_a_compressed_message_alone) {
  const auto bytes = written(MessageWriter(), [](auto& writer, Buffer& out) {
    writer.message(out, {.form = Form::compressed, .fragment = Fragment::first}, "a");
    writer.message(out, {.form = Form::compressed, .fragment = Fragment::last}, "b");
    writer.message(out, {.form = Form::compressed}, "c");
  });
  EXPECT_EQ(bytes,
            "\x41\x01"
            "a"
            "\x80\x01"
            "b"
            "\xC1\x01"
            "c"sv);
}

}  // namespace
}  // namespace eider::ws
