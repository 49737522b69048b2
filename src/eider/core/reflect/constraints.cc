#include "eider/core/reflect/constraints.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "eider/core/base/base64.h"
#include "eider/core/base/digits.h"
#include "eider/core/reflect/scalar.h"
#include "eider/core/reflect/wording.h"

namespace eider::reflect {

namespace {

std::string number_text(const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::kSigned:
      return digits_of(load_signed(type, value));
    case Kind::kUnsigned:
      return digits_of(load_unsigned(type, value));
    default:
      return type.bytes == sizeof(float) ? digits_of(*static_cast<const float*>(value))
                                         : digits_of(load_real(type, value));
  }
}

/// JSON cannot represent an infinite bound.
bool is_finite(const Type& type, const void* value) {
  return type.kind != Kind::kReal || std::isfinite(load_real(type, value));
}

/// The unit of a length, and the JSON Schema keywords for its bounds.
struct Counted {
  std::string_view unit;
  std::string_view min;
  std::string_view max;
};

Counted counted_of(const Type& type) noexcept {
  switch (type.kind) {
    case Kind::kText:
      if (type.text().is_bytes) {
        return {"byte", "minLength", "maxLength"};
      }
      [[fallthrough]];
    case Kind::kString:
      return {"character", "minLength", "maxLength"};
    case Kind::kMap:
      return {"element", "minProperties", "maxProperties"};
    default:
      return {"element", "minItems", "maxItems"};
  }
}

std::string_view length_text(std::size_t min, std::size_t max) noexcept {
  if (max == std::numeric_limits<std::size_t>::max()) {
    return "must have at least {min} {unit}";
  }
  if (min == max) {
    return "must have exactly {max} {unit}";
  }
  return min == 0 ? "must have at most {max} {unit}" : "must have {min} to {max} {unit}";
}

}  // namespace

/// Each byte except continuation bytes (10xxxxxx) starts a code point.
std::size_t code_points(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

Requirement describe_length(const Type& type, std::size_t min, std::size_t max) {
  constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();
  const Counted counted = counted_of(type);
  // The bounds in a JSON Schema apply to the base64 text, not to the bytes.
  const auto told = [&type](std::size_t length) {
    const bool is_base64 = type.kind == Kind::kText && type.text().is_bytes;
    return digits_of(is_base64 ? base64_size(length) : length);
  };
  const bool is_one = (max == kUnbounded ? min : max) == 1;
  Requirement made{"length", std::string(length_text(min, max))};
  made.arguments = {{"min", digits_of(min)},
                    {"max", digits_of(max)},
                    {"unit", std::string(counted.unit) + (is_one ? "" : "s")}};
  if (min != 0) {
    made.keywords.push_back({counted.min, told(min)});
  }
  if (max != kUnbounded) {
    made.keywords.push_back({counted.max, told(max)});
  }
  return made;
}

Requirement describe_range(const Type& type, const void* min, const void* max) {
  const std::string lowest = number_text(type, min);
  const std::string highest = number_text(type, max);
  const bool has_min = is_finite(type, min);
  const bool has_max = is_finite(type, max);
  const Wording& words = has_min == has_max ? wording::kRange
                         : has_min          ? wording::kAtLeast
                                            : wording::kAtMost;
  Requirement made = words.with({{"min", lowest}, {"max", highest}});
  if (has_min) {
    made.keywords.push_back({"minimum", lowest});
  }
  if (has_max) {
    made.keywords.push_back({"maximum", highest});
  }
  return made;
}

bool satisfies(const Constraint& constraint, const void* value) {
  return std::ranges::all_of(constraint, [value](const Rule& rule) { return rule.check(value); });
}

Requirement requirement(const Constraint& constraint, const Rule& rule) {
  return rule.describe(*constraint.value);
}

std::vector<Requirement> broken_requirements(const Constraint& constraint, const void* value) {
  std::vector<Requirement> broken;
  for (const Rule& rule : constraint) {
    if (!rule.check(value)) {
      broken.push_back(requirement(constraint, rule));
    }
  }
  return broken;
}

void require(const Constraint& constraint, const void* value) {
  const std::vector<Requirement> broken = broken_requirements(constraint, value);
  if (!broken.empty()) {
    throw std::invalid_argument("the value " + to_text(broken));
  }
}

}  // namespace eider::reflect
