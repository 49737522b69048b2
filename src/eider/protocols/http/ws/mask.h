// Masks payloads (RFC 6455, section 5.3).
// Layering: must not create keys: a client's keys come from an unpredictable source.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace eider::ws {

using MaskKey = std::array<unsigned char, 4>;

/// Returns the key for data that starts `offset` bytes after the start of the payload.
[[nodiscard]] constexpr MaskKey rotated(MaskKey key, std::size_t offset) noexcept {
  return {key[offset % 4], key[(offset + 1) % 4], key[(offset + 2) % 4], key[(offset + 3) % 4]};
}

/// Masks or unmasks in place: byte i becomes byte i XOR key[i modulo 4].
void mask(std::span<char> bytes, MaskKey key) noexcept;

/// Writes the masked form of `from` to `to`. Pre: `to` has room for from.size() bytes and does not
/// overlap `from`.
void mask_copy(char* to, std::string_view from, MaskKey key) noexcept;

}  // namespace eider::ws
