#include "cli/bench/outcome.h"

#include <algorithm>

namespace eider::bench {

void Outcome::add(const Outcome& other) {
  answered += other.answered;
  unsent += other.unsent;
  bytes_received += other.bytes_received;
  connections_opened += other.connections_opened;
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    statuses[i] += other.statuses[i];
  }
  faults.add(other.faults);
  latency.add(other.latency);
  from_sending.add(other.from_sending);
  late.add(other.late);
  took = std::max(took, other.took);
  is_interrupted = is_interrupted || other.is_interrupted;
}

}  // namespace eider::bench
