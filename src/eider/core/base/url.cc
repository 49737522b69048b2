#include "eider/core/base/url.h"

#include "eider/core/base/text.h"

namespace eider {

namespace {

bool is_unreserved(char byte) noexcept {
  return is_letter(byte) || is_digit(byte) || byte == '-' || byte == '.' || byte == '_' ||
         byte == '~';
}

/// Returns whether RFC 3986 allows the byte in no part of a URL. Callers reject control bytes.
bool is_never_in_url(char byte) noexcept {
  constexpr std::string_view kForbidden = " \t\"<>\\^`{|}";
  return static_cast<unsigned char>(byte) >= 0x80 || kForbidden.contains(byte);
}

void append_escape(std::string& out, char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto value = static_cast<unsigned char>(byte);
  out.append({'%', kDigits[value >> 4], kDigits[value & 15]});
}

}  // namespace

std::optional<std::size_t> percent_decode_to(char* out, std::string_view text, Plus plus) noexcept {
  char* at = out;
  while (!text.empty()) {
    if (text.front() != '%') {
      *at++ = text.front() == '+' && plus == Plus::space ? ' ' : text.front();
      text.remove_prefix(1);
      continue;
    }
    const int byte = escaped_byte(text);
    if (byte < 0) {
      return std::nullopt;
    }
    *at++ = static_cast<char>(byte);
    text.remove_prefix(3);
  }
  return static_cast<std::size_t>(at - out);
}

std::optional<std::string> percent_decode(std::string_view text, Plus plus) {
  std::string decoded(text.size(), '\0');
  const std::optional<std::size_t> size = percent_decode_to(decoded.data(), text, plus);
  if (!size.has_value()) {
    return std::nullopt;
  }
  decoded.resize(*size);
  return decoded;
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char byte : text) {
    if (is_unreserved(byte)) {
      encoded.push_back(byte);
    } else {
      append_escape(encoded, byte);
    }
  }
  return encoded;
}

std::string percent_encode_url(std::string_view url) {
  std::string encoded;
  encoded.reserve(url.size());
  bool is_in_fragment = false;
  for (std::size_t i = 0; i < url.size(); ++i) {
    const char byte = url[i];
    const bool is_bad = is_never_in_url(byte) || (byte == '#' && is_in_fragment) ||
                        (byte == '%' && escaped_byte(url.substr(i)) < 0);
    is_in_fragment = is_in_fragment || byte == '#';
    if (is_bad) {
      append_escape(encoded, byte);
    } else {
      encoded.push_back(byte);
    }
  }
  return encoded;
}

std::optional<QueryPair> QueryReader::next() noexcept {
  while (!rest_.empty()) {
    const std::string_view pair = rest_.substr(0, rest_.find('&'));
    rest_.remove_prefix(pair.size() == rest_.size() ? pair.size() : pair.size() + 1);
    if (pair.empty()) {
      continue;
    }
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) {
      return QueryPair{pair, pair.substr(pair.size())};
    }
    return QueryPair{pair.substr(0, equals), pair.substr(equals + 1)};
  }
  return std::nullopt;
}

}  // namespace eider
