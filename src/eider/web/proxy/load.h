// What an upstream has to do for us, counted: one more as long as a Load lives.
// Must not know upstreams: it has a number to count in.
#pragma once

#include <utility>

namespace eider::detail::proxy {

class Load {
 public:
  /// Counts nothing.
  Load() noexcept = default;
  /// count  outlives it, on the same thread
  explicit Load(unsigned& count) noexcept : count_(&count) { ++count; }
  Load(Load&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
  Load& operator=(Load&& other) noexcept {
    std::swap(count_, other.count_);
    return *this;
  }
  ~Load() {
    if (count_ != nullptr) {
      --*count_;
    }
  }

 private:
  unsigned* count_ = nullptr;
};

}  // namespace eider::detail::proxy
