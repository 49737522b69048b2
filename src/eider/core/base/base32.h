// Base32 (RFC 4648), for secrets and codes that people type.
// Layering: must not be used where base64 fits: it is a fifth shorter (base64.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace eider {

/// Returns `bytes` as capital letters and the digits 2 to 7, without padding.
///
/// source  RFC 4648, section 6
[[nodiscard]] std::string to_base32(std::string_view bytes);

/// Decodes base32 in capital or small letters, with or without padding.
///
/// returns  nothing for other characters, for a length that no encoding has, or if the unused bits
///          are not zero
[[nodiscard]] std::optional<std::string> from_base32(std::string_view text);

}  // namespace eider
