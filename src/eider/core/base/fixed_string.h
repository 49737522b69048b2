// A string as a template argument: Header<"accept-language">, Matches<"[a-z]+">.
// Layering: must not have other operations.
#pragma once

#include <cstddef>
#include <string_view>

namespace eider {

template <std::size_t N>
struct FixedString {
  // NOLINTNEXTLINE(google-explicit-constructor): a literal must convert implicitly
  consteval FixedString(const char (&literal)[N]) {
    for (std::size_t i = 0; i < N; ++i) {
      text[i] = literal[i];
    }
  }
  [[nodiscard]] constexpr std::string_view view() const noexcept { return {text, N - 1}; }

  char text[N];
};

}  // namespace eider
