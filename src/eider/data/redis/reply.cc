#include "eider/data/redis/reply.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "eider/core/reflect/constraints.h"
#include "eider/core/reflect/scalar.h"
#include "eider/core/reflect/text.h"

namespace eider::redis::detail {
namespace {

using reflect::Kind;
using reflect::Type;

constexpr const char* kCrowded = "too many values with the same hash";

std::string_view name_of(RespKind kind) noexcept {
  switch (kind) {
    case RespKind::simple:
      return "a status";
    case RespKind::error:
      return "an error";
    case RespKind::integer:
      return "an integer";
    case RespKind::bulk:
      return "a string";
    case RespKind::null:
      return "null";
    case RespKind::real:
      return "a double";
    case RespKind::boolean:
      return "a boolean";
    case RespKind::big_number:
      return "a big number";
    case RespKind::array:
    case RespKind::push:
      return "a list";
    case RespKind::set:
      return "a set";
    case RespKind::map:
      return "a map";
    case RespKind::attribute:
      break;
  }
  return "no value";
}

bool is_text(const RespItem& item) noexcept {
  return item.kind == RespKind::bulk || item.kind == RespKind::simple;
}

bool is_list(const RespItem& item) noexcept {
  return item.kind == RespKind::array || item.kind == RespKind::set || item.kind == RespKind::push;
}

/// Returns whether the item's text contains the value.
bool tells_by_text(const RespItem& item) noexcept {
  return is_text(item) || item.kind == RespKind::integer || item.kind == RespKind::real ||
         item.kind == RespKind::big_number;
}

std::optional<bool> bool_of(const RespItem& item) noexcept {
  if (item.kind == RespKind::null) {
    return false;
  }
  if (item.kind == RespKind::boolean ||
      (item.kind == RespKind::integer && (item.number == 0 || item.number == 1))) {
    return item.number == 1;
  }
  if (is_text(item) && (item.text == "OK" || item.text == "1" || item.text == "true")) {
    return true;
  }
  if (is_text(item) && (item.text == "0" || item.text == "false")) {
    return false;
  }
  return std::nullopt;
}

bool store_real(const Type& type, void* value, double number) noexcept {
  if (type.bytes == sizeof(float)) {
    *static_cast<float*>(value) = static_cast<float>(number);
  } else {
    *static_cast<double*>(value) = number;
  }
  return true;
}

/// Scores may be infinite.
bool read_real(const Type& type, void* value, std::string_view text) noexcept {
  const bool is_negative = text.starts_with('-');
  const std::string_view size = is_negative || text.starts_with('+') ? text.substr(1) : text;
  if (size == "inf") {
    const double infinity = std::numeric_limits<double>::infinity();
    return store_real(type, value, is_negative ? -infinity : infinity);
  }
  if (size == "nan") {
    return store_real(type, value, std::numeric_limits<double>::quiet_NaN());
  }
  return reflect::parse_real(type, value, text) == reflect::Parsed::kDone;
}

class ReplyReader {
 public:
  explicit ReplyReader(RespCursor& in) noexcept : in_(in) {}

  bool read(const Type& type, void* value);
  [[nodiscard]] std::string take_fault() { return std::move(fault_); }

 private:
  bool read_scalar(const Type& type, void* value);
  bool read_optional(const reflect::Optional& optional, void* value);
  bool read_constrained(const Type& type, void* value);
  bool read_list(const Type& type, void* value);
  bool read_elements(const Type& type, void* value, std::size_t count);
  bool read_set(const reflect::Set& set, void* value, std::size_t count);
  bool read_map(const reflect::Map& map, void* value);
  bool read_pairs(const reflect::Map& map, void* value, std::size_t count);
  bool read_entry(const reflect::Map& map, void* value);
  bool read_struct(const Type& type, void* value);
  bool read_named(const Type& type, void* value, std::size_t count);
  bool check_named(const Type& type, std::uint64_t found);
  bool read_in_order(const Type& type, void* value, std::size_t count);

  bool misfit(const RespItem& item, std::string_view wanted);
  bool at(std::string_view place, bool is_read);

  RespCursor& in_;
  std::string fault_;
};

bool ReplyReader::misfit(const RespItem& item, std::string_view wanted) {
  fault_ = std::string("the response is ")
               .append(name_of(item.kind))
               .append(", but must be ")
               .append(wanted);
  if (item.kind == RespKind::null) {
    fault_ += " (std::optional accepts both)";
  }
  return false;
}

/// Adds a place to the error; outer places come first.
bool ReplyReader::at(std::string_view place, bool is_read) {
  if (!is_read) {
    fault_ = std::string(place).append(": ").append(fault_);
  }
  return is_read;
}

bool ReplyReader::read(const Type& type, void* value) {
  switch (type.kind) {
    case Kind::kOptional:
      return read_optional(type.optional(), value);
    case Kind::kConstrained:
      return read_constrained(type, value);
    case Kind::kSequence:
    case Kind::kArray:
    case Kind::kSet:
      return read_list(type, value);
    case Kind::kMap:
      return read_map(type.map(), value);
    case Kind::kStruct:
      return read_struct(type, value);
    default:
      return read_scalar(type, value);
  }
}

bool ReplyReader::read_scalar(const Type& type, void* value) {
  const RespItem item = in_.next();
  switch (type.kind) {
    case Kind::kString:
      if (!tells_by_text(item)) {
        return misfit(item, "a string");
      }
      *static_cast<std::string*>(value) = item.text;
      return true;
    case Kind::kBool:
      if (const auto told = bool_of(item)) {
        *static_cast<bool*>(value) = *told;
        return true;
      }
      return misfit(item, "a boolean");
    case Kind::kSigned:
    case Kind::kUnsigned:
      return (tells_by_text(item) &&
              reflect::parse_integer(type, value, item.text) == reflect::Parsed::kDone) ||
             misfit(item, "an integer in the range of the type");
    case Kind::kReal:
      return (tells_by_text(item) && read_real(type, value, item.text)) || misfit(item, "a number");
    case Kind::kEnum:
    case Kind::kText:
      return (is_text(item) && reflect::read_text(type, value, item.text)) ||
             misfit(item, "one of the allowed texts");
    default:
      return misfit(item, "of a supported type");
  }
}

bool ReplyReader::read_optional(const reflect::Optional& optional, void* value) {
  const RespItem item = in_.peek();
  const bool is_empty_hash = item.kind == RespKind::map && item.number == 0 &&
                             reflect::without_rules(*optional.value).kind == Kind::kStruct;
  if (item.kind == RespKind::null || is_empty_hash) {
    in_.skip();
    optional.set_null(value);
    return true;
  }
  return read(*optional.value, optional.emplace(value));
}

bool ReplyReader::read_constrained(const Type& type, void* value) {
  const reflect::Constraint& constraint = type.constraint();
  if (!read(*constraint.value, value)) {
    return false;
  }
  if (!reflect::satisfies(constraint, value)) {
    fault_ = "the response does not match the rules of its type";
    return false;
  }
  return true;
}

bool ReplyReader::read_list(const Type& type, void* value) {
  const RespItem item = in_.next();
  // A map can be read as a list of names and values.
  if (!is_list(item) && item.kind != RespKind::map) {
    return misfit(item, "a list");
  }
  const auto count = static_cast<std::size_t>(item.number);
  return type.kind == Kind::kSet ? read_set(type.set(), value, count)
                                 : read_elements(type, value, count);
}

bool ReplyReader::read_elements(const Type& type, void* value, std::size_t count) {
  const bool is_array = type.kind == Kind::kArray;
  if (is_array && count != type.array().count) {
    fault_ = "the list has " + std::to_string(count) + " values, but must have " +
             std::to_string(type.array().count);
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    void* const element = is_array ? static_cast<char*>(value) + i * type.array().element->bytes
                                   : type.sequence().append(value);
    const Type& of = is_array ? *type.array().element : *type.sequence().element;
    if (!at("value " + std::to_string(i), read(of, element))) {
      return false;
    }
  }
  return true;
}

bool ReplyReader::read_set(const reflect::Set& set, void* value, std::size_t count) {
  struct Filling {
    ReplyReader& reader;
    const Type& type;
  } filling{*this, *set.element};
  for (std::size_t i = 0; i < count; ++i) {
    const auto added = set.add(value, &filling, [](void* context, void* element) {
      const auto& fill = *static_cast<Filling*>(context);
      return fill.reader.read(fill.type, element);
    });
    if (added == reflect::Set::Added::kFailed) {
      return false;
    }
    if (added == reflect::Set::Added::kCrowded) {
      fault_ = kCrowded;
      return false;
    }
  }
  return true;
}

bool ReplyReader::read_map(const reflect::Map& map, void* value) {
  const RespItem item = in_.next();
  if (!is_list(item) && item.kind != RespKind::map) {
    return misfit(item, "a map");
  }
  const auto count = static_cast<std::size_t>(item.number);
  if (count != 0 && is_list(item) && is_list(in_.peek())) {
    return read_pairs(map, value, count);
  }
  if (count % 2 != 0) {
    fault_ = "the list ends with a name that has no value";
    return false;
  }
  for (std::size_t i = 0; i < count; i += 2) {
    if (!read_entry(map, value)) {
      return false;
    }
  }
  return true;
}

bool ReplyReader::read_pairs(const reflect::Map& map, void* value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const RespItem pair = in_.next();
    if (!is_list(pair) || pair.number != 2) {
      return misfit(pair, "a pair");
    }
    if (!read_entry(map, value)) {
      return false;
    }
  }
  return true;
}

bool ReplyReader::read_entry(const reflect::Map& map, void* value) {
  const RespItem key = in_.next();
  if (!tells_by_text(key)) {
    return misfit(key, "a name");
  }
  void* const entry = map.insert(value, key.text);
  if (entry == nullptr) {
    fault_ = map.find(value, key.text) == nullptr ? kCrowded : "a duplicate name";
    return false;
  }
  return at("an entry of the map", read(*map.value, entry));
}

bool ReplyReader::read_struct(const Type& type, void* value) {
  const RespItem item = in_.next();
  const auto count = static_cast<std::size_t>(item.number);
  if (item.kind == RespKind::map) {
    return read_named(type, value, count / 2);
  }
  return is_list(item) ? read_in_order(type, value, count) : misfit(item, "a map or a list");
}

bool ReplyReader::read_named(const Type& type, void* value, std::size_t count) {
  const reflect::Structure& structure = type.structure();
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const RespItem name = in_.next();
    if (name.is_aggregate()) {
      return misfit(name, "a name");
    }
    const reflect::Member* const member = structure.find(name.text);
    if (member == nullptr) {
      in_.skip();
      continue;
    }
    found |= std::uint64_t{1} << static_cast<unsigned>(member - structure.first);
    if (!at(member->name, read(*member->type, member->in(value)))) {
      return false;
    }
  }
  return check_named(type, found);
}

bool ReplyReader::check_named(const Type& type, std::uint64_t found) {
  const reflect::Structure& structure = type.structure();
  for (std::size_t i = 0; i < structure.count; ++i) {
    if ((found >> i & 1U) == 0 && structure.is_required(i)) {
      fault_ = std::string("the map has no value for ").append(type.name).append("::");
      fault_.append(structure.first[i].name);
      return false;
    }
  }
  return true;
}

bool ReplyReader::read_in_order(const Type& type, void* value, std::size_t count) {
  const reflect::Structure& structure = type.structure();
  if (count != structure.count) {
    fault_ = "the list has " + std::to_string(count) + " values, but must have " +
             std::to_string(structure.count) + " for ";
    fault_.append(type.name);
    return false;
  }
  for (const reflect::Member& member : structure) {
    if (!at(member.name, read(*member.type, member.in(value)))) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<void, std::string> read_reply(const Type& type, void* value, RespCursor& in) {
  ReplyReader reader(in);
  if (!reader.read(type, value)) {
    return fail(reader.take_fault());
  }
  return {};
}

}  // namespace eider::redis::detail
