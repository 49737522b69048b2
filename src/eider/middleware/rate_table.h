// How much each of many clients has asked for, in memory that does not grow with their number.
// Must not know requests: what is counted is a key, any bytes.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "eider/base/sip_hash.h"
#include "eider/runtime/time.h"

namespace eider::detail::middleware {

enum class RateRule : std::uint8_t { token_bucket, sliding_window };

/// remaining  further ones that would be admitted now
/// wait       until the next one is; zero where it is at once
struct RateAnswer {
  bool is_admitted;
  std::uint32_t remaining;
  Duration wait;
};

/// Eight places for each hash, of which the one that says least is given away: of keys that come
/// once, such as an attacker's many addresses, any number fits, and a key that is busy stays. Who
/// loses its place is as one that nobody has seen. The hash has a key, so that nobody can aim at
/// another's place. From any thread.
class RateTable {
 public:
  /// keys_max  rounded up to a power of two of at least eight
  /// Pre: requests > 0, per >= requests nanoseconds
  RateTable(RateRule rule, std::uint32_t requests, Duration per, std::size_t keys_max);

  [[nodiscard]] RateAnswer take(std::string_view key, Instant now);
  [[nodiscard]] std::size_t bytes() const noexcept { return places_.size() * sizeof(Place); }

 private:
  /// Of a bucket, when it is full again; of a window, when the present one began.
  struct Place {
    std::uint64_t hash = 0;  // 0: nobody's
    Instant at;
    std::uint32_t count = 0;   // in this window
    std::uint32_t before = 0;  // in the one before
  };

  [[nodiscard]] Place& place_in(std::span<Place> set, std::uint64_t hash, Instant now);
  [[nodiscard]] Duration worth(const Place& place, Instant now) const noexcept;
  [[nodiscard]] RateAnswer take_token(Place& place, Instant now) const noexcept;
  [[nodiscard]] RateAnswer take_in_window(Place& place, Instant now) const noexcept;
  void move_window(Place& place, Instant now) const noexcept;

  static constexpr std::size_t kWays = 8;
  static constexpr std::size_t kLocks = 64;

  const RateRule rule_;
  const std::uint32_t requests_;
  const Duration per_;
  const SipKey key_ = SipKey::random();
  std::vector<Place> places_;
  std::array<std::mutex, kLocks> locks_;
};

}  // namespace eider::detail::middleware
