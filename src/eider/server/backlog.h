// For how long what a loop reads has waited in the kernel, as far as its turns tell.
// Must not read a clock, nor know who is refused.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "eider/io/runtime/time.h"

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

}  // namespace eider::detail::server
