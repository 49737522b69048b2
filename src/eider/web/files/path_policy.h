// Decides from a path whether the file may be requested, and which file is served.
// Layering: must not access the file system.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "eider/protocols/http/head.h"
#include "eider/web/files/options.h"

namespace eider::detail::files {

enum class PathVerdict : std::uint8_t { servable, absent, denied };

/// Judges a decoded path, relative to the directory.
///
/// Absent is a path with an empty segment (but for the slash at its end), with "." or "..", with
/// NUL, and one with a hidden name. A backslash is a character like others.
[[nodiscard]] PathVerdict judge_path(std::string_view path, DotFiles dot_files) noexcept;

/// Whether it stands for a directory: "" or "a/b/".
[[nodiscard]] constexpr bool is_directory_path(std::string_view path) noexcept {
  return path.empty() || path.ends_with('/');
}

/// Whether a request is one of a browser for a page: GET or HEAD that names text/html among what it
/// accepts, for a name without an extension.
[[nodiscard]] bool is_navigation(std::string_view path, Method method,
                                 std::span<const Field> fields) noexcept;

}  // namespace eider::detail::files
