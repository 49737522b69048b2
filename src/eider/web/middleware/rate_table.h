// Request counters of many clients in memory of bounded size.
// Layering: must not know requests; a key is any bytes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "eider/io/runtime/time.h"
#include "eider/web/middleware/place_table.h"
#include "eider/web/middleware/rate_store.h"

namespace eider::detail::middleware {

/// Thread-safe.
class RateTable {
 public:
  /// keys_max  rounded up to a power of two of at least eight
  /// Pre: requests > 0, per >= requests nanoseconds
  RateTable(RateTerms terms, std::size_t keys_max);

  [[nodiscard]] RateDecision take(std::string_view key, Instant now);
  [[nodiscard]] std::size_t bytes() const noexcept { return places_.bytes(); }

 private:
  /// `at` is the time when a bucket is full again, or when the current window began.
  struct Place {
    std::uint64_t hash = 0;  // 0: free
    Instant at;
    std::uint32_t count = 0;   // in the current window
    std::uint32_t before = 0;  // in the previous window
  };

  [[nodiscard]] Duration worth(const Place& place, Instant now) const noexcept;
  [[nodiscard]] RateDecision take_token(Place& place, Instant now) const noexcept;
  [[nodiscard]] RateDecision take_in_window(Place& place, Instant now) const noexcept;
  void move_window(Place& place, Instant now) const noexcept;

  static constexpr std::size_t kLocks = 64;

  const RateTerms terms_;
  PlaceTable<Place> places_;
  std::array<std::mutex, kLocks> locks_;
};

}  // namespace eider::detail::middleware
