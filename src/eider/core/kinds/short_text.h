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

  // NOLINTNEXTLINE(google-explicit-constructor): it is read as text is
  operator std::string_view() const noexcept { return {bytes_, size_}; }

  ShortText& operator+=(char byte) noexcept {
    ensure(size_ < kBytesMax, "a short text is short");
    bytes_[size_++] = byte;
    return *this;
  }
  /// Exactly so many decimal digits, with zeros in front.
  ShortText& add_digits(std::uint64_t number, std::size_t count) noexcept;
  /// As many as the number has.
  ShortText& add_number(std::uint64_t number) noexcept;

 private:
  char bytes_[kBytesMax];
  std::size_t size_ = 0;
};

}  // namespace eider
