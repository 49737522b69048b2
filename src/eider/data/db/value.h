// One value that is sent to or read from a database, owned so that it can cross threads.
// Layering: must not know the types of any database.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "eider/core/reflect/type_of.h"

namespace eider::db {

using Blob = std::vector<std::byte>;

/// Bytes, a number, text or nothing.
class Value {
 public:
  enum class Kind : std::uint8_t { null, integer, real, text, blob };
  /// The type that a text was created from. Some databases use other formats, or treat the types
  /// differently.
  ///
  /// instant   a std::chrono::sys_time: "2026-11-22T18:05:00.250Z"
  /// duration  a std::chrono::duration: "PT1H30M"
  /// decimal   a Decimal: "-12.50"
  enum class TextKind : std::uint8_t { other, instant, duration, decimal };

  Value() = default;
  explicit Value(std::int64_t number) : held_(number) {}
  explicit Value(double number) : held_(number) {}
  explicit Value(std::string text, TextKind kind = TextKind::other)
      : held_(std::move(text)), text_kind_(kind) {}
  explicit Value(Blob bytes) : held_(std::move(bytes)) {}

  [[nodiscard]] Kind kind() const noexcept { return static_cast<Kind>(held_.index()); }
  [[nodiscard]] bool is_null() const noexcept { return kind() == Kind::null; }
  [[nodiscard]] TextKind text_kind() const noexcept { return text_kind_; }

  // Each returns null or nothing if the value is of another kind.
  [[nodiscard]] std::optional<std::int64_t> integer() const noexcept { return get<std::int64_t>(); }
  [[nodiscard]] std::optional<double> real() const noexcept { return get<double>(); }
  [[nodiscard]] const std::string* text() const noexcept {
    return std::get_if<std::string>(&held_);
  }
  [[nodiscard]] const Blob* blob() const noexcept { return std::get_if<Blob>(&held_); }

  /// Returns the elements of a list of numbers, texts etc., whose text is JSON; null for all
  /// others.
  [[nodiscard]] const std::vector<Value>* elements() const noexcept { return elements_.get(); }
  void set_elements(std::vector<Value> elements);
  /// Returns whether it is always bound as an array, whatever the type of the parameter; see
  /// as_array.
  [[nodiscard]] bool is_array() const noexcept { return is_array_; }
  void set_array() noexcept { is_array_ = true; }

  friend bool operator==(const Value& left, const Value& right) noexcept {
    return left.held_ == right.held_;
  }

 private:
  template <class T>
  [[nodiscard]] std::optional<T> get() const noexcept {
    const T* held = std::get_if<T>(&held_);
    return held == nullptr ? std::nullopt : std::optional<T>(*held);
  }

  // In the order of Kind.
  std::variant<std::monostate, std::int64_t, double, std::string, Blob> held_;
  std::shared_ptr<const std::vector<Value>> elements_;
  bool is_array_ = false;
  TextKind text_kind_ = TextKind::other;
};

inline void Value::set_elements(std::vector<Value> elements) {
  elements_ = std::make_shared<const std::vector<Value>>(std::move(elements));
}

struct CellList;

/// A value that a connection provides during one call, without a copy.
struct Cell {
  Value::Kind kind = Value::Kind::null;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view bytes{};        // of a text or a blob
  const CellList* list = nullptr;  // of an array, whose text has the database's own format

  /// Returns an owned copy.
  [[nodiscard]] Value copy() const;
};

struct CellList {
  std::vector<Cell> elements;
};

/// "NULL", "an integer", "a real number", "text" or "a blob".
[[nodiscard]] std::string_view to_text(Value::Kind kind) noexcept;

/// Returns whether it is a Blob, or another list of bytes; other lists are stored as JSON.
[[nodiscard]] bool is_blob(const reflect::Type& type) noexcept;

/// Converts a value of a described type: bools and integers to an integer, enums to the name of the
/// enumerator, optionals to null or their value, Sized and Bounded to their value, lists, maps and
/// structs to JSON.
///
/// errors   Failure(values)  an unsigned number above INT64_MAX, an enum without a name
[[nodiscard]] Value value_of(const reflect::Type& type, const void* object);

namespace detail {

template <class T>
concept Text = std::convertible_to<const T&, std::string_view> && !std::same_as<T, std::nullptr_t>;
template <class T>
concept Nothing = std::same_as<T, std::nullptr_t> || std::same_as<T, std::nullopt_t>;

}  // namespace detail

/// Returns the value to bind for an argument.
template <class T>
[[nodiscard]] Value make_value(const T& argument) {
  if constexpr (std::same_as<T, Value>) {
    return argument;
  } else if constexpr (detail::Nothing<T>) {
    return Value();
  } else if constexpr (std::same_as<T, Blob>) {
    return Value(argument);
  } else if constexpr (std::same_as<T, int> || std::same_as<T, std::int64_t>) {
    return Value(std::int64_t{argument});  // the most frequent type
  } else if constexpr (detail::Text<T>) {
    return Value(std::string(std::string_view(argument)));
  } else {
    static_assert(!reflect::detail::TellsNull<T>,
                  "eider: an absent value is not NULL: check is_absent(), then bind as_optional()");
    return value_of(reflect::type_of<T>(), &argument);
  }
}

/// A list as an array, for statements in which PostgreSQL does not report the parameter types:
/// without prepared statements, or for custom types such as an array of an enum. SQLite has no
/// arrays, and fails with `values`.
///
///     db.all<Book>("… where colour = any($1)", db::as_array(colours))
template <class List>
[[nodiscard]] Value as_array(const List& list) {
  static_assert(reflect::detail::SequenceLike<List>, "eider: only a std::vector can be an array");
  Value value = make_value(list);
  value.set_array();
  return value;
}

}  // namespace eider::db
