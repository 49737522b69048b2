// Counts the members of a plain struct.
// Layering: must not require anything of the members, except that T{…} compiles.
#pragma once

#include <cstddef>
#include <utility>

#include "eider/core/reflect/tie.h"

namespace eider::reflect::detail {

/// Converts to a value of any type, in unevaluated expressions.
/// `const` is required: it makes std::optional's own converting constructor the better match.
struct Anything {
  explicit constexpr Anything(std::size_t) {}
  template <class M>
  operator M() const noexcept {
    std::unreachable();  // defined, because clang instantiates functions that are named
  }
};

template <class T, std::size_t... Index>
consteval bool takes(std::index_sequence<Index...>) {
  return requires { T{Anything(Index)...}; };
}

/// Returns the largest n, low <= n < high, for which T{n values} compiles. A binary search works,
/// because if T accepts n values it also accepts fewer.
template <class T, std::size_t Low, std::size_t High>
consteval std::size_t count_between() {
  if constexpr (High - Low == 1) {
    return Low;
  } else {
    constexpr std::size_t kMiddle = Low + (High - Low) / 2;
    if constexpr (takes<T>(std::make_index_sequence<kMiddle>())) {
      return count_between<T, kMiddle, High>();
    } else {
      return count_between<T, Low, kMiddle>();
    }
  }
}

template <class T, std::size_t... Index>
consteval bool takes_in_parentheses(std::index_sequence<Index...>) {
  return requires { T(Anything(Index)...); };
}

/// Parentheses, unlike braces, cannot initialize the elements of a C array separately.
template <class T>
consteval bool has_no_c_array() {
  return takes_in_parentheses<T>(
      std::make_index_sequence<count_between<T, 0, kMembersMax + 1>()>());
}

template <class T>
consteval std::size_t count_members() {
  static_assert(!takes<T>(std::make_index_sequence<kMembersMax + 1>()),
                "eider: a described struct can have at most 32 members: move some of them to a "
                "nested struct");
  return count_between<T, 0, kMembersMax + 1>();
}

}  // namespace eider::reflect::detail
