#include "eider/core/reflect/validation_errors.h"

#include <functional>
#include <optional>

namespace eider {

namespace {

using reflect::Kind;
using reflect::Structure;
using reflect::Type;

/// The wanted member. Its type is also needed, because the first member of a struct has the same
/// address as the struct.
struct Wanted {
  const Type& type;
  const void* member;
};

bool is_within(const void* place, const void* first, std::size_t bytes) noexcept {
  const std::less<const void*> is_before;
  return !is_before(place, first) && is_before(place, static_cast<const char*>(first) + bytes);
}

std::optional<std::string> find(const Wanted& wanted, const Type& type, const void* object);

std::optional<std::string> find_member(const Wanted& wanted, const Structure& type,
                                       const void* object) {
  for (const reflect::Member& member : type) {
    if (auto rest = find(wanted, *member.type, member.in(object))) {
      return "/" + std::string(member.name) + *rest;
    }
  }
  return std::nullopt;
}

/// Elements are contiguous, so the address determines the index.
std::optional<std::string> find_element(const Wanted& wanted, const Type& element,
                                        const void* first, std::size_t count) {
  if (!is_within(wanted.member, first, count * element.bytes)) {
    return std::nullopt;
  }
  const auto offset = static_cast<std::size_t>(static_cast<const char*>(wanted.member) -
                                               static_cast<const char*>(first));
  const std::size_t index = offset / element.bytes;
  const auto rest = find(wanted, element, static_cast<const char*>(first) + index * element.bytes);
  return rest ? std::optional("/" + std::to_string(index) + *rest) : std::nullopt;
}

/// Not the value of a std::unique_ptr, which is elsewhere in memory.
std::optional<std::string> find_value(const Wanted& wanted, const Type& type,
                                      const void* optional) {
  const void* const value = type.optional().get(optional);
  return value != nullptr && is_within(value, optional, type.bytes)
             ? find(wanted, *type.optional().value, value)
             : std::nullopt;
}

std::optional<std::string> find_alternative(const Wanted& wanted, const reflect::Variant& type,
                                            const void* variant) {
  for (const reflect::Alternative& option : type) {
    if (const void* const object = option.get(variant)) {
      return find(wanted, *option.type, object);
    }
  }
  return std::nullopt;
}

/// Returns the pointer relative to `object`. The time must not depend on the size of the client's
/// input: in a list, only the element at the address is searched; maps and trees are not searched.
std::optional<std::string> find(const Wanted& wanted, const Type& type, const void* object) {
  if (object == wanted.member && &type == &wanted.type) {
    return std::string();
  }
  switch (type.kind) {
    case Kind::kStruct:
      return find_member(wanted, type.structure(), object);
    case Kind::kSequence:
      return find_element(wanted, *type.sequence().element, type.sequence().data(object),
                          type.sequence().size(object));
    case Kind::kArray:
      return find_element(wanted, *type.array().element, object, type.array().count);
    case Kind::kOptional:
      return find_value(wanted, type, object);
    case Kind::kVariant:
      return find_alternative(wanted, type.variant(), object);
    case Kind::kConstrained:
      return find(wanted, *type.constraint().value, object);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string ValidationErrors::pointer_to(const reflect::Type& type, const void* member) const {
  return find_member({type, member}, type_, object_).value_or(std::string());
}

void ValidationErrors::add_at(std::string pointer, const Requirement& broken) {
  if (found_.size() < kMax) {
    found_.push_back(field_error(std::move(pointer), broken));
  }
}

}  // namespace eider
