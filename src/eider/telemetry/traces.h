// Traces: what a request, or a job, has led to, here and in other services.
// Must not know where spans go.
#pragma once

#include <memory>

#include "eider/app/app.h"
#include "eider/base/span.h"

namespace eider {

struct TraceOptions {
  /// A request's traceparent and tracestate say which trace it is part of, and whether that is
  /// kept. Where clients of all kinds ask: false, or they decide what is kept.
  bool takes_incoming = true;
};

/// Makes each request of the app, and each call of what App::every was told, a span, and says who
/// follows: statements of databases and requests of HttpClient become spans within it, and those
/// carry on the trace (W3C Trace Context). Each line of the log has its trace_id. Add it ahead of
/// other hooks; `Span` (base/span.h) is for spans of your own.
///
/// spans  gets those of traces that are kept; see otlp_spans (telemetry/otlp/otlp.h)
void trace_requests(App& app, std::shared_ptr<SpanSink> spans, TraceOptions options = {});

}  // namespace eider
