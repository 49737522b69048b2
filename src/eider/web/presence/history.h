// The last numbered events of a room, so that a client can request the missed ones.
// Layering: must not lock or send; rooms and topics do.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace eider {

/// Limits of a history; the newest entry is always kept.
///
/// bytes_max  sum of the sizes that are passed to `History::add`
struct HistoryLimits {
  std::size_t entries_max = 100;
  std::size_t bytes_max = 64UL * 1024;
};

/// The entries that a client has missed.
///
/// has_gap  earlier missed entries are no longer stored
/// next_id  of the next entry: request this one next time
template <class T>
struct MissedEntries {
  std::vector<T> entries;
  bool has_gap = false;
  std::int64_t next_id = 0;
};

/// The newest entries, numbered without gaps. Numbers are never reused, not even after a restart:
/// the first is the microsecond in which the history was created, which works for up to a million
/// entries per second.
///
/// T  has a `std::int64_t id`, which `add` sets
template <class T>
class History {
 public:
  explicit History(HistoryLimits limits = {}, std::int64_t first_id = microseconds_since_1970())
      : limits_(limits), next_id_(first_id) {}

  /// bytes  size of the entry for the limit
  const T& add(T entry, std::size_t bytes = 0) {
    entry.id = next_id_++;
    entries_.push_back({std::move(entry), bytes});
    bytes_ += bytes;
    while (entries_.size() > 1 &&
           (entries_.size() > limits_.entries_max || bytes_ > limits_.bytes_max)) {
      bytes_ -= entries_.front().bytes;
      entries_.pop_front();
    }
    return entries_.back().entry;
  }

  /// Returns the entries from that number on; all stored entries for no number, or for a number
  /// that is not from this history.
  [[nodiscard]] MissedEntries<T> since(std::optional<std::int64_t> wanted = std::nullopt) const {
    const std::int64_t oldest = next_id_ - static_cast<std::int64_t>(entries_.size());
    const bool is_known = wanted && *wanted >= oldest && *wanted <= next_id_;
    MissedEntries<T> missed{{}, wanted && !is_known, next_id_};
    for (std::int64_t id = is_known ? *wanted : oldest; id < next_id_; ++id) {
      missed.entries.push_back(entries_[static_cast<std::size_t>(id - oldest)].entry);
    }
    return missed;
  }

 private:
  struct Kept {
    T entry;
    std::size_t bytes;
  };

  static std::int64_t microseconds_since_1970() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  }

  HistoryLimits limits_;
  std::int64_t next_id_;
  std::deque<Kept> entries_;
  std::size_t bytes_ = 0;
};

}  // namespace eider
