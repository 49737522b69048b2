#include "eider/core/compress/compressor.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "eider/core/compress/decompressor.h"

namespace eider {
namespace {

constexpr ContentCoding kWritten[] = {ContentCoding::gzip, ContentCoding::brotli,
                                      ContentCoding::zstd};

/// Text that compresses about as well as JSON does.
std::string text_of(std::size_t bytes) {
  std::string text;
  for (unsigned number = 1; text.size() < bytes; ++number) {
    text += "{\"id\":" + std::to_string(number * 2654435761U) + ",\"name\":\"item\"},";
  }
  text.resize(bytes);
  return text;
}

/// Bytes that do not compress.
std::string noise_of(std::size_t bytes) {
  std::string noise;
  std::uint64_t state = 88172645463325252U;
  while (noise.size() < bytes) {
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    noise.push_back(static_cast<char>(state >> 56U));
  }
  return noise;
}

std::string decoded(ContentCoding coding, std::string_view in) {
  Buffer out;
  const auto outcome = decompress(coding, in, out, {.bytes_max = 1U << 26U, .ratio_max = 0});
  return outcome ? std::string(out.view()) : std::string(to_text(outcome.error()));
}

TEST(Compress, is_undone_by_decompress) {
  for (const ContentCoding coding : kWritten) {
    for (const std::string& text :
         {std::string(), std::string("a"), text_of(100), text_of(70'000), text_of(3'000'000),
          noise_of(200'000), std::string(1'000'000, 'x')}) {
      Buffer out;
      compress(coding, text, out);
      EXPECT_EQ(decoded(coding, out.view()), text) << to_text(coding) << ' ' << text.size();
    }
  }
}

TEST(Compress, makes_text_smaller_and_noise_hardly_larger) {
  const std::string text = text_of(50'000);
  const std::string noise = noise_of(50'000);
  for (const ContentCoding coding : kWritten) {
    Buffer out;
    compress(coding, text, out);
    EXPECT_LT(out.size(), text.size() / 3) << to_text(coding);
    out.clear();
    compress(coding, noise, out);
    EXPECT_LT(out.size(), noise.size() + 100) << to_text(coding);
  }
}

TEST(Compress, appends) {
  Buffer out;
  out.append("before");
  compress(ContentCoding::gzip, "text", out);
  EXPECT_TRUE(out.view().starts_with("before"));
  EXPECT_EQ(decoded(ContentCoding::gzip, out.view().substr(6)), "text");
}

TEST(Compress, knows_every_level) {
  const std::string text = text_of(3000);
  for (int level = 1; level <= 9; ++level) {
    for (const ContentCoding coding : kWritten) {
      Buffer out;
      compress(coding, text, out, {.gzip = level, .brotli = level, .zstd = level});
      EXPECT_EQ(decoded(coding, out.view()), text) << to_text(coding) << level;
    }
  }
}

TEST(Compressor, gives_the_same_text_however_it_is_fed) {
  const std::string text = text_of(300'000);
  for (const ContentCoding coding : kWritten) {
    for (const std::size_t piece : {1000UL, 65'536UL, 300'000UL}) {
      Compressor compressor(coding);
      Buffer out;
      for (std::size_t at = 0; at < text.size(); at += piece) {
        compressor.write(std::string_view(text).substr(at, piece), out);
      }
      compressor.finish(out);
      EXPECT_EQ(decoded(coding, out.view()), text) << to_text(coding) << piece;
    }
  }
}

TEST(Compressor, after_a_flush_all_that_was_written_can_be_decoded) {
  for (const ContentCoding coding : kWritten) {
    Compressor compressor(coding);
    Decompressor decompressor(coding);
    Buffer packed;
    Buffer text;
    std::string written;
    for (unsigned event = 0; event < 200; ++event) {
      const std::string line = "event " + std::to_string(event * 7919) + "\n";
      written += line;
      compressor.write(line, packed);
      compressor.flush(packed);
      EXPECT_EQ(decompressor.write(packed.view(), text), Decompressed::need_more);
      EXPECT_EQ(text.view(), written) << to_text(coding) << event;
      packed.clear();
    }
    compressor.finish(packed);
    EXPECT_EQ(decompressor.write(packed.view(), text), Decompressed::done) << to_text(coding);
    EXPECT_EQ(text.view(), written);
  }
}

TEST(Compressor, may_be_flushed_when_there_is_nothing) {
  for (const ContentCoding coding : kWritten) {
    Compressor compressor(coding);
    Buffer out;
    compressor.flush(out);
    compressor.flush(out);
    compressor.write({}, out);
    compressor.write("text", out);
    compressor.flush(out);
    compressor.flush(out);
    compressor.finish("!", out);
    EXPECT_EQ(decoded(coding, out.view()), "text!") << to_text(coding);
  }
}

// States are reused; no data of one stream may appear in another.
TEST(Compressor, begins_anew_with_a_used_state) {
  for (const ContentCoding coding : kWritten) {
    const std::string text = text_of(5000);
    Buffer first;
    compress(coding, text, first);
    {
      Compressor left_unfinished(coding);
      Buffer dropped;
      left_unfinished.write(noise_of(100'000), dropped);
    }
    Buffer again;
    compress(coding, text, again);
    EXPECT_EQ(again.view(), first.view()) << to_text(coding);
  }
}

TEST(Compressor, many_live_at_once) {
  for (const ContentCoding coding : kWritten) {
    std::vector<Compressor> compressors;
    std::vector<Buffer> outputs(20);
    for (std::size_t index = 0; index < outputs.size(); ++index) {
      compressors.emplace_back(coding).write(std::to_string(index), outputs[index]);
    }
    for (std::size_t index = 0; index < outputs.size(); ++index) {
      compressors[index].finish("|", outputs[index]);
      EXPECT_EQ(decoded(coding, outputs[index].view()), std::to_string(index) + "|");
    }
  }
}

TEST(Compressor, may_end_on_another_thread) {
  Compressor compressor(ContentCoding::gzip);
  Buffer out;
  compressor.write("here ", out);
  std::thread([moved = std::move(compressor), &out]() mutable {
    moved.finish("there", out);
  }).join();
  EXPECT_EQ(decoded(ContentCoding::gzip, out.view()), "here there");
}

TEST(Compressor, may_outlive_its_threads_pool) {
  // It is created first and so destroyed last, after the pool.
  std::thread([] {
    thread_local std::optional<Compressor> last;
    last.emplace(ContentCoding::gzip);
    Buffer out;
    compress(ContentCoding::zstd, "text", out);
  }).join();
}

}  // namespace
}  // namespace eider
