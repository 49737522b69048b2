// The hash that finds a statement in the output of `eider db check`.
// Layering: must not change; headers generated from lock files contain its results.
#pragma once

#include <cstdint>
#include <string_view>

namespace eider::db::checked {

/// FNV-1a.
[[nodiscard]] constexpr std::uint64_t hash_of(std::string_view sql) noexcept {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325U;
  for (const char byte : sql) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100'0000'01b3U;
  }
  return hash;
}

}  // namespace eider::db::checked
