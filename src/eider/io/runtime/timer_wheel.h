// Timers in a hierarchical wheel: arming and disarming need no search.
// Layering: must not read a clock; it counts in ticks that its user defines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "eider/core/base/intrusive_list.h"
#include "eider/io/runtime/timer.h"

namespace eider {

/// Level 0 has a slot per tick of the next 64, level 1 one per 64 ticks of the next 4096, and so
/// on. A timer stands in the lowest level whose block it shares with now, and moves down when its
/// slot begins: at most seven times in its life.
class TimerWheel {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  /// Places, or moves, the timer. One that is due at or before now is due at the next `advance`.
  void arm(Timer& timer, std::uint64_t tick) noexcept;

  /// Moves time on and appends to `due` what is due by then. Pre: now >= the last now.
  void advance(std::uint64_t now, IntrusiveList<Timer>& due) noexcept;

  /// When `advance` is next worth calling: never after the first timer is due, perhaps before.
  [[nodiscard]] std::uint64_t next_tick() noexcept;

 private:
  static constexpr unsigned kBitsPerLevel = 6;
  static constexpr std::size_t kSlots = 1U << kBitsPerLevel;
  static constexpr std::size_t kLevels = 7;  // of milliseconds: 139 years
  static constexpr std::uint64_t kTicksMax = (std::uint64_t{1} << (kBitsPerLevel * kLevels)) - 1;

  struct Level {
    std::uint64_t occupied = 0;  // a bit per slot; may lag behind timers that were disarmed
    std::array<IntrusiveList<Timer>, kSlots> slots;
  };
  struct Place {
    std::uint64_t begins = kNever;
    std::size_t level = 0;
    std::size_t slot = 0;
  };

  void place(Timer& timer) noexcept;
  [[nodiscard]] Place first_place() noexcept;
  void empty_slot(const Place& place, IntrusiveList<Timer>& due) noexcept;

  std::uint64_t now_ = 0;
  IntrusiveList<Timer> overdue_;
  std::array<Level, kLevels> levels_;
};

}  // namespace eider
