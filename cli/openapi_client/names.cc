#include "cli/openapi_client/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "eider/core/base/hidden_text.h"
#include "eider/core/base/text.h"

namespace eider::openapi_client {

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
  std::size_t& number = numbers_[base];  // the last number in use
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
    const HiddenCharacter hidden = hidden_at(text);
    const std::size_t bytes = std::max<std::size_t>(hidden.bytes, 1);
    if (hidden.bytes != 0) {
      literal += hidden.code_point > 0xFFFF ? fmt::format("\\u{{{:x}}}", hidden.code_point)
                                            : fmt::format("\\u{:04x}", hidden.code_point);
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
    const HiddenCharacter hidden = hidden_at(text);
    const std::size_t bytes = std::max<std::size_t>(hidden.bytes, 1);
    if (hidden.bytes != 0) {
      line += ' ';
    } else {
      line += text.front() == '/' && line.ends_with('*') ? " /" : std::string(1, text.front());
    }
    text.remove_prefix(bytes);
  }
  while (line.ends_with(' ') || line.ends_with('\\')) {
    line.pop_back();  // a trailing backslash would continue the comment on the next line of C++
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
