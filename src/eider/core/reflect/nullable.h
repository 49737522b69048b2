// Nullable<T>: a member that distinguishes null from absent, for JSON Merge Patch (RFC 7396).
// Layering: must not be used where only presence matters: use std::optional there.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace eider {

/// Absent, null or a value. A Nullable member is optional. If it is absent, it is not written;
/// anywhere else, an absent Nullable is written as null.
///
///     struct Change { Nullable<std::int64_t> assignee_id; };
///     // {} · {"assignee_id":null} · {"assignee_id":7}
///     if (!change.assignee_id.is_absent()) { … change.assignee_id.as_optional() … }
///
/// In queries and forms, `assignee_id=` is null. A NULL in a database row is null.
template <class T>
class Nullable {
 public:
  using value_type = T;

  constexpr Nullable() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): null is assigned like a value
  constexpr Nullable(std::nullptr_t /*null*/) noexcept : is_null_(true) {}
  template <class U>
    requires(std::convertible_to<U, T> && !std::same_as<std::remove_cvref_t<U>, Nullable> &&
             !std::same_as<std::remove_cvref_t<U>, std::nullptr_t>)
  // NOLINTNEXTLINE(google-explicit-constructor): as std::optional
  constexpr Nullable(U&& value) : value_(std::forward<U>(value)) {}

  [[nodiscard]] constexpr bool is_absent() const noexcept { return !is_null_ && !value_; }
  [[nodiscard]] constexpr bool is_null() const noexcept { return is_null_; }
  [[nodiscard]] constexpr bool has_value() const noexcept { return value_.has_value(); }

  /// Pre: has_value().
  constexpr T& operator*() noexcept { return *value_; }
  constexpr const T& operator*() const noexcept { return *value_; }
  constexpr T* operator->() noexcept { return &*value_; }
  constexpr const T* operator->() const noexcept { return &*value_; }
  /// Returns the value, or an empty optional for null: for storing. Pre: !is_absent().
  [[nodiscard]] constexpr const std::optional<T>& as_optional() const noexcept { return value_; }

  constexpr T& emplace() {
    is_null_ = false;
    return value_.emplace();
  }
  /// Makes it absent.
  constexpr void reset() noexcept {
    is_null_ = false;
    value_.reset();
  }
  constexpr void set_null() noexcept {
    value_.reset();
    is_null_ = true;
  }

  friend constexpr bool operator==(const Nullable& left, const Nullable& right) {
    if (!left.has_value() || !right.has_value()) {
      return left.has_value() == right.has_value() && left.is_null_ == right.is_null_;
    }
    return *left == *right;
  }

 private:
  std::optional<T> value_;
  bool is_null_ = false;
};

}  // namespace eider
