#include "eider/ops/telemetry/traces.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "eider/app/this_machine.h"
#include "eider/protocols/http/request_work.h"
#include "eider/protocols/http/status.h"

namespace eider {

namespace {

void begin(Request& request, const std::shared_ptr<SpanSink>& spans, bool accepts_incoming) {
  Work& work = work_of(request);
  std::optional<TracePlace> from;
  if (const auto field =
          accepts_incoming ? find_only_field(request.headers(), "traceparent") : std::nullopt) {
    from = read_traceparent(*field);
  }
  if (from) {
    work.place = *from;
    work.parent = from->span;
    if (const auto state = find_only_field(request.headers(), "tracestate");
        state && is_tracestate(*state)) {
      work.state = *state;
    }
  } else {
    work.place = {.trace_high = next_span_id(), .trace_low = next_span_id()};
    work.place.is_sampled = spans->samples(work.place);
  }
  work.place.span = next_span_id();
  work.spans = work.place.is_sampled ? spans : nullptr;
}

/// source  OpenTelemetry, "Semantic conventions for HTTP spans"
void end(const ResponseEvent& record) {
  const Request& request = record.request;
  const Work* const own = peek_work(request);
  if (own == nullptr || own->spans == nullptr) {
    return;
  }
  const Work& work = *own;
  SpanRecord span;
  span.place = work.place;
  span.parent = work.parent;
  span.kind = SpanKind::server;
  span.name = std::string(to_text(request.method()));
  span.ended_ns = unix_nanoseconds();
  span.began_ns = span.ended_ns - std::chrono::nanoseconds(record.ended - record.began).count();
  span.attributes = {{"http.request.method", std::string(to_text(request.method()))},
                     {"url.path", std::string(request.path())},
                     {"client.address", request.remote_address()},
                     {"network.protocol.version",
                      std::string(record.protocol.substr(record.protocol.find('/') + 1))},
                     {"http.response.status_code", std::int64_t{record.status}}};
  if (!request.route().empty()) {
    span.name.append(" ").append(request.route());
    span.attributes.emplace_back("http.route", std::string(request.route()));
  }
  span.state = work.state;
  if (!record.is_complete) {
    span.error = "the client has disconnected";
  } else if (is_server_error(record.status)) {
    span.error = std::to_string(record.status);
  }
  work.spans->take(std::move(span));
}

}  // namespace

void trace_requests(App& app, std::shared_ptr<SpanSink> spans, TraceOptions options) {
  const auto of_jobs = app.find_state<JobSpans>();
  if (of_jobs != nullptr && of_jobs->sink == nullptr) {
    of_jobs->sink = spans;  // the jobs were added before
  } else {
    app.state(JobSpans{spans});
  }
  app.use(ClientHook{[spans, accepts_incoming = options.accepts_incoming](const ProxyTrust& trust) {
    return Hook{.on_request =
                    [spans, accepts_incoming, &trust](Request& request, Response& /*response*/) {
                      begin(request, spans,
                            accepts_incoming ? *accepts_incoming : comes_by_proxy(request, trust));
                      return true;
                    },
                .name = "trace"};
  }});
  app.observe(end);
}

}  // namespace eider
