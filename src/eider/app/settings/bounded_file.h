// Whole small files that a program is told about, which may be anything.
// Must not be used while requests are answered on the same thread: it blocks.
#pragma once

#include <cstddef>
#include <string>

#include "eider/core/base/result.h"

namespace eider::detail::app {

/// Text, without a byte order mark at the front.
///
/// errors  "names 'notes.toml', which cannot be read: Is a directory", or is larger than that
[[nodiscard]] Result<std::string, std::string> read_bounded_file(const std::string& path,
                                                                 std::size_t bytes_max);

}  // namespace eider::detail::app
