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

/// Estimates how long requests have waited. The requests that a turn reads arrived during the
/// previous turn, and have waited for half of it on average. If the kernel returns only a part of
/// the ready connections, the wait extends over several turns, but not further back than the last
/// time at which one of the connections that are read had data.
class Backlog {
 public:
  /// Called at the end of a turn, with its start and end.
  ///
  /// has_all   TurnWatch::has_all
  /// told_ago  TurnWatch::told_ago
  /// answered  requests, except rejected ones
  void note_turn(Instant began, Instant ended, bool has_all, Duration told_ago,
                 std::size_t answered) noexcept {
    const bool was_kept_back = std::exchange(is_kept_back_, !has_all);
    const Duration before = std::exchange(length_, ended - began);
    if (has_all) {
      since_ = began;
      answered_ = 0;
    } else if (!was_kept_back) {
      since_ = began - before;  // the loop may have been idle in between
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
  /// Called if the loop had nothing to do before the turn that began at this time.
  void note_idle(Instant began) noexcept {
    since_ = began;
    length_ = Duration::zero();
    answered_ = 0;
    is_kept_back_ = false;
  }

  /// Returns how long ago the requests that are still to be read may have arrived.
  [[nodiscard]] Duration longest(Instant now) const noexcept { return now - since_; }
  /// Returns how long the requests that this turn reads had waited when it began.
  ///
  /// told_ago  as above, for this turn
  [[nodiscard]] Duration usual(Instant began, Duration told_ago) const noexcept {
    return std::min(is_kept_back_ ? longest(began) : longest(began) / 2, told_ago);
  }
  /// Returns the number of responses in that time, except rejections.
  [[nodiscard]] std::size_t answered() const noexcept { return answered_; }

 private:
  Instant since_;
  Duration length_{0};  // of the previous turn
  std::size_t answered_ = 0;
  bool is_kept_back_ = false;
};

/// Measures the wait of a request: the time of the current turn so far, plus the backlog before it.
/// Work that a handler does later, after it has waited, is not included. So under overload, the
/// number of accepted requests is also limited by the loop's time that each has recently used.
class Overload final : private TurnWatch {
 public:
  /// requests  counts the loop's responses; must outlive this, like the loop
  Overload(Loop& loop, const std::atomic<std::uint64_t>& requests, Duration queue_time) noexcept
      : TurnWatch(loop), loop_(loop), requests_(requests), queue_(queue_time) {}

  /// Sets the limit, and starts the detection from scratch.
  void set_queue_time(Duration queue_time) noexcept { queue_ = StandingQueue(queue_time); }

  [[nodiscard]] bool is_on() const noexcept { return queue_.is_standing() || is_pool_overloaded(); }
  /// Returns whether to reject the request that is about to be handled. Pre: is_on
  [[nodiscard]] bool refuses(const RequestPlan& plan) noexcept;

  /// Returns the number of rejected requests, from any thread.
  [[nodiscard]] std::uint64_t refused() const noexcept {
    return refused_.load(std::memory_order_relaxed);
  }

 private:
  /// The number of requests for which a busy loop may have time at once: they may all compute in
  /// one later turn, during which no connection is read.
  static constexpr Duration::rep kAtOnceMax = 8;
  /// The maximum slept time that is credited: enough for a burst, but not for a second of overload.
  static constexpr Duration kSleptMax = std::chrono::milliseconds(100);

  void on_turn_done() noexcept override;
  [[nodiscard]] bool is_pool_overloaded() const noexcept {
    const BlockingPool* const pool = loop_.blocking_pool();
    return pool != nullptr && pool->is_overloaded();
  }
  void look_at_turn() noexcept;
  /// Returns the number of requests to which this turn has responded, except rejections.
  [[nodiscard]] std::size_t answered() const noexcept;

  /// Adds the time since the last call to the credit, which may grow to at most `most`.
  void save(Instant now, Duration most) noexcept;
  /// Returns whether the loop has time for one more request, and spends its time.
  [[nodiscard]] bool try_spend(Instant now) noexcept;
  void learn(Duration busy, std::size_t responses) noexcept;
  void end_where_idle(Instant now) noexcept;

  Loop& loop_;
  const std::atomic<std::uint64_t>& requests_;
  StandingQueue queue_;
  Backlog backlog_;
  std::uint64_t requests_before_ = 0;  // before this turn
  std::uint64_t refused_in_turn_ = 0;
  // Of the previous turn.
  Instant ended_;
  std::uint64_t sleeps_ = 0;
  // Of this turn, once it has read a request.
  bool is_looked_at_ = false;
  bool has_slept_ = false;
  // The loop's time: per response, available credit, and the time of the last credit.
  Duration each_{0};
  Duration credit_{0};
  Instant credited_at_;
  Duration slept_{0};
  Instant slept_since_;
  double busy_ = 0;  // ticks of recent turns, and their responses; older ones count less
  double responses_ = 0;
  std::atomic<std::uint64_t> refused_{0};
};

}  // namespace eider::detail::server
