// Values with bounds, checked when input is read: Length<std::string, 1, 200>, Range<int, 0, 5>.
// Must not weigh more than the bare value, nor check anything when it is read back.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eider/reflect/type_of.h"

namespace eider {

namespace reflect {

/// Whether `value`, of the constraint's own type, is within its bounds.
[[nodiscard]] bool satisfies(const Constraint& constraint, const void* value);

/// What the constraint asks for, for people: "must be between 1 and 100".
[[nodiscard]] std::string requirement(const Constraint& constraint);

/// Throws std::invalid_argument(requirement(constraint)) unless `value` satisfies it.
void require(const Constraint& constraint, const void* value);

}  // namespace reflect

/// A number from Min to Max, both allowed.
///
/// T{} without a value is as for T itself: zero after `Range<…> x{}`, unset after `Range<…> x;`,
/// and unchecked. From a value out of bounds: std::invalid_argument.
template <class T, T Min, T Max>
class Range {
 public:
  using BoundedValue = T;
  static_assert(Min <= Max, "eider: the bounds of a Range are Min, then Max");

  Range() = default;
  constexpr Range(T value) : value_(value) {
    if (!(value >= Min && value <= Max)) {
      reflect::require(kConstraint, &value);
    }
  }

  constexpr operator T() const noexcept { return value_; }
  constexpr T operator*() const noexcept { return value_; }

  template <class U>
  friend constexpr bool operator==(const Range& left, const U& right)
    requires std::is_arithmetic_v<U>
  {
    return left.value_ == right;
  }
  friend constexpr bool operator==(const Range& left, const Range& right) = default;

 private:
  static constexpr T kMin = Min;
  static constexpr T kMax = Max;

 public:
  static constexpr reflect::Constraint kConstraint = {
      reflect::Constraint::What::kRange, &reflect::detail::Described<T>::kType, 0, 0, &kMin, &kMax};

 private:
  T value_;
};

/// A string of Min to Max Unicode code points, or a vector of Min to Max elements.
///
/// Without a value it is empty and unchecked. From one out of bounds: std::invalid_argument.
template <class T, std::size_t Min, std::size_t Max>
class Length {
 public:
  using BoundedValue = T;
  static_assert(Min <= Max, "eider: the bounds of a Length are Min, then Max");

  Length() = default;
  template <class U>
    requires(std::convertible_to<U, T> && !std::same_as<std::remove_cvref_t<U>, Length>)
  Length(U&& value) : value_(std::forward<U>(value)) {
    reflect::require(kConstraint, &value_);
  }

  operator const T&() const noexcept { return value_; }
  operator std::string_view() const noexcept
    requires std::same_as<T, std::string>
  {
    return value_;
  }
  const T& operator*() const noexcept { return value_; }
  const T* operator->() const noexcept { return &value_; }

  template <class U>
  friend bool operator==(const Length& left, const U& right)
    requires(!std::same_as<U, Length> && requires(const T& value) { value == right; })
  {
    return left.value_ == right;
  }
  friend bool operator==(const Length& left, const Length& right) = default;

  static constexpr reflect::Constraint kConstraint = {reflect::Constraint::What::kLength,
                                                      &reflect::detail::Described<T>::kType,
                                                      Min,
                                                      Max,
                                                      nullptr,
                                                      nullptr};

 private:
  T value_;
};

}  // namespace eider
