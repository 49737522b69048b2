#include "eider/protocols/http/url.h"

#include <algorithm>

#include "eider/protocols/http/http_url.h"

namespace eider {

namespace {

/// Returns whether a URL may contain the byte unencoded (RFC 3986, section 2).
bool is_url_byte(char byte) noexcept {
  constexpr std::string_view kNever = "\"<>\\^`{|}";
  return byte > ' ' && byte < '\x7F' && !kNever.contains(byte);
}

}  // namespace

bool IsUrl::check(std::string_view text) {
  const std::size_t mark = text.find('#');
  const bool has_one_fragment = mark == text.npos || text.find('#', mark + 1) == text.npos;
  return text.size() <= kBytesMax && has_one_fragment && std::ranges::all_of(text, is_url_byte) &&
         detail::http::read_http_url(text).has_value();
}

Requirement IsUrl::describe() {
  return {"url",
          "must be an http or https URL, such as https://example.org/path",
          {},
          {{"format", "\"uri\""}, {"maxLength", std::to_string(kBytesMax)}}};
}

}  // namespace eider
