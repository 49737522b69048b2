// Determines whether a queue is overloaded or only passes a burst.
// Layering: must not know the contents of the queue, nor read a clock.
#pragma once

#include <cstddef>

#include "eider/io/runtime/time.h"

namespace eider {

/// A queue after a burst is soon empty, and all its entries are served. A queue that has been long
/// for kInterval without a break is overloaded ("standing"): until that ends, entries that have
/// waited too long are rejected. (This is the idea of CoDel, RFC 8289, but rejects by each entry's
/// own waiting time, because it is known here.) The time limit is then lower than the target: a
/// standing queue has no benefit, even if it is short.
class StandingQueue {
 public:
  /// With fewer other entries than this nothing is rejected, however long they take: one slow
  /// request before others is no overload.
  static constexpr std::size_t kOthersMin = 16;
  /// A queue is not long if each entry takes less than this: a rejection also costs one or two
  /// system calls, so fewer requests would be served.
  static constexpr Duration kEachMin = std::chrono::microseconds(50);
  static constexpr Duration kInterval = std::chrono::milliseconds(100);
  /// The minimum number of checks that found it long: a single blocked turn may take any time.
  static constexpr unsigned kLooksMin = 3;
  /// The time limit of an entry while the queue makes no progress, unless the target is lower.
  static constexpr Duration kStandingTarget = std::chrono::milliseconds(5);
  /// The queue stands until this time after the last entry that waited too long.
  static constexpr Duration kOverAfter = std::chrono::seconds(1);
  /// After this time the overload must be detected again. Otherwise clients that always wait that
  /// long, without an overload, would be rejected forever.
  static constexpr Duration kStandsMax = std::chrono::seconds(30);

  /// target  the waiting time that is acceptable while the queue does not stand; zero: any
  explicit StandingQueue(Duration target) noexcept : target_(target) {}

  [[nodiscard]] bool is_standing() const noexcept { return is_standing_; }

  /// Notes that no entries, or only few, wait.
  void note_short() noexcept { looks_ = 0; }
  /// Notes the waiting time of an entry.
  ///
  /// others  the number of entries that were served in that time, or wait now
  void note(Duration waited, std::size_t others, Instant now) noexcept;

  /// Returns whether to reject an entry whose turn it is, by its waiting time. `others` as above.
  /// Pre: is_standing
  [[nodiscard]] bool refuses(Duration waited, std::size_t others, Instant now) noexcept;
  /// Ends the overload, even if an entry was rejected recently.
  void end() noexcept;
  /// Notes a rejection for another reason, which prolongs the overload.
  void note_refused(Instant now) noexcept { refused_at_ = now; }

 private:
  Duration target_;
  Instant long_since_;
  Instant stands_since_;
  Instant refused_at_;
  unsigned looks_ = 0;  // the number of checks in succession that found it long
  bool is_standing_ = false;
};

}  // namespace eider
