// Which media types are worth compressing.
// Must not look into the content.
#pragma once

#include <string_view>

namespace eider {

/// Text, and formats that are text or tables inside: "text/html; charset=utf-8",
/// "application/json", "application/problem+json", "image/svg+xml", "application/wasm". False for
/// types that are compressed by their own format, and for unknown ones.
///
/// media_type  a Content-Type's value; compared without case, parameters are passed over
[[nodiscard]] bool is_compressible(std::string_view media_type) noexcept;

}  // namespace eider
