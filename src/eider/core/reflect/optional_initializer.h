// kOptional: an initializer that makes a member optional, with an empty default.
// Layering: must not change the type of the member, nor the memory layout of the struct.
#pragma once

#include <concepts>
#include <type_traits>

#include "eider/core/reflect/start.h"
#include "eider/core/reflect/type_of.h"

namespace eider {

/// Classes that functions return in memory, not in registers.
template <class T>
concept ReturnedInPlace = std::is_class_v<T> && !(std::is_trivially_copy_constructible_v<T> &&
                                                  std::is_trivially_move_constructible_v<T> &&
                                                  std::is_trivially_destructible_v<T>);

/// Converts to strings, containers, and structs that contain them.
class OptionalInitializer {
 public:
  template <class T>
    requires(ReturnedInPlace<T> && std::default_initializable<T>)
  // NOLINTNEXTLINE(google-explicit-constructor): an initializer must convert implicitly
  constexpr operator T() const {
    T made{};  // in the member itself: compilers elide the copy
    if (!std::is_constant_evaluated()) {
      reflect::detail::note_initialized(reflect::type_of<T>(), &made);
    }
    return made;
  }
};

/// Makes a member optional with an empty default: `std::string url = kOptional;`,
/// `std::vector<std::string> tags = kOptional;`. C++ cannot distinguish `= ""` and `= {}` from a
/// missing initializer (docs/design/reflection.md), so members with these are required.
inline constexpr OptionalInitializer kOptional;

}  // namespace eider
