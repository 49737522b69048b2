// Combines a page from the files that it extends, includes and calls.
// Layering: must not read files; it requests them by name.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "eider/web/views/tree.h"

namespace eider::views {

/// Returns the text of the file with that name, relative to the root; or the reason why there is
/// none, "it cannot be read".
using ReadSource = std::function<Result<std::string, std::string>(std::string_view name)>;

/// Maximum number of nodes of a page: components that call each other could grow without bounds.
inline constexpr std::size_t kNodesMax = 100'000;

/// errors  those that a template has independently of its struct
[[nodiscard]] ViewResult<Tree> assemble_page(std::string_view name, const ReadSource& read);

/// Returns whether a name is below the root: "notes/list.html", but not "../list.html" or
/// "/list.html".
[[nodiscard]] bool is_template_name(std::string_view name) noexcept;

}  // namespace eider::views
