// Reads small files whose names are settings.
// Layering: must not be used on a thread that serves requests, because it blocks.
#pragma once

#include <cstddef>
#include <string>

#include "eider/core/base/result.h"

namespace eider::detail::app {

/// Returns the text without a byte order mark at its start.
///
/// errors  "names 'notes.toml', which cannot be read: Is a directory"; also for a larger file
[[nodiscard]] Result<std::string, std::string> read_bounded_file(const std::string& path,
                                                                 std::size_t bytes_max);

}  // namespace eider::detail::app
