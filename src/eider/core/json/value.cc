#include "eider/core/json/value.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "eider/core/base/text.h"
#include "eider/core/json/write.h"

namespace eider::json {

namespace {

/// Decodes one reference token of a pointer: ~1 is '/', ~0 is '~' (RFC 6901, section 4).
/// Returns nothing for a '~' before another character.
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

/// Finds an element by its index: digits without a leading zero (RFC 6901, section 4).
const Value* element_at(const Value& array, std::string_view token) {
  const auto index = parse_uint64(token);
  const bool is_index = index && (token.size() == 1 || token[0] != '0');
  return is_index && *index < array.size() ? &array[*index] : nullptr;
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

Value::Content Value::of_unsigned(std::uint64_t value) noexcept {
  return std::in_range<std::int64_t>(value) ? Content(static_cast<std::int64_t>(value))
                                            : Content(value);
}

Value::Value() noexcept = default;

Value::Value(double value) noexcept : content_(value) {}

Value::Value(std::string text) noexcept : content_(std::move(text)) {}

Value::Value(Array elements) noexcept : content_(std::move(elements)) {}

Value::Value(Object members) noexcept : content_(std::move(members)) {}

Value::Value(const Value& other) = default;

Value::~Value() = default;

/// A moved-from value is null.
Value::Value(Value&& other) noexcept : content_(std::exchange(other.content_, {})) {}

Value& Value::operator=(const Value& other) {
  return *this = Value(other);
}

/// `other` may be a part of this value, so it is emptied before this value's content is destroyed.
Value& Value::operator=(Value&& other) noexcept {
  Content taken = std::exchange(other.content_, {});
  content_.swap(taken);
  return *this;
}

template <class T>
const T& Value::get() const {
  if (const T* const content = std::get_if<T>(&content_)) {
    return *content;
  }
  throw std::logic_error("a JSON value does not have the requested type: " +
                         to_text(*this).substr(0, 100));
}

bool Value::is_integer() const noexcept {
  return kind() == Kind::kSigned || kind() == Kind::kUnsigned;
}

bool Value::is_number() const noexcept {
  return is_integer() || kind() == Kind::kReal;
}

bool Value::boolean() const {
  return get<bool>();
}

std::int64_t Value::integer() const {
  return get<std::int64_t>();
}

std::uint64_t Value::unsigned_integer() const {
  const auto* const number = std::get_if<std::int64_t>(&content_);
  return number != nullptr && *number >= 0 ? static_cast<std::uint64_t>(*number)
                                           : get<std::uint64_t>();
}

double Value::number() const {
  if (const auto* const number = std::get_if<std::int64_t>(&content_)) {
    return static_cast<double>(*number);
  }
  if (const auto* const number = std::get_if<std::uint64_t>(&content_)) {
    return static_cast<double>(*number);
  }
  return get<double>();
}

const std::string& Value::text() const {
  return get<std::string>();
}

const Value::Array& Value::elements() const {
  return get<Array>();
}

Value::Array& Value::elements() {
  return const_cast<Array&>(get<Array>());
}

const Value::Object& Value::members() const {
  return get<Object>();
}

Value::Object& Value::members() {
  return const_cast<Object&>(get<Object>());
}

std::size_t Value::size() const noexcept {
  if (const auto* const elements = std::get_if<Array>(&content_)) {
    return elements->size();
  }
  const auto* const members = std::get_if<Object>(&content_);
  return members != nullptr ? members->size() : 0;
}

const Value* Value::find(std::string_view name) const noexcept {
  const auto* const members = std::get_if<Object>(&content_);
  if (members == nullptr) {
    return nullptr;
  }
  const auto found = std::ranges::find(*members, name, &Field::name);
  return found == members->end() ? nullptr : &found->value;
}

Value* Value::find(std::string_view name) noexcept {
  return const_cast<Value*>(std::as_const(*this).find(name));
}

Value& Value::operator[](std::string_view name) {
  if (is_null()) {
    *this = Object();
  }
  Object& all = members();
  if (Value* const found = find(name)) {
    return *found;
  }
  return all.emplace_back(Field{std::string(name), Value()}).value;
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
    throw std::out_of_range("there is no value at " + std::string(pointer) + " in " +
                            to_text(*this).substr(0, 100));
  }
  return *found;
}

Value& Value::push_back(Value element) {
  if (is_null()) {
    *this = Array();
  }
  return elements().emplace_back(std::move(element));
}

bool operator==(const Value& left, const Value& right) noexcept {
  const auto* const members = std::get_if<Value::Object>(&left.content_);
  return members != nullptr && right.is_object() ? equal_objects(*members, right)
                                                 : left.content_ == right.content_;
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

}  // namespace eider::json
