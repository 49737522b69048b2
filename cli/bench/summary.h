// The figures of a run, as they are shown and written as JSON.
// Layering: must not format them; each output format has its own file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/options.h"
#include "cli/bench/outcome.h"

namespace eider::bench {

struct Latency {
  double min_ms = 0;
  double mean_ms = 0;
  double p50_ms = 0;
  double p75_ms = 0;
  double p90_ms = 0;
  double p99_ms = 0;
  double p99_9_ms = 0;
  double p99_99_ms = 0;
  double max_ms = 0;
};

struct StatusClasses {
  std::uint64_t informational = 0;
  std::uint64_t success = 0;
  std::uint64_t redirection = 0;
  std::uint64_t client_error = 0;
  std::uint64_t server_error = 0;
};

struct ErrorKinds {
  std::uint64_t connect = 0;
  std::uint64_t tls = 0;
  std::uint64_t reset = 0;
  std::uint64_t closed = 0;
  std::uint64_t timeout = 0;
  std::uint64_t malformed = 0;
  std::uint64_t declined = 0;
  std::uint64_t wrong_status = 0;
  std::uint64_t differs = 0;
};

/// upto_ms  the largest latency in this bucket
struct Bucket {
  double upto_ms = 0;
  std::uint64_t count = 0;
};

/// The settings of the run, so that a report describes itself.
struct Setting {
  std::string url;
  std::string loop;  // "closed" or "open"
  unsigned connections = 0;
  unsigned threads = 0;
  std::string protocol;
  std::string counted;    // name of the counted requests: "requests", "messages", …
  unsigned pipeline = 0;  // with HTTP/2, the streams of a connection
  double rate = 0;
  double warmup_seconds = 0;
};

/// latency_from_sending  latencies as a closed loop would measure them (open loop only)
/// generator_late  delay of the generator itself (open loop only)
/// buckets         the histogram in ascending order, with a precision of 1 in 1024; without empty
///                 buckets
struct Summary {
  std::string program;
  Setting setting;
  bool is_interrupted = false;
  double seconds = 0;
  std::uint64_t requests = 0;
  double requests_per_second = 0;
  std::uint64_t bytes = 0;
  double bytes_per_second = 0;
  std::uint64_t connections_opened = 0;
  StatusClasses statuses;
  std::uint64_t errors = 0;
  ErrorKinds errors_by_kind;
  std::string first_error;
  std::uint64_t unsent = 0;
  Latency latency;
  Latency latency_from_sending;
  Latency generator_late;
  std::vector<Bucket> buckets;
};

[[nodiscard]] Summary summarise(const Options& options, const Outcome& outcome);

/// One bar of a chart: latencies above that of the previous bar, up to this one.
struct Bar {
  double upto_ms = 0;
  std::uint64_t count = 0;
};

/// Merges the buckets into at most `count` bars of equal width on a logarithmic scale, from the
/// smallest to the largest latency. The counts of the bars and of the buckets have the same sum.
[[nodiscard]] std::vector<Bar> to_bars(const std::vector<Bucket>& buckets, std::size_t count);

}  // namespace eider::bench
