#include "eider/web/views/escape.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/core/base/url.h"

namespace eider::views {

namespace {

constexpr std::array<std::string_view, 4> kSchemes = {"http", "https", "mailto", "tel"};

/// The index of the character reference that a byte needs; 0: none.
constexpr auto kReferences = [] {
  std::array<unsigned char, 256> table{};
  table['&'] = 1;
  table['<'] = 2;
  table['>'] = 3;
  table['"'] = 4;
  table['\''] = 5;
  return table;
}();
constexpr std::array<std::string_view, 6> kReferenceTexts = {"",     "&amp;",  "&lt;",
                                                             "&gt;", "&quot;", "&#39;"};

unsigned char reference_of(char byte) {
  return kReferences[static_cast<unsigned char>(byte)];
}

using Bytes = unsigned char __attribute__((vector_size(16)));
using Halves = std::uint64_t __attribute__((vector_size(16)));

/// Compares pairs with one mask, because some of these bytes differ in one bit.
bool has_references(Bytes bytes) {
  static_assert(('"' | 4) == '&' && ('<' | 2) == '>');
  const auto marks = ((bytes | 4) == '&') | ((bytes | 2) == '>') | (bytes == '\'');
  const Halves halves = reinterpret_cast<Halves>(marks);
  return (halves[0] | halves[1]) != 0;
}

/// Copies up to the first byte that needs a reference; returns the number of bytes.
std::size_t copy_plain(char* to, std::string_view text) {
  std::size_t done = 0;
  for (; done + sizeof(Bytes) <= text.size(); done += sizeof(Bytes)) {
    Bytes block;
    std::memcpy(&block, text.data() + done, sizeof block);
    if (has_references(block)) {
      break;
    }
    std::memcpy(to + done, &block, sizeof block);
  }
  for (; done < text.size() && reference_of(text[done]) == 0; ++done) {
    to[done] = text[done];
  }
  return done;
}

bool is_safe_url(std::string_view text) {
  const std::size_t end = text.find_first_of(":/?#");
  return end == text.npos || text[end] != ':' ||
         std::ranges::any_of(kSchemes, [scheme = text.substr(0, end)](std::string_view known) {
           return equals_ignoring_case(scheme, known);
         });
}

/// Reads the URL like a browser, which ignores whitespace at both ends, and tabs and line breaks
/// anywhere, and treats a backslash as a slash.
bool is_own_url(std::string_view text) {
  const auto is_slash = [text](std::size_t at) {
    return at < text.size() && (text[at] == '/' || text[at] == '\\');
  };
  const bool has_controls = std::ranges::any_of(
      text, [](char byte) { return static_cast<unsigned char>(byte) < ' ' || byte == '\x7f'; });
  const std::size_t end = text.find_first_of(":/?#\\");
  const bool has_scheme = end != text.npos && text[end] == ':';
  return !has_controls && !has_scheme && !text.starts_with(' ') && !(is_slash(0) && is_slash(1));
}

bool is_safe_style(char byte) {
  return is_letter(byte) || is_digit(byte) || std::string_view(" #%.,-_+").contains(byte);
}

}  // namespace

void write_html(Sink& out, std::string_view text) {
  out.reserve(text.size());
  while (true) {
    const std::size_t plain = copy_plain(out.end(), text);
    out.set_end(out.end() + plain);
    if (plain == text.size()) {
      return;
    }
    const std::string_view reference = kReferenceTexts[reference_of(text[plain])];
    text.remove_prefix(plain + 1);
    out.reserve(reference.size() + text.size());
    out.set_end(std::ranges::copy(reference, out.end()).out);
  }
}

void append_html(std::string& out, std::string_view text) {
  Sink sink(out, text.size());
  write_html(sink, text);
}

void append_url(std::string& out, std::string_view text) {
  append_html(out, is_safe_url(text) ? text : kRefusedUrl);
}

void append_own_url(std::string& out, std::string_view text) {
  append_html(out, is_own_url(text) ? text : kRefusedUrl);
}

void append_url_part(std::string& out, std::string_view text) {
  out += percent_encode(text);
}

void append_url_segment(std::string& out, std::string_view text) {
  if (!text.empty() && text != "." && text != "..") {
    return append_url_part(out, text);
  }
  const std::size_t quote = out.find_last_of("\"'");
  out.resize(quote == out.npos ? out.size() : quote + 1);
  out += kRefusedUrl;  // the rest becomes part of its fragment
}

void append_style(std::string& out, std::string_view text) {
  out += std::ranges::all_of(text, is_safe_style) ? text : kRefusedStyle;
}

void append_json(std::string& out, std::string_view json) {
  // Otherwise "a -{{ n }}" with a negative number would contain "--".
  out += json.starts_with('-') ? " " : "";
  for (std::size_t at = 0; at < json.size(); ++at) {
    const char byte = json[at];
    if (byte == '<' || byte == '>' || byte == '&') {
      out += byte == '<' ? "\\u003c" : byte == '>' ? "\\u003e" : "\\u0026";
    } else if (json.substr(at, 2) == "\xe2\x80" && at + 2 < json.size() &&
               (json[at + 2] == '\xa8' || json[at + 2] == '\xa9')) {
      out += json[at + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      at += 2;
    } else {
      out += byte;
    }
  }
}

void append_script(std::string& out, std::string_view json) {
  constexpr std::string_view kKey = "\"__proto__\":";
  std::size_t begin = 0;
  for (std::size_t at = 0; (at = json.find(kKey, at)) != json.npos; at += kKey.size()) {
    if (at > 0 && json[at - 1] == '\\') {  // a quote within a longer key
      continue;
    }
    append_json(out, json.substr(begin, at - begin));
    out += "[\"__proto__\"]:";
    begin = at + kKey.size();
  }
  append_json(out, json.substr(begin));
}

void append_in(std::string& out, Context context, std::string_view text) {
  switch (context) {
    case Context::text:
    case Context::attribute:
      return append_html(out, text);
    case Context::url:
      return append_url(out, text);
    case Context::own_url:
      return append_own_url(out, text);
    case Context::url_part:
      return append_url_part(out, text);
    case Context::url_segment:
      return append_url_segment(out, text);
    case Context::style:
      return append_style(out, text);
    case Context::script:
      return append_script(out, text);
    case Context::json:
      return append_json(out, text);
    case Context::raw:
      out += text;
      return;
  }
  std::unreachable();
}

}  // namespace eider::views
