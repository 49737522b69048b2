// Strings and numbers of JSON text: escapes and number forms.
// Layering: must not know structure: arrays, objects and their members are the reader's.
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/text.h"

namespace eider::json::detail {

[[nodiscard]] inline bool is_space(char byte) noexcept {
  return static_cast<unsigned char>(byte) <= ' ' &&
         (byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t');
}

#ifdef __SSE2__
/// Returns a bit for each of the 16 bytes at `at` that is a quote, a backslash or a control
/// character.
[[nodiscard]] inline unsigned marks_of_16(const char* at) noexcept {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i marks =
      _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')),
                                _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
                   _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes));
  return static_cast<unsigned>(_mm_movemask_epi8(marks));
}
#endif

/// Returns the first quote, backslash or control character of a string, or `end`.
[[nodiscard]] const char* find_far_mark(const char* at, const char* end) noexcept;
[[nodiscard]] inline const char* find_mark(const char* at, const char* end) noexcept {
#ifdef __SSE2__
  if (end - at >= 16) [[likely]] {
    const unsigned found = marks_of_16(at);
    return found != 0 ? at + std::countr_zero(found) : find_far_mark(at + 16, end);
  }
#endif
  return find_far_mark(at, end);
}

inline constexpr std::size_t kShortBytesMax = 16;

/// Calls visit(Word(), offset of the last Word) with the largest word, two of which cover `size`
/// bytes: the first ones and the last ones, which may overlap. Pre: 2 <= size <= kShortBytesMax.
template <class Visit>
auto in_two_words(std::size_t size, Visit visit) {
  if (size >= 8) {
    return visit(std::uint64_t{}, size - 8);
  }
  return size >= 4 ? visit(std::uint32_t{}, size - 4) : visit(std::uint16_t{}, size - 2);
}

template <class Word>
[[nodiscard]] Word load(const char* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// Returns whether `text` is at `at`, where as many bytes can be read.
[[nodiscard]] inline bool equal_bytes(const char* at, std::string_view text) noexcept {
  if (text.size() > kShortBytesMax) {
    return std::memcmp(at, text.data(), text.size()) == 0;
  }
  if (text.size() < 2) {
    return text.empty() || *at == text[0];
  }
  return in_two_words(text.size(), [at, from = text.data()]<class Word>(Word, std::size_t last) {
    return load<Word>(at) == load<Word>(from) && load<Word>(at + last) == load<Word>(from + last);
  });
}

/// Copies `text` without a call. Pre: text.size() <= kShortBytesMax.
inline void copy_short(char* to, std::string_view text) noexcept {
  if (text.size() < 2) {
    if (!text.empty()) {
      *to = text[0];
    }
    return;
  }
  in_two_words(text.size(), [to, from = text.data()]<class Word>(Word, std::size_t last) {
    const Word first_word = load<Word>(from);
    const Word last_word = load<Word>(from + last);
    std::memcpy(to, &first_word, sizeof(Word));
    std::memcpy(to + last, &last_word, sizeof(Word));
  });
}

/// Returns the string that `raw` represents, or nothing if it has an invalid escape or half of a
/// surrogate pair (RFC 8259, sections 7 and 8.2).
[[nodiscard]] std::optional<std::string> unescape(std::string_view raw);

enum class NumberForm : std::uint8_t { kNone, kInteger, kReal };

/// Returns whether all of `token` is a number, and whether it has no fraction or exponent (RFC
/// 8259, section 6).
[[nodiscard]] NumberForm number_form(std::string_view token) noexcept;

/// Returns the end of a number without exponent, or null for any other text. Stores a number with
/// few digits, which is the usual case: one division of exact numbers gives the nearest double or
/// float. Pre: a byte that is not a digit follows.
///
/// is_stored  whether `number` was stored; if not, it is unchanged
/// source     W. D. Clinger, How to Read Floating Point Numbers Accurately (1990)
template <class Real>
[[nodiscard]] const char* read_short_real(const char* at, Real& number, bool& is_stored) noexcept;

/// Returns the digits of the integer that equals a number with fraction or exponent: "84" for 84.0
/// and 8.4e1; nothing for 84.5. A number beyond 64 bits may be returned with too few zeros, but the
/// result is also beyond 64 bits. Pre: number_form(token) is not kNone.
///
/// source  JSON Schema 2020-12 Validation, section 6.1.1
[[nodiscard]] std::optional<std::string> integer_digits(std::string_view token);

}  // namespace eider::json::detail
