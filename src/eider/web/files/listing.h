// The page that lists the files of a directory, with sizes and dates.
// Layering: must not list files that are not served.
#pragma once

#include <optional>
#include <string>

#include "eider/protocols/http/response.h"
#include "eider/web/files/beneath.h"

namespace eider::detail::files {

/// Returns the page; nothing if there is no such directory. May wait for the disk.
///
/// path  relative, checked by judge_path (path_policy.h); "" or with a trailing slash
[[nodiscard]] std::optional<Response> list_directory(int root, const std::string& path,
                                                     const FilesOptions& options);

}  // namespace eider::detail::files
