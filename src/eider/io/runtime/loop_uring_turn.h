// The kernel requests of one turn of an io_uring loop: collected, then submitted at its end.
// Layering: must not look at completions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/io/runtime/loop_uring_ring.h"
#include "eider/io/runtime/loop_uring_slots.h"
#include "eider/io/runtime/stream.h"

namespace eider {

/// The corks of one turn: one per stream that writes, all sent together at the end of the turn.
class UringCorks {
 public:
  struct Cork {
    Buffer bytes;
    std::uint64_t owner = 0;  // the name of the slot that writes here
  };

  /// Returns the number of a new cork, which is never 0. Its address does not change until `clear`.
  [[nodiscard]] std::uint32_t take(std::uint64_t owner) {
    if (used_ == corks_.size()) {
      corks_.push_back(std::make_unique<Cork>());
    }
    corks_[used_]->owner = owner;
    return static_cast<std::uint32_t>(++used_);
  }
  [[nodiscard]] Cork& at(std::uint32_t number) const noexcept { return *corks_[number - 1]; }
  [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(used_); }

  /// Empties the corks after the kernel has read them; the memory is used in the turn after the
  /// next.
  void clear() noexcept {
    for (std::size_t index = 0; index < used_; ++index) {
      corks_[index]->bytes.reset(kKeptBytesMax);
    }
    used_ = 0;
  }

  /// Frees corks of earlier turns with more writers.
  void release_spare() noexcept {
    corks_.resize(used_);
    corks_.shrink_to_fit();
  }

 private:
  static constexpr std::size_t kKeptBytesMax = 64 * 1024;

  std::vector<std::unique_ptr<Cork>> corks_;
  std::size_t used_ = 0;
};

/// Sends either complete immediately or report the rest (MSG_DONTWAIT | MSG_WAITALL), and success
/// produces no completion (IOSQE_CQE_SKIP_SUCCESS). So when the call that submits them returns, the
/// kernel no longer needs their bytes, and only failures cost a completion. They are the first
/// entries of a submission, so their failures are the first completions after it.
class UringTurn {
 public:
  UringTurn(UringRing& ring, UringSlots& slots, int wake_up) noexcept
      : ring_(ring), slots_(slots), wake_up_(wake_up) {}
  UringTurn(const UringTurn&) = delete;
  UringTurn& operator=(const UringTurn&) = delete;
  ~UringTurn();

  /// Submits in the required order: sends, then cancellations and closes, then new requests.
  void submit();

  /// Cancels the kernel's operations of an object that is detached, and frees its slot.
  ///
  /// armed  the operation that its `is_armed` refers to
  /// fd     to close; -1: none
  void leave(std::uint32_t index, UringOperation armed, int fd) noexcept;

  /// Returns the buffer for a stream's output of this turn.
  [[nodiscard]] Buffer& cork(std::uint32_t index);
  /// The same, or null if it has none.
  [[nodiscard]] Buffer* corked(std::uint32_t index) noexcept {
    const UringSlot& slot = slots_.at(index);
    return slot.cork == 0 ? nullptr : &corks_.at(slot.cork).bytes;
  }
  /// Returns the slot's output that was submitted at the end of the previous turn.
  [[nodiscard]] Buffer& sent(const UringSlot& slot) noexcept {
    return sent_corks_.at(slot.sending).bytes;
  }
  /// Called when the kernel no longer needs the sent bytes.
  void forget_sent() noexcept { sent_corks_.clear(); }
  void release_spare() noexcept {
    corks_.release_spare();
    sent_corks_.release_spare();
  }

  void note_woken(bool is_armed) noexcept { is_wake_up_armed_ = is_armed; }
  /// Notes that this kernel does not support multishot receives with a limit of bytes.
  void note_unboundable() noexcept { may_bound_ = false; }

 private:
  /// The operations of a detached object to cancel, and its descriptor to close.
  struct Leaving {
    std::uint64_t armed = 0;  // the names of operations to cancel; 0: none
    std::uint64_t out_armed = 0;
    std::uint64_t hangup_armed = 0;
    int fd = -1;              // to close; -1: none
    std::int64_t fixed = -1;  // the index of the registered descriptor; -1: none
  };

  // The limits of a multishot receive: before and after the reader has shown that it takes
  // everything at once.
  static constexpr std::uint32_t kLastingBytes = 128U * 1024;
  static constexpr std::uint32_t kTrustedBytes = 2048U * 1024;

  [[nodiscard]] static bool has_outlived_use(const UringSlot& slot, bool wants_bytes) noexcept;
  static void aim_at(io_uring_sqe& entry, const UringSlot& slot, std::uint32_t index) noexcept;

  void submit_wake_up();
  void submit_sends();
  void submit_send(UringCorks::Cork& cork, std::uint32_t number);
  void submit_leaving();
  void submit_cancel(std::uint64_t name);
  void submit_wish(std::uint32_t index);
  void submit_accept(UringSlot& slot, std::uint32_t index);
  void submit_stream_wish(UringSlot& slot, std::uint32_t index);
  void submit_receive(UringSlot& slot, std::uint32_t index);
  void submit_fixing(UringSlot& slot, std::uint32_t index);
  void submit_poll(UringOperation operation, std::uint32_t index, int fd, unsigned events);
  void submit_hang_up(const Stream& stream, std::uint32_t index);

  UringRing& ring_;
  UringSlots& slots_;
  int wake_up_;
  std::vector<Leaving> leaving_;
  UringCorks corks_;       // written in this turn
  UringCorks sent_corks_;  // of the previous turn; some sends may have failed
  bool may_bound_ = true;  // whether multishot receives may have a limit
  bool is_wake_up_armed_ = false;
};

}  // namespace eider
