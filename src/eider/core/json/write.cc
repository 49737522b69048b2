#include "eider/core/json/write.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>
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

constexpr auto kPairs = [] {
  std::array<std::array<char, 2>, 100> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = {static_cast<char>('0' + i / 10), static_cast<char>('0' + i % 10)};
  }
  return pairs;
}();

/// Pre: number < 100.
char* put_pair(char* at, std::uint64_t number) noexcept {
  std::memcpy(at, kPairs[number].data(), 2);
  return at + 2;
}

char* put_integer(char* at, std::uint64_t number) noexcept {
  if (number >= 10'000) {
    return std::to_chars(at, at + kIntegerBytesMax, number).ptr;
  }
  if (number >= 100) {
    at = put_integer(at, number / 100);
    return put_pair(at, number % 100);
  }
  if (number >= 10) {
    return put_pair(at, number);
  }
  *at = static_cast<char>('0' + number);
  return at + 1;
}

template <class Integer>
void write_integer(Buffer& out, Integer number) {
  char* const first = out.reserve(kIntegerBytesMax);
  char* at = first;
  auto magnitude = static_cast<std::uint64_t>(number);
  if (number < 0) {
    *at++ = '-';
    magnitude = -magnitude;
  }
  at = put_integer(at, magnitude);
  out.commit(static_cast<std::size_t>(at - first));
}

/// Writes a number with at most six decimals, which is the usual case, like std::to_chars; returns
/// null for other numbers. Rounds to millionths and checks that they give the same double. A
/// decimal with at most 15 digits is then the only one of that length, so it is also the shortest.
char* write_short_real(char* at, double number) noexcept {
  constexpr double kMin = 0.001;  // std::to_chars writes smaller ones with an exponent
  constexpr double kMax = 1e9;    // 15 digits
  constexpr std::uint64_t kMillion = 1'000'000;
  constexpr std::uint64_t kRoundMin = 100'000;  // from here on, 1e+05 is shorter
  const double magnitude = std::fabs(number);
  if (!(magnitude < kMax) || (magnitude < kMin && magnitude != 0)) {
    return nullptr;
  }
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): a wrong rounding fails the comparison below
  const auto millionths = static_cast<std::uint64_t>(magnitude * kMillion + 0.5);
  if (static_cast<double>(millionths) / kMillion != magnitude) {
    return nullptr;
  }
  const std::uint64_t whole = millionths / kMillion;
  const std::uint64_t fraction = millionths % kMillion;
  if (fraction == 0 && whole >= kRoundMin && whole % 10 == 0) {
    return nullptr;
  }
  *at = '-';
  at = put_integer(at + (std::signbit(number) ? 1 : 0), whole);
  *at++ = '.';
  at = put_pair(at, fraction / 10'000);
  if (const std::uint64_t rest = fraction % 10'000; rest != 0) {
    at = put_pair(at, rest / 100);
    at = put_pair(at, rest % 100);
  }
  while (at[-1] == '0' && at[-2] != '.') {
    --at;
  }
  return at;
}

/// Adds ".0" to a text that would be read as an integer.
template <class Real>
char* write_any_real(char* at, Real number) {
  char* const end = std::to_chars(at, at + kRealBytesMax, number).ptr;
  if (std::find_if(at, end, [](char byte) { return byte == '.' || byte == 'e'; }) != end) {
    return end;
  }
  end[0] = '.';
  end[1] = '0';
  return end + 2;
}

template <class Real>
[[gnu::noinline]] void write_real(Buffer& out, Real number) {
  if (!std::isfinite(number)) {
    out.append("null");
    return;
  }
  char* const at = out.reserve(kRealBytesMax);
  char* end = nullptr;
  if constexpr (std::is_same_v<Real, double>) {
    end = write_short_real(at, number);
  }
  if (end == nullptr) {
    end = write_any_real(at, number);
  }
  out.commit(static_cast<std::size_t>(end - at));
}

void write_name(Buffer& out, char before, std::string_view name) {
  char* at = out.reserve(name.size() + 4);
  *at++ = before;
  *at++ = '"';
  if (name.size() <= detail::kShortBytesMax) {
    detail::copy_short(at, name);
  } else {
    std::memcpy(at, name.data(), name.size());
  }
  at += name.size();
  *at++ = '"';
  *at = ':';
  out.commit(name.size() + 4);
}

[[gnu::noinline]] void write_enum(Buffer& out, const Type& type, const void* value) {
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

/// If the member has an initializer, an omitted member would be read as that, so null is written.
bool is_left_out(const reflect::Structure& type, const reflect::Member& member, const void* value) {
  if (!member.is_optional() || !member.type->optional().is_absent(value)) {
    return false;
  }
  return member.type->optional().tells_null ||
         !type.has_default(static_cast<std::size_t>(&member - type.begin()));
}

/// Writes the members, with `before` in front of the first one. Returns the character for the next
/// one.
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

[[gnu::noinline]] void write_variant(Buffer& out, const reflect::Variant& type,
                                     const void* variant) {
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

[[gnu::noinline]] void write_elements(Buffer& out, const Type& element, const void* first,
                                      std::size_t count) {
  out.append('[');
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) {
      out.append(',');
    }
    write(out, element, static_cast<const char*>(first) + i * element.bytes);
  }
  out.append(']');
}

[[gnu::noinline]] void write_optional(Buffer& out, const reflect::Optional& type,
                                      const void* optional) {
  if (const void* const value = type.get(optional)) {
    write(out, *type.value, value);
  } else {
    out.append("null");
  }
}

[[gnu::noinline]] void write_bool(Buffer& out, bool value) {
  out.append(value ? "true" : "false");
}
[[gnu::noinline]] void write_signed(Buffer& out, const Type& type, const void* value) {
  write_integer(out, reflect::load_signed(type, value));
}
[[gnu::noinline]] void write_unsigned(Buffer& out, const Type& type, const void* value) {
  write_integer(out, reflect::load_unsigned(type, value));
}
[[gnu::noinline]] void write_struct(Buffer& out, const reflect::Structure& type,
                                    const void* object) {
  close_object(out, write_members(out, type, object, '{'));
}
[[gnu::noinline]] void write_sequence(Buffer& out, const reflect::Sequence& type,
                                      const void* object) {
  write_elements(out, *type.element, type.data(object), type.size(object));
}

struct MapWriting {
  Buffer& out;
  const Type& value_type;
  char before;
};

[[gnu::noinline]] void write_map(Buffer& out, const reflect::Map& type, const void* map) {
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

[[gnu::noinline]] void write_set(Buffer& out, const reflect::Set& type, const void* set) {
  SetWriting writing{out, *type.element, '['};
  type.each(set, &writing, [](void* context, const void* value) {
    auto& to = *static_cast<SetWriting*>(context);
    to.out.append(to.before);
    to.before = ',';
    write(to.out, to.element, value);
  });
  out.append(writing.before == '[' ? "[]" : "]");
}

[[gnu::noinline]] void write_text(Buffer& out, const reflect::Text& type, const void* value) {
  type.format(value, &out, [](void* context, std::string_view text) {
    write_string(*static_cast<Buffer*>(context), text);
  });
}

[[gnu::noinline]] void write_chars(Buffer& out, const char* text) {
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

[[gnu::noinline]] void write_value(Buffer& out, const Value& value) {
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

/// Only a jump: its cases are separate functions, so that it need not save registers.
void write(Buffer& out, const Type& type, const void* object) {
  switch (type.kind) {
    case Kind::kBool:
      return write_bool(out, *static_cast<const bool*>(object));
    case Kind::kSigned:
      return write_signed(out, type, object);
    case Kind::kUnsigned:
      return write_unsigned(out, type, object);
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
      return write_struct(out, type.structure(), object);
    case Kind::kSequence:
      return write_sequence(out, type.sequence(), object);
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
