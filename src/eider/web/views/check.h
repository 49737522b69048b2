// Checks the names in a page against its struct, as the compiler does for generated code.
// Layering: must not access values.
#pragma once

#include <optional>
#include <string>

#include "eider/web/views/filter_set.h"
#include "eider/web/views/tree.h"

namespace eider::views {

/// Returns nothing if all members exist and all values have types that allow their use.
///
/// frame  null: none
[[nodiscard]] std::optional<ViewError> check_types(const Tree& tree, const reflect::Type& page,
                                                   const FilterSet& filters,
                                                   const reflect::Type* frame = nullptr);

/// Returns a description for messages: "a text", "a list", "Note".
[[nodiscard]] std::string named_type(const reflect::Type& type);

/// Returns whether a value of that type can be passed to a parameter that a template declares with
/// the type `parameter`.
[[nodiscard]] bool is_of_type(std::string_view parameter, const reflect::Type& type) noexcept;

/// Returns the name without namespaces: "Circle" for "shapes::Circle".
[[nodiscard]] std::string_view unqualified(std::string_view name) noexcept;

}  // namespace eider::views
