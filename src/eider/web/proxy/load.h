// Counts the requests of an upstream during the life of a Load.
// Layering: must not know upstreams; it increments a number.
#pragma once

#include <utility>

namespace eider::detail::proxy {

class Load {
 public:
  /// Counts nothing.
  Load() noexcept = default;
  /// count  must outlive this object, on the same thread
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
