// `eider openapi diff`: what of a newer document breaks clients of an older one.
// Must not fetch anything: documents are files, as `--openapi` prints them.
#pragma once

#include <span>
#include <string_view>

namespace eider {

/// Prints one line for each change that breaks: "/paths/~1notes/get: the method is gone".
///
/// arguments  the names of the older and the newer file; "-" is the standard input
/// returns    0  nothing breaks, 1  a document could not be read, 2  the arguments could not be
///            understood, 3  something breaks
[[nodiscard]] int openapi_diff(std::span<const std::string_view> arguments);

}  // namespace eider
