// What kind of picture some bytes are, by the bytes alone.
// Must not believe a name or a type that a client has sent.
#pragma once

#include <optional>
#include <string_view>

namespace bookstore {

/// "image/png", "image/jpeg" or "image/webp"; nothing for all else, such as SVG and HTML.
[[nodiscard]] std::optional<std::string_view> cover_type(std::string_view bytes) noexcept;

}  // namespace bookstore
