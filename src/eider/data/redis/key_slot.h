// The cluster slot of a command, from its first key.
// Layering: must not know which node serves a slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "eider/core/base/result.h"

namespace eider::redis::detail {

inline constexpr std::size_t kSlots = 16384;

/// The keys of what belongs together lie in different slots.
struct SlotsDiffer {};

/// CRC16 of what stands in the key's first braces, if anything does, else of all of it.
///
/// source  "Redis cluster specification", hash tags and the appendix
[[nodiscard]] std::uint16_t slot_of_key(std::string_view key) noexcept;

/// commands  one or several, as RespWriter has written them
/// returns   nothing where none of them has a key
[[nodiscard]] Result<std::optional<std::uint16_t>, SlotsDiffer> slot_of(std::string_view commands);

/// Whether it tells of one node alone, and so of no cluster: KEYS, SCAN, DBSIZE, FLUSHALL, …
[[nodiscard]] bool is_of_one_node(std::string_view command);

}  // namespace eider::redis::detail
