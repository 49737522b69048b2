// Checks the names in a page against its struct, as the compiler does for generated code.
// Layering: must not access values.
#pragma once

#include <optional>
#include <string>

#include "eider/web/views/filter_set.h"
#include "eider/web/views/tree.h"

namespace eider::views {

/// Nothing where all members are there, and all values are of types that can be used so.
///
/// frame  null: there is none
[[nodiscard]] std::optional<ViewError> check_types(const Tree& tree, const reflect::Type& page,
                                                   const FilterSet& filters,
                                                   const reflect::Type* frame = nullptr);

/// "a text", "a list", "Note": for people.
[[nodiscard]] std::string named_type(const reflect::Type& type);

/// Whether a parameter that a template says to be of that type takes such a value.
[[nodiscard]] bool is_of_type(std::string_view parameter, const reflect::Type& type) noexcept;

/// The name without namespaces, "Circle" of "shapes::Circle".
[[nodiscard]] std::string_view unqualified(std::string_view name) noexcept;

}  // namespace eider::views
