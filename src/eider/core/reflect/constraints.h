// Values with rules that are checked when input is read: Bounded<int, 0, 5>, Validated<T, Rules…>.
// Layering: must not be larger than the value, nor check a value that is read from it.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/core/reflect/rule.h"
#include "eider/core/reflect/type_of.h"

namespace eider {

class OptionalInitializer;

namespace reflect {

/// Returns whether `value`, of the constraint's own type, satisfies all rules.
[[nodiscard]] bool satisfies(const Constraint& constraint, const void* value);

/// Returns the requirement of a rule: "must be between {min} and {max}".
[[nodiscard]] Requirement requirement(const Constraint& constraint, const Rule& rule);

/// Returns the requirements that `value` does not satisfy.
[[nodiscard]] std::vector<Requirement> broken_requirements(const Constraint& constraint,
                                                           const void* value);

/// Throws std::invalid_argument with the violated rules, if there are any.
void require(const Constraint& constraint, const void* value);

/// Returns the number of code points of valid UTF-8.
[[nodiscard]] std::size_t code_points(std::string_view text) noexcept;

[[nodiscard]] Requirement describe_length(const Type& type, std::size_t min, std::size_t max);
[[nodiscard]] Requirement describe_range(const Type& type, const void* min, const void* max);

/// A rule: `static bool check(const T& value)`, called for any T, and `static Requirement
/// describe()`. A rule for several types may use the described type:
/// `describe(const reflect::Type&)`.
template <class R, class T>
concept RuleFor = requires(const T& value) {
  { R::check(value) } -> std::convertible_to<bool>;
} && (requires {
  { R::describe() } -> std::convertible_to<Requirement>;
} || requires(const Type& type) {
  { R::describe(type) } -> std::convertible_to<Requirement>;
});

namespace detail {

template <class T>
struct WithoutRules {
  using Value = T;
};
template <Constrained T>
struct WithoutRules<T> : WithoutRules<typename T::ConstrainedValue> {};

/// The value that a rule checks: for a Validated within a Validated, the innermost value.
template <class T>
using Ruled = WithoutRules<T>::Value;

template <class T, class R>
inline constexpr Rule kRule = {
    [](const void* value) -> bool { return R::check(*static_cast<const Ruled<T>*>(value)); },
    [](const Type& type) -> Requirement {
      if constexpr (requires { R::describe(); }) {
        return R::describe();
      } else {
        return R::describe(without_rules(type));
      }
    }};

/// Types with characters or elements to count.
template <class T>
concept Countable =
    std::convertible_to<const T&, std::string_view> || requires(const T& value) { value.size(); };

}  // namespace detail
}  // namespace reflect

/// A T that satisfies all the rules. A rule is a struct with two functions:
///
///     struct Even {
///       static bool check(int number) { return number % 2 == 0; }
///       static Requirement describe() { return {.code = "even", .text = "must be even"}; }
///     };
///     struct Order { Validated<int, Even> gloves; };
///
/// Without an initializer, the value is that of a T and not checked: zero after `Validated<int, …>
/// x{}`, uninitialized after `Validated<int, …> x;`, an empty string. A value that violates a rule
/// throws std::invalid_argument.
template <class T, class... Rules>
class Validated {
  static_assert(sizeof...(Rules) != 0,
                "eider: Validated needs at least one rule, such as Validated<int, MultipleOf<5>>");
  static_assert((reflect::RuleFor<Rules, reflect::detail::Ruled<T>> && ...),
                "eider: a rule for T needs `static bool check(const T& value)` and `static "
                "Requirement describe()`");
  using View = std::conditional_t<std::is_scalar_v<T>, T, const T&>;

 public:
  using ConstrainedValue = T;

  Validated() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): it is assigned like its value
  constexpr Validated(T value)
    requires std::is_scalar_v<T>
      : value_(value) {
    check();
  }
  template <class U>
    requires(!std::is_scalar_v<T> && std::convertible_to<U, T> &&
             !std::same_as<std::remove_cvref_t<U>, Validated> &&
             !std::same_as<std::remove_cvref_t<U>,
                           OptionalInitializer>)  // kOptional makes the Validated itself
  // NOLINTNEXTLINE(google-explicit-constructor): it is assigned like its value
  constexpr Validated(U&& value) : value_(std::forward<U>(value)) {
    check();
  }

  // NOLINTNEXTLINE(google-explicit-constructor): it is read like its value
  constexpr operator View() const noexcept { return value_; }
  // NOLINTNEXTLINE(google-explicit-constructor): it is read like its value
  operator std::string_view() const noexcept
    requires std::same_as<T, std::string>
  {
    return value_;
  }
  constexpr View operator*() const noexcept { return value_; }
  const T* operator->() const noexcept
    requires std::is_class_v<T>
  {
    return &value_;
  }

  // Left must be exactly a Validated, so that the constraints on `right` are checked without
  // conversions to Validated.
  template <std::same_as<Validated> Left, class U>
  friend constexpr bool operator==(const Left& left, const U& right)
    requires(!std::same_as<U, Validated> && requires(const T& value) { value == right; })
  {
    return left.value_ == right;
  }
  friend constexpr bool operator==(const Validated& left, const Validated& right)
    requires std::equality_comparable<T>
  {
    return left.value_ == right.value_;
  }

 private:
  template <class, class...>
  friend class Validated;

  constexpr void check() const {
    if (!(Rules::check(ruled()) && ...)) {
      reflect::require(kConstraint, &value_);
    }
  }
  constexpr const reflect::detail::Ruled<T>& ruled() const {
    if constexpr (reflect::detail::Constrained<T>) {
      return value_.ruled();
    } else {
      return value_;
    }
  }
  static constexpr reflect::Rule kRules[] = {reflect::detail::kRule<T, Rules>...};

 public:
  static constexpr reflect::Constraint kConstraint = {&reflect::detail::Described<T>::kType, kRules,
                                                      sizeof...(Rules)};

 private:
  T value_;
};

/// Min to Max Unicode code points of a string, bytes of base64 text, or elements of a list, set or
/// map.
template <std::size_t Min, std::size_t Max>
struct HasLength {
  static_assert(Min <= Max,
                "eider: the minimum of a Sized must not exceed its maximum: write Min, then Max");

  template <class T>
  static bool check(const T& value) {
    if constexpr (std::convertible_to<const T&, std::string_view>) {
      const std::size_t length = reflect::code_points(value);
      return length >= Min && length <= Max;
    } else if constexpr (reflect::detail::Countable<T>) {
      return value.size() >= Min && value.size() <= Max;
    } else {
      static_assert(reflect::detail::Countable<T>,
                    "eider: Sized applies to strings, lists, sets and maps; for a number, use "
                    "Bounded<T, Min, Max>");
      return false;
    }
  }
  static Requirement describe(const reflect::Type& type) {
    return reflect::describe_length(type, Min, Max);
  }
};

/// A number from Min to Max, both included; not NaN.
template <class T, T Min, T Max>
struct InRange {
  static_assert(Min <= Max,
                "eider: the minimum of a Bounded must not exceed its maximum: write Min, then Max");

  /// Accepts only T: the conversion of a wider number to T could bring it into the range.
  template <std::same_as<T> Value>
  static constexpr bool check(Value value) noexcept {
    return value >= Min && value <= Max;
  }
  static Requirement describe(const reflect::Type& type) {
    return reflect::describe_range(type, &kMin, &kMax);
  }

 private:
  static constexpr T kMin = Min;
  static constexpr T kMax = Max;
};

template <class T, std::size_t Min, std::size_t Max>
using Sized = Validated<T, HasLength<Min, Max>>;

template <class T, T Min, T Max>
using Bounded = Validated<T, InRange<T, Min, Max>>;

}  // namespace eider
