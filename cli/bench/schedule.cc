#include "cli/bench/schedule.h"

namespace eider::bench {

Duration Schedule::next() {
  switch (arrivals_) {
    case Arrivals::uniform:
      at_ns_ += interval_ns_;
      break;
    case Arrivals::poisson:
      at_ns_ += interval_ns_ * exponential_(random_);
      break;
  }
  return Duration(static_cast<std::int64_t>(at_ns_));
}

}  // namespace eider::bench
