#include "eider/io/runtime/timer_wheel.h"

#include <bit>

namespace eider {

void TimerWheel::arm(Timer& timer, std::uint64_t tick) noexcept {
  // A timer is in one list at a time, so arming it again moves it.
  timer.disarm();
  timer.tick_ = tick;
  if (tick <= now_) {
    overdue_.push_back(timer);
    return;
  }
  place(timer);
}

void TimerWheel::place(Timer& timer) noexcept {
  const std::uint64_t tick = timer.tick_ < kTicksMax ? timer.tick_ : kTicksMax;
  const std::uint64_t differing = (tick ^ now_) | 1;
  const auto level = static_cast<std::size_t>(std::bit_width(differing) - 1) / kBitsPerLevel;
  const std::size_t slot = (tick >> (level * kBitsPerLevel)) % kSlots;
  levels_[level].occupied |= std::uint64_t{1} << slot;
  levels_[level].slots[slot].push_back(timer);
  // A disarmed timer does not clear its bit; it is cleared when a slot is found empty.
}

TimerWheel::Place TimerWheel::first_place() noexcept {
  // Timers in a lower level are due within the current block of the level above, so earlier.
  for (std::size_t number = 0; number < kLevels; ++number) {
    Level& level = levels_[number];
    while (level.occupied != 0) {
      const auto slot = static_cast<std::size_t>(std::countr_zero(level.occupied));
      if (!level.slots[slot].empty()) {
        const std::size_t shift = number * kBitsPerLevel;
        const std::uint64_t block = now_ >> shift >> kBitsPerLevel << kBitsPerLevel;
        return {(block + slot) << shift, number, slot};
      }
      level.occupied &= level.occupied - 1;
    }
  }
  return {};
}

void TimerWheel::empty_slot(const Place& place_of, IntrusiveList<Timer>& due) noexcept {
  Level& level = levels_[place_of.level];
  level.occupied &= ~(std::uint64_t{1} << place_of.slot);
  while (Timer* timer = level.slots[place_of.slot].pop_front()) {
    // The time is the start of the slot, so a timer that is not due moves to a lower level, never
    // back here.
    if (timer->tick_ <= now_) {
      due.push_back(*timer);
    } else {
      place(*timer);
    }
  }
}

void TimerWheel::advance(std::uint64_t now, IntrusiveList<Timer>& due) noexcept {
  due.take(overdue_);
  for (Place first = first_place(); first.begins <= now; first = first_place()) {
    // Time moves slot by slot: `place` uses it when a timer moves down.
    now_ = first.begins;
    empty_slot(first, due);
  }
  now_ = now;
}

std::uint64_t TimerWheel::next_tick() noexcept {
  return overdue_.empty() ? first_place().begins : now_;
}

}  // namespace eider
