// Media types by file extension.
// Layering: must not look into the file.
#pragma once

#include <string_view>

namespace eider {

/// Returns the media type of a file by its extension, case-insensitive, such as "text/html;
/// charset=utf-8" for "a/b.HTML"; "application/octet-stream" for unknown ones.
[[nodiscard]] std::string_view media_type_of(std::string_view file_name) noexcept;

/// Returns whether files of that type are compressed already, so that compressing them again gains
/// nothing: images, audio, video, archives, web fonts, office documents. False for unknown types.
///
/// media_type  in lowercase, as from media_type_of; parameters are ignored
[[nodiscard]] bool is_compressed(std::string_view media_type) noexcept;

}  // namespace eider
