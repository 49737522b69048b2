// A JSON value whose shape is known only at run time.
// Must not be the way to handle known shapes: a struct is checked, documented and faster.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "eider/core/reflect/type.h"

namespace eider::json {

struct Field;

/// null, a boolean, a number, a string, an array, or an object that keeps the order of its members.
///
///   json::Value note = json::object({{"title", "Milk"}, {"tags", json::array({"a", 1,
///   nullptr})}}); note["done"] = true; note.at("/tags/0").text();   // "a"
///
/// Integers are exact from -2^63 to 2^64-1; a number with a fraction or exponent is a double, and
/// equals no integer. Objects are equal whatever their order.
class Value {
 public:
  /// In the order of `Content`.
  enum class Kind : std::uint8_t {
    kNull,
    kBool,
    kSigned,    // every integer that fits std::int64_t
    kUnsigned,  // the larger ones only
    kReal,
    kString,
    kArray,
    kObject,
  };
  using Array = std::vector<Value>;
  using Object = std::vector<Field>;  // names are unique

  Value() noexcept;
  Value(std::nullptr_t) noexcept : Value() {}
  template <std::same_as<bool> B>
  Value(B value) noexcept : content_(value) {}
  template <std::signed_integral I>
    requires(!std::same_as<I, char>)
  Value(I value) noexcept : content_(std::in_place_type<std::int64_t>, value) {}
  template <std::unsigned_integral I>
    requires(!std::same_as<I, bool>)
  Value(I value) noexcept : content_(of_unsigned(value)) {}
  Value(double value) noexcept;
  Value(std::string text) noexcept;
  Value(std::string_view text) : Value(std::string(text)) {}
  Value(const char* text) : Value(std::string(text)) {}
  Value(Array elements) noexcept;
  Value(Object members) noexcept;

  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();

  [[nodiscard]] Kind kind() const noexcept { return static_cast<Kind>(content_.index()); }
  [[nodiscard]] bool is_null() const noexcept { return kind() == Kind::kNull; }
  [[nodiscard]] bool is_bool() const noexcept { return kind() == Kind::kBool; }
  [[nodiscard]] bool is_integer() const noexcept;
  [[nodiscard]] bool is_number() const noexcept;
  [[nodiscard]] bool is_string() const noexcept { return kind() == Kind::kString; }
  [[nodiscard]] bool is_array() const noexcept { return kind() == Kind::kArray; }
  [[nodiscard]] bool is_object() const noexcept { return kind() == Kind::kObject; }

  /// The content, of a value that is of that kind: anything else is a std::logic_error.
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::int64_t integer() const;            // kSigned
  [[nodiscard]] std::uint64_t unsigned_integer() const;  // kUnsigned, or kSigned and not negative
  [[nodiscard]] double number() const;                   // any number, rounded where it must be
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const Array& elements() const;
  [[nodiscard]] Array& elements();
  [[nodiscard]] const Object& members() const;
  [[nodiscard]] Object& members();

  /// How many elements or members; 0 for all else.
  [[nodiscard]] std::size_t size() const noexcept;

  /// The member of that name, or null when there is none or this is no object.
  [[nodiscard]] const Value* find(std::string_view name) const noexcept;
  [[nodiscard]] Value* find(std::string_view name) noexcept;

  /// The member of that name, made when absent; null becomes an object first.
  Value& operator[](std::string_view name);
  /// The member of that name, or a null value.
  const Value& operator[](std::string_view name) const noexcept;
  /// Pre: index < size().
  Value& operator[](std::size_t index) { return elements()[index]; }
  const Value& operator[](std::size_t index) const { return elements()[index]; }

  /// The value at a JSON pointer (RFC 6901); "" is this one. Throws std::out_of_range.
  [[nodiscard]] const Value& at(std::string_view pointer) const;
  /// The same, or null when there is none.
  [[nodiscard]] const Value* find_at(std::string_view pointer) const;

  /// Adds an element; null becomes an array first. Returns the new element.
  Value& push_back(Value element);

  friend bool operator==(const Value& left, const Value& right) noexcept;

  static const reflect::Dynamic kReflect;

 private:
  using Content = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
                               std::string, Array, Object>;

  static Content of_unsigned(std::uint64_t value) noexcept;
  /// The content, which has to be of that type.
  template <class T>
  [[nodiscard]] const T& get() const;

  Content content_;
};

/// One member of an object.
struct Field {
  std::string name;
  Value value;

  friend bool operator==(const Field& left, const Field& right) noexcept = default;
};

/// Of two members with one name, the later counts.
[[nodiscard]] Value object(std::initializer_list<Field> members);
[[nodiscard]] Value array(std::initializer_list<Value> elements);

/// `value` as JSON text; for messages and tests. (json::write appends to a Buffer.)
[[nodiscard]] std::string to_text(const Value& value);

}  // namespace eider::json
