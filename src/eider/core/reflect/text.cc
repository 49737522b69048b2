#include "eider/core/reflect/text.h"

#include <charconv>
#include <limits>
#include <utility>

#include "eider/core/base/utf8.h"
#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/scalar.h"
#include "eider/core/reflect/wording.h"

namespace eider::reflect {

namespace {

using Outcome = Result<void, std::vector<Requirement>>;

Outcome refuse(Requirement broken) {
  std::vector<Requirement> all;
  all.push_back(std::move(broken));
  return fail(std::move(all));
}

Outcome outcome_of(Parsed parsed, const Type& type) {
  switch (parsed) {
    case Parsed::kDone:
      return {};
    case Parsed::kNotANumber:
      return refuse(requirement(type));
    case Parsed::kOutOfRange:
      return refuse(range_requirement(type));
  }
  std::unreachable();
}

Outcome read_bool(const Type& type, void* value, std::string_view text) {
  if (text != "true" && text != "false") {
    return refuse(requirement(type));
  }
  *static_cast<bool*>(value) = text == "true";
  return {};
}

Outcome read_string(void* value, std::string_view text) {
  if (!is_utf8(text)) {
    return refuse(wording::kNotUtf8);
  }
  *static_cast<std::string*>(value) = text;
  return {};
}

Outcome read_enum(const Type& type, void* value, std::string_view text) {
  const Enumerator* const found = type.enumeration().find(text);
  if (found == nullptr || !try_store_signed(type, value, found->value)) {
    return refuse(requirement(type));
  }
  return {};
}

Outcome read_kind(const Type& type, void* value, std::string_view text) {
  if (!is_utf8(text) || !type.text().read(value, text)) {
    return refuse(requirement(type));
  }
  return {};
}

/// If a value does not fit the type, it also violates the narrower range of a rule. Report that
/// range.
Outcome narrowed(const Constraint& constraint, Outcome refused) {
  if (refused.error().front().code == wording::kRange.code) {
    for (const Rule& rule : constraint) {
      if (Requirement told = requirement(constraint, rule); told.code == wording::kRange.code) {
        return refuse(std::move(told));
      }
    }
  }
  return refused;
}

Outcome read_constrained(const Constraint& constraint, void* value, std::string_view text) {
  Outcome read = read_text(*constraint.value, value, text);
  if (!read) {
    return narrowed(constraint, std::move(read));
  }
  if (!satisfies(constraint, value)) {
    return fail(broken_requirements(constraint, value));
  }
  return read;
}

/// Returns "must be one of a, b".
template <class Choices, class NameOf>
Requirement one_of(const Choices& choices, NameOf name_of) {
  std::string names;
  for (const auto& choice : choices) {
    names += &choice == choices.begin() ? "" : ", ";
    names += name_of(choice);
  }
  return wording::kOneOf.with({{"names", std::move(names)}});
}

Requirement enum_requirement(const Enumeration& enumeration) {
  return one_of(enumeration, [](const Enumerator& enumerator) { return enumerator.name; });
}

Requirement text_requirement(const TextSchema& schema) {
  return {schema.format, std::string(schema.requirement)};
}

Requirement integer_range(const Type& type) {
  const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * type.bytes);
  if (type.kind == Kind::kUnsigned) {
    return wording::kRange.with({{"min", "0"}, {"max", std::to_string(all)}});
  }
  return wording::kRange.with(
      {{"min", "-" + std::to_string(all / 2 + 1)}, {"max", std::to_string(all / 2)}});
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
    case Kind::kText:
      return read_kind(type, value, text);
    case Kind::kView:
    case Kind::kChars:
    case Kind::kStruct:
    case Kind::kSequence:
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kVariant:
    case Kind::kDynamic:
    case Kind::kSet:
      return refuse(wording::kNoText);
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
    case Kind::kText:
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
    case Kind::kSet:
      return false;
  }
  std::unreachable();
}

Requirement requirement(const Type& type) {
  switch (type.kind) {
    case Kind::kBool:
      return wording::kBool;
    case Kind::kSigned:
    case Kind::kUnsigned:
      return wording::kInteger;
    case Kind::kReal:
      return wording::kNumber;
    case Kind::kString:
    case Kind::kView:
    case Kind::kChars:
      return wording::kString;
    case Kind::kEnum:
      return enum_requirement(type.enumeration());
    case Kind::kOptional:
      return requirement(*type.optional().value);
    case Kind::kConstrained:
      return requirement(*type.constraint().value);
    case Kind::kStruct:
    case Kind::kMap:
    case Kind::kVariant:
      return wording::kObject;
    case Kind::kText:
      return text_requirement(*type.text().schema);
    case Kind::kSequence:
    case Kind::kSet:
      return wording::kArray;
    case Kind::kArray:
      return wording::kArrayOf.with({{"count", std::to_string(type.array().count)}});
    case Kind::kDynamic:
      return wording::kAnyValue;
  }
  std::unreachable();
}

Requirement range_requirement(const Type& type) {
  if (type.kind == Kind::kReal) {
    return wording::kTooLarge;
  }
  return integer_range(type);
}

Requirement tag_requirement(const Variant& variant) {
  return one_of(variant, [](const Alternative& option) { return option.type->name; });
}

}  // namespace eider::reflect
