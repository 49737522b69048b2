// Checks the rate at which a peer reads: the rule for slow readers.
// Layering: must not know the contents, nor how slow peers are handled.
#pragma once

#include <algorithm>
#include <cstddef>

#include "eider/io/runtime/time.h"

namespace eider {

/// What a span must bring where so many bytes are wanted each second.
[[nodiscard]] constexpr std::size_t least_bytes(Duration span, std::size_t per_second) noexcept {
  return static_cast<std::size_t>(std::chrono::duration<double>(span).count() *
                                  static_cast<double>(per_second));
}

/// A span is made of the time in which something waits. That all has left in between does not begin
/// it anew: or else a peer that takes a small piece at the end of each span would go on for ever.
///
/// unread  what the peer has not taken yet, as unread_bytes tells, in all of these
class Pace {
 public:
  /// Something waits from here on, unless it did before. More than before begins a span.
  void begin(std::size_t unread, Instant now) noexcept {
    if (is_watched() && unread <= offered_) {
      return;
    }
    const bool goes_on = !is_watched() && waited_ != Duration::zero();
    offered_ = (goes_on ? offered_ : 0) + unread;
    waited_ = goes_on ? waited_ : Duration::zero();
    since_ = now;
  }
  /// So much more waits behind it.
  void note_offered(std::size_t bytes) noexcept {
    if (is_watched()) {
      offered_ += bytes;
    }
  }
  /// Nothing waits any more, but in the kernel.
  void note_drained(std::size_t unread, Instant now) noexcept {
    if (is_watched()) {
      offered_ -= std::min(offered_, unread);  // which will be offered again
      waited_ += now - since_;
      since_ = Instant::max();
    }
  }
  [[nodiscard]] bool is_watched() const noexcept { return since_ != Instant::max(); }
  [[nodiscard]] Instant due(Duration span) const noexcept {
    return is_watched() ? since_ + std::max(span - waited_, Duration::zero()) : Instant::max();
  }
  /// Whether that many have been taken since the span began; then the next one begins.
  [[nodiscard]] bool keeps_up(std::size_t unread, Instant now, std::size_t least) noexcept {
    const bool is_enough = unread + least <= offered_;
    offered_ = unread;
    waited_ = Duration::zero();
    since_ = now;
    return is_enough;
  }

 private:
  Instant since_ = Instant::max();
  Duration waited_{};        // of this span, ahead of since_
  std::size_t offered_ = 0;  // in this span; what is not unread of it was taken
};

}  // namespace eider
