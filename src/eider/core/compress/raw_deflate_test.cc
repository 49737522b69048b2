#include "eider/core/compress/raw_deflate.h"

#include <gtest/gtest.h>

#include <string>

namespace eider {
namespace {

std::string text_from(std::size_t bytes) {
  std::string text;
  for (unsigned number = 1; text.size() < bytes; ++number) {
    text += std::to_string(number * 2654435761U) + " items, ";
  }
  text.resize(bytes);
  return text;
}

TEST(RawDeflater, ends_each_piece_with_the_tail_and_is_undone) {
  for (const int window_bits : {9, 10, 12, 15}) {
    for (const int memory_level : {1, 5, 9}) {
      RawDeflater deflater({.window_bits = window_bits, .memory_level = memory_level});
      RawInflater inflater(window_bits);
      Buffer text;
      std::string written;
      for (const std::size_t bytes : {1UL, 100UL, 511UL, 40'000UL}) {
        Buffer packed;
        deflater.write(text_from(bytes), packed);
        written += text_from(bytes);
        EXPECT_TRUE(packed.view().ends_with(kDeflateTail));
        const auto step = inflater.read(packed.view(), text, 100'000);
        EXPECT_EQ(step.status, RawInflated::need_more);
        EXPECT_EQ(step.consumed, packed.size());
        EXPECT_EQ(text.view(), written) << window_bits << memory_level;
      }
    }
  }
}

TEST(RawDeflater, refers_back_until_it_is_reset) {
  RawDeflater deflater({});
  Buffer first;
  Buffer second;
  Buffer third;
  deflater.write(text_from(1000), first);
  deflater.write(text_from(1000), second);
  deflater.reset();
  deflater.write(text_from(1000), third);
  EXPECT_LT(second.size(), first.size() / 4);
  EXPECT_EQ(third.view(), first.view());
}

TEST(RawInflater, makes_no_more_than_there_is_room_for) {
  RawDeflater deflater({});
  Buffer packed;
  deflater.write(std::string(1'000'000, 'a'), packed);
  RawInflater inflater(15);
  Buffer out;
  EXPECT_EQ(inflater.read(packed.view(), out, 10).status, RawInflated::need_room);
  EXPECT_EQ(out.size(), 10U);
  EXPECT_LE(out.capacity(), 4096U);
}

TEST(RawInflater, tells_a_block_with_bfinal_and_begins_anew) {
  const std::string final_block("\x01\x02\x00\xfd\xffhi", 7);  // BFINAL, stored, "hi"
  RawInflater inflater(15);
  Buffer out;
  const auto step = inflater.read(final_block + final_block, out, 100);
  EXPECT_EQ(step.status, RawInflated::ended);
  EXPECT_EQ(step.consumed, final_block.size());
  inflater.reset();
  EXPECT_EQ(inflater.read(final_block, out, 100).status, RawInflated::ended);
  EXPECT_EQ(out.view(), "hihi");
}

TEST(RawInflater, finds_damage) {
  const std::string_view bad[] = {
      std::string_view("\x07", 1),                      // block type 3
      std::string_view("\x00\x02\x00\x02\x00hi", 7),    // NLEN is not the complement
      std::string_view("\x03\x00\x13\x00\xff\xff", 6),  // ends, checked below
  };
  RawInflater inflater(15);
  Buffer out;
  EXPECT_EQ(inflater.read(bad[0], out, 100).status, RawInflated::corrupt);
  inflater.reset();
  EXPECT_EQ(inflater.read(bad[1], out, 100).status, RawInflated::corrupt);
  inflater.reset();
  EXPECT_EQ(inflater.read(bad[2], out, 100).status, RawInflated::ended);
  EXPECT_TRUE(out.empty());
}

TEST(RawInflater, refuses_a_distance_beyond_its_window) {
  RawDeflater deflater({.window_bits = 15});
  const std::string text = text_from(2000);
  Buffer packed;
  deflater.write(text, packed);
  deflater.write(text, packed);  // refers 2000 bytes back
  RawInflater small(9);
  Buffer out;
  std::string_view in = packed.view();
  RawInflated status = RawInflated::need_room;
  while (!in.empty() && (status == RawInflated::need_room || status == RawInflated::need_more)) {
    const auto step = small.read(in.substr(0, 16), out, 256);
    in.remove_prefix(step.consumed);
    status = step.status;
  }
  EXPECT_EQ(status, RawInflated::corrupt);
}

}  // namespace
}  // namespace eider
