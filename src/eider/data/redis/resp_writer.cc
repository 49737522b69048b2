#include "eider/data/redis/resp_writer.h"

#include <cstring>
#include <string>

#include "eider/core/base/assert.h"
#include "eider/core/base/digits.h"
#include "eider/core/reflect/scalar.h"

namespace eider::redis::detail {
namespace {

using reflect::Kind;
using reflect::Type;

void add_enum(RespWriter& writer, const Type& type, const void* value) {
  const std::int64_t number = reflect::load_enum(type, value);
  const reflect::Enumerator* named = type.enumeration().find(number);
  return named != nullptr ? writer.add(named->name) : writer.add(number);
}

/// Calls `visit(type, value)` for each contained value; names are passed as std::string_view.
template <class Visit>
void each_within(const Type& type, const void* value, const Visit& visit) {
  if (type.kind == Kind::kSequence) {
    const reflect::Sequence& all = type.sequence();
    for (std::size_t i = 0; i < all.size(value); ++i) {
      visit(*all.element, all.at(value, i));
    }
  } else if (type.kind == Kind::kArray) {
    const reflect::Array& all = type.array();
    for (std::size_t i = 0; i < all.count; ++i) {
      visit(*all.element, static_cast<const char*>(value) + i * all.element->bytes);
    }
  } else {
    struct Seen {
      const Type& element;
      const Visit& visit;
    } seen{*type.set().element, visit};
    type.set().each(value, &seen, [](void* context, const void* element) {
      const auto& at = *static_cast<Seen*>(context);
      at.visit(at.element, element);
    });
  }
}

template <class Visit>
void each_pair(const Type& type, const void* value, const Visit& visit) {
  if (type.kind == Kind::kStruct) {
    for (const reflect::Member& member : type.structure()) {
      visit(member.name, *member.type, member.in(value));
    }
    return;
  }
  struct Seen {
    const Type& value;
    const Visit& visit;
  } seen{*type.map().value, visit};
  type.map().each(value, &seen, [](void* context, std::string_view key, const void* mapped) {
    const auto& at = *static_cast<Seen*>(context);
    at.visit(key, at.value, mapped);
  });
}

/// An empty optional is omitted, with its name.
bool is_absent(const Type& type, const void* value) {
  return type.kind == Kind::kOptional && type.optional().get(value) == nullptr;
}

void add_scalar(RespWriter& writer, const Type& type, const void* value) {
  switch (type.kind) {
    case Kind::kBool:
      return writer.add(std::uint64_t{*static_cast<const bool*>(value) ? 1U : 0U});
    case Kind::kSigned:
      return writer.add(reflect::load_signed(type, value));
    case Kind::kUnsigned:
      return writer.add(reflect::load_unsigned(type, value));
    case Kind::kReal:
      return type.bytes == sizeof(float) ? writer.add(*static_cast<const float*>(value))
                                         : writer.add(*static_cast<const double*>(value));
    case Kind::kString:
      return writer.add(*static_cast<const std::string*>(value));
    case Kind::kView:
      return writer.add(*static_cast<const std::string_view*>(value));
    case Kind::kEnum:
      return add_enum(writer, type, value);
    case Kind::kText:
      return type.text().format(value, &writer, [](void* to, std::string_view text) {
        static_cast<RespWriter*>(to)->add(text);
      });
    default:
      ensure(false, "a value of this type cannot be an argument of a Redis command");
  }
}

enum class Shape : std::uint8_t { scalar, list, pairs, other };

Shape shape_of(const Type& type) noexcept {
  switch (type.kind) {
    case Kind::kSequence:
    case Kind::kArray:
    case Kind::kSet:
      return Shape::list;
    case Kind::kStruct:
    case Kind::kMap:
      return Shape::pairs;
    case Kind::kOptional:
    case Kind::kConstrained:
      return Shape::other;
    default:
      return Shape::scalar;
  }
}

}  // namespace

void RespWriter::put_count(char mark, std::size_t count) {
  const Digits digits(count);
  char* const at = out_.reserve(digits.view().size() + 3);
  at[0] = mark;
  std::memcpy(at + 1, digits.view().data(), digits.view().size());
  std::memcpy(at + 1 + digits.view().size(), "\r\n", 2);
  out_.commit(digits.view().size() + 3);
}

void RespWriter::add(std::string_view argument) {
  put_count('$', argument.size());
  out_.append(argument);
  out_.append("\r\n");
}

void RespWriter::add(std::int64_t number) {
  add(Digits(number).view());
}

void RespWriter::add(std::uint64_t number) {
  add(Digits(number).view());
}

void RespWriter::add(double number) {
  add(Digits(number).view());
}

void RespWriter::add(float number) {
  add(Digits(number).view());
}

std::size_t count_arguments(const Type& type, const void* value) {
  std::size_t count = 0;
  const auto add_value = [&count](const Type& of, const void* at) {
    count += count_arguments(of, at);
  };
  switch (shape_of(type)) {
    case Shape::scalar:
      return 1;
    case Shape::list:
      each_within(type, value, add_value);
      return count;
    case Shape::pairs:
      each_pair(type, value, [&](std::string_view /*name*/, const Type& of, const void* at) {
        count += is_absent(of, at) ? 0 : 1 + count_arguments(of, at);
      });
      return count;
    case Shape::other:
      break;
  }
  if (type.kind == Kind::kConstrained) {
    return count_arguments(*type.constraint().value, value);
  }
  const reflect::Optional& optional = type.optional();
  return is_absent(type, value) ? 0 : count_arguments(*optional.value, optional.get(value));
}

void add_arguments(RespWriter& writer, const Type& type, const void* value) {
  switch (shape_of(type)) {
    case Shape::scalar:
      return add_scalar(writer, type, value);
    case Shape::list:
      return each_within(type, value,
                         [&](const Type& of, const void* at) { add_arguments(writer, of, at); });
    case Shape::pairs:
      return each_pair(type, value, [&](std::string_view name, const Type& of, const void* at) {
        if (!is_absent(of, at)) {
          writer.add(name);
          add_arguments(writer, of, at);
        }
      });
    case Shape::other:
      break;
  }
  if (type.kind == Kind::kConstrained) {
    return add_arguments(writer, *type.constraint().value, value);
  }
  if (!is_absent(type, value)) {
    add_arguments(writer, *type.optional().value, type.optional().get(value));
  }
}

}  // namespace eider::redis::detail
