#include "eider/reflect/text.h"

#include <charconv>
#include <limits>

#include "eider/base/utf8.h"
#include "eider/reflect/constraints.h"
#include "eider/reflect/scalar.h"

namespace eider::reflect {

namespace {

using Outcome = Result<void, std::string>;

Outcome outcome_of(Parsed parsed, const Type& type) {
  switch (parsed) {
    case Parsed::kDone:
      return {};
    case Parsed::kNotANumber:
      return fail(requirement(type));
    case Parsed::kOutOfRange:
      return fail(range_requirement(type));
  }
  std::unreachable();
}

Outcome read_bool(const Type& type, void* value, std::string_view text) {
  if (text != "true" && text != "false") {
    return fail(requirement(type));
  }
  *static_cast<bool*>(value) = text == "true";
  return {};
}

Outcome read_string(void* value, std::string_view text) {
  if (!is_utf8(text)) {
    return fail(std::string("must be UTF-8 text"));
  }
  *static_cast<std::string*>(value) = text;
  return {};
}

Outcome read_enum(const Type& type, void* value, std::string_view text) {
  const Enumerator* const found = type.enumeration().find(text);
  if (found == nullptr || !try_store_signed(type, value, found->value)) {
    return fail(requirement(type));
  }
  return {};
}

Outcome read_constrained(const Constraint& constraint, void* value, std::string_view text) {
  Outcome read = read_text(*constraint.value, value, text);
  if (read && !satisfies(constraint, value)) {
    return fail(requirement(constraint));
  }
  return read;
}

/// "must be one of a, b"
template <class Choices, class NameOf>
std::string one_of(const Choices& choices, NameOf name_of) {
  std::string text = "must be one of ";
  for (const auto& choice : choices) {
    text += &choice == choices.begin() ? "" : ", ";
    text += name_of(choice);
  }
  return text;
}

std::string enum_requirement(const Enumeration& enumeration) {
  return one_of(enumeration, [](const Enumerator& enumerator) { return enumerator.name; });
}

std::string integer_range(const Type& type) {
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * type.bytes);
  if (type.kind == Kind::kUnsigned) {
    return "must be between 0 and " + std::to_string(all);
  }
  return "must be between -" + std::to_string(all / 2 + 1) + " and " + std::to_string(all / 2);
}

}  // namespace

Outcome read_text(const Type& type, void* value, std::string_view text) {
  switch (type.kind) {
    case Kind::kBool:
      return read_bool(type, value, text);
    case Kind::kSigned:
    case Kind::kUnsigned:
      return outcome_of(parse_integer(type, value, text), type);
    case Kind::kReal:
      return outcome_of(parse_real(type, value, text), type);
    case Kind::kString:
      return read_string(value, text);
    case Kind::kEnum:
      return read_enum(type, value, text);
    case Kind::kOptional:
      return read_text(*type.optional().value, type.optional().emplace(value), text);
    case Kind::kConstrained:
      return read_constrained(type.constraint(), value, text);
    case Kind::kView:
    case Kind::kChars:
    case Kind::kStruct:
    case Kind::kSequence:
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kVariant:
    case Kind::kDynamic:
      return fail(std::string("cannot be read from text"));
  }
  std::unreachable();
}

bool is_text_type(const Type& type) noexcept {
  switch (type.kind) {
    case Kind::kBool:
    case Kind::kSigned:
    case Kind::kUnsigned:
    case Kind::kReal:
    case Kind::kString:
    case Kind::kEnum:
      return true;
    case Kind::kOptional:
      return is_text_type(*type.optional().value);
    case Kind::kConstrained:
      return is_text_type(*type.constraint().value);
    case Kind::kView:
    case Kind::kChars:
    case Kind::kStruct:
    case Kind::kSequence:
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kVariant:
    case Kind::kDynamic:
      return false;
  }
  std::unreachable();
}

std::string requirement(const Type& type) {
  switch (type.kind) {
    case Kind::kBool:
      return "must be true or false";
    case Kind::kSigned:
    case Kind::kUnsigned:
      return "must be an integer";
    case Kind::kReal:
      return "must be a number";
    case Kind::kString:
    case Kind::kView:
    case Kind::kChars:
      return "must be a string";
    case Kind::kEnum:
      return enum_requirement(type.enumeration());
    case Kind::kOptional:
      return requirement(*type.optional().value);
    case Kind::kConstrained:
      return requirement(*type.constraint().value);
    case Kind::kStruct:
    case Kind::kMap:
      return "must be an object";
    case Kind::kVariant:
      return "must be an object";
    case Kind::kSequence:
      return "must be an array";
    case Kind::kArray:
      return "must be an array of " + std::to_string(type.array().count) + " elements";
    case Kind::kDynamic:
      return "must be a JSON value";
  }
  std::unreachable();
}

std::string range_requirement(const Type& type) {
  if (type.kind == Kind::kReal) {
    return "is too large";
  }
  return integer_range(type);
}

std::string tag_requirement(const Variant& variant) {
  return one_of(variant, [](const Alternative& option) { return option.type->name; });
}

}  // namespace eider::reflect
