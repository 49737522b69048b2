// One value on its way into a database or out of it, owned: it crosses threads.
// Must not know any database's own types.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "eider/reflect/type_of.h"

namespace eider::db {

using Blob = std::vector<std::byte>;

/// Bytes, a number, text or nothing.
class Value {
 public:
  enum class Kind : std::uint8_t { null, integer, real, text, blob };

  Value() = default;
  explicit Value(std::int64_t number) : held_(number) {}
  explicit Value(double number) : held_(number) {}
  explicit Value(std::string text) : held_(std::move(text)) {}
  explicit Value(Blob bytes) : held_(std::move(bytes)) {}

  [[nodiscard]] Kind kind() const noexcept { return static_cast<Kind>(held_.index()); }
  [[nodiscard]] bool is_null() const noexcept { return kind() == Kind::null; }

  // Each declines (null, nothing) when the value is of another kind.
  [[nodiscard]] std::optional<std::int64_t> integer() const noexcept { return get<std::int64_t>(); }
  [[nodiscard]] std::optional<double> real() const noexcept { return get<double>(); }
  [[nodiscard]] const std::string* text() const noexcept {
    return std::get_if<std::string>(&held_);
  }
  [[nodiscard]] const Blob* blob() const noexcept { return std::get_if<Blob>(&held_); }

  friend bool operator==(const Value&, const Value&) = default;

 private:
  template <class T>
  [[nodiscard]] std::optional<T> get() const noexcept {
    const T* held = std::get_if<T>(&held_);
    return held == nullptr ? std::nullopt : std::optional<T>(*held);
  }

  std::variant<std::monostate, std::int64_t, double, std::string, Blob> held_;  // as Kind
};

/// A value as a connection lends it for the length of one call, without a copy.
struct Cell {
  Value::Kind kind = Value::Kind::null;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view bytes{};  // of a text or a blob

  /// The same, owned.
  [[nodiscard]] Value copy() const;
};

/// "NULL", "an integer", "a real number", "text" or "a blob".
[[nodiscard]] std::string_view to_text(Value::Kind kind) noexcept;

/// What a value of a described type becomes: bools and integers an integer, enums the enumerator's
/// name, optionals null or their value, Length and Range what they hold.
///
/// errors   Failure(values)  a type that no column has, or an unsigned number above INT64_MAX
[[nodiscard]] Value value_of(const reflect::Type& type, const void* object);

namespace detail {

template <class T>
concept Text = std::convertible_to<const T&, std::string_view> && !std::same_as<T, std::nullptr_t>;
template <class T>
concept Nothing = std::same_as<T, std::nullptr_t> || std::same_as<T, std::nullopt_t>;

}  // namespace detail

/// The value that an argument is bound as.
template <class T>
[[nodiscard]] Value make_value(const T& argument) {
  if constexpr (std::same_as<T, Value>) {
    return argument;
  } else if constexpr (detail::Nothing<T>) {
    return Value();
  } else if constexpr (std::same_as<T, Blob>) {
    return Value(argument);
  } else if constexpr (detail::Text<T>) {
    return Value(std::string(std::string_view(argument)));
  } else {
    static_assert(
        !reflect::detail::TellsNull<T>,
        "eider: what is absent is not NULL: look at is_absent(), then bind as_optional()");
    return value_of(reflect::type_of<T>(), &argument);
  }
}

}  // namespace eider::db
