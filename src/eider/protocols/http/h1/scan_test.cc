#include "eider/protocols/http/h1/scan.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/protocols/http/h1/target.h"

namespace eider::h1::detail {
namespace {

/// For each byte at each position after harmless ones: it is either found there, or passed over.
template <class End>
void expect_exact(char harmless) {
  for (int value = 0; value < 256; ++value) {
    const char byte = static_cast<char>(value);
    for (std::size_t at = 0; at < 40; ++at) {
      std::string text(50, harmless);
      text[at] = byte;
      const char* const found = find_end<End>(text.data(), text.data() + text.size());
      const std::size_t expected = End::stops(byte) ? at : text.size();
      ASSERT_EQ(static_cast<std::size_t>(found - text.data()), expected) << value << " at " << at;
    }
  }
}

TEST(Scan, finds_exactly_the_end_of_a_name) {
  expect_exact<NameEnd>('a');
}
TEST(Scan, finds_exactly_the_end_of_a_value) {
  expect_exact<ValueEnd>(' ');
}
TEST(Scan, finds_exactly_the_end_of_a_path) {
  expect_exact<PathEnd>('/');
}
TEST(Scan, finds_exactly_the_end_of_a_query) {
  expect_exact<QueryEnd>('=');
}

TEST(Scan, finds_the_end_of_no_bytes) {
  EXPECT_EQ(find_end<NameEnd>(nullptr, nullptr), nullptr);
}

TEST(PlainName, is_made_of_letters_digits_dashes_and_dots_whatever_its_length) {
  constexpr std::string_view kPlain =
      "-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (std::size_t size = 8; size <= 50; ++size) {
    for (std::size_t at = 0; at < size; ++at) {
      for (int value = 0; value < 256; ++value) {
        const char byte = static_cast<char>(value);
        std::string text(size, 'a');
        text[at] = byte;
        const bool is_plain = kPlain.contains(byte);
        ASSERT_EQ(is_plain_name(text), is_plain) << value << " at " << at << " of " << size;
      }
    }
  }
}

TEST(Host, is_judged_alike_with_and_without_a_plain_name) {
  const char* const good[] = {"",          "a",      "arena.example", "127.0.0.1:8080",
                              "[::1]:80",  "a_b.c~", "a%2Db.example", "long-name.of-a.host.example",
                              "a.example:"};
  for (const char* const text : good) {
    EXPECT_TRUE(is_host_value(text)) << text;
  }
  const char* const bad[] = {":80",
                             "a b.example",
                             "user@a.example",
                             "a.example:65536",
                             "a.example:8a",
                             "a.example/x",
                             "a%2.example",
                             "[::1",
                             "long-name.of-a.host.example?"};
  for (const char* const text : bad) {
    EXPECT_FALSE(is_host_value(text)) << text;
  }
}

TEST(ToBits, has_the_bit_of_each_byte) {
  for (std::size_t at = 0; at < kBlockBytes; ++at) {
    std::string text(kBlockBytes, 'a');
    text[at] = 'b';
    EXPECT_EQ(to_bits(load_block(text.data()) == std::uint8_t{'b'}), 1u << at);
    EXPECT_EQ(to_bits(load_block(text.data()) == std::uint8_t{'a'}), 0xFFFFu ^ (1u << at));
  }
}

TEST(Letters, are_the_ascii_ones) {
  for (int value = 0; value < 256; ++value) {
    const std::string text(kBlockBytes, static_cast<char>(value));
    const bool is_letter = (value >= 'a' && value <= 'z') || (value >= 'A' && value <= 'Z');
    EXPECT_EQ(to_bits(letters(load_block(text.data()))), is_letter ? 0xFFFFu : 0u) << value;
  }
}

}  // namespace
}  // namespace eider::h1::detail
