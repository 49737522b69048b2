// Percent-encoding of URLs, and the pairs of a query string.
// Layering: must not decode anything twice, and does not interpret paths, such as "..".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace eider {

/// What '+' stands for: itself in a path, a space in a query (the form coding of HTML).
enum class Plus : std::uint8_t { literal, space };

/// True when decoding would change `text`.
[[nodiscard]] bool is_encoded(std::string_view text, Plus plus) noexcept;

/// Decodes every %XX once.
///
/// out      room for text.size() bytes, which decoding never exceeds; may be text's own memory
/// returns  the bytes written; nothing when a '%' is not followed by two hexadecimal digits
/// source   RFC 3986, section 2.1
[[nodiscard]] std::optional<std::size_t> percent_decode_to(char* out, std::string_view text,
                                                           Plus plus) noexcept;

/// The same into a string.
[[nodiscard]] std::optional<std::string> percent_decode(std::string_view text, Plus plus);

/// `text` so that it can stand as one segment of a path or as a name or value in a query:
/// everything but unreserved characters is encoded (RFC 3986, section 2.3).
[[nodiscard]] std::string percent_encode(std::string_view text);

/// A whole URL, or a reference to one, as ASCII: bytes that RFC 3986 allows in no URL (blanks,
/// UTF-8, quotes, `<>\^{|}` and the backtick) are percent-encoded, and so are a '%' that begins no
/// escape and a second '#'. Existing escapes and control bytes are not changed.
[[nodiscard]] std::string percent_encode_url(std::string_view url);

/// One pair of a query string, not decoded.
struct QueryPair {
  std::string_view name;
  /// Behind the first '='; empty when there is none.
  std::string_view value;
};

/// The pairs of a query string in their order; empty ones ("a=1&&b=2") are passed over.
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
