// The buffers that the kernel receives into: a ring of them, provided once and given back after
// use. Must not know streams.
#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "eider/base/result.h"
#include "eider/runtime/loop_uring_ring.h"

namespace eider {

/// Begins small and grows with what arrives at once, so that a quiet loop costs little memory.
class UringBuffers {
 public:
  static constexpr std::uint16_t kGroup = 0;

  explicit UringBuffers(UringRing& ring) noexcept : ring_(ring) {}
  UringBuffers(const UringBuffers&) = delete;
  UringBuffers& operator=(const UringBuffers&) = delete;
  ~UringBuffers();

  /// errors   the kernel is older than 5.19
  [[nodiscard]] Result<void> open();

  /// What the kernel received into buffer `id`.
  [[nodiscard]] std::string_view view(unsigned id, std::size_t bytes) const noexcept {
    return {data(id), bytes};
  }
  /// The bytes of buffer `id` are no longer needed. The kernel learns of it with `publish`.
  void give_back(unsigned id) noexcept;
  void publish() noexcept;
  /// The kernel found no buffer: provides more, up to the bound.
  void grow();

 private:
  static constexpr unsigned kBufferBytes = 4096;
  static constexpr unsigned kPerBlock = 64;
  static constexpr unsigned kBuffersMax = 1024;  // a power of two

  [[nodiscard]] char* data(unsigned id) const noexcept {
    return blocks_[id / kPerBlock].get() + std::size_t{id % kPerBlock} * kBufferBytes;
  }

  UringRing& ring_;
  io_uring_buf_ring* buffers_ = nullptr;
  std::vector<std::unique_ptr<char[]>> blocks_;
  int unpublished_ = 0;
};

}  // namespace eider
