// The content codings (RFC 9110, section 8.4.1), and their names.
// Layering: must not choose between them: http/accept_encoding.h does.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace eider {

/// `deflate` can be read, but not written. It is zlib's format (RFC 1950), as RFC 9110, section
/// 8.4.1.2 defines it, or raw DEFLATE (RFC 1951), as some servers send it.
enum class ContentCoding : std::uint8_t { gzip, deflate, brotli, zstd };

/// Returns "gzip", "deflate", "br" or "zstd".
[[nodiscard]] std::string_view to_text(ContentCoding coding) noexcept;
/// Returns the coding of a name, ignoring case; "x-gzip" is gzip. Returns nothing for other names.
[[nodiscard]] std::optional<ContentCoding> coding_named(std::string_view name) noexcept;

}  // namespace eider
