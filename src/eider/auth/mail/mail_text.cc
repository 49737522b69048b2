#include "eider/auth/mail/mail_text.h"

#include <algorithm>
#include <cstdint>

#include "eider/core/base/base64.h"
#include "eider/core/base/text.h"
#include "eider/core/base/utf8.h"
#include "eider/protocols/http/grammar.h"

namespace eider::detail::mail {

namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";
/// Maximum size of a word that is not encoded, so that it fits on one line with the header name.
constexpr std::size_t kWordBytesMax = 56;
/// Maximum size of a line with a word that cannot be folded; the header name may have its own line.
constexpr std::size_t kLineBytesMax = 998;
/// Bytes of UTF-8 in one encoded word, which has 12 bytes plus 4 for each 3 of these: 60 of the 75
/// that RFC 2047 allows, so that the header name fits on the same line.
constexpr std::size_t kEncodedWordBytes = 36;
/// Maximum line length of quoted-printable and base64 (RFC 2045, sections 6.7 and 6.8).
constexpr std::size_t kEncodedLineBytes = 76;

bool is_ascii_text(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char byte) {
    const auto value = static_cast<unsigned char>(byte);
    return (value >= 0x20 && value < 0x7F) || byte == '\t' || byte == '\n';
  });
}

/// Converts all line ends to LF. A single CR also ends a line, because it must not be sent.
std::string with_plain_ends(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\r') {
      out.push_back(text[at]);
    } else if (at + 1 == text.size() || text[at + 1] != '\n') {
      out.push_back('\n');
    }
  }
  return out;
}

/// Calls `each` with every line, without its line end.
template <class Each>
void for_lines(std::string_view text, Each each) {
  while (!text.empty()) {
    each(take_until(text, "\n"));
  }
}

bool has_short_lines(std::string_view text) {
  bool are_short = true;
  for_lines(text, [&](std::string_view line) { are_short &= line.size() <= kLineBytes; });
  return are_short;
}

/// Writes one line as quoted-printable. A trailing space could be lost in transport, so it is
/// encoded.
void add_quoted_line(std::string& out, std::string_view line) {
  std::size_t column = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const auto value = static_cast<unsigned char>(line[at]);
    const bool is_blank = value == ' ' || value == '\t';
    const bool is_itself =
        is_blank ? at + 1 < line.size() : value > 0x20 && value < 0x7F && value != '=';
    const std::size_t bytes = is_itself ? 1 : 3;
    if (column + bytes >= kEncodedLineBytes) {  // one is reserved for the '=' that breaks the line
      out += "=\r\n";
      column = 0;
    }
    column += bytes;
    if (is_itself) {
      out.push_back(line[at]);
    } else {
      out.append(1, '=').append(1, kHexDigits[value >> 4U]).append(1, kHexDigits[value & 15U]);
    }
  }
  out += "\r\n";
}

/// Returns the largest size up to `bytes` that does not split a character. Pre: UTF-8, not empty.
std::size_t whole_characters(std::string_view text, std::size_t bytes) noexcept {
  std::size_t taken = 0;
  while (taken < text.size()) {
    const std::size_t next = std::max<std::size_t>(utf8_sequence_bytes(text.substr(taken)), 1);
    if (taken != 0 && taken + next > bytes) {
      break;
    }
    taken += next;
  }
  return taken;
}

/// Percent-encodes all but attribute-char of RFC 2231, section 7: token characters without '*', "'"
/// and '%'.
std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    if (is_token_byte(byte) && byte != '*' && byte != '\'' && byte != '%') {
      out.push_back(byte);
    } else {
      out.append(1, '%').append(1, kHexDigits[value >> 4U]).append(1, kHexDigits[value & 15U]);
    }
  }
  return out;
}

}  // namespace

bool is_plain_text(std::string_view text) noexcept {
  std::size_t word = 0;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);  // char is unsigned on some platforms
    if (byte < 0x20 || byte > 0x7E || (byte == ' ' && word == 0)) {
      return false;
    }
    word = byte == ' ' ? 0 : word + 1;
    if (word > kWordBytesMax) {
      return false;
    }
  }
  return word != 0 && !text.contains("=?");
}

bool is_foldable(std::string_view text) noexcept {
  std::size_t word = 0;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte < 0x20 || byte > 0x7E || (byte == ' ' && word == 0)) {
      return false;
    }
    word = byte == ' ' ? 0 : word + 1;
    if (word >= kLineBytesMax) {
      return false;
    }
  }
  return word != 0;
}

FieldWriter::FieldWriter(std::string& out, std::string_view name)
    : out_(out), column_(name.size() + 1) {
  out_.append(name).append(1, ':');
}

void FieldWriter::add(std::string_view word) {
  if (column_ + 1 + word.size() > kLineBytes) {
    out_ += "\r\n";
    column_ = 0;
  }
  out_.append(1, ' ').append(word);
  column_ += 1 + word.size();
}

void FieldWriter::add_words(std::string_view words) {
  while (!words.empty()) {
    const std::size_t blank = std::min(words.find(' '), words.size());
    // A comma within <> belongs to a URL.
    const std::size_t comma = words.substr(0, blank).find(">,<");
    const std::size_t end = comma == std::string_view::npos ? blank : comma + 2;
    add(words.substr(0, end));
    words.remove_prefix(end < words.size() && words[end] == ' ' ? end + 1 : end);
  }
}

void FieldWriter::add_text(std::string_view text) {
  if (is_plain_text(text)) {
    add_words(text);
  } else {
    add_encoded(text);
  }
}

void FieldWriter::add_encoded(std::string_view text) {
  // Spaces between encoded words are not part of the text (RFC 2047, section 6.2).
  while (!text.empty()) {
    const std::size_t bytes = whole_characters(text, kEncodedWordBytes);
    add("=?UTF-8?B?" + to_base64(text.substr(0, bytes)) + "?=");
    text.remove_prefix(bytes);
  }
}

void add_filename(FieldWriter& field, std::string_view filename) {
  // Some readers decode everything that looks like an encoded word, even in quotes.
  if (filename.size() <= kWordBytesMax && is_ascii_text(filename) && !filename.contains("=?") &&
      filename.find_first_of("\"\\") == std::string_view::npos) {
    field.add("filename=\"" + std::string(filename) + "\"");
    return;
  }
  if (const std::string whole = percent_encoded(filename); whole.size() <= kWordBytesMax) {
    field.add("filename*=UTF-8''" + whole);
    return;
  }
  for (std::size_t index = 0; !filename.empty(); ++index) {
    const std::size_t bytes = whole_characters(filename, kWordBytesMax / 3);
    std::string piece = "filename*" + std::to_string(index) + "*=";
    piece.append(index == 0 ? "UTF-8''" : "").append(percent_encoded(filename.substr(0, bytes)));
    filename.remove_prefix(bytes);
    field.add(piece.append(filename.empty() ? "" : ";"));
  }
}

EncodedContent encode_text(std::string_view text) {
  const std::string plain = with_plain_ends(text);
  const auto foreign = static_cast<std::size_t>(
      std::ranges::count_if(plain, [](char byte) { return static_cast<signed char>(byte) < 0; }));
  EncodedContent encoded;
  if (is_ascii_text(plain) && has_short_lines(plain)) {
    encoded.encoding = "7bit";
    for_lines(plain, [&](std::string_view line) { encoded.text.append(line).append("\r\n"); });
  } else if (foreign <= plain.size() / 6) {
    encoded.encoding = "quoted-printable";
    for_lines(plain, [&](std::string_view line) { add_quoted_line(encoded.text, line); });
  } else {
    std::string wire;
    for_lines(plain, [&](std::string_view line) { wire.append(line).append("\r\n"); });
    return encode_bytes(wire);
  }
  return encoded;
}

EncodedContent encode_bytes(std::string_view bytes) {
  constexpr std::size_t kBytesOfLine = kEncodedLineBytes / 4 * 3;
  EncodedContent encoded{.encoding = "base64", .text = {}};
  encoded.text.reserve(base64_size(bytes.size()) / kEncodedLineBytes * 2 + bytes.size() * 4 / 3);
  while (!bytes.empty()) {
    encoded.text.append(to_base64(bytes.substr(0, kBytesOfLine))).append("\r\n");
    bytes.remove_prefix(std::min(kBytesOfLine, bytes.size()));
  }
  return encoded;
}

}  // namespace eider::detail::mail
