#include "eider/reflect/constraints.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>

#include "eider/reflect/scalar.h"

namespace eider::reflect {

namespace {

/// Code points of valid UTF-8: every byte but the continuation bytes 10xxxxxx begins one.
std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

std::size_t length_of(const Type& type, const void* value) {
  if (type.kind == Kind::kString) {
    return code_points(*static_cast<const std::string*>(value));
  }
  return type.kind == Kind::kMap ? type.map().size(value) : type.sequence().size(value);
}

bool is_in_range(const Constraint& range, const void* value) {
  const Type& type = *range.value;
  switch (type.kind) {
    case Kind::kSigned:
      return load_signed(type, value) >= load_signed(type, range.min) &&
             load_signed(type, value) <= load_signed(type, range.max);
    case Kind::kUnsigned:
      return load_unsigned(type, value) >= load_unsigned(type, range.min) &&
             load_unsigned(type, value) <= load_unsigned(type, range.max);
    default:
      return load_real(type, value) >= load_real(type, range.min) &&
             load_real(type, value) <= load_real(type, range.max);
  }
}

template <class Number>
std::string digits(Number number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number);
  return {text, end.ptr};
}

std::string number_text(const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::kSigned:
      return digits(load_signed(type, value));
    case Kind::kUnsigned:
      return digits(load_unsigned(type, value));
    default:
      return type.bytes == sizeof(float) ? digits(*static_cast<const float*>(value))
                                         : digits(load_real(type, value));
  }
}

std::string counted(std::size_t count, const Type& type) {
  const std::string unit = type.kind == Kind::kString ? "character" : "element";
  return digits(count) + " " + unit + (count == 1 ? "" : "s");
}

std::string length_requirement(const Constraint& length) {
  const std::size_t min = length.length_min;
  const std::size_t max = length.length_max;
  if (max == std::numeric_limits<std::size_t>::max()) {
    return "must have at least " + counted(min, *length.value);
  }
  if (min == max) {
    return "must have exactly " + counted(max, *length.value);
  }
  if (min == 0) {
    return "must have at most " + counted(max, *length.value);
  }
  return "must have " + digits(min) + " to " + counted(max, *length.value);
}

}  // namespace

bool satisfies(const Constraint& constraint, const void* value) {
  if (constraint.what == Constraint::What::kRange) {
    return is_in_range(constraint, value);
  }
  const std::size_t length = length_of(*constraint.value, value);
  return length >= constraint.length_min && length <= constraint.length_max;
}

std::string requirement(const Constraint& constraint) {
  if (constraint.what == Constraint::What::kLength) {
    return length_requirement(constraint);
  }
  return "must be between " + number_text(*constraint.value, constraint.min) + " and " +
         number_text(*constraint.value, constraint.max);
}

void require(const Constraint& constraint, const void* value) {
  if (!satisfies(constraint, value)) {
    throw std::invalid_argument("the value " + requirement(constraint));
  }
}

}  // namespace eider::reflect
