// Traces: the spans of a request or job, across services.
// Layering: must not know exporters.
#pragma once

#include <memory>
#include <optional>

#include "eider/app/app.h"
#include "eider/core/base/span.h"

namespace eider {

struct TraceOptions {
  /// Whether a request's traceparent and tracestate decide which trace it is part of, and whether
  /// that trace is kept. Default: only from peers that App::trust_proxies names, since every kept
  /// trace costs the collector. true: from all clients, for a service that only other services
  /// reach.
  std::optional<bool> accepts_incoming = {};
};

/// Makes each request of the app, and each call of an App::every job, a span. Database statements
/// and requests of HttpClient become spans within it, and propagate the trace (W3C Trace Context).
/// Each log line has its trace_id. Add it before other hooks; use `Span` for your own spans.
///
/// spans  receives the spans of traces that are kept; see export_otlp (eider/otlp.h)
void trace_requests(App& app, std::shared_ptr<SpanSink> spans, TraceOptions options = {});

}  // namespace eider
