// For tests: a line whose socket the test controls.
// Layering: must not be used outside of tests.
#pragma once

#include <cstddef>
#include <string>

#include "eider/core/base/buffer.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/upgraded.h"

namespace eider::testing {

/// Refuses output, and reports the state that the test sets.
class HeldLine final : public UpgradedLine {
 public:
  explicit HeldLine(Loop& loop) noexcept : loop_(loop) {}

  [[nodiscard]] Loop& loop() noexcept override { return loop_; }
  [[nodiscard]] Buffer& output() override { return corked_; }
  bool flush() override {
    waiting += is_open ? 0 : corked_.size();
    sent.append(corked_.view());
    corked_.clear();
    return waiting == 0;
  }
  [[nodiscard]] std::size_t waiting_bytes() const noexcept override { return waiting; }
  [[nodiscard]] std::size_t unread_bytes() const noexcept override { return waiting + in_kernel; }
  void pause_reading() noexcept override { is_paused = true; }
  void resume_reading() override { is_paused = false; }
  [[nodiscard]] bool is_shared() const noexcept override { return is_stream; }
  void end() override { has_ended = true; }
  void reset() noexcept override { was_reset = true; }
  [[nodiscard]] std::string address() const override { return {}; }
  void close() noexcept override { is_closed = true; }

  bool is_open = false;    // accepts output
  bool is_stream = false;  // a stream of a connection that others use
  std::size_t waiting = 0;
  std::size_t in_kernel = 0;
  std::string sent;  // or waiting to be sent
  bool is_paused = false;
  bool has_ended = false;
  bool was_reset = false;
  bool is_closed = false;

 private:
  Loop& loop_;
  Buffer corked_;
};

}  // namespace eider::testing
