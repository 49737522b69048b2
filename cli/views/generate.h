// Generates C++ for a page: a function that appends the page of a struct to a string.
// Layering: must not write files.
#pragma once

#include <string>
#include <string_view>

#include "eider/web/views/tree.h"

namespace eider::views {

/// header  declares View<P>, and includes the headers that the template names
/// source  defines it; #line refers to the templates
struct Generated {
  std::string header;
  std::string source;
};

/// root         prefix of the template names in #line: "/home/me/shop/pages"
/// header_name  as in the #include of the source: "notes/list.html.h"
[[nodiscard]] Generated generate(const Tree& tree, std::string_view root,
                                 std::string_view header_name);

}  // namespace eider::views
