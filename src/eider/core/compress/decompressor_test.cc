#include "eider/core/compress/decompressor.h"

#include <brotli/encode.h>
#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <string>
#include <vector>

#include "eider/core/compress/compressor.h"

namespace eider {
namespace {

constexpr ContentCoding kAll[] = {ContentCoding::gzip, ContentCoding::deflate,
                                  ContentCoding::brotli, ContentCoding::zstd};
constexpr std::size_t kMiB = 1024UL * 1024;

// The inputs are made with the libraries' own functions, so that the compressor and the
// decompressor cannot share an error.

std::string zlib_packed(std::string_view text, int window_bits, int level) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, level, Z_DEFLATED, window_bits, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string brotli_packed(std::string_view text, int level) {
  std::size_t bytes = BrotliEncoderMaxCompressedSize(text.size());
  std::string out(bytes, '\0');
  EXPECT_EQ(BrotliEncoderCompress(level, 24, BROTLI_MODE_GENERIC, text.size(),
                                  reinterpret_cast<const std::uint8_t*>(text.data()), &bytes,
                                  reinterpret_cast<std::uint8_t*>(out.data())),
            BROTLI_TRUE);
  out.resize(bytes);
  return out;
}

std::string zstd_packed(std::string_view text, int level) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), level));
  return out;
}

std::string packed(ContentCoding coding, std::string_view text) {
  switch (coding) {
    case ContentCoding::gzip:
      return zlib_packed(text, 15 + 16, 9);
    case ContentCoding::deflate:
      return zlib_packed(text, 15, 9);
    case ContentCoding::brotli:
      return brotli_packed(text, 5);
    case ContentCoding::zstd:
      break;
  }
  return zstd_packed(text, 5);
}

struct Outcome {
  Decompressed status;
  std::string text;
  bool operator==(const Outcome&) const = default;
};

std::ostream& operator<<(std::ostream& stream, const Outcome& outcome) {
  return stream << to_text(outcome.status) << ' ' << outcome.text.size();
}

Outcome in_one_go(ContentCoding coding, std::string_view in, DecompressionLimits limits = {}) {
  Decompressor decompressor(coding, limits);
  Buffer out;
  const Decompressed status = decompressor.write(in, out);
  return {status, std::string(out.view())};
}

Outcome byte_by_byte(ContentCoding coding, std::string_view in, DecompressionLimits limits = {}) {
  Decompressor decompressor(coding, limits);
  Buffer out;
  Decompressed status = Decompressed::need_more;
  for (const char byte : in) {
    status = decompressor.write({&byte, 1}, out);
    EXPECT_EQ(decompressor.write({}, out), status);  // no further input changes nothing
  }
  return {status, std::string(out.view())};
}

const std::string& sample() {
  static const std::string text = [] {
    std::string made;
    for (int number = 0; number < 400; ++number) {
      made += "line " + std::to_string(number * number) + (number % 3 == 0 ? "\n" : ", ");
    }
    return made;
  }();
  return text;
}

TEST(Decompressor, reads_what_each_library_writes) {
  for (const ContentCoding coding : kAll) {
    for (const std::string& text : {std::string(), std::string("a"), sample()}) {
      const Outcome expected{Decompressed::done, text};
      EXPECT_EQ(in_one_go(coding, packed(coding, text)), expected) << to_text(coding);
      EXPECT_EQ(byte_by_byte(coding, packed(coding, text)), expected) << to_text(coding);
    }
  }
}

TEST(Decompressor, is_not_done_wherever_the_input_is_cut) {
  for (const ContentCoding coding : kAll) {
    const std::string whole = packed(coding, sample());
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
      const std::string cut = whole.substr(0, bytes);
      const Outcome outcome = in_one_go(coding, cut);
      EXPECT_EQ(outcome.status, Decompressed::need_more) << to_text(coding) << bytes;
      EXPECT_TRUE(sample().starts_with(outcome.text));
      Buffer out;
      out.append("kept");
      const auto at_once = decompress(coding, cut, out);
      EXPECT_FALSE(at_once.has_value());
      EXPECT_EQ(at_once.error(), Decompressed::corrupt);
      EXPECT_EQ(out.view(), "kept");
    }
  }
}

TEST(Decompressor, goes_on_where_a_cut_was) {
  for (const ContentCoding coding : kAll) {
    const std::string whole = packed(coding, sample());
    for (std::size_t bytes = 0; bytes <= whole.size(); ++bytes) {
      Decompressor decompressor(coding);
      Buffer out;
      (void)decompressor.write(std::string_view(whole).substr(0, bytes), out);
      const Decompressed status = decompressor.write(std::string_view(whole).substr(bytes), out);
      EXPECT_EQ(status, Decompressed::done) << to_text(coding) << bytes;
      EXPECT_EQ(out.view(), sample());
    }
  }
}

TEST(Decompressor, makes_no_more_than_there_is_room_for) {
  const std::string text = std::string(100'000, 'a') + sample();
  for (const ContentCoding coding : kAll) {
    for (const std::size_t room : {1UL, 7UL, 1000UL, 16'384UL, 16'385UL, 1'000'000UL}) {
      const std::string whole = packed(coding, text);
      std::string_view in = whole;
      Decompressor decompressor(coding);
      Buffer out;
      Decompressor::Step step{Decompressed::need_room, 0};
      while (step.status == Decompressed::need_room) {
        const std::size_t before = out.size();
        step = decompressor.read(in, out, room);
        in.remove_prefix(step.consumed);
        ASSERT_LE(out.size() - before, room);
      }
      EXPECT_EQ(step.status, Decompressed::done) << to_text(coding) << room;
      EXPECT_EQ(out.view(), text);
      EXPECT_EQ(decompressor.bytes_made(), text.size());
    }
  }
}

TEST(Decompressor, reads_all_members_of_gzip_and_all_frames_of_zstd) {
  for (const ContentCoding coding : {ContentCoding::gzip, ContentCoding::zstd}) {
    const std::string three = packed(coding, "one ") + packed(coding, "") + packed(coding, "two");
    const Outcome expected{Decompressed::done, "one two"};
    EXPECT_EQ(in_one_go(coding, three), expected) << to_text(coding);
    EXPECT_EQ(byte_by_byte(coding, three), expected) << to_text(coding);
  }
  const std::string skippable("\x5A\x2A\x4D\x18\x03\x00\x00\x00xyz", 11);
  const std::string mixed = skippable + packed(ContentCoding::zstd, "text") + skippable;
  EXPECT_EQ(in_one_go(ContentCoding::zstd, mixed), (Outcome{Decompressed::done, "text"}));
  EXPECT_EQ(byte_by_byte(ContentCoding::zstd, mixed), (Outcome{Decompressed::done, "text"}));
}

TEST(Decompressor, tells_what_stands_behind_the_end) {
  for (const ContentCoding coding : kAll) {
    for (const std::string_view tail : {std::string_view("x"), std::string_view("\0", 1)}) {
      const std::string in = packed(coding, "text") + std::string(tail);
      const Outcome expected{Decompressed::trailing, "text"};
      EXPECT_EQ(in_one_go(coding, in), expected) << to_text(coding);
      EXPECT_EQ(byte_by_byte(coding, in), expected) << to_text(coding);
    }
  }
  for (const ContentCoding coding : {ContentCoding::deflate, ContentCoding::brotli}) {
    const std::string twice = packed(coding, "text") + packed(coding, "text");
    EXPECT_EQ(in_one_go(coding, twice).status, Decompressed::trailing) << to_text(coding);
  }
  // A member that starts correctly and continues incorrectly is corrupt, not trailing data.
  const std::string member = packed(ContentCoding::gzip, "text") + "\x1fgarbage";
  EXPECT_EQ(in_one_go(ContentCoding::gzip, member).status, Decompressed::corrupt);
}

TEST(Decompressor, reads_deflate_without_zlib_around_it) {
  for (const int level : {1, 6, 9}) {
    for (const std::string& text : {std::string(), std::string("a"), sample()}) {
      const std::string raw = zlib_packed(text, -15, level);
      const Outcome expected{Decompressed::done, text};
      EXPECT_EQ(in_one_go(ContentCoding::deflate, raw), expected) << level;
      EXPECT_EQ(byte_by_byte(ContentCoding::deflate, raw), expected) << level;
      // The previous decoder is reused for the other format.
      EXPECT_EQ(in_one_go(ContentCoding::deflate, packed(ContentCoding::deflate, text)), expected);
    }
  }
  EXPECT_EQ(in_one_go(ContentCoding::deflate, zlib_packed("raw", -15, 6) + "x").status,
            Decompressed::trailing);
}

TEST(Decompressor, finds_damage) {
  const std::string gzip = packed(ContentCoding::gzip, sample());
  std::string bad_sum = gzip;
  bad_sum[bad_sum.size() - 8] ^= 1;
  std::string bad_length = gzip;
  bad_length.back() ^= 1;
  std::string bad_adler = packed(ContentCoding::deflate, sample());
  bad_adler.back() ^= 1;
  std::string with_dictionary("\x78\xBB\x00\x00\x00\x01", 6);  // zlib, FDICT
  struct Case {
    ContentCoding coding;
    std::string in;
  };
  for (const Case& test : {
           Case{ContentCoding::gzip, "plain text that is no gzip"},
           Case{ContentCoding::gzip, packed(ContentCoding::deflate, "a")},
           Case{ContentCoding::gzip, packed(ContentCoding::zstd, "a")},
           Case{ContentCoding::gzip, bad_sum},
           Case{ContentCoding::gzip, bad_length},
           Case{ContentCoding::gzip, std::string("\x1f\x8b\x07\x00", 4)},  // CM is not 8
           Case{ContentCoding::gzip, std::string("\x1f\x8b\x08\xE0", 4)},  // reserved flags
           Case{ContentCoding::deflate, "plain text that is no zlib"},
           Case{ContentCoding::deflate, bad_adler},
           Case{ContentCoding::deflate, with_dictionary},
           Case{ContentCoding::brotli, std::string(64, '\xff')},
           Case{ContentCoding::brotli, std::string("\x11\x00", 2)},  // the large window's mark
           Case{ContentCoding::zstd, "plain text that is no zstd"},
           Case{ContentCoding::zstd,
                "\x26\xB5\x2F\xFD"
                "a frame of a draft"},
           Case{ContentCoding::zstd,
                "\x5A\x2A\x4D\x19"
                "almost skippable"},
           Case{ContentCoding::zstd, packed(ContentCoding::gzip, "a")},
       }) {
    EXPECT_EQ(in_one_go(test.coding, test.in).status, Decompressed::corrupt) << test.in;
    EXPECT_EQ(byte_by_byte(test.coding, test.in).status, Decompressed::corrupt) << test.in;
  }
}

TEST(Decompressor, stays_with_its_failure) {
  for (const ContentCoding coding : kAll) {
    Decompressor decompressor(coding, {.bytes_max = 3});
    Buffer out;
    EXPECT_EQ(decompressor.write(packed(coding, "text"), out), Decompressed::too_large);
    EXPECT_EQ(decompressor.write(packed(coding, "t"), out), Decompressed::too_large);
    EXPECT_EQ(decompressor.write({}, out), Decompressed::too_large);
  }
}

TEST(Decompressor, gives_exactly_as_much_as_it_may) {
  for (const ContentCoding coding : kAll) {
    const std::string in = packed(coding, sample());
    const std::uint64_t bytes = sample().size();
    EXPECT_EQ(in_one_go(coding, in, {.bytes_max = bytes}), (Outcome{Decompressed::done, sample()}));
    const Outcome less = in_one_go(coding, in, {.bytes_max = bytes - 1});
    EXPECT_EQ(less.status, Decompressed::too_large) << to_text(coding);
    EXPECT_LT(less.text.size(), bytes);
    EXPECT_EQ(byte_by_byte(coding, in, {.bytes_max = bytes - 1}).status, Decompressed::too_large);
    EXPECT_EQ(in_one_go(coding, packed(coding, ""), {.bytes_max = 0}).status, Decompressed::done);
    EXPECT_EQ(in_one_go(coding, in, {.bytes_max = 0}), (Outcome{Decompressed::too_large, ""}));
    const auto boundless = static_cast<std::uint64_t>(-1);
    EXPECT_EQ(in_one_go(coding, in, {.bytes_max = boundless}).status, Decompressed::done);
  }
}

TEST(Decompressor, a_bomb_ends_at_the_bound_of_its_bytes) {
  const std::string zeros(64 * kMiB, '\0');
  for (const ContentCoding coding : kAll) {
    const std::string bomb = packed(coding, zeros);
    ASSERT_LT(bomb.size(), 80'000U);
    Decompressor decompressor(coding, {.bytes_max = 2 * kMiB, .ratio_max = 0});
    Buffer out;
    EXPECT_EQ(decompressor.write(bomb, out), Decompressed::too_large) << to_text(coding);
    EXPECT_LE(out.size(), 2 * kMiB);
    EXPECT_LE(out.capacity(), 4 * kMiB);
  }
}

TEST(Decompressor, a_bomb_ends_at_the_bound_of_its_ratio) {
  const std::string zeros(64 * kMiB, '\0');
  for (const ContentCoding coding : kAll) {
    const std::string bomb = packed(coding, zeros);
    const DecompressionLimits limits{.bytes_max = 1024 * kMiB};
    const Outcome outcome = in_one_go(coding, bomb, limits);
    EXPECT_EQ(outcome.status, Decompressed::too_large) << to_text(coding);
    EXPECT_LE(outcome.text.size(), kMiB + bomb.size() * limits.ratio_max);
    const DecompressionLimits loose{.bytes_max = 1024 * kMiB, .ratio_max = 0};
    EXPECT_EQ(in_one_go(coding, bomb, loose).text.size(), zeros.size()) << to_text(coding);
  }
}

TEST(Decompressor, many_small_members_are_bounded_together) {
  for (const ContentCoding coding : {ContentCoding::gzip, ContentCoding::zstd}) {
    const std::string member = packed(coding, std::string(100'000, 'a'));
    std::string in;
    for (int count = 0; count < 20; ++count) {
      in += member;
    }
    const DecompressionLimits limits{.bytes_max = 1'999'999, .ratio_max = 0};
    EXPECT_EQ(in_one_go(coding, in, limits).status, Decompressed::too_large);
    EXPECT_EQ(in_one_go(coding, in, {.bytes_max = 2'000'000, .ratio_max = 0}).status,
              Decompressed::done);
  }
}

TEST(Decompressor, repetitive_text_below_the_free_bytes_is_no_bomb) {
  for (const ContentCoding coding : kAll) {
    const std::string text(kMiB, 'a');
    EXPECT_EQ(in_one_go(coding, packed(coding, text)).status, Decompressed::done)
        << to_text(coding);
  }
}

TEST(Decompressor, judges_a_malformed_zstd_frame_alike_however_it_is_cut) {
  // Empty frames: a block that is too short for its type, and a block in a frame of size 0.
  for (const std::string& in : {std::string("\x28\xB5\x2F\xFD\x21\0\0\x15\0\0\0\0", 12),
                                std::string("\x28\xB5\x2F\xFD\x20\0\x03\0\0\x08", 10),
                                std::string("\x28\xB5\x2F\xFD\x40\x1F\x8B\x08\x01\0\0", 11),
                                std::string("\x28\xB5\x2F\xFD\x60\x6D\x0B\x01\0\0", 10)}) {
    const Outcome whole = in_one_go(ContentCoding::zstd, in);
    EXPECT_EQ(byte_by_byte(ContentCoding::zstd, in), whole) << ::testing::PrintToString(in);
    EXPECT_EQ(whole.text, "");
  }
}

TEST(Decompressor, takes_no_zstd_window_above_8_mib) {
  // Frame headers without a content size: window descriptors of 8 MiB and the next larger one.
  const std::string magic("\x28\xB5\x2F\xFD\x00", 5);
  const std::string empty_last_block("\x01\x00\x00", 3);
  const std::string allowed = magic + '\x68' + empty_last_block;
  EXPECT_EQ(in_one_go(ContentCoding::zstd, allowed), (Outcome{Decompressed::done, ""}));
  for (const char descriptor : {'\x69', '\x70', '\xFF'}) {
    const std::string in = magic + descriptor + empty_last_block;
    EXPECT_EQ(in_one_go(ContentCoding::zstd, in).status, Decompressed::too_large);
    EXPECT_EQ(byte_by_byte(ContentCoding::zstd, in).status, Decompressed::too_large);
  }
}

// WBITS 24, six nibbles of MLEN, all ones, ISUNCOMPRESSED: announces a meta-block of 16 MiB.
TEST(Decompressor, takes_no_memory_for_what_brotli_promises_beyond_the_bound) {
  const std::string in(
      "\xCF\xFF\xFF\xFF"
      "abc",
      7);
  const Outcome outcome = in_one_go(ContentCoding::brotli, in, {.bytes_max = kMiB});
  EXPECT_EQ(outcome, (Outcome{Decompressed::too_large, ""}));
  const DecompressionLimits wide{.bytes_max = 16 * kMiB};
  EXPECT_EQ(in_one_go(ContentCoding::brotli, in, wide).status, Decompressed::need_more);
}

TEST(Decompressor, reads_the_largest_window_of_brotli) {
  std::string text(20 * kMiB, 'a');
  for (std::size_t index = 0; index < text.size(); index += 997) {
    text[index] = static_cast<char>('b' + index % 17);
  }
  const std::string in = brotli_packed(text, 5);
  const DecompressionLimits wide{.bytes_max = text.size(), .ratio_max = 0};
  EXPECT_EQ(in_one_go(ContentCoding::brotli, in, wide).text, text);
  EXPECT_EQ(in_one_go(ContentCoding::brotli, in, {.bytes_max = kMiB}).status,
            Decompressed::too_large);
}

TEST(Decompressor, agrees_with_the_compressor_here) {
  for (const ContentCoding coding :
       {ContentCoding::gzip, ContentCoding::brotli, ContentCoding::zstd}) {
    Buffer in;
    compress(coding, sample(), in);
    EXPECT_EQ(in_one_go(coding, in.view()), (Outcome{Decompressed::done, sample()}));
  }
}

TEST(Decompressor, may_be_moved_in_the_middle) {
  const std::string in = packed(ContentCoding::gzip, sample());
  Decompressor first(ContentCoding::gzip);
  Buffer out;
  EXPECT_EQ(first.write(std::string_view(in).substr(0, 100), out), Decompressed::need_more);
  Decompressor second(std::move(first));
  Decompressor third(ContentCoding::zstd);
  third = std::move(second);
  EXPECT_EQ(third.write(std::string_view(in).substr(100), out), Decompressed::done);
  EXPECT_EQ(out.view(), sample());
}

}  // namespace
}  // namespace eider
