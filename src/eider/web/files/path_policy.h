// Decides from a path whether the file may be requested, which file is served, and which rules
// apply.
// Layering: must not access the file system.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "eider/protocols/http/head.h"
#include "eider/web/files/options.h"

namespace eider::detail::files {

enum class PathVerdict : std::uint8_t { servable, absent, denied };

/// Checks a decoded path, relative to the directory.
///
/// Paths with an empty segment (except for a trailing slash), with "." or "..", with NUL, or with a
/// hidden name are treated as missing. A backslash is an ordinary character.
[[nodiscard]] PathVerdict judge_path(std::string_view path, DotFiles dot_files) noexcept;

/// Returns whether `path`, if it is the end of the request's path, has a slash that the client sent
/// percent-encoded ("%2F").
///
/// The router, and so guards, do not split at such a slash: "/admin%2Fa" is not in the group
/// "/admin". Code that maps the rest of a path to a file or key must not split there either.
///
/// path          decoded
/// request_path  not decoded
[[nodiscard]] bool has_encoded_slash(std::string_view path, std::string_view request_path) noexcept;

/// Returns whether the path is that of a directory: "" or "a/b/".
[[nodiscard]] constexpr bool is_directory_path(std::string_view path) noexcept {
  return path.empty() || path.ends_with('/');
}

/// Returns whether a browser requests a page: GET or HEAD that accepts text/html explicitly, for a
/// name without an extension.
[[nodiscard]] bool is_navigation(std::string_view path, Method method,
                                 std::span<const Field> fields) noexcept;

/// Returns whether the pattern matches the complete path; see FileRule.
///
/// cost  at most path.size() squared
[[nodiscard]] bool matches_glob(std::string_view pattern, std::string_view path) noexcept;

/// Returns the first rule whose pattern matches, else null.
[[nodiscard]] const FileRule* first_match(std::span<const FileRule> rules,
                                          std::string_view path) noexcept;

}  // namespace eider::detail::files
