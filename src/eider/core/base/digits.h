// The decimal digits of a number, without heap memory.
// Layering: must not outlive the text: it is a view.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace eider {

class Digits {
 public:
  explicit Digits(std::uint64_t number) noexcept
      : bytes_(static_cast<std::size_t>(
            std::to_chars(text_.data(), text_.data() + text_.size(), number).ptr - text_.data())) {}
  [[nodiscard]] std::string_view view() const noexcept { return {text_.data(), bytes_}; }

 private:
  std::array<char, 20> text_{};
  std::size_t bytes_;
};

}  // namespace eider
