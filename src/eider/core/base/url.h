// Percent-encoding of URLs, and the pairs of a query string.
// Layering: must not decode anything twice, and does not interpret paths, such as "..".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "eider/core/base/text.h"

namespace eider {

/// The meaning of '+': itself in a path, a space in a query (the form encoding of HTML).
enum class Plus : std::uint8_t { literal, space };

/// Returns the byte of the "%XX" at the start of `text`, or -1 if there is none.
[[nodiscard]] constexpr int escaped_byte(std::string_view text) noexcept {
  if (text.size() < 3 || text.front() != '%') {
    return -1;
  }
  const int high = hex_value(text[1]);
  const int low = hex_value(text[2]);
  return high < 0 || low < 0 ? -1 : high << 4 | low;
}

/// Decodes each %XX once.
///
/// out      has room for text.size() bytes, which is always enough; may be the memory of `text`
/// returns  the number of bytes written, or nothing if two hexadecimal digits do not follow a '%'
/// source   RFC 3986, section 2.1
[[nodiscard]] std::optional<std::size_t> percent_decode_to(char* out, std::string_view text,
                                                           Plus plus) noexcept;

/// The same, as a new string.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text, Plus plus);

/// Encodes `text` for use as one segment of a path or as a name or value in a query: all characters
/// except unreserved ones (RFC 3986, section 2.3).
[[nodiscard]] std::string percent_encode(std::string_view text);

/// Makes a whole URL, or a reference to one, ASCII. Percent-encodes bytes that RFC 3986 never
/// allows in a URL (blanks, UTF-8, quotes, `<>\^{|}` and the backtick), a '%' that does not start
/// an escape, and a second '#'. Existing escapes and control bytes are not changed.
[[nodiscard]] std::string percent_encode_url(std::string_view url);

/// A pair of a query string, not decoded.
struct QueryPair {
  std::string_view name;
  /// The text after the first '='; empty if there is no '='.
  std::string_view value;
};

/// Reads the pairs of a query string in order, and skips empty ones ("a=1&&b=2").
///
///     QueryReader pairs(request.query());
///     while (auto pair = pairs.next()) … percent_decode(pair->value, Plus::space) …
class QueryReader {
 public:
  explicit QueryReader(std::string_view query) noexcept : rest_(query) {}

  [[nodiscard]] std::optional<QueryPair> next() noexcept;

 private:
  std::string_view rest_;
};

}  // namespace eider
