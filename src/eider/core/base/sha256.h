// SHA-256 and HMAC with it (FIPS 180-4, RFC 2104), for what a service signs for itself.
// Must not be used for passwords, which need a slow hash.
#pragma once

#include <array>
#include <string_view>

namespace eider {

inline constexpr std::size_t kSha256Bytes = 32;
using Sha256Digest = std::array<char, kSha256Bytes>;

/// The digest of all of `text`, any bytes.
/// source   FIPS 180-4, sections 5.1.1 and 6.2
[[nodiscard]] Sha256Digest sha256(std::string_view text);

/// The authentication code of `text` under `key`, any bytes.
/// source   RFC 2104, section 2
[[nodiscard]] Sha256Digest hmac_sha256(std::string_view key, std::string_view text);

/// The bytes, to be compared (equals_in_constant_time) or written.
[[nodiscard]] constexpr std::string_view to_view(const Sha256Digest& digest) noexcept {
  return {digest.data(), digest.size()};
}

}  // namespace eider
