// Descriptions of types at run time: what json/, db/ and openapi/ walk instead of templates.
// Must not own anything: every description is a constant that the compiler laid out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace eider::reflect {

enum class Kind : std::uint8_t {
  kBool,
  kSigned,       // std::int8_t … std::int64_t, by Type::bytes
  kUnsigned,     // std::uint8_t … std::uint64_t, by Type::bytes
  kReal,         // float or double, by Type::bytes
  kString,       // std::string
  kView,         // std::string_view: written, never read
  kChars,        // const char*: written, never read; null is absent
  kStruct,       // Type::structure()
  kSequence,     // std::vector and its like; Type::sequence()
  kArray,        // std::array; Type::array()
  kOptional,     // Type::optional()
  kMap,          // string keys; Type::map()
  kEnum,         // Type::enumeration()
  kVariant,      // one of several structs, told by a tag; Type::variant()
  kConstrained,  // a value of another type with bounds, at the same address; Type::constraint()
  kDynamic,      // a shape known only at run time (json::Value); Type::dynamic()
};

struct Structure;
struct Sequence;
struct Array;
struct Optional;
struct Map;
struct Enumeration;
struct Variant;
struct Constraint;
struct Dynamic;

/// One type. Exactly one object of it exists per described type: compare by address.
///
/// name        the unqualified name; empty save for structs and enums
/// is_trivial  default initialisation leaves the memory as it was, as for int
/// shape       what the accessor of `kind` returns; null for scalars and strings
struct Type {
  Kind kind;
  bool is_trivial;
  std::uint32_t bytes;
  std::string_view name;
  const void* shape;

  [[nodiscard]] const Structure& structure() const noexcept;
  [[nodiscard]] const Sequence& sequence() const noexcept;
  [[nodiscard]] const Array& array() const noexcept;
  [[nodiscard]] const Optional& optional() const noexcept;
  [[nodiscard]] const Map& map() const noexcept;
  [[nodiscard]] const Enumeration& enumeration() const noexcept;
  [[nodiscard]] const Variant& variant() const noexcept;
  [[nodiscard]] const Constraint& constraint() const noexcept;
  [[nodiscard]] const Dynamic& dynamic() const noexcept;
};

struct Member {
  std::string_view name;
  const Type* type;
  std::uint32_t offset;

  [[nodiscard]] void* in(void* object) const noexcept {
    return static_cast<char*>(object) + offset;
  }
  [[nodiscard]] const void* in(const void* object) const noexcept {
    return static_cast<const char*>(object) + offset;
  }
  [[nodiscard]] bool is_optional() const noexcept { return type->kind == Kind::kOptional; }
};

/// A plain struct: its members in the order of declaration, count <= kMembersMax.
struct Structure {
  const Member* first;
  std::size_t count;
  /// Bit i: member i has a default member initialiser (docs/design/reflection.md says how that is
  /// found, and which ones cannot be seen). Null: none has one.
  std::uint64_t (*default_bits)();
  void (*construct)(void* memory);  // T{}
  void (*destroy)(void* object) noexcept;
  const bool* is_checked;  // keeps the start-up check of the offsets alive

  [[nodiscard]] const Member* begin() const noexcept { return first; }
  [[nodiscard]] const Member* end() const noexcept { return first + count; }
  [[nodiscard]] bool has_default(std::size_t index) const {
    return default_bits != nullptr && (default_bits() >> index & 1U) != 0;
  }
  /// Input without this member is wrong: it is neither optional nor has it a default.
  [[nodiscard]] bool is_required(std::size_t index) const {
    return !first[index].is_optional() && !has_default(index);
  }
  /// The member of that name, or null.
  [[nodiscard]] const Member* find(std::string_view name) const noexcept;
};

struct Sequence {
  const Type* element;
  void (*clear)(void* sequence);
  void* (*append)(void* sequence);  // returns the new, value-initialised last element
  std::size_t (*size)(const void* sequence);
  const void* (*data)(const void* sequence);  // elements lie side by side, element->bytes apart

  [[nodiscard]] const void* at(const void* sequence, std::size_t index) const {
    return static_cast<const char*>(data(sequence)) + index * element->bytes;
  }
};

/// Elements lie side by side from the array's own address, element->bytes apart.
struct Array {
  const Type* element;
  std::size_t count;
};

struct Optional {
  const Type* value;
  void* (*emplace)(void* optional);  // returns the new, value-initialised value
  void (*reset)(void* optional);
  const void* (*get)(const void* optional);  // null when empty
};

struct Map {
  /// Called for each entry with the context that was passed along.
  using Visit = void (*)(void* context, std::string_view key, const void* value);

  const Type* value;
  void (*clear)(void* map);
  void* (*insert)(void* map, std::string_view key);  // null when the key is there already
  std::size_t (*size)(const void* map);
  const void* (*find)(const void* map, std::string_view key);  // null when absent
  void (*each)(const void* map, void* context, Visit visit);
};

struct Enumerator {
  std::string_view name;
  std::int64_t value;
};

/// The enumerators whose value lies in kEnumFirst … kEnumLast (type_of.h), by rising value.
struct Enumeration {
  const Enumerator* first;
  std::size_t count;
  bool is_signed;

  [[nodiscard]] const Enumerator* begin() const noexcept { return first; }
  [[nodiscard]] const Enumerator* end() const noexcept { return first + count; }
  [[nodiscard]] const Enumerator* find(std::string_view name) const noexcept;
  [[nodiscard]] const Enumerator* find(std::int64_t value) const noexcept;
};

struct Alternative {
  const Type* type;                         // always a struct; its name is the tag
  void* (*emplace)(void* variant);          // makes it the active one, value-initialised
  const void* (*get)(const void* variant);  // null when it is not the active one
};

/// In JSON: the members of the active struct, and before them the member kTagName with its name.
struct Variant {
  static constexpr std::string_view kTagName = "type";

  const Alternative* first;
  std::size_t count;

  [[nodiscard]] const Alternative* begin() const noexcept { return first; }
  [[nodiscard]] const Alternative* end() const noexcept { return first + count; }
  /// The alternative whose struct has that name, or null.
  [[nodiscard]] const Alternative* find(std::string_view tag) const noexcept;
};

/// Bounds on a value (constraints.h), both inclusive.
///
/// kLength  length_min … length_max code points of a string, or elements of a sequence
/// kRange   *min … *max, both of the type `value`
struct Constraint {
  enum class What : std::uint8_t { kLength, kRange };

  What what;
  const Type* value;
  std::size_t length_min;
  std::size_t length_max;
  const void* min;
  const void* max;
};

struct Dynamic {
  bool (*is_null)(const void* value) noexcept;
  bool (*equal)(const void* left, const void* right) noexcept;
};

inline const Structure& Type::structure() const noexcept {
  return *static_cast<const Structure*>(shape);
}
inline const Sequence& Type::sequence() const noexcept {
  return *static_cast<const Sequence*>(shape);
}
inline const Array& Type::array() const noexcept {
  return *static_cast<const Array*>(shape);
}
inline const Optional& Type::optional() const noexcept {
  return *static_cast<const Optional*>(shape);
}
inline const Map& Type::map() const noexcept {
  return *static_cast<const Map*>(shape);
}
inline const Enumeration& Type::enumeration() const noexcept {
  return *static_cast<const Enumeration*>(shape);
}
inline const Variant& Type::variant() const noexcept {
  return *static_cast<const Variant*>(shape);
}
inline const Constraint& Type::constraint() const noexcept {
  return *static_cast<const Constraint*>(shape);
}
inline const Dynamic& Type::dynamic() const noexcept {
  return *static_cast<const Dynamic*>(shape);
}

}  // namespace eider::reflect
