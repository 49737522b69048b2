// Iterates over the elements of a list, a set or a map.
// Layering: must not copy elements.
#pragma once

#include <string_view>
#include <vector>

#include "eider/web/views/value.h"

namespace eider::views {

/// key  of a map entry; empty for other elements
struct Item {
  std::string_view key;
  Ref value;
};

/// Returns the elements; an empty optional has none. Pre: the type is one of those, or an optional
/// of one.
[[nodiscard]] std::vector<Item> items_of(Ref container);

/// Returns the type of the elements; null if the type has none.
[[nodiscard]] const reflect::Type* item_type(const reflect::Type& type) noexcept;

}  // namespace eider::views
