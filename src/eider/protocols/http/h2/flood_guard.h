// Counts frames that cost the receiver work without benefit, to stop floods.
// Layering: must not know the meaning of a frame, nor read a clock: the caller passes the time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace eider::h2 {

/// The kinds of frames that floods consist of. Each has its own allowance.
enum class Cheap : std::uint8_t {
  /// RST_STREAM from the peer: requests that are started and canceled (CVE-2023-44487).
  reset,
  /// RST_STREAM that we had to send because of an error of the peer (CVE-2025-8671).
  provoked_reset,
  /// PING without ACK (CVE-2019-9512).
  ping,
  /// SETTINGS without ACK (CVE-2019-9515).
  settings,
  /// PRIORITY and PRIORITY_UPDATE (CVE-2019-9513).
  priority,
  /// DATA, HEADERS or CONTINUATION without content and without an end flag (CVE-2019-9518).
  empty,
  /// WINDOW_UPDATE: each DATA frame that we send allows some more (CVE-2019-9511).
  window_update,
  /// CONTINUATION (CVE-2024-27983 and similar).
  continuation,
  /// Frames of unknown types.
  unknown,
};
inline constexpr std::size_t kCheapCount = 9;

/// The number of frames that are allowed at once, and additionally in each second.
struct Allowance {
  std::uint32_t burst;
  std::uint32_t per_second;
};

[[nodiscard]] Allowance allowance_of(Cheap kind) noexcept;

class FloodGuard {
 public:
  /// Counts one frame.
  ///
  /// now_ms   of a steady clock, in milliseconds; not before that of the last call
  /// returns  false if the peer exceeds the allowance
  [[nodiscard]] bool allows(Cheap kind, std::uint64_t now_ms) noexcept;
  /// Allows the peer `count` more frames of that kind.
  void earn(Cheap kind, std::uint32_t count) noexcept;

 private:
  void refill(std::uint64_t now_ms) noexcept;

  // The used part of each allowance, in thousandths of a frame.
  std::array<std::uint32_t, kCheapCount> used_{};
  std::uint64_t refilled_ms_ = 0;
};

}  // namespace eider::h2
