// SipHash-2-4: a keyed hash that protects hash tables against chosen collisions.
// Layering: must not sign anything: its 64 bits are for tables, its 128 bits for comparing
// contents.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace eider {

struct SipKey {
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  /// Returns a random key from the kernel.
  [[nodiscard]] static SipKey random();
};

/// cost     about 20 ns for 16 bytes
/// source   Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), section 2
[[nodiscard]] std::uint64_t sip_hash(const SipKey& key, std::string_view text) noexcept;

/// The 128-bit variant of the authors' reference implementation; accidental collisions are
/// negligible.
///
/// cost  about 5 instructions per byte
[[nodiscard]] std::array<std::uint64_t, 2> sip_hash_128(const SipKey& key,
                                                        std::string_view text) noexcept;

}  // namespace eider
