// A set of request methods, for routes and for the Allow header.
// Layering: must not know the meaning of a method.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "eider/protocols/http/method.h"

namespace eider {

class MethodSet {
 public:
  constexpr MethodSet() = default;

  constexpr void add(Method method) noexcept {
    bits_ = static_cast<std::uint16_t>(bits_ | bit(method));
  }
  constexpr void add(MethodSet other) noexcept {
    bits_ = static_cast<std::uint16_t>(bits_ | other.bits_);
  }
  [[nodiscard]] constexpr bool contains(Method method) const noexcept {
    return (bits_ & bit(method)) != 0;
  }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  [[nodiscard]] constexpr int size() const noexcept { return std::popcount(bits_); }
  /// Returns how many methods of the set come before `method` in the order of the enum.
  [[nodiscard]] constexpr std::uint32_t rank(Method method) const noexcept {
    const unsigned before = bits_ & (bit(method) - 1U);
    // The usual case first: counting bits is a function call on a plain x86-64.
    return before == 0 ? 0 : static_cast<std::uint32_t>(std::popcount(before));
  }
  [[nodiscard]] constexpr std::uint16_t bits() const noexcept { return bits_; }

  /// Returns the value of the Allow header: "GET, HEAD, OPTIONS" (RFC 9110, section 10.2.1).
  [[nodiscard]] std::string text() const {
    std::string text;
    for (int i = 0; i < static_cast<int>(Method::unknown); ++i) {
      const auto method = static_cast<Method>(i);
      if (contains(method)) {
        text += text.empty() ? "" : ", ";
        text += to_text(method);
      }
    }
    return text;
  }

  friend constexpr bool operator==(MethodSet, MethodSet) = default;

 private:
  static constexpr unsigned bit(Method method) noexcept {
    return 1U << static_cast<unsigned>(method);
  }

  std::uint16_t bits_ = 0;
};

}  // namespace eider
