// The raw results of a run.
// Layering: must not judge the results.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "cli/bench/faults.h"
#include "cli/bench/latency_histogram.h"
#include "eider/io/runtime/time.h"

namespace eider::bench {

/// answered    whole responses, with any status unless one was expected; deliveries of a broadcast,
///             and events of streams
/// unsent      requests that were due in an open loop, but never sent
/// statuses    responses by their first digit: [2] counts 200 to 299
/// latency     ns from the time at which a request was due to its whole response. In an open loop,
///             failed and unsent requests count, too: until they were given up.
/// from_sending  ns from the actual sending, for requests with a response (open loop only)
/// late        ns by which the generator itself handled due requests too late (open loop only)
/// took        duration without the warm-up
struct Outcome {
  std::uint64_t answered = 0;
  std::uint64_t unsent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t connections_opened = 0;
  std::array<std::uint64_t, 6> statuses{};
  Faults faults;
  LatencyHistogram latency;
  LatencyHistogram from_sending;
  LatencyHistogram late;
  Duration took{0};
  bool is_interrupted = false;

  void add(const Outcome& other);
};

inline void Outcome::add(const Outcome& other) {
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
