#include "eider/io/runtime/standing_queue.h"

#include <algorithm>

namespace eider {

namespace {

bool is_long(Duration waited, std::size_t others, Duration most) noexcept {
  return waited > most && others >= StandingQueue::kOthersMin &&
         waited / StandingQueue::kEachMin >= static_cast<Duration::rep>(others);
}

}  // namespace

void StandingQueue::note(Duration waited, std::size_t others, Instant now) noexcept {
  if (target_ == Duration::zero() || !is_long(waited, others, target_)) {
    note_short();
    return;
  }
  if (looks_ == 0) {
    long_since_ = now;
  }
  ++looks_;
  if (!is_standing_ && looks_ >= kLooksMin && now - long_since_ >= kInterval) {
    is_standing_ = true;
    stands_since_ = now;
    refused_at_ = now;
  }
}

bool StandingQueue::refuses(Duration waited, std::size_t others, Instant now) noexcept {
  if (now - stands_since_ >= kStandsMax) {
    end();
    return false;
  }
  if (is_long(waited, others, std::min(target_, kStandingTarget))) {
    refused_at_ = now;
    return true;
  }
  if (now - refused_at_ >= kOverAfter) {
    end();
  }
  return false;
}

void StandingQueue::end() noexcept {
  is_standing_ = false;
  note_short();
}

}  // namespace eider
