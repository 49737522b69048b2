#include "eider/json/value.h"

#include <algorithm>
#include <charconv>
#include <new>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <utility>

#include "eider/json/write.h"

namespace eider::json {

namespace {

/// One reference token of a pointer: ~1 is '/', ~0 is '~' (RFC 6901, section 4).
/// Returns nothing for a '~' before anything else.
std::optional<std::string> pointer_token(std::string_view raw) {
  std::string token;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '~') {
      token += raw[i];
      continue;
    }
    ++i;
    if (i == raw.size() || (raw[i] != '0' && raw[i] != '1')) {
      return std::nullopt;
    }
    token += raw[i] == '0' ? '~' : '/';
  }
  return token;
}

/// An array index: digits, and no leading zero (RFC 6901, section 4).
const Value* element_at(const Value& array, std::string_view token) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  const bool is_index = error == std::errc() && end == token.data() + token.size() &&
                        (token.size() == 1 || token[0] != '0');
  return is_index && index < array.size() ? &array[index] : nullptr;
}

const Value* child_at(const Value& parent, std::string_view raw_token) {
  const std::optional<std::string> token = pointer_token(raw_token);
  if (!token) {
    return nullptr;
  }
  return parent.is_array() ? element_at(parent, *token) : parent.find(*token);
}

bool equal_objects(const Value::Object& left, const Value& right) noexcept {
  return left.size() == right.size() && std::ranges::all_of(left, [&right](const Field& field) {
           const Value* const other = right.find(field.name);
           return other != nullptr && *other == field.value;
         });
}

}  // namespace

constinit const reflect::Dynamic Value::kReflect = {
    [](const void* value) noexcept { return static_cast<const Value*>(value)->is_null(); },
    [](const void* left, const void* right) noexcept {
      return *static_cast<const Value*>(left) == *static_cast<const Value*>(right);
    }};

Value::Value(Large large) noexcept : kind_(Kind::kUnsigned), unsigned_(large.value) {
  if (std::in_range<std::int64_t>(large.value)) {
    kind_ = Kind::kSigned;
    signed_ = static_cast<std::int64_t>(large.value);
  }
}

Value::Value(Array elements) noexcept : kind_(Kind::kArray), array_(std::move(elements)) {}

Value::Value(Object members) noexcept : kind_(Kind::kObject), object_(std::move(members)) {}

Value::Value(const Value& other) : Value() {
  switch (other.kind_) {
    case Kind::kString:
      new (&string_) std::string(other.string_);
      break;
    case Kind::kArray:
      new (&array_) Array(other.array_);
      break;
    case Kind::kObject:
      new (&object_) Object(other.object_);
      break;
    case Kind::kReal:
      real_ = other.real_;
      break;
    case Kind::kBool:
      bool_ = other.bool_;
      break;
    case Kind::kUnsigned:
      unsigned_ = other.unsigned_;
      break;
    case Kind::kNull:
    case Kind::kSigned:
      signed_ = other.signed_;
      break;
  }
  kind_ = other.kind_;  // last: a copy that throws leaves a null
}

Value::Value(Value&& other) noexcept : Value() {
  *this = std::move(other);
}

Value& Value::operator=(const Value& other) {
  Value copy(other);
  return *this = std::move(copy);
}

Value& Value::operator=(Value&& other) noexcept {
  if (this == &other) {
    return *this;
  }
  Value taken;  // `other` may be a part of this one: it is emptied before this one is destroyed
  taken.take(other);
  destroy();
  take(taken);
  return *this;
}

/// Pre: this one holds nothing that must be destroyed.
void Value::take(Value& other) noexcept {
  switch (other.kind_) {
    case Kind::kString:
      new (&string_) std::string(std::move(other.string_));
      break;
    case Kind::kArray:
      new (&array_) Array(std::move(other.array_));
      break;
    case Kind::kObject:
      new (&object_) Object(std::move(other.object_));
      break;
    case Kind::kReal:
      real_ = other.real_;
      break;
    case Kind::kBool:
      bool_ = other.bool_;
      break;
    case Kind::kUnsigned:
      unsigned_ = other.unsigned_;
      break;
    case Kind::kNull:
    case Kind::kSigned:
      signed_ = other.signed_;
      break;
  }
  kind_ = other.kind_;
  other.destroy();
}

void Value::destroy() noexcept {
  switch (kind_) {
    case Kind::kString:
      string_.~basic_string();
      break;
    case Kind::kArray:
      array_.~vector();
      break;
    case Kind::kObject:
      object_.~vector();
      break;
    case Kind::kNull:
    case Kind::kBool:
    case Kind::kSigned:
    case Kind::kUnsigned:
    case Kind::kReal:
      break;
  }
  kind_ = Kind::kNull;
  signed_ = 0;
}

void Value::require(Kind kind) const {
  if (kind_ != kind) {
    throw std::logic_error("a JSON value is not of the kind that was asked for: " +
                           to_text(*this).substr(0, 100));
  }
}

bool Value::is_integer() const noexcept {
  return kind_ == Kind::kSigned || kind_ == Kind::kUnsigned;
}

bool Value::is_number() const noexcept {
  return is_integer() || kind_ == Kind::kReal;
}

bool Value::boolean() const {
  require(Kind::kBool);
  return bool_;
}

std::int64_t Value::integer() const {
  require(Kind::kSigned);
  return signed_;
}

std::uint64_t Value::unsigned_integer() const {
  if (kind_ == Kind::kSigned && signed_ >= 0) {
    return static_cast<std::uint64_t>(signed_);
  }
  require(Kind::kUnsigned);
  return unsigned_;
}

double Value::number() const {
  if (kind_ == Kind::kSigned) {
    return static_cast<double>(signed_);
  }
  if (kind_ == Kind::kUnsigned) {
    return static_cast<double>(unsigned_);
  }
  require(Kind::kReal);
  return real_;
}

const std::string& Value::text() const {
  require(Kind::kString);
  return string_;
}

const Value::Array& Value::elements() const {
  require(Kind::kArray);
  return array_;
}

Value::Array& Value::elements() {
  require(Kind::kArray);
  return array_;
}

const Value::Object& Value::members() const {
  require(Kind::kObject);
  return object_;
}

Value::Object& Value::members() {
  require(Kind::kObject);
  return object_;
}

std::size_t Value::size() const noexcept {
  if (kind_ == Kind::kArray) {
    return array_.size();
  }
  return kind_ == Kind::kObject ? object_.size() : 0;
}

const Value* Value::find(std::string_view name) const noexcept {
  if (kind_ != Kind::kObject) {
    return nullptr;
  }
  const auto found = std::ranges::find(object_, name, &Field::name);
  return found == object_.end() ? nullptr : &found->value;
}

Value* Value::find(std::string_view name) noexcept {
  return const_cast<Value*>(std::as_const(*this).find(name));
}

Value& Value::operator[](std::string_view name) {
  if (is_null()) {
    *this = Object();
  }
  require(Kind::kObject);
  if (Value* const found = find(name)) {
    return *found;
  }
  return object_.emplace_back(Field{std::string(name), Value()}).value;
}

const Value& Value::operator[](std::string_view name) const noexcept {
  static const Value kAbsent;
  const Value* const found = find(name);
  return found == nullptr ? kAbsent : *found;
}

const Value* Value::find_at(std::string_view pointer) const {
  const Value* at = this;
  while (at != nullptr && !pointer.empty()) {
    if (pointer[0] != '/') {
      return nullptr;
    }
    pointer.remove_prefix(1);
    const std::size_t bytes = std::min(pointer.find('/'), pointer.size());
    at = child_at(*at, pointer.substr(0, bytes));
    pointer.remove_prefix(bytes);
  }
  return at;
}

const Value& Value::at(std::string_view pointer) const {
  const Value* const found = find_at(pointer);
  if (found == nullptr) {
    throw std::out_of_range("there is nothing at " + std::string(pointer) + " in " +
                            to_text(*this).substr(0, 100));
  }
  return *found;
}

Value& Value::push_back(Value element) {
  if (is_null()) {
    *this = Array();
  }
  require(Kind::kArray);
  return array_.emplace_back(std::move(element));
}

bool operator==(const Value& left, const Value& right) noexcept {
  if (left.kind_ != right.kind_) {
    return false;
  }
  switch (left.kind_) {
    case Value::Kind::kNull:
      return true;
    case Value::Kind::kBool:
      return left.bool_ == right.bool_;
    case Value::Kind::kSigned:
      return left.signed_ == right.signed_;
    case Value::Kind::kUnsigned:
      return left.unsigned_ == right.unsigned_;
    case Value::Kind::kReal:
      return left.real_ == right.real_;
    case Value::Kind::kString:
      return left.string_ == right.string_;
    case Value::Kind::kArray:
      return left.array_ == right.array_;
    case Value::Kind::kObject:
      return equal_objects(left.object_, right);
  }
  std::unreachable();
}

Value object(std::initializer_list<Field> members) {
  Value made{Value::Object()};
  for (const Field& field : members) {
    made[field.name] = field.value;
  }
  return made;
}

Value array(std::initializer_list<Value> elements) {
  return Value::Array(elements);
}

std::string to_text(const Value& value) {
  return to_text<Value>(value);
}

void PrintTo(const Value& value, std::ostream* out) {
  *out << to_text(value);
}

}  // namespace eider::json
