// Everything attached to an io_uring loop, by the keys of completions.
// Layering: must not submit anything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

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

}  // namespace eider
