#include "eider/web/views/value.h"

#include <charconv>
#include <compare>
#include <utility>

#include "eider/core/base/assert.h"
#include "eider/core/json/write.h"
#include "eider/core/reflect/scalar.h"
#include "eider/web/views/escape.h"
#include "eider/web/views/markup.h"

namespace eider::views {

namespace {

using reflect::Kind;
using reflect::Type;

/// Calls `take` with the text of a number.
template <class Number, class Take>
void with_digits(Number number, Take take) {
  char digits[64];
  const auto end = std::to_chars(digits, digits + sizeof digits, number);
  take(std::string_view(digits, static_cast<std::size_t>(end.ptr - digits)));
}

template <class Take>
void with_enumerator(Ref value, Take take) {
  const std::int64_t number = reflect::load_enum(*value.type, value.at);
  if (const auto* const found = value.type->enumeration().find(number)) {
    take(found->name);
  } else if (value.type->enumeration().is_signed) {
    with_digits(number, take);
  } else {
    with_digits(reflect::load_unsigned(*value.type, value.at), take);
  }
}

template <class Take>
void with_text_kind(Ref value, Take take) {
  value.type->text().format(value.at, &take, [](void* context, std::string_view text) {
    (*static_cast<Take*>(context))(text);
  });
}

/// Calls `take` with the text of a value, if it has one.
template <class Take>
void with_text(Ref whole, Take take) {
  const Ref value = held(whole);
  if (value.at == nullptr) {
    return;
  }
  switch (value.type->kind) {
    case Kind::kBool:
      return take(*static_cast<const bool*>(value.at) ? "true" : "false");
    case Kind::kSigned:
      return with_digits(reflect::load_signed(*value.type, value.at), take);
    case Kind::kUnsigned:
      return with_digits(reflect::load_unsigned(*value.type, value.at), take);
    case Kind::kReal:
      return value.type->bytes == sizeof(float)
                 ? with_digits(*static_cast<const float*>(value.at), take)
                 : with_digits(*static_cast<const double*>(value.at), take);
    case Kind::kString:
      return take(*static_cast<const std::string*>(value.at));
    case Kind::kView:
      return take(*static_cast<const std::string_view*>(value.at));
    case Kind::kChars:
      if (const char* const text = *static_cast<const char* const*>(value.at)) {
        take(text);
      }
      return;
    case Kind::kEnum:
      return with_enumerator(value, take);
    case Kind::kText:
      return with_text_kind(value, take);
    case Kind::kStruct:
    case Kind::kSequence:
    case Kind::kArray:
    case Kind::kMap:
    case Kind::kVariant:
    case Kind::kDynamic:
    case Kind::kSet:
    case Kind::kOptional:
    case Kind::kConstrained:
      ensure(false, "only values that can be written as text are written");
  }
}

bool is_negative(Ref value) noexcept {
  return value.type->kind == Kind::kSigned && reflect::load_signed(*value.type, value.at) < 0;
}

std::partial_ordering order_numbers(Ref left, Ref right) noexcept {
  if (left.type->kind == Kind::kReal || right.type->kind == Kind::kReal) {
    return load_real(left) <=> load_real(right);
  }
  if (is_negative(left) != is_negative(right)) {
    return is_negative(left) ? std::partial_ordering::less : std::partial_ordering::greater;
  }
  // As bits, which is also correct for two negative numbers.
  return static_cast<std::uint64_t>(load_integer(left)) <=>
         static_cast<std::uint64_t>(load_integer(right));
}

std::partial_ordering order(Ref left, Ref right) {
  switch (comparable(*left.type)) {
    case Comparable::number:
      return order_numbers(left, right);
    case Comparable::boolean:
      return *static_cast<const bool*>(left.at) <=> *static_cast<const bool*>(right.at);
    case Comparable::text:
    case Comparable::none:
      return shown(left) <=> shown(right);
  }
  std::unreachable();
}

bool keeps(std::partial_ordering order, std::string_view sign) noexcept {
  if (sign == "==") {
    return order == 0;
  }
  if (sign == "!=") {
    return order != 0;
  }
  const bool is_or_equal = sign.size() == 2 && order == 0;
  return is_or_equal || (sign.front() == '<' ? order < 0 : order > 0);
}

struct Gathering {
  std::vector<Item>* items;
  const Type* type;
};

std::vector<Item> side_by_side(const Type& element, const void* first, std::size_t count) {
  std::vector<Item> items;
  items.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    items.push_back({{}, {&element, static_cast<const char*>(first) + i * element.bytes}});
  }
  return items;
}

}  // namespace

const Type& held_type(const Type& type) noexcept {
  if (type.kind == Kind::kOptional) {
    return held_type(*type.optional().value);
  }
  return type.kind == Kind::kConstrained ? held_type(*type.constraint().value) : type;
}

Ref held(Ref value) noexcept {
  while (value.at != nullptr) {
    if (value.type->kind == Kind::kOptional) {
      value = {value.type->optional().value, value.type->optional().get(value.at)};
    } else if (value.type->kind == Kind::kConstrained) {
      value.type = value.type->constraint().value;
    } else {
      return value;
    }
  }
  return {&held_type(*value.type), nullptr};
}

std::int64_t load_integer(Ref number) noexcept {
  return number.type->kind == Kind::kSigned
             ? reflect::load_signed(*number.type, number.at)
             : static_cast<std::int64_t>(reflect::load_unsigned(*number.type, number.at));
}

double load_real(Ref number) noexcept {
  switch (number.type->kind) {
    case Kind::kReal:
      return reflect::load_real(*number.type, number.at);
    case Kind::kSigned:
      return static_cast<double>(reflect::load_signed(*number.type, number.at));
    default:
      return static_cast<double>(reflect::load_unsigned(*number.type, number.at));
  }
}

bool is_shown(const Type& type) noexcept {
  switch (held_type(type).kind) {
    case Kind::kBool:
    case Kind::kSigned:
    case Kind::kUnsigned:
    case Kind::kReal:
    case Kind::kString:
    case Kind::kView:
    case Kind::kChars:
    case Kind::kEnum:
    case Kind::kText:
      return true;
    default:
      return false;
  }
}

bool is_markup(const Type& type) noexcept {
  return &held_type(type) == &reflect::type_of<Markup>();
}

bool is_condition(const Type& type) noexcept {
  if (type.kind == Kind::kOptional) {
    return true;
  }
  const Kind kind = held_type(type).kind;
  return kind != Kind::kStruct && kind != Kind::kVariant && kind != Kind::kDynamic &&
         kind != Kind::kEnum && kind != Kind::kText;
}

Comparable comparable(const Type& type) noexcept {
  switch (held_type(type).kind) {
    case Kind::kBool:
      return Comparable::boolean;
    case Kind::kSigned:
    case Kind::kUnsigned:
    case Kind::kReal:
      return Comparable::number;
    case Kind::kString:
    case Kind::kView:
    case Kind::kChars:
    case Kind::kEnum:
    case Kind::kText:
      return Comparable::text;
    default:
      return Comparable::none;
  }
}

void append_shown(std::string& out, Context context, Ref value) {
  with_text(value, [&](std::string_view text) { append_in(out, context, text); });
}

std::string shown(Ref value) {
  std::string text;
  append_shown(text, Context::raw, value);
  return text;
}

void append_value(std::string& out, Context context, Ref value) {
  if (takes_json(context)) {
    Buffer json;
    json::write(json, *value.type, value.at);
    return context == Context::json ? append_json(out, json.view())
                                    : append_script(out, json.view());
  }
  if (context == Context::url_segment) {  // where an empty optional differs from an empty text
    return append_url_segment(out, shown(value));
  }
  if (context == Context::text && is_markup(*value.type)) {
    context = Context::raw;
  }
  append_shown(out, context, value);
}

bool holds(Ref value) noexcept {
  if (value.type->kind == Kind::kOptional) {
    return value.type->optional().get(value.at) != nullptr;
  }
  switch (value.type->kind) {
    case Kind::kConstrained:
      return holds({value.type->constraint().value, value.at});
    case Kind::kBool:
      return *static_cast<const bool*>(value.at);
    case Kind::kSigned:
      return reflect::load_signed(*value.type, value.at) != 0;
    case Kind::kUnsigned:
      return reflect::load_unsigned(*value.type, value.at) != 0;
    case Kind::kReal:
      return reflect::load_real(*value.type, value.at) != 0;
    case Kind::kString:
      return !static_cast<const std::string*>(value.at)->empty();
    case Kind::kView:
      return !static_cast<const std::string_view*>(value.at)->empty();
    case Kind::kChars: {
      const char* const text = *static_cast<const char* const*>(value.at);
      return text != nullptr && *text != '\0';
    }
    case Kind::kSequence:
      return value.type->sequence().size(value.at) != 0;
    case Kind::kMap:
      return value.type->map().size(value.at) != 0;
    case Kind::kSet:
      return value.type->set().size(value.at) != 0;
    case Kind::kArray:
      return value.type->array().count != 0;
    default:
      return false;
  }
}

bool compare(Ref whole_left, std::string_view sign, Ref whole_right) {
  const Ref left = held(whole_left);
  const Ref right = held(whole_right);
  if (left.at == nullptr || right.at == nullptr) {
    const bool are_equal = left.at == right.at;
    return keeps(are_equal && sign.contains('=') ? std::partial_ordering::equivalent
                                                 : std::partial_ordering::unordered,
                 sign);
  }
  return keeps(order(left, right), sign);
}

std::vector<Item> items_of(Ref container) {
  const Ref inner = held(container);
  std::vector<Item> items;
  if (inner.at == nullptr) {
    return items;
  }
  Gathering gathering{&items, item_type(*inner.type)};
  switch (inner.type->kind) {
    case Kind::kSequence:
      return side_by_side(*gathering.type, inner.type->sequence().data(inner.at),
                          inner.type->sequence().size(inner.at));
    case Kind::kArray:
      return side_by_side(*gathering.type, inner.at, inner.type->array().count);
    case Kind::kSet:
      inner.type->set().each(inner.at, &gathering, [](void* context, const void* value) {
        const auto& to = *static_cast<Gathering*>(context);
        to.items->push_back({{}, {to.type, value}});
      });
      return items;
    case Kind::kMap:
      inner.type->map().each(inner.at, &gathering,
                             [](void* context, std::string_view key, const void* value) {
                               const auto& to = *static_cast<Gathering*>(context);
                               to.items->push_back({key, {to.type, value}});
                             });
      return items;
    default:
      return items;
  }
}

const Type* item_type(const Type& type) noexcept {
  const Type& inner = held_type(type);
  switch (inner.kind) {
    case Kind::kSequence:
      return inner.sequence().element;
    case Kind::kArray:
      return inner.array().element;
    case Kind::kSet:
      return inner.set().element;
    case Kind::kMap:
      return inner.map().value;
    default:
      return nullptr;
  }
}

}  // namespace eider::views
