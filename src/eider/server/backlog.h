// For how long what a loop reads has waited in the kernel, as far as its turns tell.
// Must not read a clock, nor know who is refused.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "eider/runtime/time.h"

namespace eider::detail::server {

/// What a turn reads has come while the one before it went on, and has waited for half of that on
/// average. Where the kernel brings but some of what there is, that goes back over several turns;
/// yet nobody waits for more than one request of each other connection.
class Backlog {
 public:
  /// A turn of these times is over.
  ///
  /// has_all      TurnWatch::has_all
  /// answered     requests, save refused ones
  /// served       those and the refused ones
  /// connections  which the loop has
  void note_turn(Instant began, Instant ended, bool has_all, std::size_t answered,
                 std::size_t served, std::size_t connections) noexcept {
    is_kept_back_ = !has_all;
    if (has_all) {
      note_idle(began);
    }
    answered_ += answered;
    served_ += served;
    if (is_kept_back_ && served_ > connections) {
      const std::size_t all = std::exchange(served_, connections);
      const auto longest = Duration((ended - since_).count() / static_cast<Duration::rep>(all) *
                                    static_cast<Duration::rep>(connections));
      since_ = std::min(began, ended - longest);
      answered_ = answered_ * connections / all;
    }
  }
  /// The loop had nothing to do ahead of the turn that began then.
  void note_idle(Instant began) noexcept {
    since_ = began;
    answered_ = 0;
    served_ = 0;
  }

  /// How long ago what is still to be read may have come.
  [[nodiscard]] Duration longest(Instant now) const noexcept { return now - since_; }
  /// For how long what this turn reads had waited as it began.
  [[nodiscard]] Duration usual(Instant began) const noexcept {
    return is_kept_back_ ? longest(began) : longest(began) / 2;
  }
  /// How many were answered in that time, save refused ones.
  [[nodiscard]] std::size_t answered() const noexcept { return answered_; }

 private:
  Instant since_;
  std::size_t answered_ = 0;
  std::size_t served_ = 0;
  bool is_kept_back_ = false;
};

}  // namespace eider::detail::server
