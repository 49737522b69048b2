// Received bytes that cannot be used yet: part of a head, or pipelined requests.
// Layering: must not use memory while it is empty.
#pragma once

#include <cstddef>
#include <string_view>

#include "eider/core/base/buffer.h"

namespace eider::detail::base {

class SavedInput {
 public:
  [[nodiscard]] bool empty() const noexcept { return bytes_.size() == used_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_.size() - used_; }
  /// Returns a view that is valid until the next append or drop.
  [[nodiscard]] std::string_view view() const noexcept { return bytes_.view().substr(used_); }

  void append(std::string_view bytes) {
    if (used_ != 0) {
      bytes_.consume(used_);
      used_ = 0;
    }
    bytes_.append(bytes);
  }
  /// Drops the first `bytes` without moving the rest. Pre: bytes <= size().
  void drop(std::size_t bytes) noexcept {
    used_ += bytes;
    if (empty()) {
      release();
    }
  }
  void release() noexcept {
    bytes_.release();
    used_ = 0;
  }

 private:
  Buffer bytes_;
  std::size_t used_ = 0;
};

}  // namespace eider::detail::base
