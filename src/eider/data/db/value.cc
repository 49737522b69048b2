#include "eider/data/db/value.h"

#include <cstring>

#include "eider/core/json/write.h"
#include "eider/core/reflect/scalar.h"
#include "eider/data/db/failure.h"

namespace eider::db {
namespace {

using reflect::Kind;
using reflect::Type;

[[noreturn]] void refuse_value(std::string cause) {
  throw Failure(FailureKind::values, std::move(cause));
}

Value from_unsigned(std::uint64_t number) {
  if (number > static_cast<std::uint64_t>(INT64_MAX)) {
    throw Failure::of_value("an unsigned number is larger than a column can store", {},
                            RefusedValue{.text = std::to_string(number),
                                         .detail = "must be at most 9223372036854775807"});
  }
  return Value(static_cast<std::int64_t>(number));
}

Value from_enum(const Type& type, const void* object) {
  const std::int64_t number = reflect::load_enum(type, object);
  const reflect::Enumerator* enumerator = type.enumeration().find(number);
  if (enumerator == nullptr) {
    refuse_value("the enum " + std::string(type.name) + " has no name for " +
                 std::to_string(number));
  }
  return Value(std::string(enumerator->name));
}

Value from_optional(const Type& type, const void* object) {
  const void* inside = type.optional().get(object);
  return inside == nullptr ? Value() : value_of(*type.optional().value, inside);
}

Value::TextKind text_kind_of(std::string_view format) noexcept {
  if (format == "date-time") {
    return Value::TextKind::instant;
  }
  if (format == "duration" || format == "precise-duration") {
    return Value::TextKind::duration;
  }
  return format == "decimal" ? Value::TextKind::decimal : Value::TextKind::other;
}

Value from_text(const reflect::Text& type, const void* object) {
  std::string made;
  type.format(object, &made, [](void* context, std::string_view text) {
    *static_cast<std::string*>(context) = text;
  });
  constexpr std::string_view kLastMicrosecond = "23:59:59.999999";
  if (type.schema->format == "time-of-day" && made.starts_with(kLastMicrosecond)) {
    // PostgreSQL would round it up to 24:00:00, which a TimeOfDay cannot read.
    made.resize(kLastMicrosecond.size());
  }
  return Value(std::move(made), text_kind_of(type.schema->format));
}

Value from_bytes(const Type& type, const void* object) {
  const reflect::Sequence& sequence = type.sequence();
  const auto* bytes = static_cast<const std::byte*>(sequence.data(object));
  return Value(Blob(bytes, bytes + sequence.size(object)));
}

/// Returns whether arrays may have elements of this type.
bool is_element(const Type& type) noexcept {
  switch (type.kind) {
    case Kind::kOptional:
      return is_element(*type.optional().value);
    case Kind::kConstrained:
      return is_element(*type.constraint().value);
    case Kind::kSequence:
      return is_blob(type);
    case Kind::kStruct:
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kSet:
    case Kind::kVariant:
    case Kind::kDynamic:
      return false;
    default:
      return true;
  }
}

Value from_list(const Type& type, const void* object) {
  Value value(json::to_text(type, object));
  const reflect::Sequence& sequence = type.sequence();
  if (!is_element(*sequence.element)) {
    return value;
  }
  std::vector<Value> elements;
  elements.reserve(sequence.size(object));
  try {
    for (std::size_t i = 0; i < sequence.size(object); ++i) {
      elements.push_back(value_of(*sequence.element, sequence.at(object, i)));
    }
    value.set_elements(std::move(elements));
  } catch (const Failure&) {
    // A value that fits no column may still be a part of JSON.
  }
  return value;
}

}  // namespace

Value Cell::copy() const {
  switch (kind) {
    case Value::Kind::null:
      return Value();
    case Value::Kind::integer:
      return Value(integer);
    case Value::Kind::real:
      return Value(real);
    case Value::Kind::text:
      return Value(std::string(bytes));
    case Value::Kind::blob: {
      const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
      return Value(Blob(begin, begin + bytes.size()));
    }
  }
  return Value();
}

std::string_view to_text(Value::Kind kind) noexcept {
  switch (kind) {
    case Value::Kind::null:
      return "NULL";
    case Value::Kind::integer:
      return "an integer";
    case Value::Kind::real:
      return "a real number";
    case Value::Kind::text:
      return "text";
    case Value::Kind::blob:
      return "a blob";
  }
  return {};
}

bool is_blob(const Type& type) noexcept {
  if (type.kind != Kind::kSequence) {
    return type.kind == Kind::kText && type.text().is_bytes;
  }
  // An enum of one byte still has names.
  const Type& element = *type.sequence().element;
  return element.bytes == 1 && element.kind != Kind::kEnum && element.kind != Kind::kBool;
}

Value value_of(const Type& type, const void* object) {
  switch (type.kind) {
    case Kind::kBool:
      return Value(std::int64_t{*static_cast<const bool*>(object)});
    case Kind::kSigned:
      return Value(reflect::load_signed(type, object));
    case Kind::kUnsigned:
      return from_unsigned(reflect::load_unsigned(type, object));
    case Kind::kReal:
      return Value(reflect::load_real(type, object));
    case Kind::kString:
      return Value(*static_cast<const std::string*>(object));
    case Kind::kView:
      return Value(std::string(*static_cast<const std::string_view*>(object)));
    case Kind::kChars: {
      const char* text = *static_cast<const char* const*>(object);
      return text == nullptr ? Value() : Value(std::string(text));
    }
    case Kind::kEnum:
      return from_enum(type, object);
    case Kind::kOptional:
      return from_optional(type, object);
    case Kind::kConstrained:
      return value_of(*type.constraint().value, object);
    case Kind::kSequence:
      return is_blob(type) ? from_bytes(type, object) : from_list(type, object);
    case Kind::kText:
      return type.text().is_bytes ? Value(*static_cast<const Blob*>(object))
                                  : from_text(type.text(), object);
    case Kind::kStruct:
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kSet:
    case Kind::kVariant:
    case Kind::kDynamic:
      break;
  }
  return Value(json::to_text(type, object));
}

}  // namespace eider::db
