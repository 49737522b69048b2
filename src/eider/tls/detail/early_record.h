// Which handshakes have brought early data of late, so that a recorded one is not taken again.
// Must not forget any while its ticket's age still fits, nor grow.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "eider/runtime/time.h"

namespace eider::detail {

/// Keeps a digit of each ClientHello's random bytes, which the pre-shared key binds to all the rest
/// of it. Whoever sends one again sends the same.
///
/// source  RFC 8446, section 8.2
class EarlyRecord {
 public:
  static constexpr std::size_t kRandomBytes = 32;
  using Random = std::span<const std::uint8_t, kRandomBytes>;

  /// How long a ClientHello is remembered. OpenSSL takes early data while the age of the ticket
  /// that the client tells is right to some ten seconds; so a recorded one is too old by then.
  static constexpr Duration kKept = std::chrono::seconds(15);
  /// Of 8 bytes each; the sets are looked at whole.
  static constexpr std::size_t kSets = 8192;
  static constexpr std::size_t kPerSet = 16;

  explicit EarlyRecord(Instant now) : start_(now), entries_(kSets * kPerSet) {}

  /// From any thread, under a lock that is held for a look at one set.
  ///
  /// returns  whether it is new, and has been noted. False also where there is no room for it: then
  ///          its early data has to be refused, which costs the client a round trip
  [[nodiscard]] bool note(Random random, Instant now);

 private:
  /// The upper 48 bits are the handshake's, the lower ones say when it came; 0 is no entry.
  using Entry = std::uint64_t;

  [[nodiscard]] std::uint16_t moment(Instant now) const noexcept;
  [[nodiscard]] static bool is_old(Entry entry, std::uint16_t now) noexcept;

  const Instant start_;
  std::mutex noting_;
  std::vector<Entry> entries_;
};

}  // namespace eider::detail
