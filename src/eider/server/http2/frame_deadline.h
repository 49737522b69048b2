// Until when an HTTP/2 frame that has begun to arrive has to end.
// Must not end anything: it tells whether the client is late.
#pragma once

#include <cstddef>
#include <optional>

#include "eider/io/runtime/time.h"
#include "eider/protocols/http/h2/session.h"
#include "eider/server/loop_limits.h"

namespace eider::detail::http2 {

/// Each frame that has begun has to end, whatever it is: no stream is there yet that would be held
/// to a pace, nothing else can come meanwhile, and the client is not idle either. Content comes at
/// a body's pace, which a slow line may keep for longer than a head may take.
class FrameDeadline {
 public:
  /// To be asked from time to time. returns  whether the client is too slow
  [[nodiscard]] bool is_missed(const std::optional<h2::Unfinished>& unfinished,
                               const server::LoopLimits& limits, Instant now);

 private:
  std::optional<h2::Unfinished> begun_;  // when the span began that ends at due_
  Instant due_ = Instant::max();
};

inline bool FrameDeadline::is_missed(const std::optional<h2::Unfinished>& unfinished,
                                     const server::LoopLimits& limits, Instant now) {
  const bool is_same = unfinished && begun_ && unfinished->number == begun_->number &&
                       unfinished->is_content == begun_->is_content;
  if (is_same && now < due_) {
    return false;
  }
  // Content is measured by what has come of it in the span; anything else has to be whole by then.
  const std::size_t come = is_same ? begun_->missing_bytes - unfinished->missing_bytes : 0;
  if (is_same && (!unfinished->is_content || come < limits.body_bytes_least(now))) {
    return true;
  }
  begun_ = unfinished;
  if (unfinished) {
    due_ = now + (unfinished->is_content ? limits.body : limits.head);
  }
  return false;
}

}  // namespace eider::detail::http2
