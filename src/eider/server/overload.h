// Detects overload of an event loop, and selects the requests to reject.
// Layering: must not know protocols, and has no cost while turns are short.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/standing_queue.h"
#include "eider/io/runtime/time.h"
#include "eider/io/runtime/turn_watch.h"
#include "eider/server/service.h"

namespace eider::detail::server {

/// What a turn reads has come while the one before it went on, and has waited for half of that on
/// average. Where the kernel brings but some of what there is, that goes back over several turns;
/// yet not further than to what one of those who are read had been answered before.
class Backlog {
 public:
  /// A turn of these times is over.
  ///
  /// has_all   TurnWatch::has_all
  /// told_ago  TurnWatch::told_ago
  /// answered  requests, save refused ones
  void note_turn(Instant began, Instant ended, bool has_all, Duration told_ago,
                 std::size_t answered) noexcept {
    const bool was_kept_back = std::exchange(is_kept_back_, !has_all);
    const Duration before = std::exchange(length_, ended - began);
    if (has_all) {
      since_ = began;
      answered_ = 0;
    } else if (!was_kept_back) {
      since_ = began - before;  // the loop may have been idle between
    }
    answered_ += answered;
    if (!has_all && told_ago < began - since_) {
      const Instant told = began - told_ago;
      answered_ = static_cast<std::size_t>(static_cast<double>(answered_) *
                                           static_cast<double>((ended - told).count()) /
                                           static_cast<double>((ended - since_).count()));
      since_ = told;
    }
  }
  /// The loop had nothing to do ahead of the turn that began then.
  void note_idle(Instant began) noexcept {
    since_ = began;
    length_ = Duration::zero();
    answered_ = 0;
    is_kept_back_ = false;
  }

  /// How long ago what is still to be read may have come.
  [[nodiscard]] Duration longest(Instant now) const noexcept { return now - since_; }
  /// For how long what this turn reads had waited as it began.
  ///
  /// told_ago  as above, of this turn
  [[nodiscard]] Duration usual(Instant began, Duration told_ago) const noexcept {
    return std::min(is_kept_back_ ? longest(began) : longest(began) / 2, told_ago);
  }
  /// How many were answered in that time, save refused ones.
  [[nodiscard]] std::size_t answered() const noexcept { return answered_; }

 private:
  Instant since_;
  Duration length_{0};  // of the turn before
  std::size_t answered_ = 0;
  bool is_kept_back_ = false;
};

/// A request has waited for what its turn has done by now, and for what there was before (Backlog).
/// What will take the loop's time later, behind a wait of its own, is not in that: so no more are
/// let in than the loop can do by what each has taken of its time lately.
class Overload final : private TurnWatch {
 public:
  /// requests  how many the loop has answered; outlives this, as the loop does
  Overload(Loop& loop, const std::atomic<std::uint64_t>& requests, Duration queue_time) noexcept
      : TurnWatch(loop), loop_(loop), requests_(requests), queue_(queue_time) {}

  /// It is found out anew whether there is more than can be done.
  void set_queue_time(Duration queue_time) noexcept { queue_ = StandingQueue(queue_time); }

  [[nodiscard]] bool is_on() const noexcept { return queue_.is_standing() || is_pool_overloaded(); }
  /// Of a request that is about to be served. Pre: is_on
  [[nodiscard]] bool refuses(const RequestPlan& plan) noexcept;

  /// From any thread: how many were.
  [[nodiscard]] std::uint64_t refused() const noexcept {
    return refused_.load(std::memory_order_relaxed);
  }

 private:
  /// Requests that a busy loop may have time for at once: they may all compute in one later turn,
  /// in which nobody is read.
  static constexpr Duration::rep kAtOnceMax = 8;
  /// What it keeps of the time that it has slept: for a burst, but not for a second of too much.
  static constexpr Duration kSleptMax = std::chrono::milliseconds(100);

  void on_turn_done() noexcept override;
  [[nodiscard]] bool is_pool_overloaded() const noexcept {
    const BlockingPool* const pool = loop_.blocking_pool();
    return pool != nullptr && pool->is_overloaded();
  }
  void look_at_turn() noexcept;
  /// Requests that this turn has answered, save refused ones.
  [[nodiscard]] std::size_t answered() const noexcept;

  /// What has passed since may be spent, as long as there is not more than `most` to spend.
  void save(Instant now, Duration most) noexcept;
  /// Whether the loop has time for one more.
  [[nodiscard]] bool try_spend(Instant now) noexcept;
  void learn(Duration busy, std::size_t responses) noexcept;
  void end_where_idle(Instant now) noexcept;

  Loop& loop_;
  const std::atomic<std::uint64_t>& requests_;
  StandingQueue queue_;
  Backlog backlog_;
  std::uint64_t requests_before_ = 0;  // ahead of this turn
  std::uint64_t refused_in_turn_ = 0;
  // Of the turn before.
  Instant ended_;
  std::uint64_t sleeps_ = 0;
  // Of this turn, once it has read a request.
  bool is_looked_at_ = false;
  bool has_slept_ = false;
  // The loop's time: what each response takes of it, what may be spent, and since when that is so.
  Duration each_{0};
  Duration credit_{0};
  Instant credited_at_;
  Duration slept_{0};
  Instant slept_since_;
  double busy_ = 0;  // of recent turns, in ticks, and their responses: the older the less
  double responses_ = 0;
  std::atomic<std::uint64_t> refused_{0};
};

}  // namespace eider::detail::server
