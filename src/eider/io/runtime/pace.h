// Checks the rate at which a peer reads: the rule for slow readers.
// Layering: must not know the contents, nor how slow peers are handled.
#pragma once

#include <algorithm>
#include <cstddef>

#include "eider/io/runtime/time.h"

namespace eider {

/// Returns the bytes that a peer must read in a span to reach that rate.
[[nodiscard]] constexpr std::size_t least_bytes(Duration span, std::size_t per_second) noexcept {
  return static_cast<std::size_t>(std::chrono::duration<double>(span).count() *
                                  static_cast<double>(per_second));
}

/// A span consists of the time in which output waits. It does not restart when all output has left
/// in between: otherwise a peer that reads a small piece at the end of each span could go on
/// forever.
///
/// unread  the bytes that the peer has not read yet, from Stream::unread_bytes, in all functions
class Pace {
 public:
  /// Starts watching, unless it has started already. More unread bytes than before start a new
  /// span.
  void begin(std::size_t unread, Instant now) noexcept {
    if (is_watched() && unread <= offered_) {
      return;
    }
    const bool goes_on = !is_watched() && waited_ != Duration::zero();
    offered_ = (goes_on ? offered_ : 0) + unread;
    waited_ = goes_on ? waited_ : Duration::zero();
    since_ = now;
  }
  /// Adds output that waits after the rest.
  void note_offered(std::size_t bytes) noexcept {
    if (is_watched()) {
      offered_ += bytes;
    }
  }
  /// Pauses the span: nothing waits any more, except in the kernel.
  void note_drained(std::size_t unread, Instant now) noexcept {
    if (is_watched()) {
      offered_ -= std::min(offered_, unread);  // it is added again by the next `begin`
      waited_ += now - since_;
      since_ = Instant::max();
    }
  }
  [[nodiscard]] bool is_watched() const noexcept { return since_ != Instant::max(); }
  [[nodiscard]] Instant due(Duration span) const noexcept {
    return is_watched() ? since_ + std::max(span - waited_, Duration::zero()) : Instant::max();
  }
  /// Returns whether at least `least` bytes were read since the start of the span, and starts the
  /// next one.
  [[nodiscard]] bool keeps_up(std::size_t unread, Instant now, std::size_t least) noexcept {
    const bool is_enough = unread + least <= offered_;
    offered_ = unread;
    waited_ = Duration::zero();
    since_ = now;
    return is_enough;
  }

 private:
  Instant since_ = Instant::max();
  Duration waited_{};        // of this span, before since_
  std::size_t offered_ = 0;  // in this span; the part that is not unread was read
};

}  // namespace eider
