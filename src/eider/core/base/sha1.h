// SHA-1 (FIPS 180-4), for protocols that require it: the WebSocket handshake.
// Layering: must not be used where collisions matter: they are known.
#pragma once

#include <array>
#include <string_view>

namespace eider {

inline constexpr std::size_t kSha1Bytes = 20;

/// Returns the SHA-1 digest of `text`, which may be any bytes.
/// source   FIPS 180-4, sections 5.1.1 and 6.1
[[nodiscard]] std::array<char, kSha1Bytes> sha1(std::string_view text) noexcept;

}  // namespace eider
