#include "eider/app/from_text.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "eider/base/url.h"
#include "eider/reflect/constraints.h"

namespace eider {

namespace {

using reflect::Kind;
using reflect::Type;
using Wrong = std::optional<std::string>;

constexpr const char* kNotWhole = "must be a whole number";
constexpr const char* kOutOfRange = "is out of range";

template <class Number>
struct Parsed {
  Number value{};
  bool is_whole_text = false;
  bool is_in_range = false;
};

template <class Number>
Parsed<Number> parse(std::string_view text) noexcept {
  Parsed<Number> parsed;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, parsed.value);
  parsed.is_whole_text = stop == end && error != std::errc::invalid_argument;
  parsed.is_in_range = error == std::errc();
  return parsed;
}

template <class Number>
Wrong assign_number(void* object, std::string_view text) {
  const auto parsed = parse<Number>(text);
  if (!parsed.is_whole_text) {
    return std::is_floating_point_v<Number> ? "must be a number" : kNotWhole;
  }
  if (!parsed.is_in_range) {
    return kOutOfRange;
  }
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(parsed.value)) {
      return "must be a number";
    }
  }
  *static_cast<Number*>(object) = parsed.value;
  return std::nullopt;
}

Wrong assign_signed(const Type& type, void* object, std::string_view text) {
  switch (type.bytes) {
    case 1:
      return assign_number<std::int8_t>(object, text);
    case 2:
      return assign_number<std::int16_t>(object, text);
    case 4:
      return assign_number<std::int32_t>(object, text);
    default:
      return assign_number<std::int64_t>(object, text);
  }
}

Wrong assign_unsigned(const Type& type, void* object, std::string_view text) {
  switch (type.bytes) {
    case 1:
      return assign_number<std::uint8_t>(object, text);
    case 2:
      return assign_number<std::uint16_t>(object, text);
    case 4:
      return assign_number<std::uint32_t>(object, text);
    default:
      return assign_number<std::uint64_t>(object, text);
  }
}

Wrong assign_bool(void* object, std::string_view text) {
  const bool is_true = text == "true" || text == "1" || text == "on";
  if (!is_true && text != "false" && text != "0" && text != "off") {
    return "must be true or false";
  }
  *static_cast<bool*>(object) = is_true;
  return std::nullopt;
}

void store_enumerator(const Type& type, void* object, std::int64_t value) noexcept {
  switch (type.bytes) {
    case 1:
      *static_cast<std::int8_t*>(object) = static_cast<std::int8_t>(value);
      return;
    case 2:
      *static_cast<std::int16_t*>(object) = static_cast<std::int16_t>(value);
      return;
    case 4:
      *static_cast<std::int32_t*>(object) = static_cast<std::int32_t>(value);
      return;
    default:
      *static_cast<std::int64_t*>(object) = value;
  }
}

Wrong assign_enum(const Type& type, void* object, std::string_view text) {
  const auto* found = type.enumeration().find(text);
  if (found == nullptr) {
    std::string names("must be one of");
    for (const auto& enumerator : type.enumeration()) {
      names.append(names.ends_with("of") ? " " : ", ").append(enumerator.name);
    }
    return names;
  }
  store_enumerator(type, object, found->value);
  return std::nullopt;
}

Wrong assign_constrained(const Type& type, void* object, std::string_view text) {
  const reflect::Constraint& constraint = type.constraint();
  if (auto wrong = assign_text(*constraint.value, object, text)) {
    return wrong;
  }
  return reflect::satisfies(constraint, object) ? Wrong() : reflect::requirement(constraint);
}

Wrong assign_optional(const Type& type, void* object, std::string_view text) {
  const reflect::Optional& optional = type.optional();
  if (text.empty()) {
    optional.reset(object);
    return std::nullopt;
  }
  return assign_text(*optional.value, optional.emplace(object), text);
}

/// The members of one struct, filled from pairs.
class PairsReader {
 public:
  PairsReader(const Type& type, void* object) : structure_(type.structure()), object_(object) {}

  void read(std::string_view key, std::string_view value) {
    const reflect::Member* member = structure_.find(key);
    if (member == nullptr) {
      refuse(key, "is not known");
      return;
    }
    const std::uint64_t bit = std::uint64_t{1} << (member - structure_.begin());
    const bool is_first = (seen_ & bit) == 0;
    seen_ |= bit;
    if (member->type->kind == Kind::kSequence) {
      if (is_first) {
        member->type->sequence().clear(member->in(object_));
      }
    } else if (!is_first) {
      refuse(key, "stands there more than once");
      return;
    }
    if (auto wrong = assign_text(*member->type, member->in(object_), value)) {
      refuse(key, std::move(*wrong));
    }
  }

  std::vector<FieldError> finish() {
    for (std::size_t i = 0; i < structure_.count; ++i) {
      const reflect::Member& member = structure_.first[i];
      const bool is_absent = (seen_ >> i & 1U) == 0;
      if (is_absent && structure_.is_required(i) && member.type->kind != Kind::kSequence) {
        refuse(member.name, "is missing");
      }
    }
    return std::move(errors_);
  }

  void refuse(std::string_view key, std::string detail) {
    if (errors_.size() < kErrorsMax) {
      errors_.push_back({std::string(key), std::move(detail)});
    }
  }

 private:
  static constexpr std::size_t kErrorsMax = 32;

  const reflect::Structure& structure_;
  void* object_;
  std::uint64_t seen_ = 0;
  std::vector<FieldError> errors_;
};

}  // namespace

std::optional<std::string> assign_text(const Type& type, void* object, std::string_view text) {
  switch (type.kind) {
    case Kind::kBool:
      return assign_bool(object, text);
    case Kind::kSigned:
      return assign_signed(type, object, text);
    case Kind::kUnsigned:
      return assign_unsigned(type, object, text);
    case Kind::kReal:
      return type.bytes == sizeof(float) ? assign_number<float>(object, text)
                                         : assign_number<double>(object, text);
    case Kind::kString:
      static_cast<std::string*>(object)->assign(text);
      return std::nullopt;
    case Kind::kEnum:
      return assign_enum(type, object, text);
    case Kind::kOptional:
      return assign_optional(type, object, text);
    case Kind::kConstrained:
      return assign_constrained(type, object, text);
    case Kind::kSequence:
      return assign_text(*type.sequence().element, type.sequence().append(object), text);
    case Kind::kView:
    case Kind::kChars:
    case Kind::kStruct:
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kVariant:
    case Kind::kDynamic:
      break;
  }
  return "cannot be read from text";
}

std::vector<FieldError> assign_pairs(const Type& type, void* object, std::string_view pairs) {
  PairsReader reader(type, object);
  QueryReader query(pairs);
  while (const auto pair = query.next()) {
    const auto name = percent_decode(pair->name, Plus::space);
    const auto value = percent_decode(pair->value, Plus::space);
    if (name && value) {
      reader.read(*name, *value);
    } else {
      reader.refuse(pair->name, "has a bad percent-escape in it");
    }
  }
  return reader.finish();
}

Result<std::int64_t, const char*> whole_number(std::string_view text, std::int64_t low,
                                               std::int64_t high) noexcept {
  const auto parsed = parse<std::int64_t>(text);
  if (!parsed.is_whole_text) {
    return fail(kNotWhole);
  }
  if (!parsed.is_in_range || parsed.value < low || parsed.value > high) {
    return fail(kOutOfRange);
  }
  return parsed.value;
}

}  // namespace eider
