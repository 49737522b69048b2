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

/// The corks of one turn: one per stream that writes, all sent together when the turn ends.
class UringCorks {
 public:
  struct Cork {
    Buffer bytes;
    std::uint64_t owner = 0;  // the name of the slot that writes here
  };

  /// A cork whose place stays the same until `clear`. The number is never 0.
  [[nodiscard]] std::uint32_t take(std::uint64_t owner) {
    if (used_ == corks_.size()) {
      corks_.push_back(std::make_unique<Cork>());
    }
    corks_[used_]->owner = owner;
    return static_cast<std::uint32_t>(++used_);
  }
  [[nodiscard]] Cork& at(std::uint32_t number) const noexcept { return *corks_[number - 1]; }
  [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(used_); }

  /// The kernel has read all: the memory serves the next turn but one.
  void clear() noexcept {
    for (std::size_t index = 0; index < used_; ++index) {
      corks_[index]->bytes.reset(kKeptBytesMax);
    }
    used_ = 0;
  }

  /// Frees what a turn with more writers than now has left behind.
  void release_spare() noexcept {
    corks_.resize(used_);
    corks_.shrink_to_fit();
  }

 private:
  static constexpr std::size_t kKeptBytesMax = 64 * 1024;

  std::vector<std::unique_ptr<Cork>> corks_;
  std::size_t used_ = 0;
};

/// Sends are made to succeed at once or to say what is left (MSG_DONTWAIT | MSG_WAITALL), and
/// succeed silently (IOSQE_CQE_SKIP_SUCCESS): when the call that submits them returns, the kernel
/// is through with their bytes, and only refusals cost a completion. Being the first entries of a
/// submission, their refusals are the first completions behind it.
class UringTurn {
 public:
  UringTurn(UringRing& ring, UringSlots& slots, int wake_up) noexcept
      : ring_(ring), slots_(slots), wake_up_(wake_up) {}
  UringTurn(const UringTurn&) = delete;
  UringTurn& operator=(const UringTurn&) = delete;
  ~UringTurn();

  /// In the order that must hold: sends, then what leaves, then what is wished for.
  void submit();

  /// Takes back what is with the kernel of something that leaves, and its slot.
  ///
  /// armed  what its `is_armed` is about
  /// fd     closed then; -1 is none
  void leave(std::uint32_t index, UringOperation armed, int fd) noexcept;

  /// Where a stream's output of this turn is gathered.
  [[nodiscard]] Buffer& cork(std::uint32_t index);
  /// The same, or null when it has none.
  [[nodiscard]] Buffer* corked(std::uint32_t index) noexcept {
    const UringSlot& slot = slots_.at(index);
    return slot.cork == 0 ? nullptr : &corks_.at(slot.cork).bytes;
  }
  /// What was submitted of the slot at the end of the turn before.
  [[nodiscard]] Buffer& sent(const UringSlot& slot) noexcept {
    return sent_corks_.at(slot.sending).bytes;
  }
  /// The kernel is through with all that was sent.
  void forget_sent() noexcept { sent_corks_.clear(); }
  void release_spare() noexcept {
    corks_.release_spare();
    sent_corks_.release_spare();
  }

  void note_woken(bool is_armed) noexcept { is_wake_up_armed_ = is_armed; }
  /// This kernel refuses lasting receives that end after so many bytes.
  void note_unboundable() noexcept { may_bound_ = false; }

 private:
  /// What has to be taken back from the kernel, or closed, of something that left.
  struct Leaving {
    std::uint64_t armed = 0;  // the names of operations to cancel; 0 is none
    std::uint64_t out_armed = 0;
    std::uint64_t hangup_armed = 0;
    int fd = -1;              // to close; -1 is none
    std::int64_t fixed = -1;  // the index of the registered descriptor; -1 is none
  };

  // A lasting receive's, until the reader has shown that it takes all at once, and from then on.
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
  UringCorks sent_corks_;  // of the turn before; some may have been refused
  bool may_bound_ = true;  // a lasting receive, which some kernels refuse
  bool is_wake_up_armed_ = false;
};

}  // namespace eider
