// What was answered to requests with a key, and which are at work.
// Must not know requests: idempotency.cc does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "eider/runtime/time.h"

namespace eider::detail::middleware {

/// 128 bits of a hash with a key of its own: nobody makes two that are alike.
using Fingerprint = std::array<std::uint64_t, 2>;

struct KeyedAnswer {
  int status = 0;
  std::string type;
  std::string field_lines;
  std::string body;
};

/// From any thread.
class KeyedAnswers {
 public:
  enum class Standing : std::uint8_t { begun, at_work, other_request, answered };
  struct Found {
    Standing standing;
    std::shared_ptr<const KeyedAnswer> answer{};
  };
  /// client  whose key it is; the same key of another is another
  struct Key {
    Fingerprint client;
    Fingerprint key;

    friend auto operator<=>(const Key&, const Key&) = default;
  };

  KeyedAnswers(std::size_t bytes_max, std::size_t keys_max_per_client, Duration lasts) noexcept
      : bytes_max_(bytes_max), keys_max_(keys_max_per_client), lasts_(lasts) {}

  /// Where it is `begun`, `end` or `free` has to follow.
  [[nodiscard]] Found begin(const Key& key, const Fingerprint& request, Instant now);
  void end(const Key& key, std::shared_ptr<const KeyedAnswer> answer, Instant now);
  void free(const Key& key) noexcept;

  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] std::size_t size() const;

 private:
  struct Entry;
  using Entries = std::map<Key, Entry>;
  using Order = std::list<Entries::iterator>;  // those answered, the oldest first
  struct Entry {
    Fingerprint request{};
    std::shared_ptr<const KeyedAnswer> answer{};  // null: at work
    std::size_t bytes = 0;
    Instant until{};
    Order::iterator in_all{};
    Order::iterator in_client{};
  };

  void forget(Entries::iterator entry);
  void forget_old(Instant now);

  const std::size_t bytes_max_;
  const std::size_t keys_max_;
  const Duration lasts_;
  mutable std::mutex guard_;
  Entries entries_;
  Order all_;
  std::map<Fingerprint, Order> by_client_;
  std::size_t bytes_ = 0;
};

}  // namespace eider::detail::middleware
