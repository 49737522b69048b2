// A short text without heap memory, for formatting values.
// Layering: must not allocate or grow: a longer text is an error of the caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/core/base/assert.h"

namespace eider {

class ShortText {
 public:
  static constexpr std::size_t kBytesMax = 64;

  // NOLINTNEXTLINE(google-explicit-constructor): it is used like a std::string_view
  operator std::string_view() const noexcept { return {bytes_, size_}; }

  ShortText& operator+=(char byte) noexcept {
    ensure(size_ < kBytesMax, "a short text is short");
    bytes_[size_++] = byte;
    return *this;
  }
  /// Appends exactly `count` decimal digits, with leading zeros.
  ShortText& add_digits(std::uint64_t number, std::size_t count) noexcept;
  /// Appends the number in decimal.
  ShortText& add_number(std::uint64_t number) noexcept;

 private:
  char bytes_[kBytesMax];
  std::size_t size_ = 0;
};

}  // namespace eider
