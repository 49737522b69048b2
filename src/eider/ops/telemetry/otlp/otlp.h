// Exports spans, metrics and log lines to a collector with OTLP over HTTP (JSON).
// Layering: must not delay a request; data that the collector does not accept in time is dropped
// and counted.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/client/client_options.h"
#include "eider/ops/telemetry/log.h"
#include "eider/ops/telemetry/metrics.h"
#include "eider/ops/telemetry/traces.h"

namespace eider {

struct OtlpOptions {
  /// URL of the collector; "/v1/traces", "/v1/metrics" and "/v1/logs" are added.
  std::string endpoint = "http://127.0.0.1:4318";
  /// service.name
  std::string service = "eider";
  /// Further attributes of the resource: {{"service.version", "1.4.2"}}
  std::vector<std::pair<std::string, std::string>> resource = {};
  /// Fields of each request, such as a key: {{"Authorization", "Bearer …"}}
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// Share of the traces that start here that are kept; other traces follow the decision of the
  /// caller.
  double sample_ratio = 1;
  TraceOptions traces = {};
  /// Null: no metrics are sent. Otherwise they have counts of spans, too.
  std::shared_ptr<Metrics> metrics = nullptr;
  Duration metrics_interval = std::chrono::seconds(60);
  /// A field of a log line whose name contains one of these is "***"; see LogOptions.
  std::vector<std::string> redacted = redacted_log_fields();
  /// Interval between exports.
  Duration interval = std::chrono::seconds(1);
  /// Maximum number of spans or log lines in one request.
  std::size_t per_request_max = 512;
  /// Maximum number of spans, or log lines, that wait; further ones are dropped.
  std::size_t queue_max = 8192;
  /// Time limit for one request to the collector.
  Duration timeout = std::chrono::seconds(10);
  /// Number of retries if a collector is busy (429, 502, 503, 504) or not reachable, with a pause
  /// that doubles; then the data is dropped.
  unsigned retries_max = 3;
  Duration retry_pause = std::chrono::seconds(1);
  /// Maximum time to export the remaining data of each kind when the app stops.
  Duration flush_within = std::chrono::seconds(3);
  /// TLS, proxies and names.
  ClientOptions client = {};
};

struct OtlpCounts {
  std::uint64_t sent = 0;      // accepted by the collector
  std::uint64_t dropped = 0;   // no room in the queue, or not accepted by the collector
  std::uint64_t rejected = 0;  // accepted, but rejected as invalid
};

/// The exporter of export_otlp, with its counters.
class OtlpExport : public SpanSink, public std::enable_shared_from_this<OtlpExport> {
 public:
  /// Returns the counts of spans.
  [[nodiscard]] virtual OtlpCounts counts() const noexcept = 0;
  /// Returns the counts of log lines.
  [[nodiscard]] virtual OtlpCounts log_counts() const noexcept = 0;
  /// Returns a log whose lines go to `log`, which decides the level, and to the collector:
  ///
  ///     app.log_to(export_otlp(app, options)->with(open_log()));
  ///
  /// Each line has its trace and span. Of a text, the first 4 KiB are sent. Lines that `log` drops
  /// as too many of one message are sent; lines after the stop of the app are not. Errors may use
  /// another quarter of the queue.
  [[nodiscard]] virtual Log with(const Log& log) = 0;
};

/// Traces the app's requests and jobs (trace_requests), and exports their spans, and metrics and
/// log lines if present, from the app's first event loop:
///
///     export_otlp(app, {.endpoint = "http://collector:4318", .service = "notes"});
///
/// errors  throws a Failure for an invalid share
std::shared_ptr<OtlpExport> export_otlp(App& app, OtlpOptions options = {});

}  // namespace eider
