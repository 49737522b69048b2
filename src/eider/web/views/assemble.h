// Combines a page from the files that it extends, includes and calls.
// Layering: must not read files; it requests them by name.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "eider/web/views/tree.h"

namespace eider::views {

/// The text of the file of that name, relative to the root; or why there is none, "it cannot be
/// read".
using ReadSource = std::function<Result<std::string, std::string>(std::string_view name)>;

/// More nodes are refused: components that call components grow without bounds.
inline constexpr std::size_t kNodesMax = 100'000;

/// errors  all that is wrong with a template by itself, whatever its struct has
[[nodiscard]] ViewResult<Tree> assemble_page(std::string_view name, const ReadSource& read);

/// Whether a name stays below the root: "notes/list.html", not "../list.html" nor "/list.html".
[[nodiscard]] bool is_template_name(std::string_view name) noexcept;

}  // namespace eider::views
