// The io_uring backend: one system call per turn for all receives, sends and closes.
// Layering: must not submit within callbacks: their requests are collected, and submitted with the
// next wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/loop_uring_buffers.h"
#include "eider/io/runtime/loop_uring_ring.h"
#include "eider/io/runtime/loop_uring_slots.h"
#include "eider/io/runtime/loop_uring_turn.h"

namespace eider {

/// Attached objects have slots (loop_uring_slots.h). UringTurn (loop_uring_turn.h) collects and
/// submits the requests of a turn. This class handles the completions.
class UringLoop final : public Loop {
 public:
  explicit UringLoop(Descriptor wake_up);
  ~UringLoop() override;

  [[nodiscard]] Result<void> open(BufferFilling filling);
  [[nodiscard]] std::string_view name() const noexcept override { return "io_uring"; }
  void release_spare() noexcept override { turn_.release_spare(); }

 protected:
  void attach(Stream& stream) override;
  void update(Stream& stream) override;
  void detach(Stream& stream) noexcept override;
  Written write(Stream& stream, std::string_view first, std::string_view second) override;
  void end_writing(Stream& stream) noexcept override;

  void attach(Listener& listener) override;
  void detach(Listener& listener) noexcept override;
  [[nodiscard]] bool accept_no_more(Listener& listener) noexcept override;
  void attach(FdWatch& watch) override;
  void update(FdWatch& watch) override;
  void detach(FdWatch& watch) noexcept override;

  void wait(Instant until) override;
  void settle() override;
  void wake() noexcept override;

  void lend_cork(Stream& stream) override;
  Buffer* corked(const Stream& stream) noexcept override;
  void flush_cork() override {}

 private:
  static constexpr std::size_t kLargeReceiveBytes = 16UL * 1024;
  static constexpr std::uint8_t kSinglesBehindLarge = 16;
  // A reader that got this much in one turn, and wants more, gets everything in one receive.
  static constexpr std::size_t kTakenInTurnBytes = 64UL * 1024;

  void submit_turn();
  bool reap_settled();
  void reap();
  void complete(const io_uring_cqe& completion);
  void complete_receive(const io_uring_cqe& completion);
  void tell_received(std::uint32_t index, std::string_view bytes);
  void learn_pace(std::uint32_t index, std::size_t bytes) noexcept;
  void tell_unreceived(UringSlot& slot, int result);
  void complete_send(const io_uring_cqe& completion);
  void complete_writable(const io_uring_cqe& completion);
  void complete_hang_up(const io_uring_cqe& completion);
  void complete_fixing(const io_uring_cqe& completion);
  void complete_accept(const io_uring_cqe& completion);
  void complete_watch(const io_uring_cqe& completion);

  Descriptor wake_up_;
  UringRing ring_;
  UringBuffers buffers_{ring_};
  UringSlots slots_;
  UringTurn turn_{ring_, slots_, wake_up_.get()};
  std::size_t gathered_bytes_ = 0;                 // bytes in the corks of this turn
  std::uint32_t told_last_ = UringSlots::kNobody;  // the slot that received last in this turn
  std::size_t told_bytes_ = 0;                     // received by it without another slot in between
  bool is_settled_ = false;                        // `run` has returned; nothing was handled since
};

}  // namespace eider
