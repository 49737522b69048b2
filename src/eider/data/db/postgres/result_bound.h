// How much of one row of a COPY has come. libpq keeps it until its end has come, and tells nobody
// how much there is by then. Must not be taken for exact: it has come at least.
#pragma once

#include <algorithm>
#include <cstddef>

#include "eider/data/db/postgres/wire.h"

namespace eider::db::postgres {

class ResultBound {
 public:
  explicit ResultBound(std::size_t bytes_max) noexcept : bytes_max_(bytes_max) {}

  /// Another row is next.
  void begin() noexcept { receives_ = bytes_ = 0; }
  /// As Wire's, counted. What libpq reads is what waited and waits no more, where nothing came
  /// meanwhile; it reads into a room that has some left in any case.
  [[nodiscard]] bool receive(Wire& wire) {
    if (++receives_ <= kUncounted) {
      return wire.receive();
    }
    const std::size_t before = wire.waiting_bytes();
    const bool is_alive = wire.receive();
    const std::size_t after = std::min(before, wire.waiting_bytes());
    bytes_ += std::max(before - after, std::min(before, kReadBytesMin));
    return is_alive;
  }
  [[nodiscard]] bool is_exceeded() const noexcept { return bytes_ > bytes_max_; }

 private:
  static constexpr std::size_t kReadBytesMin = 8192;
  static constexpr std::size_t kUncounted = 16;  // small ones need no question of the kernel

  std::size_t bytes_max_;
  std::size_t receives_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace eider::db::postgres
