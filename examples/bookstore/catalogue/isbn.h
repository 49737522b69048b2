// An ISBN with 13 digits and a valid check digit.
// Layering: must not know whether the book exists.
#pragma once

#include <eider/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace bookstore {

class Isbn {
 public:
  static constexpr std::size_t kDigits = 13;

  Isbn() = default;

  /// Parses a text; dashes and spaces between the digits are allowed.
  [[nodiscard]] static std::optional<Isbn> from_text(std::string_view text);
  [[nodiscard]] const std::string& digits() const noexcept { return digits_; }

 private:
  explicit Isbn(std::string digits) : digits_(std::move(digits)) {}

  std::string digits_ = "9780000000002";
};

}  // namespace bookstore

template <>
struct eider::TextFormat<bookstore::Isbn> {
  static std::optional<bookstore::Isbn> parse(std::string_view text) {
    return bookstore::Isbn::from_text(text);
  }
  static std::string format(const bookstore::Isbn& isbn) { return isbn.digits(); }
  static constexpr TextSchema kSchema = {.requirement = "must be an ISBN of 13 digits",
                                         .format = "isbn",
                                         .example = "9783161484100",
                                         .bytes_max = 20};
};
