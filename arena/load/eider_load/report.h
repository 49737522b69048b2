// What a run has found out, and how it is printed.
// Must not judge: errors are counted and the first is told in words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "eider/runtime/time.h"
#include "failures.h"
#include "options.h"
#include "shared.h"

namespace load {

/// What one thread of a run has gathered.
///
/// latency      ns from the request to its whole answer; in `rate` from when it was due
/// uncorrected  ns from the actual sending (rate only)
/// lateness     ns by which the generator itself handled a due request too late (rate only)
struct Outcome {
  std::uint64_t requests = 0;  // answered as expected
  std::uint64_t unsent = 0;    // due, but never sent
  Failures failures;
  LatencyHistogram latency;
  LatencyHistogram uncorrected;
  LatencyHistogram lateness;
  eider::Duration took{0};

  void add(const Outcome& other);
};

/// The report as one line of JSON, or as text for people. Ends with a line end.
[[nodiscard]] std::string report_text(const Options& options, const Outcome& outcome);

}  // namespace load
