// A type as a key, and its name for messages.
// Layering: must not be stored beyond the process: it is an address.
#pragma once

#include <cstddef>
#include <string_view>

namespace eider::detail::base {

/// Its address identifies the type.
using TypeKey = const void*;
template <class T>
inline constexpr char kTypeKey = 0;

/// Returns the name as the compiler spells it, for messages such as "no state of type …".
template <class T>
[[nodiscard]] constexpr std::string_view type_name() noexcept {
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::size_t begin = text.find("T = ") + 4;
  return text.substr(begin, text.find_first_of(";]", begin) - begin);
}

}  // namespace eider::detail::base
