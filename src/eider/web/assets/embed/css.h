// Finds the references of a style sheet: url(…) and @import.
// Layering: must not change or check the rest.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace eider::detail::embed {

/// offset  of the reference within the style sheet, without quotes and parentheses
/// line    from 1 on
struct CssReference {
  std::size_t offset;
  std::string_view text;
  std::size_t line;
};

/// All references, in their order; what stands in comments and other strings is none. One with an
/// escape of CSS in it is passed over.
///
/// source  CSS Syntax Module Level 3, sections 4.3.5 and 4.3.6
[[nodiscard]] std::vector<CssReference> css_references(std::string_view css);

}  // namespace eider::detail::embed
