// Stored responses of requests with a key, and the keys in progress.
// Layering: must not know requests; idempotency.cc does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "eider/io/runtime/time.h"

namespace eider::detail::middleware {

/// 128 bits of a hash with a random key, so that clients cannot construct a collision.
using Fingerprint = std::array<std::uint64_t, 2>;

struct KeyedResponse {
  int status = 0;
  std::string type;
  std::string field_lines;
  std::string body;
};

/// Thread-safe.
class KeyedResponses {
 public:
  enum class Standing : std::uint8_t { begun, at_work, other_request, answered };
  struct Found {
    Standing standing;
    std::shared_ptr<const KeyedResponse> response{};
  };
  /// client  owner of the key; equal keys of different clients are different
  struct Key {
    Fingerprint client;
    Fingerprint key;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  /// If a client exceeds its own limits, its oldest responses are removed. If all together exceed
  /// theirs, those of the client with the most bytes are.
  struct Limits {
    std::size_t bytes_max;
    std::size_t bytes_max_per_client;
    std::size_t keys_max_per_client;
  };

  KeyedResponses(const Limits& limits, Duration lasts) noexcept : limits_(limits), lasts_(lasts) {}

  /// If the result is `begun`, `end` or `free` must be called.
  [[nodiscard]] Found begin(const Key& key, const Fingerprint& request, Instant now);
  void end(const Key& key, std::shared_ptr<const KeyedResponse> response, Instant now);
  void free(const Key& key) noexcept;

  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::size_t size() const;

 private:
  struct Entry;
  using Entries = std::map<Key, Entry>;
  using Order = std::list<Entries::iterator>;  // completed entries, the oldest first
  struct Entry {
    Fingerprint request{};
    std::shared_ptr<const KeyedResponse> response{};  // null: in progress
    std::size_t bytes = 0;
    std::uint64_t number = 0;  // increases with each response
    Instant until{};
    Order::iterator in_all{};
    Order::iterator in_client{};
  };

  /// The responses of one client.
  struct Client {
    Order answered;
    std::size_t bytes = 0;
  };
  using Clients = std::map<Fingerprint, Client>;
  /// The bytes of a client, in steps of an eighth of its limit. Among equals, the one with the
  /// oldest response ranks highest. Without the steps, a new response of a client that has many
  /// small ones would be removed at once.
  using Rank = std::pair<std::size_t, std::uint64_t>;

  [[nodiscard]] Rank rank(std::size_t bytes, const Entry& oldest) const noexcept;
  [[nodiscard]] Rank rank_of(const Client& client) const noexcept;
  void keep(Entries::iterator entry);
  void forget(Entries::iterator entry);
  [[nodiscard]] bool has_too_much(const Fingerprint& client) const;
  void forget_old(Instant now);

  const Limits limits_;
  const Duration lasts_;
  mutable std::mutex guard_;
  Entries entries_;
  Order all_;
  Clients clients_;
  std::map<Rank, Clients::iterator> by_rank_;
  std::size_t bytes_ = 0;
  std::uint64_t answered_count_ = 0;
};

}  // namespace eider::detail::middleware
