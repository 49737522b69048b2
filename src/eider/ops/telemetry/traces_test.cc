#include "eider/ops/telemetry/traces.h"

#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "eider/io/runtime/sleep.h"
#include "eider/protocols/http/request_work.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/access_log.h"
#include "eider/web/middleware/request_id.h"
#include "eider/web/middleware/test_asked.h"
#include "tests/support/kept_spans.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kParent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

App traced(const std::shared_ptr<KeptSpans>& spans,
           TraceOptions options = {.accepts_incoming = true}) {
  App app;
  trace_requests(app, spans, options);
  app.use(request_id());
  app.get("/notes/{id}", [](int id) { return id; });
  app.get("/waits", []() -> Task<std::string> {
    const Span span("thinks");
    co_await sleep_for(20ms);
    co_return std::string(Work::current()->request_id());
  });
  app.get("/throws", []() -> std::string { throw std::runtime_error("no"); });
  return app;
}

TEST(Traces, have_a_span_for_each_request_with_its_route_and_never_its_query) {
  const auto spans = std::make_shared<KeptSpans>();
  TestClient client(traced(spans));
  client.get("/notes/7?token=x");
  client.get("/nowhere/7");
  client.get("/throws");
  ASSERT_EQ(spans->spans.size(), 3U);
  const SpanRecord& span = spans->spans[0];
  EXPECT_EQ(span.name, "GET /notes/{id}");
  EXPECT_EQ(span.kind, SpanKind::server);
  EXPECT_EQ(span.parent, 0U);
  EXPECT_TRUE(span.place.is_there());
  EXPECT_NE(span.place.span, 0U);
  EXPECT_LE(span.began_ns, span.ended_ns);
  EXPECT_EQ(attribute(span, "url.path"), "/notes/7");
  EXPECT_EQ(attribute(span, "http.route"), "/notes/{id}");
  EXPECT_EQ(attribute(span, "network.protocol.version"), "1.1");
  EXPECT_EQ(attribute(span, "http.response.status_code"), "200");
  EXPECT_EQ(span.error, "");
  EXPECT_EQ(spans->spans[1].name, "GET");
  EXPECT_EQ(attribute(spans->spans[1], "http.route"), "none");
  EXPECT_EQ(spans->spans[2].error, "500");
  EXPECT_NE(span.place.trace_low, spans->spans[1].place.trace_low);
}

TEST(Traces, go_on_where_a_traceparent_says_so) {
  const auto spans = std::make_shared<KeptSpans>();
  TestClient client(traced(spans));
  client.send({.target = "/waits",
               .headers = {{"traceparent", std::string(kParent)}, {"tracestate", "a=1"}}});
  ASSERT_EQ(spans->spans.size(), 2U);
  const SpanRecord* const inner = spans->find("thinks");
  const SpanRecord* const outer = spans->find("GET /waits");
  ASSERT_TRUE(inner != nullptr && outer != nullptr);
  EXPECT_EQ(trace_id_text(outer->place), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(span_id_text(outer->parent), "00f067aa0ba902b7");
  EXPECT_EQ(outer->state, "a=1");
  EXPECT_EQ(inner->parent, outer->place.span);
  EXPECT_EQ(inner->place.trace_low, outer->place.trace_low);
}

// An invalid value from a client only starts a new trace.
TEST(Traces, begin_anew_where_a_traceparent_is_none_that_holds) {
  const std::vector<std::vector<std::pair<std::string, std::string>>> hostile = {
      {{"traceparent", ""}},
      {{"traceparent", std::string(8000, '0')}},
      {{"traceparent", "00-00000000000000000000000000000000-00f067aa0ba902b7-01"}},
      {{"traceparent", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}},
      {{"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e473\xff-00f067aa0ba902b7-01"}},
      {{"traceparent", std::string(kParent)}, {"traceparent", std::string(kParent)}}};
  for (const auto& fields : hostile) {
    const auto spans = std::make_shared<KeptSpans>();
    TestClient client(traced(spans));
    std::string request = "GET /notes/7 HTTP/1.1\r\nHost: a\r\n";
    for (const auto& [name, value] : fields) {
      request.append(name).append(": ").append(value).append("\r\n");
    }
    static_cast<void>(client.raw(request + "\r\n"));
    ASSERT_EQ(spans->spans.size(), 1U) << request;
    EXPECT_EQ(spans->spans[0].parent, 0U) << request;
    EXPECT_EQ(spans->spans[0].state, "");
  }
}

TEST(Traces, are_kept_as_who_asks_says_unless_he_is_not_to) {
  const auto spans = std::make_shared<KeptSpans>();
  spans->keeps = false;
  TestClient client(traced(spans));
  client.get("/waits");
  EXPECT_EQ(spans->spans.size(), 0U);
  client.send({.target = "/waits", .headers = {{"traceparent", std::string(kParent)}}});
  EXPECT_EQ(spans->spans.size(), 2U);
  const auto own = std::make_shared<KeptSpans>();
  own->keeps = false;
  TestClient closed(traced(own, {.accepts_incoming = false}));
  closed.send({.target = "/waits", .headers = {{"traceparent", std::string(kParent)}}});
  EXPECT_EQ(own->spans.size(), 0U);
}

TEST(Traces, are_decided_by_trusted_peers_alone_by_default) {
  for (const std::string trusted : {"10.0.0.0/8", "127.0.0.1", ""}) {
    App app;
    trace_requests(app, std::make_shared<KeptSpans>());
    app.trust_proxies(trusted);
    app.get("/trace",
            [](const Request& request) { return trace_id_text(peek_work(request)->place); });
    const std::string trace =
        testing::AskedApp(app)
            .ask({.path = "/trace", .fields = {{"traceparent", kParent}}, .address = "127.0.0.1"})
            .body;
    EXPECT_EQ(kParent.contains(trace), trusted == "127.0.0.1") << trusted << ": " << trace;
  }
}

TEST(Traces, and_names_of_requests_are_in_each_line_of_the_log) {
  class Named final : public LogSink {
   public:
    void write(LogLevel /*level*/, std::string_view line) noexcept override {
      lines.push_back(std::string(line) + "|" +
                      (Work::current() == nullptr ? "" : trace_id_text(Work::current()->place)));
    }
    std::vector<std::string> lines;
  };
  const auto log = std::make_shared<Named>();
  App app = traced(std::make_shared<KeptSpans>());
  app.log_to(log);
  app.observe(access_log(log, AccessFormat::fields));
  app.get("/logs", [log = Log(log)]() -> Task<> {
    co_await sleep_for(1ms);
    log.info("paid", {{"order", 7}});
  });
  TestClient client(app);
  const std::string id = "|4bf92f3577b34da6a3ce929d0e0e4736";
  client.send({.target = "/logs", .headers = {{"traceparent", std::string(kParent)}}});
  client.send({.target = "/throws", .headers = {{"traceparent", std::string(kParent)}}});
  ASSERT_EQ(log->lines.size(), 4U);
  EXPECT_EQ(log->lines[0], "paid order=7" + id);
  for (const std::string& line : log->lines) {
    EXPECT_TRUE(line.ends_with(id)) << line;
  }
}

TEST(Traces, have_a_span_for_each_call_of_what_is_done_every_so_often) {
  const auto spans = std::make_shared<KeptSpans>();
  App app = traced(spans);
  const auto seen = std::make_shared<std::vector<std::uint64_t>>();
  app.every("clean", 10s,
            [seen]() -> Task<> {
              co_await sleep_for(1ms);
              seen->push_back(Work::current()->place.trace_low);
            },
            {.is_at_once = true});
  TestClient client(app);
  client.advance(1s);
  client.get("/waits");
  const SpanRecord* const job = spans->find("clean");
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(job->parent, 0U);
  EXPECT_EQ(*seen, std::vector<std::uint64_t>{job->place.trace_low});
  EXPECT_NE(job->place.trace_low, spans->find("GET /waits")->place.trace_low);
}

}  // namespace
}  // namespace eider
