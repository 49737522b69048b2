// The last of what goes on somewhere, each thing with a number, so that who comes back asks for the
// rest. Must not lock, nor send anything: a room does the one, topics do the other.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace eider {

/// The newest entry stays, whatever these say.
///
/// bytes_max  by what `History::add` is told
struct HistoryLimits {
  std::size_t entries_max = 100;
  std::size_t bytes_max = 64UL * 1024;
};

/// What somebody has not seen.
///
/// has_gap  entries between theirs and these are no longer kept
/// next_id  of the entry to come: what to ask for next time
template <class T>
struct Missed {
  std::vector<T> entries;
  bool has_gap = false;
  std::int64_t next_id = 0;
};

/// The newest entries, numbered without gaps. No number comes twice, not even after a restart: the
/// first is the microsecond in which the history was made, as long as nobody adds a million entries
/// in a second.
///
/// T  has a `std::int64_t id`, which `add` sets
template <class T>
class History {
 public:
  explicit History(HistoryLimits limits = {}, std::int64_t first_id = microseconds_since_1970())
      : limits_(limits), next_id_(first_id) {}

  /// bytes  what the entry counts for
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

  /// From that entry on; all that is kept where nobody says which, or one that cannot be ours: a
  /// client of another history is given everything.
  [[nodiscard]] Missed<T> since(std::optional<std::int64_t> wanted = std::nullopt) const {
    const std::int64_t oldest = next_id_ - static_cast<std::int64_t>(entries_.size());
    const bool is_known = wanted && *wanted >= oldest && *wanted <= next_id_;
    Missed<T> missed{{}, wanted && !is_known, next_id_};
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
