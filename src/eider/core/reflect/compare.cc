#include "eider/core/reflect/compare.h"

#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "eider/core/reflect/scalar.h"
#include "eider/core/reflect/scratch.h"

namespace eider::reflect {

namespace {

/// Compares contiguous elements.
bool equal_elements(const Type& element, const void* left, const void* right, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t offset = i * element.bytes;
    if (!equal(element, static_cast<const char*>(left) + offset,
               static_cast<const char*>(right) + offset)) {
      return false;
    }
  }
  return true;
}

bool equal_sequences(const Sequence& type, const void* left, const void* right) {
  const std::size_t count = type.size(left);
  return count == type.size(right) &&
         equal_elements(*type.element, type.data(left), type.data(right), count);
}

bool equal_structs(const Structure& type, const void* left, const void* right) {
  for (const Member& member : type) {
    if (!equal(*member.type, member.in(left), member.in(right))) {
      return false;
    }
  }
  return true;
}

bool equal_optionals(const Optional& type, const void* left, const void* right) {
  const void* const one = type.get(left);
  const void* const other = type.get(right);
  if (one == nullptr || other == nullptr) {
    return one == other && type.is_null(left) == type.is_null(right);
  }
  return equal(*type.value, one, other);
}

struct MapComparison {
  const Map& type;
  const void* other;
  bool is_equal;
};

bool equal_maps(const Map& type, const void* left, const void* right) {
  MapComparison comparison{type, right, type.size(left) == type.size(right)};
  type.each(left, &comparison, [](void* context, std::string_view key, const void* value) {
    auto& against = *static_cast<MapComparison*>(context);
    if (against.is_equal) {
      const void* const found = against.type.find(against.other, key);
      against.is_equal = found != nullptr && equal(*against.type.value, value, found);
    }
  });
  return comparison.is_equal;
}

struct SetComparison {
  const Set& type;
  const void* other;
  bool is_equal;
};

bool equal_sets(const Set& type, const void* left, const void* right) {
  SetComparison comparison{type, right, type.size(left) == type.size(right)};
  type.each(left, &comparison, [](void* context, const void* value) {
    auto& against = *static_cast<SetComparison*>(context);
    against.is_equal = against.is_equal && against.type.contains(against.other, value);
  });
  return comparison.is_equal;
}

bool equal_variants(const Variant& type, const void* left, const void* right) {
  for (const Alternative& option : type) {
    const void* const one = option.get(left);
    const void* const other = option.get(right);
    if ((one == nullptr) != (other == nullptr)) {
      return false;
    }
    if (one != nullptr) {
      return equal(*option.type, one, other);
    }
  }
  return true;
}

bool equal_chars(const void* left, const void* right) {
  const char* const one = *static_cast<const char* const*>(left);
  const char* const other = *static_cast<const char* const*>(right);
  return one == other || (one != nullptr && other != nullptr && std::strcmp(one, other) == 0);
}

template <class T>
bool equal_as(const void* left, const void* right) {
  return *static_cast<const T*>(left) == *static_cast<const T*>(right);
}

bool is_zero(const void* object, std::size_t bytes) {
  const auto* const at = static_cast<const unsigned char*>(object);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (at[i] != 0) {
      return false;
    }
  }
  return true;
}

bool is_fresh_array(const Array& type, const void* object) {
  for (std::size_t i = 0; i < type.count; ++i) {
    if (!is_fresh(*type.element, static_cast<const char*>(object) + i * type.element->bytes)) {
      return false;
    }
  }
  return true;
}

bool is_fresh_struct(const Type& type, const void* object) {
  const detail::Scratch fresh(type, type.structure().construct);
  return equal(type, fresh.object(), object);
}

bool is_fresh_variant(const Variant& type, const void* object) {
  const void* const value = type.first->get(object);
  return value != nullptr && is_fresh(*type.first->type, value);
}

}  // namespace

bool equal(const Type& type, const void* left, const void* right) {
  switch (type.kind) {
    case Kind::kBool:
    case Kind::kSigned:
    case Kind::kUnsigned:
    case Kind::kEnum:
      return std::memcmp(left, right, type.bytes) == 0;
    case Kind::kReal:
      return load_real(type, left) == load_real(type, right);
    case Kind::kString:
      return equal_as<std::string>(left, right);
    case Kind::kView:
      return equal_as<std::string_view>(left, right);
    case Kind::kChars:
      return equal_chars(left, right);
    case Kind::kStruct:
      return equal_structs(type.structure(), left, right);
    case Kind::kSequence:
      return equal_sequences(type.sequence(), left, right);
    case Kind::kArray:
      return equal_elements(*type.array().element, left, right, type.array().count);
    case Kind::kOptional:
      return equal_optionals(type.optional(), left, right);
    case Kind::kMap:
      return equal_maps(type.map(), left, right);
    case Kind::kVariant:
      return equal_variants(type.variant(), left, right);
    case Kind::kConstrained:
      return equal(*type.constraint().value, left, right);
    case Kind::kDynamic:
      return type.dynamic().equal(left, right);
    case Kind::kText:
      return type.text().equal(left, right);
    case Kind::kSet:
      return equal_sets(type.set(), left, right);
  }
  std::unreachable();
}

bool is_fresh(const Type& type, const void* object) {
  switch (type.kind) {
    case Kind::kBool:
    case Kind::kSigned:
    case Kind::kUnsigned:
    case Kind::kEnum:
    case Kind::kReal:
    case Kind::kChars:
      return is_zero(object, type.bytes);
    case Kind::kString:
      return static_cast<const std::string*>(object)->empty();
    case Kind::kView:
      return static_cast<const std::string_view*>(object)->empty();
    case Kind::kStruct:
      return is_fresh_struct(type, object);
    case Kind::kSequence:
      return type.sequence().size(object) == 0;
    case Kind::kArray:
      return is_fresh_array(type.array(), object);
    case Kind::kOptional:
      return type.optional().is_absent(object);
    case Kind::kMap:
      return type.map().size(object) == 0;
    case Kind::kVariant:
      return is_fresh_variant(type.variant(), object);
    case Kind::kConstrained:
      return is_fresh(*type.constraint().value, object);
    case Kind::kDynamic:
      return type.dynamic().is_null(object);
    case Kind::kText:
      return type.text().is_fresh(object);
    case Kind::kSet:
      return type.set().size(object) == 0;
  }
  std::unreachable();
}

}  // namespace eider::reflect
