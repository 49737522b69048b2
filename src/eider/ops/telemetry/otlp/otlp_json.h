// Encodes spans, metrics and log lines as OTLP JSON.
// Layering: must not wait or send.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eider/core/base/log.h"
#include "eider/core/base/work.h"
#include "eider/ops/telemetry/metrics.h"

namespace eider::detail::otlp {

using Attributes = std::vector<std::pair<std::string, std::string>>;

/// A line of the log.
struct LogRecord {
  std::int64_t time_ns;  // since 1970
  LogLevel level;
  std::string message;
  std::vector<std::pair<std::string, SpanValue>> fields;
  TracePlace place;
};

/// An ExportTraceServiceRequest.
///
/// source  OTLP 1.0, "JSON Protobuf Encoding": identifiers in hexadecimal digits, 64-bit numbers as
///         text, enumerations as numbers
[[nodiscard]] std::string spans_json(const Attributes& resource, std::span<const SpanRecord> spans);
/// An ExportLogsServiceRequest.
[[nodiscard]] std::string logs_json(const Attributes& resource, std::span<const LogRecord> lines);
/// An ExportMetricsServiceRequest.
///
/// began_ns  start of counting, in nanoseconds since 1970
[[nodiscard]] std::string metrics_json(const Attributes& resource,
                                       std::span<const MetricRead> metrics, std::int64_t began_ns,
                                       std::int64_t now_ns);

}  // namespace eider::detail::otlp
