// A slow and simple decoder of whole chunked bodies, to compare the library's decoder with.
// Layering: must not share code with the library's decoder or be used for other purposes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "tests/differential/h1_reference_head.h"

namespace eider::h1::reference {

struct ChunkedBody {
  std::string content;
  std::size_t consumed = 0;

  bool operator==(const ChunkedBody&) const = default;
};

inline void skip_blanks(std::string_view& text) {
  while (text.starts_with(' ') || text.starts_with('\t')) {
    text.remove_prefix(1);
  }
}

inline bool skip_token(std::string_view& text) {
  std::size_t bytes = 0;
  while (bytes < text.size() && is_token(text.substr(bytes, 1))) {
    ++bytes;
  }
  text.remove_prefix(bytes);
  return bytes != 0;
}

/// Pre: `text` starts with a quote.
inline bool skip_quoted(std::string_view& text) {
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == '"') {
      text.remove_prefix(at + 1);
      return true;
    }
    at += text[at] == '\\' ? 1 : 0;
    if (at == text.size() || has_control(text.substr(at, 1))) {
      return false;
    }
  }
  return false;
}

/// Returns whether the whole text matches
/// *( BWS ";" BWS token [ BWS "=" BWS ( token / quoted-string ) ] ).
inline bool is_extension(std::string_view text) {
  while (!text.empty()) {
    skip_blanks(text);
    if (!text.starts_with(';')) {
      return false;
    }
    text.remove_prefix(1);
    skip_blanks(text);
    if (!skip_token(text)) {
      return false;
    }
    std::string_view value = text;
    skip_blanks(value);
    if (value.starts_with('=')) {
      value.remove_prefix(1);
      skip_blanks(value);
      if (!(value.starts_with('"') ? skip_quoted(value) : skip_token(value))) {
        return false;
      }
      text = value;
    }
  }
  return true;
}

/// Returns whether `line` is a valid line of a trailer section.
inline bool is_field_line(std::string_view line) {
  const std::size_t colon = line.find(':');
  return colon != std::string_view::npos && is_token(line.substr(0, colon)) &&
         !has_control(line.substr(colon + 1));
}

/// Returns the size of the trailer section at the start of `in`, including the empty line; nothing
/// if it is invalid or incomplete.
inline std::optional<std::size_t> trailer_bytes(std::string_view in) {
  std::size_t at = 0;
  for (;;) {
    const std::size_t end = in.find("\r\n", at);
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    if (end == at) {
      return end + 2;
    }
    if (!is_field_line(in.substr(at, end - at))) {
      return std::nullopt;
    }
    at = end + 2;
  }
}

/// Decodes the body at the start of `in`; returns nothing if it is invalid or incomplete.
inline std::optional<ChunkedBody> decode_chunked(std::string_view in) {
  ChunkedBody body;
  for (;;) {
    const std::size_t line_end = in.find("\r\n", body.consumed);
    if (line_end == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string line(in.substr(body.consumed, line_end - body.consumed));
    const std::size_t digits = std::min(line.find_first_not_of(kHex), line.size());
    if (digits == 0 || digits > 15 || !is_extension(std::string_view(line).substr(digits))) {
      return std::nullopt;
    }
    const std::size_t size = std::stoull(line.substr(0, digits), nullptr, 16);
    body.consumed = line_end + 2;
    if (size == 0) {
      const std::optional<std::size_t> trailer = trailer_bytes(in.substr(body.consumed));
      body.consumed += trailer.value_or(0);
      return trailer.has_value() ? std::optional<ChunkedBody>(body) : std::nullopt;
    }
    const std::size_t left = in.size() - body.consumed;
    if (size > left || in.substr(body.consumed + size, 2) != "\r\n") {
      return std::nullopt;
    }
    body.content += in.substr(body.consumed, size);
    body.consumed += size + 2;
  }
}

}  // namespace eider::h1::reference
