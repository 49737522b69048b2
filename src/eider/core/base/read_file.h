// Reads a file into memory.
// Layering: must not be used on a thread that serves requests, because it blocks.
#pragma once

#include <cstddef>
#include <string>

#include "eider/core/base/result.h"

namespace eider::detail::base {

/// Returns a file, or the first `bytes_max` bytes of a larger one: to reject larger files, read one
/// byte more than the limit. Waits for the writer of a named pipe.
///
/// errors  the number of the error, such as ENOENT and EISDIR; ETIMEDOUT for a pipe whose writer is
///         silent or missing for 10 seconds
[[nodiscard]] Result<std::string, int> read_file(const std::string& path,
                                                 std::size_t bytes_max = std::string::npos);

}  // namespace eider::detail::base
