// Reads a text from the front; used by the parsers of types.
// Layering: must not be included outside kinds/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "eider/core/base/text.h"

namespace eider::detail::kinds {

class Cursor {
 public:
  explicit Cursor(std::string_view text) noexcept : rest_(text) {}

  [[nodiscard]] bool is_at_end() const noexcept { return rest_.empty(); }
  /// Passes over `byte`. Returns whether it is there.
  bool take(char byte) noexcept {
    const bool is_there = rest_.starts_with(byte);
    rest_.remove_prefix(is_there ? 1 : 0);
    return is_there;
  }
  /// Reads exactly `count` digits, count <= 9.
  [[nodiscard]] std::optional<unsigned> take_digits(std::size_t count) noexcept {
    const std::string_view digits = take_all_digits(count);
    if (digits.size() != count) {
      return std::nullopt;
    }
    unsigned number = 0;
    for (const char digit : digits) {
      number = number * 10 + static_cast<unsigned>(digit - '0');
    }
    return number;
  }
  /// Reads the digits at the start, at most `count_max`.
  std::string_view take_all_digits(std::size_t count_max) noexcept {
    std::size_t count = 0;
    while (count < count_max && count < rest_.size() && is_digit(rest_[count])) {
      ++count;
    }
    const std::string_view digits = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return digits;
  }
  char next() noexcept {
    const char byte = rest_.empty() ? '\0' : rest_.front();
    rest_.remove_prefix(rest_.empty() ? 0 : 1);
    return byte;
  }

 private:
  std::string_view rest_;
};

}  // namespace eider::detail::kinds
