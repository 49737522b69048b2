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
  kSequence,     // std::vector and similar; Type::sequence()
  kArray,        // std::array; Type::array()
  kOptional,     // Type::optional()
  kMap,          // string keys; Type::map()
  kEnum,         // Type::enumeration()
  kVariant,      // one of several structs, selected by a tag; Type::variant()
  kConstrained,  // a value of another type with rules, at the same address; Type::constraint()
  kDynamic,      // a shape known only at run time (json::Value); Type::dynamic()
  kText,         // represented as text by a TextFormat (text_kind.h); Type::text()
  kSet,          // std::set and similar; Type::set()
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

/// The description of a type. There is exactly one object per described type: compare by address.
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

  [[nodiscard]] const Structure& structure() const noexcept { return shape_as<Structure>(); }
  [[nodiscard]] const Sequence& sequence() const noexcept { return shape_as<Sequence>(); }
  [[nodiscard]] const Array& array() const noexcept { return shape_as<Array>(); }
  [[nodiscard]] const Optional& optional() const noexcept { return shape_as<Optional>(); }
  [[nodiscard]] const Map& map() const noexcept { return shape_as<Map>(); }
  [[nodiscard]] const Enumeration& enumeration() const noexcept { return shape_as<Enumeration>(); }
  [[nodiscard]] const Variant& variant() const noexcept { return shape_as<Variant>(); }
  [[nodiscard]] const Constraint& constraint() const noexcept { return shape_as<Constraint>(); }
  [[nodiscard]] const Dynamic& dynamic() const noexcept { return shape_as<Dynamic>(); }
  [[nodiscard]] const Text& text() const noexcept { return shape_as<Text>(); }
  [[nodiscard]] const Set& set() const noexcept { return shape_as<Set>(); }

 private:
  template <class Shape>
  [[nodiscard]] const Shape& shape_as() const noexcept {
    return *static_cast<const Shape*>(shape);
  }
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
  /// Bit i: member i has a default member initializer (docs/design/reflection.md explains how they
  /// are found, and which ones cannot be). Null: no member has one.
  std::uint64_t (*default_bits)();
  void (*construct)(void* memory);  // T{}
  void (*destroy)(void* object) noexcept;
  const bool* is_checked;  // refers to the startup check of the offsets, so that it is not removed
  /// The struct's own `void check(ValidationErrors& errors) const` (validation_errors.h), or null.
  void (*check)(const void* object, ValidationErrors& errors) = nullptr;
  /// The struct's own kDocs, in its order.
  std::span<const MemberText> about = {};

  [[nodiscard]] const Member* begin() const noexcept { return first; }
  [[nodiscard]] const Member* end() const noexcept { return first + count; }
  [[nodiscard]] bool has_default(std::size_t index) const {
    return default_bits != nullptr && (default_bits() >> index & 1U) != 0;
  }
  /// Returns whether input without this member is invalid: it is not optional and has no default.
  [[nodiscard]] bool is_required(std::size_t index) const {
    return !first[index].is_optional() && !has_default(index);
  }
  /// Returns the member of that name, or null.
  [[nodiscard]] const Member* find(std::string_view name) const noexcept;
  /// Returns the description of the member, or an empty one.
  [[nodiscard]] MemberText text_about(std::string_view name) const noexcept;
};

struct Sequence {
  const Type* element;
  void (*clear)(void* sequence);
  void* (*append)(void* sequence);  // returns the new, value-initialised last element
  std::size_t (*size)(const void* sequence);
  const void* (*data)(const void* sequence);  // elements are contiguous, element->bytes apart

  [[nodiscard]] const void* at(const void* sequence, std::size_t index) const {
    return static_cast<const char*>(data(sequence)) + index * element->bytes;
  }
};

/// Elements are contiguous from the array's own address, element->bytes apart.
struct Array {
  const Type* element;
  std::size_t count;
};

struct Optional {
  const Type* value;
  void* (*emplace)(void* optional);  // returns the new, value-initialised value
  void (*reset)(void* optional);
  const void* (*get)(const void* optional);  // null if empty
  /// Stores the null of a text or a row: the optional is then empty, or null if the type
  /// distinguishes null from absent (Nullable).
  void (*set_null)(void* optional);
  bool (*is_null)(const void* optional);  // always false for a type that does not distinguish them
  bool tells_null = false;

  [[nodiscard]] bool is_absent(const void* optional) const {
    return get(optional) == nullptr && !is_null(optional);
  }
};

struct Map {
  /// Called for each entry with the context of the call.
  using Visit = void (*)(void* context, std::string_view key, const void* value);

  const Type* value;
  void (*clear)(void* map);
  /// Returns null if the key exists already, or if too many keys have the same hash.
  void* (*insert)(void* map, std::string_view key);
  std::size_t (*size)(const void* map);
  const void* (*find)(const void* map, std::string_view key);  // null if absent
  void (*each)(const void* map, void* context, Visit visit);
};

struct Enumerator {
  std::string_view name;
  std::int64_t value;
};

/// The enumerators with values from kEnumFirst to kEnumLast (type_of.h), in ascending order.
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
  void* (*emplace)(void* variant);          // makes it the active alternative, value-initialised
  const void* (*get)(const void* variant);  // null if it is not the active alternative
};

/// In JSON: the member kTagName with the name of the active struct, then the members of that
/// struct.
struct Variant {
  static constexpr std::string_view kTagName = "type";

  const Alternative* first;
  std::size_t count;

  [[nodiscard]] const Alternative* begin() const noexcept { return first; }
  [[nodiscard]] const Alternative* end() const noexcept { return first + count; }
  /// Returns the alternative whose struct has that name, or null.
  [[nodiscard]] const Alternative* find(std::string_view tag) const noexcept;
};

/// A rule for a value of a known type.
struct Rule {
  bool (*check)(const void* value);
  Requirement (*describe)(const Type& type);
};

/// A value that satisfies all its rules (constraints.h).
struct Constraint {
  const Type* value;
  const Rule* first;
  std::size_t count;

  [[nodiscard]] const Rule* begin() const noexcept { return first; }
  [[nodiscard]] const Rule* end() const noexcept { return first + count; }
};

/// Returns the type of the value in a type with rules, which has the same address; else the type
/// itself.
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
  bool (*is_fresh)(const void* value);  // whether it equals a value-initialised one
  bool is_bytes;                        // the value is a std::vector<std::byte>

  /// Reads all of `text`. If it is invalid, returns false and leaves `value` unchanged. Pre: UTF-8.
  [[nodiscard]] bool read(void* value, std::string_view text) const {
    return text.size() <= schema->bytes_max && parse(value, text);
  }
};

struct Set {
  /// kCrowded  rejected: too many elements have the same hash
  enum class Added : std::uint8_t { kNew, kDoubled, kFailed, kCrowded };
  using Visit = void (*)(void* context, const void* value);
  using Fill = bool (*)(void* context, void* element);

  const Type* element;
  void (*clear)(void* set);
  /// Makes an element, calls `fill` for it, and inserts it unless that fails.
  Added (*add)(void* set, void* context, Fill fill);
  std::size_t (*size)(const void* set);
  bool (*contains)(const void* set, const void* value);
  void (*each)(const void* set, void* context, Visit visit);
};

}  // namespace eider::reflect
