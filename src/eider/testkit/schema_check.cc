#include "eider/testkit/schema_check.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/core/base/utf8.h"
#include "eider/core/json/read.h"
#include "eider/core/kinds/kinds.h"

namespace eider {

namespace {

using json::Value;
using Kind = Value::Kind;

/// Limits the recursion of a schema that refers to itself for the same value.
constexpr int kDepthMax = 256;

std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) {
    text.remove_prefix(std::max<std::size_t>(utf8_sequence_bytes(text), 1));
  }
  return count;
}

bool is_whole(const Value& value) {
  return value.is_integer() || (value.is_number() && std::trunc(value.number()) == value.number());
}

bool is_of(std::string_view type, const Value& value) {
  switch (value.kind()) {
    case Kind::kNull:
      return type == "null";
    case Kind::kBool:
      return type == "boolean";
    case Kind::kSigned:
    case Kind::kUnsigned:
    case Kind::kReal:
      return type == "number" || (type == "integer" && is_whole(value));
    case Kind::kString:
      return type == "string";
    case Kind::kArray:
      return type == "array";
    case Kind::kObject:
      return type == "object";
  }
  std::unreachable();
}

/// Appends a reference token (RFC 6901, section 3).
std::string with_token(const std::string& pointer, std::string_view token) {
  std::string longer = pointer + "/";
  for (const char byte : token) {
    longer += byte == '~' ? "~0" : byte == '/' ? "~1" : std::string(1, byte);
  }
  return longer;
}

/// Returns whether `left` is smaller. Integers are compared exactly.
bool is_less(const Value& left, const Value& right) {
  if (left.kind() == Kind::kSigned && right.kind() == Kind::kSigned) {
    return left.integer() < right.integer();
  }
  if (left.is_integer() && right.is_integer()) {
    return right.kind() == Kind::kUnsigned &&
           (left.kind() == Kind::kSigned || left.unsigned_integer() < right.unsigned_integer());
  }
  return left.number() < right.number();
}

bool is_multiple(const Value& value, const Value& of) {
  if (value.kind() == Kind::kSigned && of.kind() == Kind::kSigned && of.integer() > 0) {
    return value.integer() % of.integer() == 0;
  }
  const double times = value.number() / of.number();
  return std::abs(times - std::round(times)) < 1e-9;
}

bool is_in_bits(const Value& value, int bits) {
  if (value.kind() == Kind::kUnsigned || !is_whole(value)) {
    return false;  // a Value is unsigned only if it does not fit into a signed integer
  }
  const double bound = std::ldexp(1, bits - 1);
  return (bits == 64 && value.kind() == Kind::kSigned) ||
         (value.number() >= -bound && value.number() < bound);
}

/// Returns whether the text is an absolute URI: RFC 3986, sections 2 and 3.1.
bool is_uri(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto is_scheme_byte = [](char byte) {
    return is_letter(byte) || is_digit(byte) || byte == '+' || byte == '-' || byte == '.';
  };
  const auto is_byte = [](char byte) {
    constexpr std::string_view kNever = "\"<>\\^`{|}";
    return byte > ' ' && byte < '\x7F' && !kNever.contains(byte);
  };
  return colon != text.npos && colon != 0 && is_letter(text[0]) &&
         std::ranges::all_of(text.substr(0, colon), is_scheme_byte) &&
         std::ranges::all_of(text, is_byte);
}

template <class T>
bool is_text_of(std::string_view text) {
  return text.size() <= TextFormat<T>::kSchema.bytes_max && TextFormat<T>::parse(text).has_value();
}

/// Returns whether the text is a time or duration, in any supported unit.
template <template <class> class Of>
bool is_time(std::string_view text) {
  return is_text_of<Of<std::chrono::seconds>>(text) ||
         is_text_of<Of<std::chrono::microseconds>>(text) ||
         is_text_of<Of<std::chrono::nanoseconds>>(text);
}
template <class Unit>
using Itself = Unit;

struct Format {
  std::string_view name;
  bool (*is_one)(std::string_view text);
};

constexpr Format kFormats[] = {
    {"date-time", is_time<std::chrono::sys_time>},
    {"local-date-time", is_time<std::chrono::local_time>},
    {"duration", is_time<Itself>},
    {"precise-duration", is_time<Itself>},
    {"date", is_text_of<std::chrono::year_month_day>},
    {"time-of-day", is_text_of<TimeOfDay>},
    {"uuid", is_text_of<Uuid>},
    {"decimal", is_text_of<Decimal>},
    {"email", IsEmail::check},
    {"uri", is_uri},
};

/// Unknown formats accept any text.
bool is_in_format(std::string_view text, std::string_view name) {
  const auto* const found = std::ranges::find(kFormats, name, &Format::name);
  return found == std::end(kFormats) || found->is_one(text);
}

class Check {
 public:
  Check(const Value& document, const std::optional<SelectedMembers>& selected)
      : document_(document), selected_(selected) {}

  [[nodiscard]] std::vector<SchemaFault> faults_of(const Value& value, const Value& schema,
                                                   const std::string& pointer) {
    std::vector<SchemaFault> others = std::exchange(faults_, {});
    hold(value, schema, pointer);
    return std::exchange(faults_, std::move(others));
  }

 private:
  void hold(const Value& value, const Value& schema, const std::string& pointer) {
    if (schema.is_bool()) {
      require(schema.boolean(), pointer, "is not allowed");
      return;
    }
    if (!schema.is_object() || depth_ == kDepthMax) {
      tell(pointer, schema.is_object() ? "has a schema that is nested too deeply"
                                       : "has a schema that is neither an object nor a boolean");
      return;
    }
    ++depth_;
    hold_type(value, schema, pointer);
    hold_choices(value, schema, pointer);
    if (value.is_number()) {
      hold_number(value, schema, pointer);
    } else if (value.is_string()) {
      hold_text(value.text(), schema, pointer);
    } else if (value.is_array()) {
      hold_array(value, schema, pointer);
    } else if (value.is_object()) {
      hold_object(value, schema, pointer);
    }
    --depth_;
  }

  void hold_type(const Value& value, const Value& schema, const std::string& pointer) {
    if (const Value* const type = schema.find("type")) {
      const bool is_one =
          type->is_array()
              ? std::ranges::any_of(type->elements(),
                                    [&](const Value& one) { return is_of(one.text(), value); })
              : is_of(type->text(), value);
      require(is_one, pointer, "must have type " + to_text(*type) + ", but is " + shown(value));
    }
    if (const Value* const all = schema.find("enum")) {
      require(std::ranges::find(all->elements(), value) != all->elements().end(), pointer,
              "must be one of " + to_text(*all) + ", but is " + shown(value));
    }
    if (const Value* const constant = schema.find("const")) {
      require(*constant == value, pointer,
              "must be " + to_text(*constant) + ", but is " + shown(value));
    }
  }

  void hold_choices(const Value& value, const Value& schema, const std::string& pointer) {
    if (const Value* const reference = schema.find("$ref")) {
      const std::string& to = reference->text();
      const Value* const found = to.starts_with('#') ? document_.find_at(to.substr(1)) : nullptr;
      if (found == nullptr) {
        tell(pointer, "refers to the schema " + to + ", which is not in the document");
      } else {
        hold(value, *found, pointer);
      }
    }
    if (const Value* const all = schema.find("allOf")) {
      for (const Value& one : all->elements()) {
        hold(value, one, pointer);
      }
    }
    if (const Value* const any = schema.find("anyOf")) {
      hold_any(value, *any, pointer);
    }
    if (const Value* const options = schema.find("oneOf")) {
      const auto count = std::ranges::count_if(options->elements(), [&](const Value& one) {
        return faults_of(value, one, pointer).empty();
      });
      require(count < 2, pointer,
              "must match exactly one schema of oneOf, but matches more than one");
      if (count == 0) {
        hold_any(value, *options, pointer);
      }
    }
    if (const Value* const never = schema.find("not")) {
      require(!faults_of(value, *never, pointer).empty(), pointer,
              "must not match " + to_text(*never));
    }
  }

  /// If no option matches, reports the errors of the closest one, which has the fewest.
  void hold_any(const Value& value, const Value& options, const std::string& pointer) {
    std::vector<SchemaFault> fewest;
    for (const Value& option : options.elements()) {
      std::vector<SchemaFault> faults = faults_of(value, option, pointer);
      if (faults.empty()) {
        return;
      }
      if (fewest.empty() || faults.size() < fewest.size()) {
        fewest = std::move(faults);
      }
    }
    require(!fewest.empty(), pointer, "cannot match anyOf or oneOf, because the list is empty");
    faults_.insert(faults_.end(), fewest.begin(), fewest.end());
  }

  void hold_number(const Value& value, const Value& schema, const std::string& pointer) {
    const auto require_by = [&](std::string_view name, std::string_view words, auto holds) {
      if (const Value* const bound = schema.find(name)) {
        require(holds(*bound), pointer,
                "must be " + std::string(words) + to_text(*bound) + ", but is " + to_text(value));
      }
    };
    require_by("minimum", "at least ", [&](const Value& min) { return !is_less(value, min); });
    require_by("maximum", "at most ", [&](const Value& max) { return !is_less(max, value); });
    require_by("exclusiveMinimum", "more than ",
               [&](const Value& min) { return is_less(min, value); });
    require_by("exclusiveMaximum", "less than ",
               [&](const Value& max) { return is_less(value, max); });
    require_by("multipleOf", "a multiple of ",
               [&](const Value& of) { return is_multiple(value, of); });
    const Value& format = schema["format"];
    if (format == Value("int32") || format == Value("int64")) {
      require(is_in_bits(value, format.text() == "int32" ? 32 : 64), pointer,
              "must be an " + format.text() + ", but is " + to_text(value));
    }
  }

  void hold_text(const std::string& text, const Value& schema, const std::string& pointer) {
    hold_count(code_points(text), schema, {"minLength", "maxLength"}, " characters", pointer);
    if (const Value* const pattern = schema.find("pattern")) {
      require(matches_pattern(pattern->text(), text).value_or(true), pointer,
              "must match " + pattern->text() + ", but is " + shown(text));
    }
    if (const Value* const format = schema.find("format"); format != nullptr) {
      require(is_in_format(text, format->text()), pointer,
              "must have the format " + format->text() + ", but is " + shown(text));
    }
    hold_content(text, schema, pointer);
  }

  /// Errors in the JSON of a text have pointers below that of the text, as for a member.
  void hold_content(const std::string& text, const Value& schema, const std::string& pointer) {
    const Value* const within = schema.find("contentSchema");
    if (within == nullptr || schema["contentMediaType"] != Value("application/json")) {
      return;
    }
    const auto value = json::read<Value>(text);
    if (value) {
      hold(*value, *within, pointer);
    } else {
      tell(pointer, "must contain JSON, but is " + shown(text));
    }
  }

  void hold_array(const Value& value, const Value& schema, const std::string& pointer) {
    const Value::Array& elements = value.elements();
    hold_count(elements.size(), schema, {"minItems", "maxItems"}, " elements", pointer);
    if (const Value* const items = schema.find("items")) {
      for (std::size_t index = 0; index < elements.size(); ++index) {
        hold(elements[index], *items, pointer + "/" + std::to_string(index));
      }
    }
    if (schema["uniqueItems"] == Value(true)) {
      for (std::size_t index = 0; index < elements.size(); ++index) {
        const auto before = elements.begin() + static_cast<std::ptrdiff_t>(index);
        require(std::find(elements.begin(), before, elements[index]) == before,
                pointer + "/" + std::to_string(index), "is a duplicate");
      }
    }
  }

  void hold_object(const Value& value, const Value& schema, const std::string& pointer) {
    hold_count(value.size(), schema, {"minProperties", "maxProperties"}, " members", pointer);
    if (const Value* const required = schema.find("required")) {
      for (const Value& name : required->elements()) {
        require(value.find(name.text()) != nullptr || was_left_out(name.text(), pointer),
                with_token(pointer, name.text()), "is required");
      }
    }
    const Value& properties = schema["properties"];
    const Value* const others = schema.find("additionalProperties");
    for (const json::Field& member : value.members()) {
      const Value* const known = properties.find(member.name);
      const Value* const its = known != nullptr ? known : others;
      if (its != nullptr) {
        hold(member.value, *its, with_token(pointer, member.name));
      }
    }
  }

  /// Returns whether the request has not selected the member.
  [[nodiscard]] bool was_left_out(std::string_view name, std::string_view pointer) const {
    if (!selected_ || !pointer.starts_with(selected_->at)) {
      return false;
    }
    const std::string_view element = pointer.substr(selected_->at.size());
    const bool is_there = element.empty() || (element.starts_with('/') && element.size() > 1 &&
                                              std::ranges::all_of(element.substr(1), is_digit));
    return is_there && std::ranges::find(selected_->names, name) == selected_->names.end();
  }

  struct Bounds {
    std::string_view min;
    std::string_view max;
  };
  void hold_count(std::size_t count, const Value& schema, Bounds bounds, std::string_view of,
                  const std::string& pointer) {
    const std::string has = std::string(of) + ", but has " + std::to_string(count);
    if (const Value* const min = schema.find(bounds.min)) {
      require(!is_less(count, *min), pointer, "must have at least " + to_text(*min) + has);
    }
    if (const Value* const max = schema.find(bounds.max)) {
      require(!is_less(*max, count), pointer, "must have at most " + to_text(*max) + has);
    }
  }

  /// Returns the value, shortened for one line.
  [[nodiscard]] static std::string shown(const Value& value) {
    constexpr std::size_t kBytesMax = 80;
    std::string text = to_text(value);
    return text.size() <= kBytesMax ? text : text.substr(0, kBytesMax) + "…";
  }

  void require(bool holds, const std::string& pointer, std::string reason) {
    if (!holds) {
      tell(pointer, std::move(reason));
    }
  }
  void tell(const std::string& pointer, std::string reason) {
    faults_.push_back({pointer, std::move(reason)});
  }

  const Value& document_;
  const std::optional<SelectedMembers>& selected_;
  std::vector<SchemaFault> faults_;
  int depth_ = 0;
};

}  // namespace

std::vector<SchemaFault> check_schema(const Value& value, const Value& schema,
                                      const Value& document,
                                      const std::optional<SelectedMembers>& selected) {
  return Check(document, selected).faults_of(value, schema, {});
}

}  // namespace eider
