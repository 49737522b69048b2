// Parses one template file into a tree.
// Layering: must not read other files or the HTML between tags.
#pragma once

#include <memory>

#include "eider/web/views/tree.h"

namespace eider::views {

/// Longer templates are refused.
inline constexpr std::size_t kTemplateBytesMax = 1024UL * 1024;

/// How deep tags may stand in each other, also over files.
inline constexpr int kTagsDeepMax = 48;

/// errors  file, line and column of what is wrong, and the mend
[[nodiscard]] ViewResult<std::shared_ptr<const File>> parse_template(Source source);

}  // namespace eider::views
