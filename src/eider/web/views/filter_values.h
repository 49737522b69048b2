// Arguments and results of custom filters, for generated and interpreted templates.
// Layering: must not find filters.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eider/core/reflect/concepts.h"
#include "eider/core/reflect/type_of.h"

namespace eider::views {

namespace detail {

template <class T>
inline constexpr bool kIsText =
    std::convertible_to<const T&, std::string_view> && !std::is_arithmetic_v<T>;

/// Whether T is a view of or a pointer to characters, or contains one.
///
/// Seen  types that contain T: a struct may contain a list of its own type
template <class T, class... Seen>
consteval bool refers_to_text() {
  using namespace reflect::detail;
  if constexpr ((std::same_as<T, Seen> || ...) || std::same_as<T, std::string>) {
    return false;
  } else if constexpr (std::same_as<T, std::string_view> || std::is_pointer_v<T>) {
    return true;
  } else if constexpr (Constrained<T>) {
    return refers_to_text<typename T::ConstrainedValue, T, Seen...>();
  } else if constexpr (MapLike<T>) {
    return refers_to_text<typename T::mapped_type, T, Seen...>();
  } else if constexpr (OptionalLike<T> || SequenceLike<T> || ArrayLike<T> || SetLike<T>) {
    return refers_to_text<typename T::value_type, T, Seen...>();
  } else if constexpr (OwnerLike<T>) {
    return refers_to_text<typename T::element_type, T, Seen...>();
  } else if constexpr (VariantLike<T>) {
    return []<template <class...> class V, class... A>(const V<A...>*) {
      return (refers_to_text<A, T, Seen...>() || ...);
    }(static_cast<const T*>(nullptr));
  } else if constexpr (PlainStruct<T> && !SelfDescribed<T> && !reflect::TextLike<T>) {
    return []<std::size_t... Index>(std::index_sequence<Index...>) {
      return (refers_to_text<MemberType<T, Index>, T, Seen...>() || ...);
    }(std::make_index_sequence<count_members<T>()>());
  } else {
    return false;
  }
}

}  // namespace detail

/// Returns the result of a filter as an owning value, because its arguments may be destroyed before
/// it is used.
template <class T>
[[nodiscard]] auto kept(T made) {
  if constexpr (std::same_as<T, std::string_view>) {
    return std::string(made);
  } else {
    static_assert(!detail::refers_to_text<T>(),
                  "eider: the result of a filter must not refer to a text that may be destroyed: "
                  "return std::string");
    return made;
  }
}

/// A text argument of a filter, which converts to both text types.
class PassedText {
 public:
  explicit PassedText(std::string_view text) noexcept : text_(text) {}

  operator std::string_view() const noexcept { return text_; }
  operator std::string() const { return std::string(text_); }

 private:
  std::string_view text_;
};

/// Converts a value to the argument of a filter; a null `const char*` is an empty text.
template <class T>
[[nodiscard]] decltype(auto) passed(const T& value) {
  if constexpr (std::same_as<T, const char*>) {
    return PassedText(value == nullptr ? std::string_view() : std::string_view(value));
  } else if constexpr (std::same_as<T, std::string_view>) {
    return PassedText(value);
  } else {
    return (value);
  }
}

}  // namespace eider::views
