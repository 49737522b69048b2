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

/// 128 bits of a hash with a key of its own: nobody makes two that are alike.
using Fingerprint = std::array<std::uint64_t, 2>;

struct KeyedResponse {
  int status = 0;
  std::string type;
  std::string field_lines;
  std::string body;
};

/// From any thread.
class KeyedResponses {
 public:
  enum class Standing : std::uint8_t { begun, at_work, other_request, answered };
  struct Found {
    Standing standing;
    std::shared_ptr<const KeyedResponse> response{};
  };
  /// client  whose key it is; the same key of another is another
  struct Key {
    Fingerprint client;
    Fingerprint key;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  /// A client beyond its own limits loses its oldest answers; beyond that of all, the client with
  /// most bytes does.
  struct Limits {
    std::size_t bytes_max;
    std::size_t bytes_max_per_client;
    std::size_t keys_max_per_client;
  };

  KeyedResponses(const Limits& limits, Duration lasts) noexcept : limits_(limits), lasts_(lasts) {}

  /// Where it is `begun`, `end` or `free` has to follow.
  [[nodiscard]] Found begin(const Key& key, const Fingerprint& request, Instant now);
  void end(const Key& key, std::shared_ptr<const KeyedResponse> response, Instant now);
  void free(const Key& key) noexcept;

  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::size_t size() const;

 private:
  struct Entry;
  using Entries = std::map<Key, Entry>;
  using Order = std::list<Entries::iterator>;  // those answered, the oldest first
  struct Entry {
    Fingerprint request{};
    std::shared_ptr<const KeyedResponse> response{};  // null: at work
    std::size_t bytes = 0;
    std::uint64_t number = 0;  // in the order of their responses
    Instant until{};
    Order::iterator in_all{};
    Order::iterator in_client{};
  };

  /// Of the responses of one.
  struct Client {
    Order answered;
    std::size_t bytes = 0;
  };
  using Clients = std::map<Fingerprint, Client>;
  /// Its bytes in steps, an eighth of what it may have; among equals the one with the oldest answer
  /// is the greatest. Without steps whatever came behind many small ones would go at once.
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
