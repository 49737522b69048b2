// Parses one template file into a tree.
// Layering: must not read other files or the HTML between tags.
#pragma once

#include <memory>

#include "eider/web/views/tree.h"

namespace eider::views {

/// Maximum size of a template.
inline constexpr std::size_t kTemplateBytesMax = 1024UL * 1024;

/// Maximum depth of nested tags, across files.
inline constexpr int kTagsDeepMax = 48;

/// errors  file, line and column of the error, and the fix
[[nodiscard]] ViewResult<std::shared_ptr<const File>> parse_template(Source source);

}  // namespace eider::views
