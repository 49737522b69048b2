// Timers in a hierarchical wheel: arming and disarming need no search.
// Layering: must not read a clock; it counts ticks that its caller defines.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "eider/core/base/intrusive_list.h"
#include "eider/io/runtime/timer.h"

namespace eider {

/// Level 0 has a slot for each of the next 64 ticks, level 1 one for each 64 of the next 4096
/// ticks, and so on. A timer is in the lowest level whose block also contains the current tick, and
/// moves down when its slot begins: at most seven times.
class TimerWheel {
 public:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  /// Inserts or moves the timer. If it is due now or earlier, it expires at the next `advance`.
  void arm(Timer& timer, std::uint64_t tick) noexcept;

  /// Advances the time and appends expired timers to `due`. Pre: now >= the last now.
  void advance(std::uint64_t now, IntrusiveList<Timer>& due) noexcept;

  /// Returns when to call `advance` next: never after the first timer is due, possibly before.
  [[nodiscard]] std::uint64_t next_tick() noexcept;

 private:
  static constexpr unsigned kBitsPerLevel = 6;
  static constexpr std::size_t kSlots = 1U << kBitsPerLevel;
  static constexpr std::size_t kLevels = 7;  // in milliseconds: 139 years
  static constexpr std::uint64_t kTicksMax = (std::uint64_t{1} << (kBitsPerLevel * kLevels)) - 1;

  struct Level {
    std::uint64_t occupied = 0;  // a bit per slot; may still be set after timers were disarmed
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
