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

/// The keys of a group of commands are in different slots.
struct SlotsDiffer {};

/// Returns the slot: CRC16 of the first {…} in the key, if it is not empty; else of the key.
///
/// source  "Redis cluster specification", hash tags and the appendix
[[nodiscard]] std::uint16_t slot_of_key(std::string_view key) noexcept;

/// commands  one or several, as written by RespWriter
/// returns   nothing if none of them has a key
[[nodiscard]] Result<std::optional<std::uint16_t>, SlotsDiffer> slot_of(std::string_view commands);

/// Returns whether the command concerns only one node, and so cannot be used in a cluster: KEYS,
/// SCAN, DBSIZE, FLUSHALL, …
[[nodiscard]] bool is_of_one_node(std::string_view command);

}  // namespace eider::redis::detail
