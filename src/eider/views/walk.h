// Renders a page by walking its tree over the types' descriptions: for development.
// Must not be given a tree that check_types has not passed for that very type.
#pragma once

#include <string>
#include <string_view>

#include "eider/views/filter_set.h"
#include "eider/views/tree.h"

namespace eider::views {

/// Appends the page. What the application's filters throw passes through.
void walk(const Tree& tree, Ref page, const FilterSet& filters, std::string& out);

/// Appends the fragment of that name; false where the page has none.
[[nodiscard]] bool walk_fragment(const Tree& tree, std::string_view name, Ref page,
                                 const FilterSet& filters, std::string& out);

/// The fragment of that name, wherever it stands; or null.
[[nodiscard]] const Node* find_fragment(const std::vector<Node>& nodes, std::string_view name);

}  // namespace eider::views
