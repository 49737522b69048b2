// Reads messages of write_message, for tests and for logs during development.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "eider/auth/mail/mail_transport.h"
#include "eider/core/base/base64.h"
#include "eider/core/base/text.h"

namespace eider {

namespace {

constexpr std::string_view kLineEnd = "\r\n";

/// Returns the value of a header, unfolded.
std::string raw_field(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    std::size_t end = head.find(kLineEnd);
    while (end != std::string_view::npos && head.substr(end + 2).starts_with(' ')) {
      end = head.find(kLineEnd, end + 2);
    }
    const std::string_view field = head.substr(0, end);
    if (field.size() > name.size() && field[name.size()] == ':' &&
        equals_ignoring_case(field.substr(0, name.size()), name)) {
      std::string value(field.substr(name.size() + 1));
      std::erase_if(value, [](char byte) { return byte == '\r' || byte == '\n'; });
      return value.substr(value.starts_with(' ') ? 1 : 0);
    }
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 2);
  }
  return {};
}

std::string decode_words(std::string_view text) {
  constexpr std::string_view kBegin = "=?UTF-8?B?";
  std::string out;
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find(kBegin), text.size());
    out.append(text.substr(0, begin));
    text.remove_prefix(begin);
    const std::size_t end = text.find("?=", kBegin.size());
    if (text.empty() || end == std::string_view::npos) {
      return out.append(text);
    }
    out += from_base64(text.substr(kBegin.size(), end - kBegin.size())).value_or("");
    text.remove_prefix(end + 2);
    if (text.starts_with(std::string(" ").append(kBegin))) {
      text.remove_prefix(1);
    }
  }
  return out;
}

int hex_digit(char byte) noexcept {
  return is_digit(byte) ? byte - '0' : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

std::string decode_quoted(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '=' || at + 2 >= text.size()) {
      out.push_back(text[at]);
    } else {
      const int value = hex_digit(text[at + 1]) * 16 + hex_digit(text[at + 2]);
      out.append(value >= 0 ? 1 : 0, static_cast<char>(value));
      at += 2;
    }
  }
  return out;
}

std::string decode(std::string_view content, std::string_view encoding) {
  std::string text(content);
  if (encoding == "base64") {
    std::erase_if(text, [](char byte) { return byte == '\r' || byte == '\n'; });
    text = from_base64(text).value_or("");
  } else if (encoding == "quoted-printable") {
    text = decode_quoted(content);
  }
  std::erase(text, '\r');
  return text;
}

/// Returns the first part of that type, at or below this one, without the boundary after it.
std::string find_part(std::string_view part, std::string_view type) {
  constexpr std::string_view kBoundary = "boundary=\"";
  const std::size_t head_end = part.find("\r\n\r\n");
  if (head_end == std::string_view::npos) {
    return {};
  }
  const std::string_view head = part.substr(0, head_end + 2);
  std::string_view content = part.substr(head_end + 4);
  const std::string its_type = raw_field(head, "Content-Type");
  if (its_type.starts_with(type)) {
    return decode(content, raw_field(head, "Content-Transfer-Encoding"));
  }
  const std::size_t at = its_type.find(kBoundary);
  if (at == std::string::npos) {
    return {};
  }
  const std::string_view rest = std::string_view(its_type).substr(at + kBoundary.size());
  const std::string line = "\r\n--" + std::string(rest.substr(0, rest.find('"')));
  std::size_t begin = content.find(line);
  while (begin != std::string_view::npos) {
    content.remove_prefix(begin + line.size());
    begin = content.find(line);
    const std::string found =
        content.starts_with(kLineEnd) ? find_part(content.substr(2, begin - 2), type) : "";
    if (!found.empty()) {
      return found;
    }
  }
  return {};
}

}  // namespace

std::string field_of(const MailMessage& message, std::string_view name) {
  const std::string_view text = message.text;
  return decode_words(raw_field(text.substr(0, text.find("\r\n\r\n") + 2), name));
}

std::string text_of(const MailMessage& message, std::string_view type) {
  return find_part(message.text, type);
}

}  // namespace eider
