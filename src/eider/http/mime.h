// Media types by file extension.
// Must not look into the file.
#pragma once

#include <string_view>

namespace eider {

/// The media type of a file by the extension of its name, compared without case, e.g.
/// "text/html; charset=utf-8" for "a/b.HTML"; "application/octet-stream" for unknown ones.
[[nodiscard]] std::string_view media_type_of(std::string_view file_name) noexcept;

}  // namespace eider
