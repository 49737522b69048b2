#include "eider/cli/bench/pacer.h"

#include <chrono>

namespace eider::bench {

namespace {

// So that answers are read between bursts of an overdue schedule.
constexpr int kDuePerTurnMax = 256;

}  // namespace

void Pacer::start(Instant from, Instant until) {
  from_ = from;
  until_ = until;
  next_ = from_ + schedule_.next();
  wake_at(next_);
}

void Pacer::on_wake() {
  Instant now = std::chrono::steady_clock::now();
  for (int i = 0; i < kDuePerTurnMax && next_ <= now && next_ < until_; ++i) {
    user_.on_due(next_, now);
    next_ = from_ + schedule_.next();
  }
  if (next_ < until_) {
    wake_at(next_);
  }
}

}  // namespace eider::bench
