// Checks the bytes of HTTP/2 header names and values, eight at a time.
// Layering: must not know any particular field.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "eider/protocols/http/grammar.h"

namespace eider::h2::detail {

/// Returns a word with the same byte eight times.
constexpr std::uint64_t eight(unsigned char byte) noexcept {
  return std::uint64_t{0x0101010101010101} * byte;
}

inline constexpr std::uint64_t kHighBits = eight(0x80);

template <class Word>
[[nodiscard]] inline Word load(const char* from) noexcept {
  Word word = 0;
  std::memcpy(&word, from, sizeof(word));
  return word;
}

/// Returns a word with all of a text's bytes, in any order; some may be repeated, and unused bytes
/// are 'a'. Pre: 1 to 7 bytes.
[[nodiscard]] inline std::uint64_t short_word(std::string_view text) noexcept {
  if (text.size() >= 4) {
    const std::uint64_t first = load<std::uint32_t>(text.data());
    return first << 32 | load<std::uint32_t>(text.data() + text.size() - 4);
  }
  const auto byte = [text](std::size_t at) {
    return std::uint64_t{static_cast<unsigned char>(text[at])};
  };
  return eight('a') << 24 | byte(0) << 16 | byte(text.size() / 2) << 8 | byte(text.size() - 1);
}

/// Returns whether `passes` returns true for words that cover all of the text; unused bytes are
/// 'a'.
template <class Judge>
[[nodiscard]] inline bool all_words(std::string_view text, Judge passes) noexcept {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (text.size() < kWord) {
    return text.empty() || passes(short_word(text));
  }
  for (std::size_t at = 0; at + kWord < text.size(); at += kWord) {
    if (!passes(load<std::uint64_t>(text.data() + at))) {
      return false;
    }
  }
  return passes(load<std::uint64_t>(text.data() + text.size() - kWord));
}

/// Returns whether no byte is below the space, and none is DEL.
[[nodiscard]] constexpr bool is_plain_value(std::uint64_t word) noexcept {
  const std::uint64_t below = (word - eight(0x20)) & ~word & kHighBits;
  const std::uint64_t others = word ^ eight(0x7F);
  const std::uint64_t deletes = (others - eight(1)) & ~others & kHighBits;
  return (below | deletes) == 0;
}

/// Returns whether all bytes are lowercase letters or '-'.
[[nodiscard]] constexpr bool is_plain_name(std::uint64_t word) noexcept {
  const std::uint64_t others = word ^ eight('-');
  const std::uint64_t dashes = ~(others + eight(0x7F));
  const std::uint64_t letters = (word + eight(0x80 - 'a')) & ~(word + eight(0x7F - 'z'));
  return (word & kHighBits) == 0 && ((dashes | letters) & kHighBits) == kHighBits;
}

/// The same as eider::is_field_value. Tabs are rare, so values with tabs are checked byte by byte.
[[nodiscard]] inline bool is_value(std::string_view text) noexcept {
  const auto passes = [](std::uint64_t word) { return is_plain_value(word); };
  const bool is_plain =
      all_words(text, passes) && (text.empty() || (text.front() != ' ' && text.back() != ' '));
  return is_plain || is_field_value(text);
}

/// RFC 9113, 8.2: "A field name MUST NOT contain characters in the ranges
/// 0x00-0x20, 0x41-0x5a, or 0x7f-0xff". It must also be valid in HTTP/1.1.
[[nodiscard]] inline bool is_lower_token(std::string_view name) noexcept {
  const auto passes = [](std::uint64_t word) { return is_plain_name(word); };
  return (!name.empty() && all_words(name, passes)) ||
         (is_token(name) &&
          std::ranges::none_of(name, [](char byte) { return byte >= 'A' && byte <= 'Z'; }));
}

}  // namespace eider::h2::detail
