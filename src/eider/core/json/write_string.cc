#include <simdjson.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "eider/core/base/utf8.h"
#include "eider/core/json/text.h"
#include "eider/core/json/write.h"

namespace eider::json {

namespace {

/// The bytes of a string that are copied unchanged: all except quotes, backslashes and control
/// characters; non-ASCII bytes only if the text is known to be UTF-8.
enum class Plain : unsigned char { kAscii, kUtf8 };

using Bytes = unsigned char __attribute__((vector_size(16)));
using Halves = std::uint64_t __attribute__((vector_size(16)));

template <Plain kPlain>
bool is_plain(unsigned char byte) noexcept {
  return byte >= 0x20 && byte != '"' && byte != '\\' && (kPlain == Plain::kUtf8 || byte < 0x80);
}

template <Plain kPlain>
bool are_plain(Bytes bytes) noexcept {
  using Signed = signed char __attribute__((vector_size(16)));
  auto marks = (bytes == '"') | (bytes == '\\');
  if constexpr (kPlain == Plain::kAscii) {
    marks |= reinterpret_cast<Signed>(bytes) < 0x20;  // non-ASCII bytes are negative
  } else {
    marks |= bytes < 0x20;
  }
  const Halves halves = reinterpret_cast<Halves>(marks);
  return (halves[0] | halves[1]) == 0;
}

/// Word  of 32 or 64 bits
template <Plain kPlain, std::unsigned_integral Word>
bool are_plain(Word word) noexcept {
  constexpr Word kOnes = static_cast<Word>(0x0101010101010101);
  constexpr Word kHighs = kOnes * 0x80;
  const Word low = word & ~kHighs;  // seven bits each, so that the sums below do not carry over
  const Word quote = (low ^ kOnes * '"') + kOnes * 0x7F;
  const Word backslash = (low ^ kOnes * '\\') + kOnes * 0x7F;
  const Word printable = low + kOnes * 0x60;
  const Word plain = quote & backslash & printable;  // the high bit of each byte is the result
  return kPlain == Plain::kUtf8 ? ((plain | word) & kHighs) == kHighs
                                : ((plain & ~word) & kHighs) == kHighs;
}

/// Copies one block if all of it is plain.
template <Plain kPlain>
bool try_copy(char* to, const char* from) noexcept {
  Bytes block;
  std::memcpy(&block, from, sizeof block);
  if (!are_plain<kPlain>(block)) {
    return false;
  }
  std::memcpy(to, &block, sizeof block);
  return true;
}

/// Copies blocks as long as they are plain; the last one may overlap the one before.
/// Returns the number of copied bytes at the start.
template <Plain kPlain>
std::size_t copy_blocks(char* to, const char* from, std::size_t size) noexcept {
  std::size_t done = 0;
  for (; done + sizeof(Bytes) <= size; done += sizeof(Bytes)) {
    if (!try_copy<kPlain>(to + done, from + done)) {
      return done;
    }
  }
  const std::size_t last = size - sizeof(Bytes);
  return try_copy<kPlain>(to + last, from + last) ? size : done;
}

/// Copies all of `text`, which has 2 to 15 bytes, if all of it is plain.
template <Plain kPlain>
bool try_copy_short(char* to, std::string_view text) noexcept {
  const auto try_copy = [to, from = text.data()]<class Word>(Word, std::size_t last) {
    const Word first_word = detail::load<Word>(from);
    const Word last_word = detail::load<Word>(from + last);
    bool is_plain = false;
    if constexpr (sizeof(Word) == sizeof(std::uint64_t)) {
      is_plain = are_plain<kPlain>(reinterpret_cast<Bytes>(Halves{first_word, last_word}));
    } else {
      using Both = std::conditional_t<sizeof(Word) == 4, std::uint64_t, std::uint32_t>;
      is_plain = are_plain<kPlain>(
          static_cast<Both>(Both{first_word} | Both{last_word} << 8 * sizeof(Word)));
    }
    std::memcpy(to, &first_word, sizeof(Word));
    std::memcpy(to + last, &last_word, sizeof(Word));
    return is_plain;
  };
  return detail::in_two_words(text.size(), try_copy);
}

/// Copies up to the first byte that is not plain and returns the number of bytes.
template <Plain kPlain>
std::size_t copy_plain(char* to, std::string_view text) noexcept {
  std::size_t done = 0;
  if (text.size() >= sizeof(Bytes)) {
    done = copy_blocks<kPlain>(to, text.data(), text.size());
  } else if (text.size() >= 2 && try_copy_short<kPlain>(to, text)) {
    return text.size();
  }
  for (; done < text.size() && is_plain<kPlain>(static_cast<unsigned char>(text[done])); ++done) {
    to[done] = text[done];
  }
  return done;
}

/// Returns the letter after the backslash, or 0 if there is no short escape for the byte (RFC 8259,
/// section 7).
char escape_letter(char byte) noexcept {
  switch (byte) {
    case '"':
    case '\\':
      return byte;
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

void write_escape(Buffer& out, char byte) {
  if (const char letter = escape_letter(byte); letter != 0) {
    out.append('\\');
    out.append(letter);
    return;
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  out.append("\\u00");
  out.append(kHex[static_cast<unsigned char>(byte) >> 4]);
  out.append(kHex[static_cast<unsigned char>(byte) & 0xF]);
}

/// Writes the character at the start of `text`, which is not plain. Returns the number of its
/// bytes.
std::size_t write_special(Buffer& out, std::string_view text) {
  if (static_cast<unsigned char>(text[0]) < 0x80) {
    write_escape(out, text[0]);
    return 1;
  }
  const std::size_t bytes = utf8_sequence_bytes(text);
  out.append(bytes == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, bytes));
  return bytes == 0 ? 1 : bytes;
}

template <Plain kPlain>
void write_all(Buffer& out, std::string_view text) {
  while (!text.empty()) {
    const std::size_t copied = copy_plain<kPlain>(out.reserve(text.size()), text);
    out.commit(copied);
    text.remove_prefix(copied);
    if (!text.empty()) {
      text.remove_prefix(write_special(out, text));
    }
  }
}

/// Writes the rest of a string after the part that write_string has copied.
[[gnu::noinline]] void write_rest(Buffer& out, std::string_view rest) {
  if (simdjson::validate_utf8(rest.data(), rest.size())) {
    write_all<Plain::kUtf8>(out, rest);
  } else {
    write_all<Plain::kAscii>(out, rest);
  }
  out.append('"');
}

}  // namespace

void write_string(Buffer& out, std::string_view text) {
  char* const at = out.reserve(text.size() + 2);
  *at = '"';
  const std::size_t copied = copy_plain<Plain::kAscii>(at + 1, text);
  if (copied != text.size()) [[unlikely]] {
    out.commit(copied + 1);
    return write_rest(out, text.substr(copied));
  }
  at[copied + 1] = '"';
  out.commit(copied + 2);
}

}  // namespace eider::json
