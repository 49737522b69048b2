// Iterates over the elements of a list, a set or a map.
// Layering: must not copy elements.
#pragma once

#include <string_view>
#include <vector>

#include "eider/web/views/value.h"

namespace eider::views {

/// key  of a map's entry; empty for what has none
struct Item {
  std::string_view key;
  Ref value;
};

/// None of an empty optional. Pre: the type is one of those, or an optional of one.
[[nodiscard]] std::vector<Item> items_of(Ref container);

/// Null where there are none in a value of that type.
[[nodiscard]] const reflect::Type* item_type(const reflect::Type& type) noexcept;

}  // namespace eider::views
