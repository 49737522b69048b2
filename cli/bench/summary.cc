#include "cli/bench/summary.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cli/commands.h"

namespace eider::bench {

namespace {

double to_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

double to_ms(double nanoseconds) {
  return nanoseconds / 1e6;
}

Latency latency_of(const LatencyHistogram& histogram) {
  const auto at = [&](double percent) {
    return to_ms(static_cast<double>(histogram.percentile(percent)));
  };
  return {to_ms(static_cast<double>(histogram.min())),
          to_ms(histogram.mean()),
          at(50),
          at(75),
          at(90),
          at(99),
          at(99.9),
          at(99.99),
          to_ms(static_cast<double>(histogram.max()))};
}

ErrorKinds kinds_of(const Faults& faults) {
  return {faults.count(Fault::connect),  faults.count(Fault::tls),
          faults.count(Fault::reset),    faults.count(Fault::closed),
          faults.count(Fault::timeout),  faults.count(Fault::malformed),
          faults.count(Fault::declined), faults.count(Fault::wrong_status),
          faults.count(Fault::differs)};
}

std::vector<Bucket> buckets_of(const LatencyHistogram& histogram) {
  std::vector<Bucket> buckets;
  histogram.for_each([&](std::uint64_t last, std::uint64_t count) {
    const std::uint64_t upto = std::min(last, histogram.max());
    buckets.push_back({to_ms(static_cast<double>(upto)), count});
  });
  return buckets;
}

std::string_view protocol_of(Version version) noexcept {
  switch (version) {
    case Version::http_2:
      return "HTTP/2";
    case Version::websocket:
      return "WebSocket";
    case Version::http_1_1:
      break;
  }
  return "HTTP/1.1";
}

std::string_view counted_of(const Options& options) noexcept {
  if (options.way == Way::broadcast) {
    return "deliveries";
  }
  if (options.events != 0) {
    return "events";
  }
  return options.version == Version::websocket ? "messages" : "requests";
}

Setting setting_of(const Options& options) {
  return {options.url,
          options.rate > 0 ? "open" : "closed",
          options.connections,
          std::min(options.threads, options.connections),
          std::string(protocol_of(options.version)),
          std::string(counted_of(options)),
          options.version == Version::http_2 ? options.streams : options.pipeline,
          options.rate,
          to_seconds(options.warmup)};
}

}  // namespace

Summary summarise(const Options& options, const Outcome& outcome) {
  Summary summary;
  summary.program = "eider bench " + std::string(version());
  summary.setting = setting_of(options);
  summary.is_interrupted = outcome.is_interrupted;
  summary.seconds = to_seconds(outcome.took);
  summary.requests = outcome.answered;
  summary.bytes = outcome.bytes_received;
  if (summary.seconds > 0) {
    summary.requests_per_second = static_cast<double>(outcome.answered) / summary.seconds;
    summary.bytes_per_second = static_cast<double>(outcome.bytes_received) / summary.seconds;
  }
  summary.connections_opened = outcome.connections_opened;
  summary.statuses = {outcome.statuses[1], outcome.statuses[2], outcome.statuses[3],
                      outcome.statuses[4], outcome.statuses[5]};
  summary.errors = outcome.faults.count();
  summary.errors_by_kind = kinds_of(outcome.faults);
  summary.first_error = outcome.faults.first();
  summary.unsent = outcome.unsent;
  summary.latency = latency_of(outcome.latency);
  summary.latency_from_sending = latency_of(outcome.from_sending);
  summary.generator_late = latency_of(outcome.late);
  summary.buckets = buckets_of(outcome.latency);
  return summary;
}

std::vector<Bar> to_bars(const std::vector<Bucket>& buckets, std::size_t count) {
  std::vector<Bar> bars;
  if (buckets.empty() || count == 0) {
    return bars;
  }
  const double least = std::max(buckets.front().upto_ms, 1e-6);
  const double most = std::max(buckets.back().upto_ms, least);
  const double step = std::log(most / least) / static_cast<double>(count);
  for (std::size_t i = 1; i <= count; ++i) {
    bars.push_back({i == count ? most : least * std::exp(step * static_cast<double>(i)), 0});
  }
  std::size_t at = 0;
  for (const Bucket& bucket : buckets) {
    while (at + 1 < bars.size() && bucket.upto_ms > bars[at].upto_ms) {
      ++at;
    }
    bars[at].count += bucket.count;
  }
  return bars;
}

}  // namespace eider::bench
