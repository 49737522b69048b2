// What the adapters of C++ peers share about the tables of the database experiments.
// Must not know how a peer asks: rows come and go as numbers and text.
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

namespace arena {

inline constexpr int kWorlds = 10'000;
inline constexpr int kCountMax = 500;
inline constexpr int kLimitMax = 50;
inline const std::string kAddItem =
    "insert into items values($1, $2, $3, $4, $5, true, '[]', 0, 0) on conflict (id) do update "
    "set name = excluded.name, category = excluded.category, price = excluded.price, "
    "quantity = excluded.quantity";
inline const std::string kChangeItem =
    "update items set name = $2, price = $3, quantity = $4 where id = $1 returning id";

/// A whole number, or nothing.
inline std::optional<int> whole(std::string_view text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional<int>(value) : std::nullopt;
}

/// 1 for what is no number, and the nearest for what is beyond the bounds.
inline int count_of(std::string_view text) {
  return std::clamp(whole(text).value_or(1), 1, kCountMax);
}

inline int random_number() {
  thread_local std::minstd_rand generator(std::random_device{}());
  return std::uniform_int_distribution<int>(1, kWorlds)(generator);
}

/// No two alike, in their order: two updates that lock the same rows do so in the same order.
inline std::vector<int> different_ids(int count) {
  std::set<int> found;
  while (found.size() < static_cast<std::size_t>(count)) {
    found.insert(random_number());
  }
  return {found.begin(), found.end()};
}

/// Single items as text, each for 200 ms: Drogon's cache counts in seconds, lithium has none.
class KeptItems {
 public:
  std::shared_ptr<const std::string> find(int id) {
    const std::lock_guard lock(mutex_);
    const auto found = items_.find(id);
    return found != items_.end() && Clock::now() < found->second.until ? found->second.text
                                                                       : nullptr;
  }
  void keep(int id, std::shared_ptr<const std::string> text) {
    const std::lock_guard lock(mutex_);
    items_.insert_or_assign(id, Item{std::move(text), Clock::now() + kKeptFor});
  }
  void forget(int id) {
    const std::lock_guard lock(mutex_);
    items_.erase(id);
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kKeptFor{200};

  struct Item {
    std::shared_ptr<const std::string> text;
    Clock::time_point until;
  };
  std::mutex mutex_;
  std::unordered_map<int, Item> items_;
};

}  // namespace arena
