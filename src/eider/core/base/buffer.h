// Contiguous bytes that grow at the end. Responses are written into a Buffer.
// Layering: must not know its readers, and shrinks only when its user requests it.
#pragma once

#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

namespace eider {

/// Growable byte buffer. Unlike std::string, it provides memory to write into without zeroing it
/// first.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t capacity) { grow(capacity); }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  [[nodiscard]] const char* data() const noexcept { return data_; }
  [[nodiscard]] char* data() noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::string_view view() const noexcept { return {data_, size_}; }

  /// Returns room for `bytes` more bytes at the end. Call `commit` after writing them.
  [[nodiscard]] char* reserve(std::size_t bytes) {
    if (capacity_ - size_ < bytes) [[unlikely]] {
      grow(size_ + bytes);
    }
    return data_ + size_;
  }
  void commit(std::size_t bytes) noexcept { size_ += bytes; }

  void append(std::string_view bytes) {
    char* at = reserve(bytes.size());
    if (!bytes.empty()) {
      std::memcpy(at, bytes.data(), bytes.size());
    }
    size_ += bytes.size();
  }
  void append(char byte) {
    *reserve(1) = byte;
    ++size_;
  }

  /// Drops all bytes and keeps the memory.
  void clear() noexcept { size_ = 0; }
  /// Memory that is kept for reuse by default.
  static constexpr std::size_t kKeptBytesMax = 16UL * 1024;
  /// Drops all bytes, and frees the memory if its capacity exceeds `kept_bytes_max`.
  void reset(std::size_t kept_bytes_max = kKeptBytesMax) noexcept {
    clear();
    if (capacity_ > kept_bytes_max) {
      release();
    }
  }
  /// Keeps only the first `size` bytes. Pre: size <= this->size().
  void truncate(std::size_t size) noexcept { size_ = size; }
  /// Drops the first `bytes` and moves the rest to the front. Pre: bytes <= size().
  void consume(std::size_t bytes) noexcept;
  /// Frees the memory.
  void release() noexcept;

  void swap(Buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  /// Grows the capacity to at least `bytes` (doubling). Throws std::bad_alloc.
  void grow(std::size_t bytes);

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace eider
