#include "eider/web/views/items.h"

namespace eider::views {

namespace {

using reflect::Kind;
using reflect::Type;

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
