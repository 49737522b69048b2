// The shortest decimal text of a number.
// Layering: must not know locales.
#pragma once

#include <array>
#include <charconv>
#include <string>
#include <string_view>

namespace eider {

/// Needs no heap memory. A floating-point number is read back as the same number.
class Digits {
 public:
  template <class Number>
  explicit Digits(Number number) noexcept {
    char* const end = std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr;
    bytes_ = static_cast<std::size_t>(end - text_.data());
  }
  /// The view is valid as long as this object.
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), bytes_}; }

 private:
  std::array<char, 32> text_{};
  std::size_t bytes_ = 0;
};

template <class Number>
[[nodiscard]] std::string digits_of(Number number) {
  return std::string(Digits(number).view());
}

}  // namespace eider
