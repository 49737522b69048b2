#include "eider/io/runtime/loop_uring_slots.h"

namespace eider {

std::uint32_t UringSlots::take(UringSlot::Kind kind, void* object) {
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  UringSlot& slot = slots_[index];
  // The slot may already be marked: a second mark would submit it twice.
  slot = UringSlot{
      .object = object, .generation = slot.generation, .kind = kind, .is_dirty = slot.is_dirty};
  mark(index);
  return index;
}

void UringSlots::give_back(std::uint32_t index) noexcept {
  UringSlot& slot = slots_[index];
  slot.kind = UringSlot::Kind::free;
  slot.object = nullptr;
  // Later completions for the previous owner find no slot.
  slot.generation = (slot.generation + 1) & kGenerationMask;
  free_.push_back(index);
}

}  // namespace eider
