// Who wants to know when a loop has done all that a turn had for it.
// Must not do much: it is called each turn.
#pragma once

#include "eider/runtime/loop.h"

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
  ~TurnWatch() { loop_.turn_watch_ = nullptr; }

 private:
  Loop& loop_;
};

}  // namespace eider
