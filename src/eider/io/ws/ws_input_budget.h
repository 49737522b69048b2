// Limits the memory of received messages of all WebSockets of one event loop.
// Layering: must not know sessions.
#pragma once

#include <cstddef>
#include <utility>

namespace eider {
class Loop;
}

namespace eider::ws::detail {

/// Sets the limit of an event loop (Limits::bodies_bytes_max). Call on its thread, or before it
/// runs.
void set_input_bytes_max(Loop& loop, std::size_t bytes_max);

/// Counts either incomplete messages, or messages that wait for their handlers: clients whose
/// handlers are fast must not suffer from others.
class WsInputBudget {
 public:
  /// loop  may end before this
  explicit WsInputBudget(Loop& loop) noexcept : loop_(loop) {}

  void change(std::size_t from, std::size_t to) noexcept { held_ += to - from; }
  /// Returns whether one connection may keep that much. It may always keep 16 KiB, and any size
  /// if it is the only one.
  ///
  /// own   including `more`
  /// more  not counted yet
  ///
  /// Pre: the loop runs.
  [[nodiscard]] bool admits(std::size_t own, std::size_t more = 0) const;
  [[nodiscard]] std::size_t held() const noexcept { return held_; }

 private:
  Loop& loop_;
  std::size_t held_ = 0;
};

/// The share of one object in the budget, which is given back when the object is destroyed.
class WsHeldInput {
 public:
  /// budget  must outlive this
  explicit WsHeldInput(WsInputBudget& budget) noexcept : budget_(budget) {}
  ~WsHeldInput() { set(0); }
  WsHeldInput(const WsHeldInput&) = delete;
  WsHeldInput& operator=(const WsHeldInput&) = delete;

  void set(std::size_t bytes) noexcept { budget_.change(std::exchange(bytes_, bytes), bytes); }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

 private:
  WsInputBudget& budget_;
  std::size_t bytes_ = 0;
};

}  // namespace eider::ws::detail
