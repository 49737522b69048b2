// A JSON value whose shape is known only at run time.
// Layering: must not be used for known shapes: a struct is checked, documented and faster.
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

/// A JSON value: null, a boolean, a number, a string, an array, or an object that keeps the order
/// of its members.
///
///   json::Value note = json::object({{"title", "Milk"}, {"tags", json::array({"a", 1})}});
///   note["done"] = true;
///   note.at("/tags/0").text();   // "a"
///
/// Integers are exact from -2^63 to 2^64-1. A number with a fraction or exponent is a double, and
/// does not equal an integer. Objects are equal regardless of the order of their members.
class Value {
 public:
  /// The kinds of values, in the order of `Content`.
  enum class Kind : std::uint8_t {
    kNull,
    kBool,
    kSigned,    // every integer that fits std::int64_t
    kUnsigned,  // only those above the maximum of std::int64_t
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

  /// Returns the content. Throws std::logic_error if the value has another type.
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::int64_t integer() const;            // kSigned
  [[nodiscard]] std::uint64_t unsigned_integer() const;  // kUnsigned, or kSigned and not negative
  [[nodiscard]] double number() const;                   // any number, rounded if necessary
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] const Array& elements() const;
  [[nodiscard]] Array& elements();
  [[nodiscard]] const Object& members() const;
  [[nodiscard]] Object& members();

  /// Returns the number of elements or members; 0 for other types.
  [[nodiscard]] std::size_t size() const noexcept;

  /// Returns the member with that name, or null if there is no such member or this is not an
  /// object.
  [[nodiscard]] const Value* find(std::string_view name) const noexcept;
  [[nodiscard]] Value* find(std::string_view name) noexcept;

  /// Returns the member with that name, and adds it if it is absent; null becomes an object first.
  Value& operator[](std::string_view name);
  /// Returns the member with that name, or a null value.
  const Value& operator[](std::string_view name) const noexcept;
  /// Pre: index < size().
  Value& operator[](std::size_t index) { return elements()[index]; }
  const Value& operator[](std::size_t index) const { return elements()[index]; }

  /// Returns the value at a JSON pointer (RFC 6901); "" is this value. Throws std::out_of_range if
  /// it does not exist.
  [[nodiscard]] const Value& at(std::string_view pointer) const;
  /// Returns the value at a JSON pointer, or null if it does not exist.
  [[nodiscard]] const Value* find_at(std::string_view pointer) const;

  /// Appends an element and returns it; null becomes an array first.
  Value& push_back(Value element);

  friend bool operator==(const Value& left, const Value& right) noexcept;

  static const reflect::Dynamic kReflect;

 private:
  using Content = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
                               std::string, Array, Object>;

  static Content of_unsigned(std::uint64_t value) noexcept;
  /// Returns the content, which must have that type.
  template <class T>
  [[nodiscard]] const T& get() const;

  Content content_;
};

/// A member of an object.
struct Field {
  std::string name;
  Value value;

  friend bool operator==(const Field& left, const Field& right) noexcept = default;
};

/// Makes an object. If two members have the same name, the later one is used.
[[nodiscard]] Value object(std::initializer_list<Field> members);
[[nodiscard]] Value array(std::initializer_list<Value> elements);

/// Returns `value` as JSON text, for messages and tests. json::write appends to a Buffer.
[[nodiscard]] std::string to_text(const Value& value);

}  // namespace eider::json
