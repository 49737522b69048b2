// Detects the type of a picture from its bytes.
// Layering: must not trust a name or a type from a client.
#pragma once

#include <optional>
#include <string_view>

namespace bookstore {

/// Returns "image/png", "image/jpeg" or "image/webp"; nothing for other types, such as SVG and
/// HTML.
[[nodiscard]] std::optional<std::string_view> cover_type(std::string_view bytes) noexcept;

}  // namespace bookstore
