// Text within HTML.
// Must not make pages.
#pragma once

#include <string>
#include <string_view>

namespace eider {

/// The text as HTML shows it, in content and in quoted attribute values alike: `&`, `<`, `>` and
/// both quotes are written as references. Not for scripts, styles, or addresses in `href`.
[[nodiscard]] std::string escape_html(std::string_view text);

}  // namespace eider
