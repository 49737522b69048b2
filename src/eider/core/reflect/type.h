// Descriptions of types at run time, for json/, db/ and openapi/.
// Layering: must not own anything: every description is a constant of the compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace eider {

class ValidationErrors;
struct Requirement;

/// The description of a member, for documents. A struct has an array of descriptions:
///
///     struct NewNote {
///       std::string title;
///       static constexpr MemberText kDocs[] = {{"title", "What it is about.", "Milk"}};
///     };
///
/// example  a value as text, or as JSON if the member is not text
struct MemberText {
  std::string_view member;
  std::string_view description;
  std::string_view example = {};
};

}  // namespace eider

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
  kConstrained,  // a value of another type with rules, at the same address; Type::constraint()
  kDynamic,      // a shape known only at run time (json::Value); Type::dynamic()
  kText,         // told as text by a TextFormat (text_kind.h); Type::text()
  kSet,          // std::set and its like; Type::set()
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
struct Text;
struct Set;

/// One type. Exactly one object of it exists per described type: compare by address.
///
/// name        the unqualified name of a struct or enum; empty for other types
/// is_trivial  default initialization leaves the memory as it was, as for int
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
  [[nodiscard]] const Text& text() const noexcept;
  [[nodiscard]] const Set& set() const noexcept;
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
  /// The struct's own `void check(ValidationErrors& errors) const` (validation_errors.h), or null.
  void (*check)(const void* object, ValidationErrors& errors) = nullptr;
  /// The struct's own kDocs, in the order in which it was written.
  std::span<const MemberText> about = {};

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
  /// What is said about it, or nothing.
  [[nodiscard]] MemberText text_about(std::string_view name) const noexcept;
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
  /// What the null of a text or a row makes of it: empty, or null where the type tells null from
  /// absent (Nullable).
  void (*set_null)(void* optional);
  bool (*is_null)(const void* optional);  // never of a type that does not tell them apart
  bool tells_null = false;

  [[nodiscard]] bool is_absent(const void* optional) const {
    return get(optional) == nullptr && !is_null(optional);
  }
};

struct Map {
  /// Called for each entry with the context that was passed along.
  using Visit = void (*)(void* context, std::string_view key, const void* value);

  const Type* value;
  void (*clear)(void* map);
  /// Null when the key is there already, or is one of too many with the same hash.
  void* (*insert)(void* map, std::string_view key);
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

/// One rule on a value of a known type.
struct Rule {
  bool (*check)(const void* value);
  Requirement (*describe)(const Type& type);
};

/// A value with rules (constraints.h), all of which hold.
struct Constraint {
  const Type* value;
  const Rule* first;
  std::size_t count;

  [[nodiscard]] const Rule* begin() const noexcept { return first; }
  [[nodiscard]] const Rule* end() const noexcept { return first + count; }
};

/// The type of the value that a type with rules holds, at the same address; else the type itself.
[[nodiscard]] const Type& without_rules(const Type& type) noexcept;

struct Dynamic {
  bool (*is_null)(const void* value) noexcept;
  bool (*equal)(const void* left, const void* right) noexcept;
};

/// The description of a TextFormat, for users, programs and documents.
///
/// requirement  "must be a UUID": the text of the validation error
/// format       one word: the `format` of JSON Schema, if any (or its `contentEncoding` "base64"),
///              and the code of the validation error
/// pattern      a regular expression of JSON Schema (ECMA-262) that all texts match; may be empty
/// example      one of the texts
/// bytes_max    longer texts are rejected unread
struct TextSchema {
  std::string_view requirement;
  std::string_view format = {};
  std::string_view pattern = {};
  std::string_view example = {};
  std::size_t bytes_max = 256;
};

struct Text {
  using Take = void (*)(void* context, std::string_view text);

  const TextSchema* schema;
  bool (*parse)(void* value, std::string_view text);
  void (*format)(const void* value, void* context, Take take);
  bool (*equal)(const void* left, const void* right);
  bool (*is_fresh)(const void* value);  // as a value-initialised one
  bool is_bytes;                        // the value is a std::vector<std::byte>

  /// Returns whether all of `text` is one; if not `value` is as it was. Pre: UTF-8.
  [[nodiscard]] bool read(void* value, std::string_view text) const {
    return text.size() <= schema->bytes_max && parse(value, text);
  }
};

struct Set {
  /// kCrowded  refused: it is one of too many with the same hash
  enum class Added : std::uint8_t { kNew, kDoubled, kFailed, kCrowded };
  using Visit = void (*)(void* context, const void* value);
  using Fill = bool (*)(void* context, void* element);

  const Type* element;
  void (*clear)(void* set);
  /// Makes an element, has it filled, and puts it in unless that failed.
  Added (*add)(void* set, void* context, Fill fill);
  std::size_t (*size)(const void* set);
  bool (*contains)(const void* set, const void* value);
  void (*each)(const void* set, void* context, Visit visit);
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

inline const Text& Type::text() const noexcept {
  return *static_cast<const Text*>(shape);
}
inline const Set& Type::set() const noexcept {
  return *static_cast<const Set*>(shape);
}

}  // namespace eider::reflect
