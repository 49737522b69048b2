#include "eider/core/base/buffer.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace eider {

namespace {
constexpr std::size_t kSmallestBytes = 256;
}

Buffer::~Buffer() {
  std::free(data_);
}

void Buffer::grow(std::size_t bytes) {
  const std::size_t wanted = std::max({bytes, capacity_ * 2, kSmallestBytes});
  auto* larger = static_cast<char*>(std::realloc(data_, wanted));
  if (larger == nullptr) {
    throw std::bad_alloc();
  }
  data_ = larger;
  capacity_ = wanted;
}

void Buffer::consume(std::size_t bytes) noexcept {
  size_ -= bytes;
  if (size_ != 0) {
    std::memmove(data_, data_ + bytes, size_);
  }
}

void Buffer::release() noexcept {
  std::free(data_);
  data_ = nullptr;
  size_ = 0;
  capacity_ = 0;
}

}  // namespace eider
