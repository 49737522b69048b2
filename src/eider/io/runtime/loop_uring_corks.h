// The corks of one turn: one per stream that writes, all sent together when the turn ends.
// Must not know io_uring; it only keeps each turn's bytes in place until the kernel has read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "eider/core/base/buffer.h"

namespace eider {

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

}  // namespace eider
