// Determines whether a type can be read; views cannot.
// Layering: must not be used by code that only writes.
#pragma once

#include "eider/core/reflect/type_of.h"

namespace eider::reflect {

namespace detail {

/// Seen  the structs that enclose T: a struct may contain itself in a vector
template <class T, class... Seen>
consteval bool is_readable();

template <class T, class... Seen, std::size_t... Index>
consteval bool are_members_readable(std::index_sequence<Index...>) {
  return (is_readable<MemberType<T, Index>, Seen..., T>() && ...);
}

template <class... Seen, template <class...> class V, class... A>
consteval bool are_alternatives_readable(const V<A...>*) {
  return (is_readable<A, Seen...>() && ...);
}

template <class T, class... Seen>
consteval bool is_readable() {
  if constexpr (std::same_as<T, std::string_view> || std::same_as<T, const char*>) {
    return false;
  } else if constexpr (!std::is_class_v<T> || std::same_as<T, std::string> || SelfDescribed<T> ||
                       Constrained<T> || TextLike<T> || (std::same_as<T, Seen> || ...)) {
    return true;
  } else if constexpr (OptionalLike<T> || SequenceLike<T> || ArrayLike<T> || SetLike<T>) {
    return is_readable<typename T::value_type, Seen...>();
  } else if constexpr (OwnerLike<T>) {
    return is_readable<typename T::element_type, Seen...>();
  } else if constexpr (MapLike<T>) {
    return is_readable<typename T::mapped_type, Seen...>();
  } else if constexpr (VariantLike<T>) {
    return are_alternatives_readable<Seen...>(static_cast<const T*>(nullptr));
  } else if constexpr (PlainStruct<T>) {
    return are_members_readable<T, Seen...>(std::make_index_sequence<count_members<T>()>());
  } else {
    return true;  // type_of reports that it has no description
  }
}

}  // namespace detail

/// Whether no part of T is a std::string_view or a const char*.
template <class T>
inline constexpr bool kIsReadable = detail::is_readable<T>();

}  // namespace eider::reflect
