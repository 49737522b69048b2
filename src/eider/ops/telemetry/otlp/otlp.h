// Spans, metrics and lines of the log to a collector, as OTLP over HTTP with JSON.
// Must not hold up a request: what the collector does not take in time is dropped and counted.
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
  /// Of the collector; "/v1/traces", "/v1/metrics" and "/v1/logs" are added.
  std::string endpoint = "http://127.0.0.1:4318";
  /// service.name
  std::string service = "eider";
  /// Further attributes of the resource: {{"service.version", "1.4.2"}}
  std::vector<std::pair<std::string, std::string>> resource = {};
  /// Fields of each request, such as a key: {{"Authorization", "Bearer …"}}
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// Of the traces that begin here so many are kept; of others, what who asks says.
  double share = 1;
  TraceOptions traces = {};
  /// Null: no metrics are sent. Otherwise they have counts of spans, too.
  std::shared_ptr<Metrics> metrics = nullptr;
  Duration metrics_interval = std::chrono::seconds(60);
  /// A field of a line of the log whose name has one of these in it is "***"; see LogOptions.
  std::vector<std::string> masked = masked_log_fields();
  /// How often what is there is sent.
  Duration interval = std::chrono::seconds(1);
  /// Spans, or lines.
  std::size_t per_request_max = 512;
  /// Spans, or lines, that wait; what comes on top is dropped.
  std::size_t queue_max = 8192;
  /// Of one request to the collector.
  Duration timeout = std::chrono::seconds(10);
  /// One that says that it is busy (429, 502, 503, 504), or cannot be reached, is asked again so
  /// often, with a pause that doubles; then what was to be sent is dropped.
  unsigned retries_max = 3;
  Duration retry_pause = std::chrono::seconds(1);
  /// For what is left of each kind when the app stops.
  Duration flush_within = std::chrono::seconds(3);
  /// TLS, proxies and names.
  ClientOptions client = {};
};

struct OtlpCounts {
  std::uint64_t sent = 0;      // that the collector has taken
  std::uint64_t dropped = 0;   // for want of room, or because it did not take them
  std::uint64_t rejected = 0;  // those that it took and said were wrong
};

/// What export_otlp has begun, for who wants to know how it goes.
class OtlpExport : public SpanSink, public std::enable_shared_from_this<OtlpExport> {
 public:
  /// Of spans.
  [[nodiscard]] virtual OtlpCounts counts() const noexcept = 0;
  /// Of lines of the log.
  [[nodiscard]] virtual OtlpCounts log_counts() const noexcept = 0;
  /// A log whose lines go to `log`, whose level holds, and to the collector as well:
  ///
  ///     app.log_to(export_otlp(app, options)->with(open_log()));
  ///
  /// Each line tells the trace and the span that it is of. Of a text the first 4 KiB are sent;
  /// lines that `log` leaves out as too many of one message are sent, and what is said behind the
  /// app's stop is not. Errors have another quarter of the queue.
  [[nodiscard]] virtual Log with(const Log& log) = 0;
};

/// Traces the app's requests and jobs (trace_requests) and sends their spans, and metrics and
/// lines where there are some, from the app's first loop:
///
///     export_otlp(app, {.endpoint = "http://collector:4318", .service = "notes"});
///
/// errors  throws a Failure for a share that is none
std::shared_ptr<OtlpExport> export_otlp(App& app, OtlpOptions options = {});

}  // namespace eider
