// Generates C++ for a page: a function that appends the page of a struct to a string.
// Layering: must not write files.
#pragma once

#include <string>
#include <string_view>

#include "eider/web/views/tree.h"

namespace eider::views {

/// header  View<P> is declared there, with what the template includes
/// source  where it is defined; #line leads to the templates
struct Generated {
  std::string header;
  std::string source;
};

/// root         before the names of templates in #line: "/home/me/shop/pages"
/// header_name  as the source includes it: "notes/list.html.h"
[[nodiscard]] Generated generate(const Tree& tree, std::string_view root,
                                 std::string_view header_name);

}  // namespace eider::views
