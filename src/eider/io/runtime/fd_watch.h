// Waits for readiness of a descriptor: an eventfd, signals, sockets of other libraries.
// Layering: must not read or write the descriptor, and does not own it.
#pragma once

#include <cstdint>

namespace eider {

class Loop;

enum class Readiness : std::uint8_t { none = 0, readable = 1, writable = 2, both = 3 };

[[nodiscard]] constexpr bool is_readable(Readiness what) noexcept {
  return (static_cast<unsigned>(what) & 1U) != 0;
}
[[nodiscard]] constexpr bool is_writable(Readiness what) noexcept {
  return (static_cast<unsigned>(what) & 2U) != 0;
}

/// Derive from it. Its destructor stops watching; destroy it before the descriptor is closed.
class FdWatch {
 public:
  explicit FdWatch(Loop& loop) noexcept : loop_(loop) {}
  FdWatch(const FdWatch&) = delete;
  FdWatch& operator=(const FdWatch&) = delete;

  /// Called in every turn as long as the descriptor is ready (level-triggered). An error or hang-up
  /// counts as everything that is watched. May stop or destroy the watch.
  virtual void on_ready(Readiness what) = 0;

  /// Starts watching, or changes what is watched. Pre: fd >= 0, and what != none.
  void watch(int fd, Readiness what);
  void stop() noexcept;

  [[nodiscard]] bool is_watching() const noexcept { return fd_ >= 0; }
  [[nodiscard]] int fd() const noexcept { return fd_; }
  [[nodiscard]] Loop& loop() const noexcept { return loop_; }

 protected:
  ~FdWatch() { stop(); }

 private:
  friend class WatchAccess;

  Loop& loop_;
  int fd_ = -1;
  std::uint32_t slot_ = 0;  // used by the backend
  Readiness wanted_ = Readiness::none;
};

}  // namespace eider
