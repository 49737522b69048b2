// The ring of receive buffers, provided once and returned after use.
// Layering: must not know streams.
#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"
#include "eider/io/runtime/loop_uring_ring.h"
#include "eider/io/runtime/read_blocks.h"

namespace eider {

/// Whether each receive uses a small buffer, or the next bytes of a large one, so that small
/// requests are packed densely and large bodies arrive in large pieces.
enum class BufferFilling : std::uint8_t { once_each, bit_by_bit };

/// Returns `bit_by_bit` if the kernel supports it and completes receives in the order in which it
/// filled the buffers, which determines which bytes belong to which receive. Supported since Linux
/// 6.12; since 6.15 deferred completions are not overtaken ("io_uring: ensure deferred completions
/// are flushed for multishot").
[[nodiscard]] BufferFilling best_filling() noexcept;

/// Starts small and grows with the data that arrives at once, so that a quiet loop uses little
/// memory.
class UringBuffers final : public ReadLender {
 public:
  static constexpr std::uint16_t kGroup = 0;

  explicit UringBuffers(UringRing& ring) noexcept : ring_(ring) {}
  UringBuffers(const UringBuffers&) = delete;
  UringBuffers& operator=(const UringBuffers&) = delete;
  ~UringBuffers();

  /// errors   the kernel is older than 5.19
  [[nodiscard]] Result<void> open(BufferFilling filling);

  /// Returns the received bytes, or an empty view if there are none. Pre: called once for each
  /// completed receive, in their order.
  [[nodiscard]] std::string_view take(const io_uring_cqe& receive) noexcept;
  /// Marks the received bytes as no longer needed. The kernel gets the buffers back with `publish`.
  void release(const io_uring_cqe& receive) noexcept;
  /// Lends bytes of the last `take`, before its `release`.
  [[nodiscard]] bool lend(std::string_view bytes, ReadLoan& loan) noexcept override;
  void end(ReadLoan& loan) noexcept override;
  void publish() noexcept;
  /// Provides more buffers, up to the limit, because the kernel found none.
  void grow();

 private:
  struct Shape {
    std::size_t buffer_bytes;
    unsigned per_block;
    unsigned buffers_max;
  };
  struct Loans {
    std::uint16_t open = 0;
    bool is_done = false;  // the kernel has filled it: it is provided again after the last loan
  };
  static constexpr Shape kSmall{4096, 64, 1024};
  static constexpr Shape kLarge{64 * 1024, 2, 32};
  static constexpr unsigned kEntries = 1024;  // a power of two, >= the number of buffers

  [[nodiscard]] int enroll(std::uint16_t flags) noexcept;
  [[nodiscard]] char* data(unsigned id) const noexcept {
    return blocks_[id / shape_.per_block].get() + id % shape_.per_block * shape_.buffer_bytes;
  }
  void provide(unsigned id) noexcept;
  void provide_again(unsigned id) noexcept;
  void poison_told(const io_uring_cqe& receive) const noexcept;

  UringRing& ring_;
  io_uring_buf_ring* buffers_ = nullptr;
  Shape shape_ = kSmall;
  bool fills_bit_by_bit_ = false;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<std::size_t> filled_;  // of each buffer, in bytes; only for bit_by_bit
  std::vector<Loans> loans_;         // of each buffer
  std::string_view taken_;           // the result of the last `take`, in this buffer
  unsigned taken_id_ = 0;
  unsigned lent_ = 0;  // the number of lent buffers
  int unpublished_ = 0;
};

}  // namespace eider
