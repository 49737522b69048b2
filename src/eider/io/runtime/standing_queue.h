// Determines whether a queue is overloaded or only passes a burst.
// Layering: must not know the contents of the queue, nor read a clock.
#pragma once

#include <cstddef>

#include "eider/io/runtime/time.h"

namespace eider {

/// A queue that a burst has left is gone soon, and everybody in it is served. One that has been
/// long for kInterval without a break is not: until it is over, who has waited for too long is
/// refused (CoDel's idea, RFC 8289, refusing by each one's own time as that is known here). Less is
/// too long then than what made it stand: a queue that stands does nobody any good, however short.
class StandingQueue {
 public:
  /// Behind fewer than so many nobody is refused, however long these take: one slow request ahead
  /// is no overload.
  static constexpr std::size_t kOthersMin = 16;
  /// A queue is not long where each in it takes less: a refusal costs a system call or two as well,
  /// so that refusing them would serve fewer and not more.
  static constexpr Duration kEachMin = std::chrono::microseconds(50);
  static constexpr Duration kInterval = std::chrono::milliseconds(100);
  /// Nor is one that was looked at less often: one stuck turn may take as long as it likes.
  static constexpr unsigned kLooksMin = 3;
  /// How long one may wait while it stands, if the target is not less.
  static constexpr Duration kStandingTarget = std::chrono::milliseconds(5);
  /// After the last one who had waited for too long.
  static constexpr Duration kOverAfter = std::chrono::seconds(1);
  /// Then it is found anew: clients who keep it as long as that at all times, which is no overload,
  /// would be refused for good behind a short one.
  static constexpr Duration kStandsMax = std::chrono::seconds(30);

  /// target  how long somebody may wait for as long as no queue stands; zero: as long as it takes
  explicit StandingQueue(Duration target) noexcept : target_(target) {}

  [[nodiscard]] bool is_standing() const noexcept { return is_standing_; }

  /// Nobody waits, or few.
  void note_short() noexcept { looks_ = 0; }
  /// Somebody has waited so long.
  ///
  /// others  who were served in that time, or wait by now
  void note(Duration waited, std::size_t others, Instant now) noexcept;

  /// Whether one who has waited so long, and whose turn it is, is to be refused. `others` as above.
  /// Pre: is_standing
  [[nodiscard]] bool refuses(Duration waited, std::size_t others, Instant now) noexcept;
  /// It stands no more, however lately somebody was refused.
  void end() noexcept;
  /// One was refused for another reason, for as long as it stands.
  void note_refused(Instant now) noexcept { refused_at_ = now; }

 private:
  Duration target_;
  Instant long_since_;
  Instant stands_since_;
  Instant refused_at_;
  unsigned looks_ = 0;  // that have found it long, without a break
  bool is_standing_ = false;
};

}  // namespace eider
