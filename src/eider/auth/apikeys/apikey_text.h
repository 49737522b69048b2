// The text of an API key: a prefix, random characters and a checksum.
// Layering: must not store or look up keys; apikeys.h does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace eider::detail::apikeys {

/// log2(62^32) = 190 bits.
inline constexpr std::size_t kRandomChars = 32;
/// 62^6 is more than 2^32.
inline constexpr std::size_t kChecksumChars = 6;

/// Returns whether keys may begin with it: 1 to 16 characters of a-z and 0-9, first a letter.
[[nodiscard]] bool is_key_prefix(std::string_view prefix) noexcept;

/// Returns a new key: "shop_", 32 random characters and 6 characters of checksum, all of
/// 0-9A-Za-z. Scanners find such keys in source code: `shop_[0-9A-Za-z]{38}`.
[[nodiscard]] std::string make_key(std::string_view prefix);

/// Returns whether `text` is a key of that prefix with a correct checksum. Everything else is
/// rejected without a database.
[[nodiscard]] bool is_key(std::string_view text, std::string_view prefix) noexcept;

}  // namespace eider::detail::apikeys
