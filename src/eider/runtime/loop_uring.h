// The io_uring backend: one system call per turn for all that the turn receives, sends and closes.
// Must not submit within callbacks: what they ask for is gathered and leaves with the next wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "eider/runtime/descriptor.h"
#include "eider/runtime/loop.h"
#include "eider/runtime/loop_uring_buffers.h"
#include "eider/runtime/loop_uring_corks.h"
#include "eider/runtime/loop_uring_ring.h"

namespace eider {

/// Everything attached has a slot. A completion names slot and generation, so that one which
/// arrives after its stream has left is told to nobody.
///
/// Sends are made to succeed at once or to say what is left (MSG_DONTWAIT | MSG_WAITALL), and
/// succeed silently (IOSQE_CQE_SKIP_SUCCESS): when the call that submits them returns, the kernel
/// is through with their bytes, and only refusals cost a completion. Being the first entries of a
/// submission, their refusals are the first completions behind it.
class UringLoop final : public Loop {
 public:
  explicit UringLoop(Descriptor wake_up);
  ~UringLoop() override;

  [[nodiscard]] Result<void> open(BufferFilling filling);
  [[nodiscard]] std::string_view name() const noexcept override { return "io_uring"; }
  void release_spare() noexcept override {
    corks_.release_spare();
    sent_corks_.release_spare();
  }

 protected:
  void attach(Stream& stream) override;
  void update(Stream& stream) override;
  void detach(Stream& stream) noexcept override;
  Written write(Stream& stream, std::string_view first, std::string_view second) override;
  void end_writing(Stream& stream) noexcept override;

  void attach(Listener& listener) override;
  void detach(Listener& listener) noexcept override;
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
  enum class Kind : std::uint8_t { free, stream, listener, watch };
  /// What a completion is of.
  enum class Operation : std::uint8_t {
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

  struct Slot {
    void* object = nullptr;
    std::uint32_t generation = 0;
    std::uint32_t cork = 0;     // of this turn; 0 is none
    std::uint32_t sending = 0;  // the cork of the turn before, whose send was submitted
    int fd = -1;                // of a stream
    Kind kind = Kind::free;
    std::uint8_t singles = 0;      // so many more receives one at a time
    bool is_dirty = false;         // stands in dirty_
    bool is_armed = false;         // a receive, an accept or a poll is with the kernel
    bool is_out_armed = false;     // a poll for room to write is with the kernel
    bool is_hangup_armed = false;  // a poll for errors alone is with the kernel
    bool has_received = false;     // from the second receive on it pays to arm a lasting one
    bool takes_all = false;        // however much there is, in one turn
    bool is_lasting = false;       // of the receive that was armed last
    bool is_bounded = false;       // the same: it lasts for so many bytes
    bool is_fixed = false;         // the descriptor is registered, at the slot's index
    bool is_unfixable = false;     // the kernel refused to register it
    bool may_miss = false;         // so the receive behind that finds no descriptor, once
    bool is_cancelling = false;    // the receive is being taken back
    bool is_unwanted = false;      // bytes arrived that nobody wanted
  };

  /// What has to be taken back from the kernel, or closed, of something that left.
  struct Leaving {
    std::uint64_t armed = 0;  // the names of operations to cancel; 0 is none
    std::uint64_t out_armed = 0;
    std::uint64_t hangup_armed = 0;
    int fd = -1;              // to close; -1 is none
    std::int64_t fixed = -1;  // the index of the registered descriptor; -1 is none
  };

  static constexpr unsigned kSlotBits = 24;
  static constexpr std::uint32_t kGenerationMask = (1U << kSlotBits) - 1;
  static constexpr std::size_t kLargeReceiveBytes = 16UL * 1024;
  static constexpr std::uint8_t kSinglesBehindLarge = 16;
  // Who was told so much in one turn and still wants more does not take a piece in each.
  static constexpr std::size_t kTakenInTurnBytes = 64UL * 1024;
  // A lasting receive's, until the reader has shown that it takes all at once, and from then on.
  static constexpr std::uint32_t kLastingBytes = 128U * 1024;
  static constexpr std::uint32_t kTrustedBytes = 2048U * 1024;
  static constexpr std::uint32_t kNobody = kGenerationMask;

  [[nodiscard]] std::uint64_t name_of(Operation operation, std::uint32_t slot) const noexcept;
  [[nodiscard]] Slot* slot_of(std::uint64_t name) noexcept;
  [[nodiscard]] static std::uint32_t index_of(std::uint64_t name) noexcept {
    return static_cast<std::uint32_t>(name);
  }

  std::uint32_t take_slot(Kind kind, void* object);
  void free_slot(std::uint32_t index, Operation armed, int fd) noexcept;
  void mark(std::uint32_t index) noexcept;

  void submit_turn();
  void submit_sends();
  void submit_send(UringCorks::Cork& cork, std::uint32_t number);
  void submit_leaving();
  void submit_cancel(std::uint64_t name);
  void submit_wishes();
  void submit_wish(std::uint32_t index);
  void submit_stream_wish(Slot& slot, std::uint32_t index);
  [[nodiscard]] static bool has_outlived_use(const Slot& slot, bool wants_bytes) noexcept;
  void submit_receive(Slot& slot, std::uint32_t index);
  void submit_fixing(Slot& slot, std::uint32_t index);
  static void aim_at(io_uring_sqe& entry, const Slot& slot, std::uint32_t index) noexcept;
  void submit_poll(Operation operation, std::uint32_t index, int fd, unsigned events);
  void submit_hang_up(const Stream& stream, std::uint32_t index);
  void submit_wake_up();

  void reap();
  void complete(const io_uring_cqe& completion);
  void complete_receive(const io_uring_cqe& completion);
  void tell_received(std::uint32_t index, std::string_view bytes);
  void heed_pace(std::uint32_t index, std::size_t bytes) noexcept;
  void tell_unreceived(Slot& slot, int result);
  void complete_send(const io_uring_cqe& completion);
  void complete_writable(const io_uring_cqe& completion);
  void complete_hang_up(const io_uring_cqe& completion);
  void complete_fixing(const io_uring_cqe& completion);
  void complete_accept(const io_uring_cqe& completion);
  void complete_watch(const io_uring_cqe& completion);

  Descriptor wake_up_;
  UringRing ring_;
  UringBuffers buffers_{ring_};
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> dirty_;
  std::vector<Leaving> leaving_;
  UringCorks corks_;                   // written in this turn
  UringCorks sent_corks_;              // of the turn before; some may have been refused
  std::uint32_t told_last_ = kNobody;  // the slot, in this turn
  std::size_t told_bytes_ = 0;         // to it, without another in between
  bool may_bound_ = true;              // a lasting receive, which some kernels refuse
  bool is_wake_up_armed_ = false;
};

}  // namespace eider
