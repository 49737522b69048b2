#include "eider/ops/telemetry/otlp/otlp_json.h"

#include <cmath>
#include <variant>

#include "eider/core/base/buffer.h"
#include "eider/core/base/digits.h"
#include "eider/core/json/write.h"

namespace eider::detail::otlp {

namespace {

constexpr int kCumulative = 2;
constexpr int kStatusError = 2;

/// Appends `[`, the output of `put` for each element, separated by commas, and `]`.
template <class Range, class Put>
void append_list(Buffer& out, const Range& range, Put put) {
  out.append("[");
  bool is_first = true;
  for (const auto& one : range) {
    if (!std::exchange(is_first, false)) {
      out.append(",");
    }
    put(one);
  }
  out.append("]");
}

void append_number(Buffer& out, double value) {
  if (!std::isfinite(value)) {
    out.append(std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    return;
  }
  out.append(Digits(value).view());
}

void append_quoted(Buffer& out, const std::string& text) {
  out.append("\"");
  out.append(text);
  out.append("\"");
}

void append_value(Buffer& out, const SpanValue& value) {
  struct Cases {
    void operator()(const std::string& text) const {
      out.append(R"({"stringValue":)");
      json::write_string(out, text);
    }
    void operator()(std::int64_t number) const {
      out.append(R"({"intValue":)");
      append_quoted(out, std::to_string(number));
    }
    void operator()(double number) const {
      out.append(R"({"doubleValue":)");
      append_number(out, number);
    }
    void operator()(bool is_true) const {
      out.append(is_true ? R"({"boolValue":true)" : R"({"boolValue":false)");
    }
    Buffer& out;
  };
  std::visit(Cases{out}, value);
  out.append("}");
}

void append_attribute(Buffer& out, std::string_view name, const SpanValue& value) {
  out.append(R"({"key":)");
  json::write_string(out, name);
  out.append(R"(,"value":)");
  append_value(out, value);
  out.append("}");
}

void append_begin(Buffer& out, std::string_view resources, std::string_view scopes,
                  std::string_view items, const Attributes& resource) {
  out.append("{\"");
  out.append(resources);
  out.append(R"(":[{"resource":{"attributes":)");
  append_list(out, resource,
              [&](const auto& pair) { append_attribute(out, pair.first, pair.second); });
  out.append("},\"");
  out.append(scopes);
  out.append(R"(":[{"scope":{"name":"eider"},")");
  out.append(items);
  out.append("\":");
}

void append_span(Buffer& out, const SpanRecord& span) {
  out.append(R"({"traceId":)");
  append_quoted(out, trace_id_text(span.place));
  out.append(R"(,"spanId":)");
  append_quoted(out, span_id_text(span.place.span));
  if (span.parent != 0) {
    out.append(R"(,"parentSpanId":)");
    append_quoted(out, span_id_text(span.parent));
  }
  if (!span.state.empty()) {
    out.append(R"(,"traceState":)");
    json::write_string(out, span.state);
  }
  out.append(R"(,"flags":1,"name":)");
  json::write_string(out, span.name);
  out.append(R"(,"kind":)");
  out.append(std::to_string(static_cast<int>(span.kind)));
  out.append(R"(,"startTimeUnixNano":)");
  append_quoted(out, std::to_string(span.began_ns));
  out.append(R"(,"endTimeUnixNano":)");
  append_quoted(out, std::to_string(span.ended_ns));
  out.append(R"(,"attributes":)");
  append_list(out, span.attributes, [&](const SpanAttribute& attribute) {
    append_attribute(out, attribute.name, attribute.value);
  });
  if (!span.error.empty()) {
    out.append(R"(,"status":{"code":)");
    out.append(std::to_string(kStatusError));
    out.append(R"(,"message":)");
    json::write_string(out, span.error);
    out.append("}");
  }
  out.append("}");
}

/// source  OpenTelemetry, "Logs data model", "Field: SeverityNumber"
int severity_of(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::debug:
      return 5;
    case LogLevel::info:
      return 9;
    case LogLevel::warning:
      return 13;
    case LogLevel::error:
      return 17;
  }
  return 0;
}

void append_log(Buffer& out, const LogRecord& line) {
  out.append(R"({"timeUnixNano":)");
  append_quoted(out, std::to_string(line.time_ns));
  out.append(R"(,"severityNumber":)");
  out.append(std::to_string(severity_of(line.level)));
  out.append(R"(,"severityText":)");
  append_quoted(out, std::string(to_text(line.level)));
  out.append(R"(,"body":)");
  append_value(out, line.message);
  out.append(R"(,"attributes":)");
  append_list(out, line.fields,
              [&](const auto& pair) { append_attribute(out, pair.first, pair.second); });
  if (line.place.is_there()) {
    out.append(R"(,"traceId":)");
    append_quoted(out, trace_id_text(line.place));
    out.append(R"(,"spanId":)");
    append_quoted(out, span_id_text(line.place.span));
    out.append(line.place.is_sampled ? R"(,"flags":1)" : R"(,"flags":0)");
  }
  out.append("}");
}

struct Times {
  std::int64_t began_ns;
  std::int64_t now_ns;
};

void append_point(Buffer& out, const MetricRead& metric, const MetricPoint& point,
                  const Times& times) {
  out.append(R"({"startTimeUnixNano":)");
  append_quoted(out, std::to_string(times.began_ns));
  out.append(R"(,"timeUnixNano":)");
  append_quoted(out, std::to_string(times.now_ns));
  out.append(R"(,"attributes":[)");
  for (std::size_t i = 0; i < point.label_values.size(); ++i) {
    out.append(i == 0 ? "" : ",");
    append_attribute(out, metric.label_names[i], point.label_values[i]);
  }
  out.append("],");
  if (!point.histogram) {
    out.append(R"("asDouble":)");
    append_number(out, point.value);
    out.append("}");
    return;
  }
  out.append(R"("count":)");
  append_quoted(out, std::to_string(point.histogram->count));
  out.append(R"(,"sum":)");
  append_number(out, point.histogram->sum);
  out.append(R"(,"bucketCounts":)");
  append_list(out, point.histogram->counts,
              [&](std::uint64_t count) { append_quoted(out, std::to_string(count)); });
  out.append(R"(,"explicitBounds":)");
  append_list(out, point.bounds, [&](double bound) { append_number(out, bound); });
  out.append("}");
}

void append_metric(Buffer& out, const MetricRead& metric, const Times& times) {
  out.append(R"({"name":)");
  json::write_string(out, metric.name);
  out.append(R"(,"description":)");
  json::write_string(out, metric.help);
  out.append(R"(,"unit":)");
  json::write_string(out, metric.unit);
  switch (metric.kind) {
    case MetricKind::counter:
      out.append(R"(,"sum":{"isMonotonic":true,)");
      break;
    case MetricKind::gauge:
      out.append(R"(,"gauge":{)");
      break;
    case MetricKind::histogram:
      out.append(R"(,"histogram":{)");
      break;
  }
  if (metric.kind != MetricKind::gauge) {
    out.append(R"("aggregationTemporality":)");
    out.append(std::to_string(kCumulative));
    out.append(",");
  }
  out.append(R"("dataPoints":)");
  append_list(out, metric.points,
              [&](const MetricPoint& point) { append_point(out, metric, point, times); });
  out.append("}}");
}

}  // namespace

std::string spans_json(const Attributes& resource, std::span<const SpanRecord> spans) {
  Buffer out;
  append_begin(out, "resourceSpans", "scopeSpans", "spans", resource);
  append_list(out, spans, [&](const SpanRecord& span) { append_span(out, span); });
  out.append("}]}]}");
  return std::string(out.view());
}

std::string logs_json(const Attributes& resource, std::span<const LogRecord> lines) {
  Buffer out;
  append_begin(out, "resourceLogs", "scopeLogs", "logRecords", resource);
  append_list(out, lines, [&](const LogRecord& line) { append_log(out, line); });
  out.append("}]}]}");
  return std::string(out.view());
}

std::string metrics_json(const Attributes& resource, std::span<const MetricRead> metrics,
                         std::int64_t began_ns, std::int64_t now_ns) {
  Buffer out;
  append_begin(out, "resourceMetrics", "scopeMetrics", "metrics", resource);
  append_list(out, metrics,
              [&](const MetricRead& metric) { append_metric(out, metric, {began_ns, now_ns}); });
  out.append("}]}]}");
  return std::string(out.view());
}

}  // namespace eider::detail::otlp
