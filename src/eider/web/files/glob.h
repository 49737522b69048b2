// Patterns for names and paths of files: `*`, `**` and `?`.
// Layering: must not access the file system.
#pragma once

#include <span>
#include <string_view>

#include "eider/web/files/options.h"

namespace eider::detail::files {

/// Returns whether the pattern matches the complete path; see FileRule.
///
/// cost  at most path.size() squared
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view path) noexcept;

/// Returns the first rule whose pattern matches, else null.
[[nodiscard]] const FileRule* first_match(std::span<const FileRule> rules,
                                          std::string_view path) noexcept;

}  // namespace eider::detail::files
