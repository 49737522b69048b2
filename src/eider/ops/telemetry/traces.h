// Traces: what a request, or a job, has led to, here and in other services.
// Must not know where spans go.
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
  std::optional<bool> takes_incoming = {};
};

/// Makes each request of the app, and each call of what App::every was told, a span, and says who
/// follows: statements of databases and requests of HttpClient become spans within it, and those
/// carry on the trace (W3C Trace Context). Each line of the log has its trace_id. Add it ahead of
/// other hooks; `Span` (base/span.h) is for spans of your own.
///
/// spans  gets those of traces that are kept; see otlp_spans (telemetry/otlp/otlp.h)
void trace_requests(App& app, std::shared_ptr<SpanSink> spans, TraceOptions options = {});

}  // namespace eider
