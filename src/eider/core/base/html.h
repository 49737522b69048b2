// HTML escaping.
// Layering: must not make pages.
#pragma once

#include <string>
#include <string_view>

namespace eider {

/// Escapes text for HTML content and quoted attribute values: `&`, `<`, `>` and both quotes become
/// character references. Not for scripts, styles, or URLs in `href`.
[[nodiscard]] std::string escape_html(std::string_view text);

}  // namespace eider
