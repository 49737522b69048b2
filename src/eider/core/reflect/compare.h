// Compares two objects of one described type, member by member.
// Layering: must not call the type's own operator==: a described type need not have one.
#pragma once

#include "eider/core/reflect/type_of.h"

namespace eider::reflect {

/// Returns whether two objects of that type have equal values: strings by content, containers by
/// elements, numbers by value (NaN equals nothing).
[[nodiscard]] bool equal(const Type& type, const void* left, const void* right);

template <class T>
[[nodiscard]] bool equal(const T& left, const T& right) {
  return equal(type_of<T>(), &left, &right);
}

/// Returns whether an object of type T equals T{}: zero, empty, or with a struct's own defaults.
[[nodiscard]] bool is_fresh(const Type& type, const void* object);

}  // namespace eider::reflect
