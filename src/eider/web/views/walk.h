// Renders a page by interpreting its tree, for development.
// Layering: must only be used with a tree that check_types has accepted for the same type.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eider/web/views/filter_set.h"
#include "eider/web/views/tree.h"

namespace eider::views {

/// The data of a page.
///
/// frame  of the page's layout; a null type: none
struct ShownPage {
  Ref page;
  Ref frame = {nullptr, nullptr};
};

/// Appends the page. Returns a Failure of a filter with its place in the template; other exceptions
/// of filters are not caught.
[[nodiscard]] std::optional<ViewError> walk(const Tree& tree, const ShownPage& shown,
                                            const FilterSet& filters, std::string& out);

/// The same for one fragment (find_fragment).
[[nodiscard]] std::optional<ViewError> walk_fragment(const Tree& tree, const Node& fragment,
                                                     const ShownPage& shown,
                                                     const FilterSet& filters, std::string& out);

/// Returns the fragment of that name, at any depth; or null.
[[nodiscard]] const Node* find_fragment(const std::vector<Node>& nodes, std::string_view name);

}  // namespace eider::views
