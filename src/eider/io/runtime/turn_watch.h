// Notifies when an event loop has finished the work of a turn.
// Layering: must not be slow: it is called in each turn.
#pragma once

#include <chrono>
#include <cstdint>

#include "eider/io/runtime/loop.h"

namespace eider {

/// One of a loop's at a time.
class TurnWatch {
 public:
  explicit TurnWatch(Loop& loop) noexcept : loop_(loop) { loop.turn_watch_ = this; }
  TurnWatch(const TurnWatch&) = delete;
  TurnWatch& operator=(const TurnWatch&) = delete;

  /// On the loop's thread, ahead of the sending of what the turn has written last.
  virtual void on_turn_done() noexcept = 0;

 protected:
  /// Whether this turn has all that had happened when it began. Else the kernel has kept some back,
  /// and the next turn begins with what is as old.
  [[nodiscard]] bool has_all() const noexcept { return loop_.has_all_; }
  /// How long ago a stream that has told bytes in this turn had told some before: the least. What
  /// the kernel keeps back has come since then, too, as it brings what came first.
  [[nodiscard]] Duration told_ago() const noexcept {
    return loop_.told_ago_ms_ == Loop::kNobodyTold
               ? Duration::max()
               : std::chrono::milliseconds(loop_.told_ago_ms_) + std::chrono::milliseconds(1);
  }
  /// How often the loop's thread has waited for something: more than before where it was idle.
  /// Costs a system call.
  [[nodiscard]] std::uint64_t sleeps() const noexcept { return loop_.sleeps(); }
  ~TurnWatch() { loop_.turn_watch_ = nullptr; }

 private:
  Loop& loop_;
};

}  // namespace eider
