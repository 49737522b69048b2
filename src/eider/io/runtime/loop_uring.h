// The io_uring backend: one system call per turn for all receives, sends and closes.
// Layering: must not submit within callbacks: UringTurn collects their requests, and submits them
// with the next wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "eider/core/base/buffer.h"
#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/loop_uring_buffers.h"
#include "eider/io/runtime/loop_uring_ring.h"
#include "eider/io/runtime/stream.h"

namespace eider {

/// The operation of a completion.
enum class UringOperation : std::uint8_t {
  ignored,
  receive,
  send,
  stream_writable,
  stream_hung_up,
  accept,
  watch_ready,
  woken,
  fixed
};

struct UringSlot {
  enum class Kind : std::uint8_t { free, stream, listener, watch };

  void* object = nullptr;
  std::uint32_t generation = 0;
  std::uint32_t cork = 0;     // of this turn; 0: none
  std::uint32_t sending = 0;  // the cork of the previous turn, whose send was submitted
  int fd = -1;                // of a stream
  Kind kind = Kind::free;
  std::uint8_t singles = 0;      // this many more receives are armed one at a time
  bool is_dirty = false;         // must be examined when the turn is submitted
  bool is_armed = false;         // a receive, an accept or a poll is in the kernel
  bool is_out_armed = false;     // a poll for room to write is in the kernel
  bool is_hangup_armed = false;  // a poll only for errors is in the kernel
  bool has_received = false;     // from the second receive on, a multishot receive is worthwhile
  bool takes_all = false;        // receives everything in one turn
  bool is_lasting = false;       // the last armed receive is multishot
  bool is_bounded = false;       // it ends after a number of bytes
  bool is_fixed = false;         // the descriptor is registered, at the slot's index
  bool is_unfixable = false;     // the kernel refused to register it
  bool may_miss = false;         // the receive after that may find no descriptor, once
  bool is_cancelling = false;    // the receive is being cancelled
  bool is_unwanted = false;      // bytes arrived that the stream did not want
};

/// A slot's index is reused with another generation. So a completion that arrives after its stream
/// was detached finds no slot.
class UringSlots {
 public:
  static constexpr std::uint32_t kNobody = (1U << 24U) - 1;  // no slot has this index

  /// The name of an operation: the slot in the lowest 32 bits, its generation in the next 24.
  [[nodiscard]] static std::uint32_t index_of(std::uint64_t name) noexcept {
    return static_cast<std::uint32_t>(name);
  }
  [[nodiscard]] static UringOperation operation_of(std::uint64_t name) noexcept {
    return static_cast<UringOperation>(name >> kOperationShift);
  }
  /// Returns the name of an operation that belongs to no slot.
  [[nodiscard]] static std::uint64_t name_of(UringOperation operation) noexcept {
    return std::uint64_t{static_cast<std::uint8_t>(operation)} << kOperationShift;
  }
  [[nodiscard]] std::uint64_t name_of(UringOperation operation,
                                      std::uint32_t index) const noexcept {
    return name_of(operation) | std::uint64_t{slots_[index].generation} << kGenerationShift | index;
  }

  [[nodiscard]] UringSlot& at(std::uint32_t index) noexcept { return slots_[index]; }
  [[nodiscard]] const UringSlot& at(std::uint32_t index) const noexcept { return slots_[index]; }
  /// Returns the slot of that name, or null if its object was detached.
  [[nodiscard]] UringSlot* find(std::uint64_t name) noexcept {
    UringSlot& slot = slots_[index_of(name)];
    const auto generation = static_cast<std::uint32_t>(name >> kGenerationShift) & kGenerationMask;
    return slot.generation == generation ? &slot : nullptr;
  }

  std::uint32_t take(UringSlot::Kind kind, void* object);
  void give_back(std::uint32_t index) noexcept;

  /// Marks the slot, to be examined when the turn is submitted.
  void mark(std::uint32_t index) noexcept {
    if (!slots_[index].is_dirty) {
      slots_[index].is_dirty = true;
      dirty_.push_back(index);
    }
  }
  /// Calls `look` with the index of each marked slot.
  template <class Look>
  void for_each_marked(const Look& look) {
    for (const std::uint32_t index : dirty_) {
      slots_[index].is_dirty = false;
      look(index);
    }
    dirty_.clear();
  }

 private:
  static constexpr unsigned kGenerationShift = 32;
  static constexpr unsigned kOperationShift = 56;
  static constexpr std::uint32_t kGenerationMask = (1U << 24U) - 1;

  std::vector<UringSlot> slots_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> dirty_;
};

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

/// Attached objects have slots. UringTurn collects and submits the requests of a turn. This class
/// handles the completions.
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
