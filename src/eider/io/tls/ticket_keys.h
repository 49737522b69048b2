// The keys of session tickets: shared by all threads, rotated every twelve hours.
// Layering: must not need a timer, nor a lock where a ticket is made or read.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

#include "eider/io/runtime/time.h"

namespace eider::detail::tls {

/// What protects a ticket (RFC 5077, section 4): AES-256-CBC, then HMAC-SHA-256. Wiped at its end.
struct TicketKey {
  static constexpr std::size_t kNameBytes = 16;
  static constexpr std::size_t kSecretBytes = 32;

  TicketKey() = default;
  TicketKey(const TicketKey&) = default;
  TicketKey& operator=(const TicketKey&) = default;
  ~TicketKey();

  /// Sent in the clear with each ticket; random, so that it tells nothing.
  std::array<std::uint8_t, kNameBytes> name{};
  std::array<std::uint8_t, kSecretBytes> cipher{};
  std::array<std::uint8_t, kSecretBytes> mac{};
};

/// A thief of a key can read the sessions resumed with its tickets, so that it must not live
/// long; it is gone from memory once it is out of use.
class TicketKeys {
 public:
  static constexpr Duration kTurn = std::chrono::hours(12);
  /// The newest makes tickets, all of them read some.
  static constexpr std::uint64_t kKept = 3;

  struct Found {
    TicketKey key;
    bool is_newest = false;
  };

  explicit TicketKeys(Instant now) noexcept : start_(now) {}
  ~TicketKeys();
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;

  /// The key for new tickets; nothing when the system has no randomness. From any thread.
  [[nodiscard]] std::optional<TicketKey> newest(Instant now) noexcept;
  /// The key that a ticket names; nothing when there is none, or it is too old. From any thread.
  [[nodiscard]] std::optional<Found> find(std::span<const std::uint8_t, TicketKey::kNameBytes> name,
                                          Instant now) noexcept;

 private:
  /// A key that one writer changes while others read: a reader across a change reads again.
  class Slot {
   public:
    [[nodiscard]] TicketKey read(std::uint64_t& turn) const noexcept;
    void write(std::uint64_t turn, const TicketKey& key) noexcept;
    [[nodiscard]] std::uint64_t turn() const noexcept;

   private:
    static constexpr std::size_t kWords = sizeof(TicketKey) / sizeof(std::uint64_t);

    std::atomic<std::uint64_t> changes_{0};  // odd while it is written
    std::atomic<std::uint64_t> turn_{0};
    std::array<std::atomic<std::uint64_t>, kWords> words_{};
  };

  /// Counted from 1: 0 is no turn.
  [[nodiscard]] std::uint64_t turn_at(Instant now) const noexcept;
  [[nodiscard]] bool make_ready(std::uint64_t turn) noexcept;

  const Instant start_;
  std::mutex turning_;  // taken once every twelve hours
  std::array<Slot, kKept> slots_{};
};

}  // namespace eider::detail::tls
