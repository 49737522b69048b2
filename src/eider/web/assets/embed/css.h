// Finds the references of a style sheet: url(…) and @import.
// Layering: must not change or check the rest.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace eider::detail::embed {

/// offset  of the reference in the style sheet, without quotes and parentheses
/// line    line number, from 1
struct CssReference {
  std::size_t offset;
  std::string_view text;
  std::size_t line;
};

/// Returns all references in order, without those in comments and other strings. References with a
/// CSS escape are skipped.
///
/// source  CSS Syntax Module Level 3, sections 4.3.5 and 4.3.6
[[nodiscard]] std::vector<CssReference> css_references(std::string_view css);

}  // namespace eider::detail::embed
