// Notifies when an event loop has finished the work of a turn.
// Layering: must not be slow: it is called in each turn.
#pragma once

#include <chrono>
#include <cstdint>

#include "eider/io/runtime/loop.h"

namespace eider {

/// A loop has at most one.
class TurnWatch {
 public:
  explicit TurnWatch(Loop& loop) noexcept : loop_(loop) { loop.turn_watch_ = this; }
  TurnWatch(const TurnWatch&) = delete;
  TurnWatch& operator=(const TurnWatch&) = delete;

  /// Called on the loop's thread, before the last output of the turn is sent.
  virtual void on_turn_done() noexcept = 0;

 protected:
  /// Returns whether this turn has handled all events from before its start. If not, the kernel has
  /// kept some back, and the next turn starts with equally old events.
  [[nodiscard]] bool has_all() const noexcept { return loop_.has_all_; }
  /// Returns the shortest time between two receives of the same stream, of which the later one is
  /// in this turn. Data that the kernel keeps back arrived within that time, because it delivers
  /// data in order.
  [[nodiscard]] Duration told_ago() const noexcept {
    return loop_.told_ago_ms_ == Loop::kNobodyTold
               ? Duration::max()
               : std::chrono::milliseconds(loop_.told_ago_ms_) + std::chrono::milliseconds(1);
  }
  /// Returns how often the loop's thread has waited: it grows if the loop was idle. Costs a system
  /// call.
  [[nodiscard]] std::uint64_t sleeps() const noexcept { return loop_.sleeps(); }
  ~TurnWatch() { loop_.turn_watch_ = nullptr; }

 private:
  Loop& loop_;
};

}  // namespace eider
