// Counts frames that cost the receiver work without benefit, to stop floods.
// Layering: must not know the meaning of a frame, nor read a clock: the caller passes the time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace eider::h2 {

/// What floods are made of, each with an allowance of its own.
enum class Cheap : std::uint8_t {
  /// RST_STREAM from the peer: requests begun and taken back (CVE-2023-44487).
  reset,
  /// RST_STREAM that we had to send for something that the peer did wrong (CVE-2025-8671).
  provoked_reset,
  /// PING without ACK (CVE-2019-9512).
  ping,
  /// SETTINGS without ACK (CVE-2019-9515).
  settings,
  /// PRIORITY and PRIORITY_UPDATE (CVE-2019-9513).
  priority,
  /// DATA, HEADERS or CONTINUATION with nothing in it and no end (CVE-2019-9518).
  empty,
  /// WINDOW_UPDATE: some are earned by each DATA frame that we send (CVE-2019-9511).
  window_update,
  /// CONTINUATION (CVE-2024-27983 and its kin).
  continuation,
  /// Frames of types that we do not know.
  unknown,
};
inline constexpr std::size_t kCheapCount = 9;

/// So much at once, and so much more in each second.
struct Allowance {
  std::uint32_t burst;
  std::uint32_t per_second;
};

[[nodiscard]] Allowance allowance_of(Cheap kind) noexcept;

class FloodGuard {
 public:
  /// Counts one more.
  ///
  /// now_ms   of a steady clock, in milliseconds; not before that of the last call
  /// returns  whether the peer may go on
  [[nodiscard]] bool allows(Cheap kind, std::uint64_t now_ms) noexcept;
  /// The peer has got something for which it may send `count` more of that kind.
  void earn(Cheap kind, std::uint32_t count) noexcept;

 private:
  void refill(std::uint64_t now_ms) noexcept;

  // In thousandths, how much of each allowance is used up.
  std::array<std::uint32_t, kCheapCount> used_{};
  std::uint64_t refilled_ms_ = 0;
};

}  // namespace eider::h2
