// An open file descriptor with one owner, which closes it.
// Layering: must not know the type of the descriptor.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

namespace eider {

class Descriptor {
 public:
  Descriptor() = default;
  /// Takes ownership of `fd`; -1 means none.
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  [[nodiscard]] bool is_open() const noexcept { return fd_ >= 0; }
  /// Releases ownership: the descriptor is no longer closed here.
  [[nodiscard]] int release() noexcept { return std::exchange(fd_, -1); }
  void close() noexcept;

 private:
  int fd_ = -1;
};

namespace detail::runtime {

/// Writes all bytes to a blocking descriptor, also if signals interrupt it. Async-signal-safe.
///
/// returns  false on an error; errno has the cause
[[nodiscard]] bool write_all(int fd, std::string_view bytes) noexcept;
/// The same for a file, at an offset: independent of the position that other calls have set.
[[nodiscard]] bool write_all_at(int fd, std::string_view bytes, std::uint64_t offset) noexcept;

}  // namespace detail::runtime

}  // namespace eider
