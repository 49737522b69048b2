#include "eider/protocols/http/ws/frame.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider::ws {
namespace {

using namespace std::string_view_literals;

constexpr MaskKey kKey{1, 2, 3, 4};

std::vector<FrameHeader> all_headers(Side reader) {
  std::vector<FrameHeader> all;
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{125},
                                    std::uint64_t{126}, std::uint64_t{65535}, std::uint64_t{65536},
                                    std::uint64_t{1} << 32U, (std::uint64_t{1} << 63U) - 1}) {
    for (const Opcode opcode : {Opcode::continuation, Opcode::text, Opcode::binary, Opcode::close,
                                Opcode::ping, Opcode::pong}) {
      for (const bool is_final : {false, true}) {
        if (is_control(opcode) && (!is_final || bytes > kControlBytesMax)) {
          continue;
        }
        const bool is_masked = reader == Side::server;
        all.push_back({.payload_bytes = bytes,
                       .mask_key = is_masked ? kKey : MaskKey{},
                       .opcode = opcode,
                       .is_final = is_final,
                       .is_masked = is_masked});
      }
    }
  }
  return all;
}

/// Reads `in` in two parts, and expects the header without the bytes after it.
void expect_read(std::string_view in, std::size_t cut, Side side, const FrameHeader& header) {
  FrameReader reader(side);
  FrameStep step = reader.read(in.substr(0, cut));
  std::size_t consumed = step.consumed;
  if (cut < in.size()) {
    EXPECT_EQ(step.status, FrameStatus::need_more);
    EXPECT_EQ(consumed, cut);
    EXPECT_EQ(reader.is_within_header(), cut != 0);
    step = reader.read(std::string(in.substr(cut)) + "payload");
    consumed += step.consumed;
  }
  EXPECT_EQ(step.status, FrameStatus::complete);
  EXPECT_EQ(step.header, header);
  EXPECT_EQ(consumed, in.size());
  EXPECT_FALSE(reader.is_within_header());
}

TEST(FrameReader, reads_all_that_the_writer_writes_cut_anywhere) {
  for (const Side side : {Side::server, Side::client}) {
    for (const FrameHeader& header : all_headers(side)) {
      Buffer out;
      write_frame_header(out, header);
      EXPECT_LE(out.size(), kHeaderBytesMax);
      for (std::size_t cut = 0; cut <= out.size(); ++cut) {
        expect_read(out.view(), cut, side, header);
      }
    }
  }
}

TEST(FrameReader, reads_one_header_after_another) {
  FrameReader reader(Side::client);
  EXPECT_EQ(reader.read("\x81"sv).status, FrameStatus::need_more);
  EXPECT_EQ(reader.read("\x05"sv).header.payload_bytes, 5U);
  EXPECT_EQ(reader.read("\x82\x07"sv).header.opcode, Opcode::binary);
}

struct BadHeader {
  std::string_view bytes;
  Side side;
  Refusal refusal;
};

constexpr BadHeader kBad[] = {
    {"\xC1"sv, Side::client, Refusal::reserved_bit},
    {"\xA1"sv, Side::client, Refusal::reserved_bit},
    {"\x91"sv, Side::client, Refusal::reserved_bit},
    {"\x83"sv, Side::client, Refusal::reserved_opcode},
    {"\x8B"sv, Side::server, Refusal::reserved_opcode},
    {"\x09"sv, Side::client, Refusal::fragmented_control},
    {"\x89\x7E"sv, Side::client, Refusal::long_control},
    {"\x88\xFF"sv, Side::server, Refusal::long_control},
    {"\x81\x85"sv, Side::client, Refusal::masked},
    {"\x81\x05"sv, Side::server, Refusal::not_masked},
    {"\x82\x7E\x00\x7D"sv, Side::client, Refusal::length_not_minimal},
    {"\x82\xFE\x00\x00"sv, Side::server, Refusal::length_not_minimal},
    {"\x82\x7F\x00\x00\x00\x00\x00\x00\xFF\xFF"sv, Side::client, Refusal::length_not_minimal},
    {"\x82\x7F\x80\x00\x00\x00\x00\x00\x00\x00"sv, Side::client, Refusal::length_too_large},
};

TEST(FrameReader, refuses_bad_headers_at_the_byte_that_shows_it) {
  for (const BadHeader& bad : kBad) {
    for (std::size_t cut = 0; cut < bad.bytes.size(); ++cut) {
      FrameReader reader(bad.side);
      EXPECT_EQ(reader.read(bad.bytes.substr(0, cut)).status, FrameStatus::need_more);
      const FrameStep step = reader.read(bad.bytes.substr(cut));
      EXPECT_EQ(step.status, FrameStatus::refused);
      EXPECT_EQ(step.refusal, bad.refusal) << refusal_info(bad.refusal).text;
    }
  }
}

TEST(FrameReader, takes_the_first_reserved_bit_of_messages_where_it_may) {
  FrameReader reader(Side::client);
  reader.set_first_reserved_bit(FirstReservedBit::compressed);
  EXPECT_TRUE(reader.read("\xC1\x05"sv).header.is_compressed);
  EXPECT_TRUE(reader.read("\x42\x05"sv).header.is_compressed);
  EXPECT_FALSE(reader.read("\x81\x05"sv).header.is_compressed);
  for (const std::string_view bad : {"\xC0"sv, "\x40"sv, "\xC8"sv, "\xC9"sv, "\xCA"sv, "\xE1"sv}) {
    FrameReader other(Side::client);
    other.set_first_reserved_bit(FirstReservedBit::compressed);
    EXPECT_EQ(other.read(bad).refusal, Refusal::reserved_bit);
  }
}

TEST(FrameWriter, sets_the_bit_of_a_compressed_message) {
  Buffer out;
  write_frame_header(out, {.payload_bytes = 3, .opcode = Opcode::text, .is_compressed = true});
  EXPECT_EQ(out.view(), "\xC1\x03"sv);
}

static_assert(sizeof(FrameReader) <= 18);

}  // namespace
}  // namespace eider::ws
