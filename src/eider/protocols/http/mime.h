// Media types by file extension.
// Must not look into the file.
#pragma once

#include <string_view>

namespace eider {

/// The media type of a file by the extension of its name, compared without case, e.g.
/// "text/html; charset=utf-8" for "a/b.HTML"; "application/octet-stream" for unknown ones.
[[nodiscard]] std::string_view media_type_of(std::string_view file_name) noexcept;

/// Whether content of that type is compressed by its own format, so that compressing it again gains
/// nothing: pictures, sound, films, archives, web fonts, office documents. False for unknown types.
///
/// media_type  in lower case, as media_type_of gives it; parameters are passed over
[[nodiscard]] bool is_compressed(std::string_view media_type) noexcept;

}  // namespace eider
