#include "eider/cli/openapi_client/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "eider/base/text.h"

namespace eider::openapi_client {

namespace {

/// A character at the front that is not seen: its bytes and its number; 0 bytes where it is seen.
struct Hidden {
  std::size_t bytes;
  unsigned code_point;
};

/// Controls of C0 and C1, and what turns text round or ends lines (UAX 9, ECMA-262): U+200E and F,
/// U+2028 to 202E, U+2066 to 2069, U+FEFF. Sources that read otherwise than they look are an
/// attack on their reviewer ("Trojan Source").
Hidden hidden_at(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  if (byte(0) < 0x20 || byte(0) == 0x7F) {
    return {1, byte(0)};
  }
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) {
    return {2, byte(1)};
  }
  if (text.starts_with("\xEF\xBB\xBF")) {
    return {3, 0xFEFF};
  }
  if (byte(0) == 0xE2 && (byte(1) == 0x80 || byte(1) == 0x81) && (byte(2) & 0xC0U) == 0x80) {
    const unsigned code_point = 0x2000 + (byte(1) & 0x3FU) * 64 + (byte(2) & 0x3FU);
    const bool is_hidden = code_point == 0x200E || code_point == 0x200F ||
                           (code_point >= 0x2028 && code_point <= 0x202E) ||
                           (code_point >= 0x2066 && code_point <= 0x2069);
    return {is_hidden ? std::size_t{3} : 0, code_point};
  }
  return {0, 0};
}

}  // namespace

bool is_identifier(std::string_view text) noexcept {
  return !text.empty() && !is_digit(text.front()) && std::ranges::all_of(text, [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '_';
  });
}

std::string Names::take(std::string_view name) {
  std::string base;
  for (const char byte : name) {
    const bool is_kept = is_letter(byte) || is_digit(byte) || byte == '_';
    base += is_kept ? byte : '_';
  }
  if (base.empty() || is_digit(base.front())) {
    base.insert(base.begin(), '_');
  }
  if (reserved_.contains(base)) {
    base += '_';
  }
  std::size_t& number = numbers_[base];  // where the search ended: all before are taken
  std::string made;
  do {
    ++number;
    made = number == 1 ? base : fmt::format("{}_{}", base, number);
  } while (reserved_.contains(made) || !taken_.insert(made).second);
  return made;
}

std::string typescript_literal(std::string_view text) {
  std::string literal = "\"";
  while (!text.empty()) {
    const Hidden hidden = hidden_at(text);
    const std::size_t bytes = std::max<std::size_t>(hidden.bytes, 1);
    if (hidden.bytes != 0) {
      literal += fmt::format("\\u{:04x}", hidden.code_point);
    } else {
      literal += text.front() == '"' || text.front() == '\\' ? "\\" : "";
      literal += text.front();
    }
    text.remove_prefix(bytes);
  }
  return literal + '"';
}

std::string cpp_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char byte : text) {
    if (byte == '"' || byte == '\\') {
      literal += '\\';
      literal += byte;
    } else if (byte < ' ' || byte > '~') {  // where char is signed or not
      literal += fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    } else {
      literal += byte;
    }
  }
  return literal + '"';
}

std::string comment_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const Hidden hidden = hidden_at(text);
    const std::size_t bytes = std::max<std::size_t>(hidden.bytes, 1);
    if (hidden.bytes != 0) {
      line += ' ';
    } else {
      line += text.front() == '/' && line.ends_with('*') ? " /" : std::string(1, text.front());
    }
    text.remove_prefix(bytes);
  }
  while (line.ends_with(' ') || line.ends_with('\\')) {
    line.pop_back();  // a backslash at the end would make the next line of C++ a comment, too
  }
  return line;
}

std::vector<std::string> comment_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(comment_line(text.substr(0, end)));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace eider::openapi_client
