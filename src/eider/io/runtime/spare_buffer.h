// Memory that objects of one thread use in turn, each for a moment: those that wait keep none.
// Must not be shared by threads.
#pragma once

#include <cstddef>

#include "eider/core/base/buffer.h"

namespace eider {

class SpareBuffer {
 public:
  /// More than this is given back to the heap.
  static constexpr std::size_t kKeptBytesMax = 128UL * 1024;

  /// For a buffer that has no memory of its own.
  void lend(Buffer& to) noexcept {
    if (to.capacity() == 0) {
      to.swap(memory_);
    }
  }
  /// Its bytes are forgotten.
  void take_back(Buffer& from) noexcept {
    from.clear();
    if (memory_.capacity() < from.capacity() && from.capacity() <= kKeptBytesMax) {
      from.swap(memory_);
    }
    from.release();
  }

 private:
  Buffer memory_;  // empty
};

}  // namespace eider
