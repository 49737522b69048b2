// SHA-256 and HMAC-SHA-256 (FIPS 180-4, RFC 2104).
// Layering: must not be used for passwords, which need a slow hash.
#pragma once

#include <array>
#include <string_view>

namespace eider {

inline constexpr std::size_t kSha256Bytes = 32;
using Sha256Digest = std::array<char, kSha256Bytes>;

/// Returns the SHA-256 digest of `text`, which may be any bytes.
/// source   FIPS 180-4, sections 5.1.1 and 6.2
[[nodiscard]] Sha256Digest sha256(std::string_view text);

/// Returns the HMAC-SHA-256 of `text` with `key`, which may be any bytes.
/// source   RFC 2104, section 2
[[nodiscard]] Sha256Digest hmac_sha256(std::string_view key, std::string_view text);

/// Returns the bytes, for comparing (equals_in_constant_time) or writing.
[[nodiscard]] constexpr std::string_view to_view(const Sha256Digest& digest) noexcept {
  return {digest.data(), digest.size()};
}

}  // namespace eider
