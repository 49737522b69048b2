// The keys of session tickets: shared by all threads, rotated every twelve hours.
// Layering: must not need a timer, nor a lock when a ticket is created or read.
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

/// The key of tickets (RFC 5077, section 4): AES-256-CBC, then HMAC-SHA-256. Wiped by the
/// destructor.
struct TicketKey {
  static constexpr std::size_t kNameBytes = 16;
  static constexpr std::size_t kSecretBytes = 32;

  TicketKey() = default;
  TicketKey(const TicketKey&) = default;
  TicketKey& operator=(const TicketKey&) = default;
  ~TicketKey();

  /// Sent in clear text with each ticket; random, so that it reveals nothing.
  std::array<std::uint8_t, kNameBytes> name{};
  std::array<std::uint8_t, kSecretBytes> cipher{};
  std::array<std::uint8_t, kSecretBytes> mac{};
};

/// A stolen key can decrypt the sessions that were resumed with its tickets, so keys have a short
/// life, and are wiped from memory after it.
class TicketKeys {
 public:
  static constexpr Duration kTurn = std::chrono::hours(12);
  /// The newest key creates tickets; all of them can read tickets.
  static constexpr std::uint64_t kKept = 3;

  struct Found {
    TicketKey key;
    bool is_newest = false;
  };

  explicit TicketKeys(Instant now) noexcept : start_(now) {}
  ~TicketKeys();
  TicketKeys(const TicketKeys&) = delete;
  TicketKeys& operator=(const TicketKeys&) = delete;

  /// Returns the key for new tickets, or nothing if the system has no randomness. Thread-safe.
  [[nodiscard]] std::optional<TicketKey> newest(Instant now) noexcept;
  /// Returns the key that a ticket names, or nothing if it is unknown or too old. Thread-safe.
  [[nodiscard]] std::optional<Found> find(std::span<const std::uint8_t, TicketKey::kNameBytes> name,
                                          Instant now) noexcept;

 private:
  /// A key that one thread changes while others read: a reader retries if it changed meanwhile.
  class Slot {
   public:
    [[nodiscard]] TicketKey read(std::uint64_t& turn) const noexcept;
    void write(std::uint64_t turn, const TicketKey& key) noexcept;
    [[nodiscard]] std::uint64_t turn() const noexcept;

   private:
    static constexpr std::size_t kWords = sizeof(TicketKey) / sizeof(std::uint64_t);

    std::atomic<std::uint64_t> changes_{0};  // odd while it is being written
    std::atomic<std::uint64_t> turn_{0};
    std::array<std::atomic<std::uint64_t>, kWords> words_{};
  };

  /// Returns the number of the key's period, counted from 1; 0 is none.
  [[nodiscard]] std::uint64_t turn_at(Instant now) const noexcept;
  [[nodiscard]] bool make_ready(std::uint64_t turn) noexcept;

  const Instant start_;
  std::mutex turning_;  // locked once every twelve hours
  std::array<Slot, kKept> slots_{};
};

}  // namespace eider::detail::tls
