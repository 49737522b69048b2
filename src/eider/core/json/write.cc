#include "eider/core/json/write.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "eider/core/json/text.h"
#include "eider/core/json/value.h"
#include "eider/core/reflect/scalar.h"

namespace eider::json {

namespace {

using reflect::Kind;
using reflect::Type;

constexpr std::size_t kIntegerBytesMax = 20;  // -9223372036854775808
constexpr std::size_t kRealBytesMax = 32;     // -1.7976931348623157e+308, and ".0"

template <class Integer>
void write_integer(Buffer& out, Integer number) {
  char* const at = out.reserve(kIntegerBytesMax);
  const auto end = std::to_chars(at, at + kIntegerBytesMax, number);
  out.commit(static_cast<std::size_t>(end.ptr - at));
}

/// Adds ".0" to what would read back as an integer.
template <class Real>
void write_real(Buffer& out, Real number) {
  if (!std::isfinite(number)) {
    out.append("null");
    return;
  }
  char* const at = out.reserve(kRealBytesMax);
  char* end = std::to_chars(at, at + kRealBytesMax, number).ptr;
  const std::string_view digits(at, static_cast<std::size_t>(end - at));
  if (digits.find_first_of(".e") == digits.npos) {
    *end++ = '.';
    *end++ = '0';
  }
  out.commit(static_cast<std::size_t>(end - at));
}

void write_name(Buffer& out, char before, std::string_view name) {
  char* at = out.reserve(name.size() + 4);
  *at++ = before;
  *at++ = '"';
  std::memcpy(at, name.data(), name.size());
  at += name.size();
  *at++ = '"';
  *at = ':';
  out.commit(name.size() + 4);
}

void write_enum(Buffer& out, const Type& type, const void* value) {
  const std::int64_t number = reflect::load_enum(type, value);
  if (const reflect::Enumerator* const found = type.enumeration().find(number)) {
    out.append('"');
    out.append(found->name);  // an identifier: nothing to escape
    out.append('"');
  } else if (type.enumeration().is_signed) {
    write_integer(out, number);
  } else {
    write_integer(out, reflect::load_unsigned(type, value));
  }
}

/// Where the member has an initialiser, what is left out would be read as that: null is written.
bool is_left_out(const reflect::Structure& type, const reflect::Member& member, const void* value) {
  if (!member.is_optional() || !member.type->optional().is_absent(value)) {
    return false;
  }
  return member.type->optional().tells_null ||
         !type.has_default(static_cast<std::size_t>(&member - type.begin()));
}

/// Writes the members with `before` in front of the first; returns what belongs before the next.
char write_members(Buffer& out, const reflect::Structure& type, const void* object, char before) {
  for (const reflect::Member& member : type) {
    const void* const value = member.in(object);
    if (is_left_out(type, member, value)) {
      continue;
    }
    write_name(out, before, member.name);
    before = ',';
    write(out, *member.type, value);
  }
  return before;
}

void close_object(Buffer& out, char before) {
  if (before == '{') {
    out.append('{');
  }
  out.append('}');
}

void write_variant(Buffer& out, const reflect::Variant& type, const void* variant) {
  for (const reflect::Alternative& option : type) {
    if (const void* const object = option.get(variant)) {
      write_name(out, '{', type.kTagName);
      write_string(out, option.type->name);
      close_object(out, write_members(out, option.type->structure(), object, ','));
      return;
    }
  }
  out.append("null");  // valueless by exception
}

void write_elements(Buffer& out, const Type& element, const void* first, std::size_t count) {
  out.append('[');
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) {
      out.append(',');
    }
    write(out, element, static_cast<const char*>(first) + i * element.bytes);
  }
  out.append(']');
}

void write_optional(Buffer& out, const reflect::Optional& type, const void* optional) {
  if (const void* const value = type.get(optional)) {
    write(out, *type.value, value);
  } else {
    out.append("null");
  }
}

struct MapWriting {
  Buffer& out;
  const Type& value_type;
  char before;
};

void write_map(Buffer& out, const reflect::Map& type, const void* map) {
  MapWriting writing{out, *type.value, '{'};
  type.each(map, &writing, [](void* context, std::string_view key, const void* value) {
    auto& to = *static_cast<MapWriting*>(context);
    to.out.append(to.before);
    to.before = ',';
    write_string(to.out, key);
    to.out.append(':');
    write(to.out, to.value_type, value);
  });
  close_object(out, writing.before);
}

struct SetWriting {
  Buffer& out;
  const Type& element;
  char before;
};

void write_set(Buffer& out, const reflect::Set& type, const void* set) {
  SetWriting writing{out, *type.element, '['};
  type.each(set, &writing, [](void* context, const void* value) {
    auto& to = *static_cast<SetWriting*>(context);
    to.out.append(to.before);
    to.before = ',';
    write(to.out, to.element, value);
  });
  out.append(writing.before == '[' ? "[]" : "]");
}

void write_text(Buffer& out, const reflect::Text& type, const void* value) {
  type.format(value, &out, [](void* context, std::string_view text) {
    write_string(*static_cast<Buffer*>(context), text);
  });
}

void write_chars(Buffer& out, const char* text) {
  if (text == nullptr) {
    out.append("null");
  } else {
    write_string(out, text);
  }
}

void write_object(Buffer& out, const Value::Object& members) {
  char before = '{';
  for (const Field& field : members) {
    out.append(before);
    before = ',';
    write_string(out, field.name);
    out.append(':');
    write(out, field.value);
  }
  close_object(out, before);
}

void write_value(Buffer& out, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::kNull:
      return out.append("null");
    case Value::Kind::kBool:
      return out.append(value.boolean() ? "true" : "false");
    case Value::Kind::kSigned:
      return write_integer(out, value.integer());
    case Value::Kind::kUnsigned:
      return write_integer(out, value.unsigned_integer());
    case Value::Kind::kReal:
      return write_real(out, value.number());
    case Value::Kind::kString:
      return write_string(out, value.text());
    case Value::Kind::kArray:
      return write_elements(out, reflect::type_of<Value>(), value.elements().data(), value.size());
    case Value::Kind::kObject:
      return write_object(out, value.members());
  }
  std::unreachable();
}

}  // namespace

void write(Buffer& out, const Type& type, const void* object) {
  switch (type.kind) {
    case Kind::kBool:
      return out.append(*static_cast<const bool*>(object) ? "true" : "false");
    case Kind::kSigned:
      return write_integer(out, reflect::load_signed(type, object));
    case Kind::kUnsigned:
      return write_integer(out, reflect::load_unsigned(type, object));
    case Kind::kReal:
      return type.bytes == sizeof(float) ? write_real(out, *static_cast<const float*>(object))
                                         : write_real(out, *static_cast<const double*>(object));
    case Kind::kString:
      return write_string(out, *static_cast<const std::string*>(object));
    case Kind::kView:
      return write_string(out, *static_cast<const std::string_view*>(object));
    case Kind::kChars:
      return write_chars(out, *static_cast<const char* const*>(object));
    case Kind::kStruct:
      return close_object(out, write_members(out, type.structure(), object, '{'));
    case Kind::kSequence:
      return write_elements(out, *type.sequence().element, type.sequence().data(object),
                            type.sequence().size(object));
    case Kind::kArray:
      return write_elements(out, *type.array().element, object, type.array().count);
    case Kind::kOptional:
      return write_optional(out, type.optional(), object);
    case Kind::kMap:
      return write_map(out, type.map(), object);
    case Kind::kEnum:
      return write_enum(out, type, object);
    case Kind::kVariant:
      return write_variant(out, type.variant(), object);
    case Kind::kConstrained:
      return write(out, *type.constraint().value, object);
    case Kind::kDynamic:
      return write_value(out, *static_cast<const Value*>(object));
    case Kind::kText:
      return write_text(out, type.text(), object);
    case Kind::kSet:
      return write_set(out, type.set(), object);
  }
  std::unreachable();
}

std::string to_text(const Type& type, const void* object) {
  Buffer out;
  write(out, type, object);
  return std::string(out.view());
}

}  // namespace eider::json
