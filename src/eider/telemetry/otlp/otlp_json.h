// Spans and metrics as OTLP has them in JSON.
// Must not wait or send.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eider/base/work.h"
#include "eider/telemetry/metrics.h"

namespace eider::detail::otlp {

using Attributes = std::vector<std::pair<std::string, std::string>>;

/// An ExportTraceServiceRequest.
///
/// source  OTLP 1.0, "JSON Protobuf Encoding": identifiers in hexadecimal digits, 64-bit numbers as
///         text, enumerations as numbers
[[nodiscard]] std::string spans_json(const Attributes& resource, std::span<const SpanRecord> spans);
/// An ExportMetricsServiceRequest.
///
/// began_ns  when counting began, since 1970
[[nodiscard]] std::string metrics_json(const Attributes& resource,
                                       std::span<const MetricRead> metrics, std::int64_t began_ns,
                                       std::int64_t now_ns);

}  // namespace eider::detail::otlp
