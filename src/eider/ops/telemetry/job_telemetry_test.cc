// Metrics and traces of background jobs.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "eider/core/base/resource_probe.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/ops/telemetry/metrics.h"
#include "eider/ops/telemetry/traces.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"
#include "eider/web/jobs/jobs.h"
#include "tests/support/kept_spans.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

struct Ship {
  std::int64_t order = 0;
};
struct Pack {
  std::int64_t order = 0;
};

/// An app whose request enqueues a job, which enqueues another one. Order 7 is not packed.
App make_shop() {
  const Database database = open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop});
  App app;
  app.state(database);
  add_jobs(app, database, {.log = std::make_shared<LogLines>()});
  app.job<Ship>([](Ship job, State<Jobs> jobs, State<Database> db) -> Task<> {
    co_await jobs->enqueue(*db, Pack{job.order});
  });
  app.job<Pack>(
      [](Pack job) {
        const Span span("wrap");
        if (job.order == 7) {
          throw std::runtime_error("there is no such order");
        }
      },
      {.attempts = 3});
  app.post("/orders/{id}", [](std::int64_t id, State<Jobs> jobs, State<Database> db) -> Task<> {
    co_await jobs->enqueue(*db, Ship{id});
  });
  return app;
}

const SpanRecord& span_of(const KeptSpans& spans, std::string_view name) {
  static const SpanRecord none;
  const SpanRecord* const found = spans.find(name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? none : *found;
}

TEST(JobTraces, link_a_job_to_the_request_or_job_that_has_enqueued_it) {
  const auto spans = std::make_shared<KeptSpans>();
  App app = make_shop();
  trace_requests(app, spans);  // after the jobs were added
  TestClient client(app);
  EXPECT_EQ(client.post("/orders/1", 0).status, 204);
  client.advance(10s);
  const SpanRecord& request = span_of(*spans, "POST /orders/{id}");
  const SpanRecord& first = span_of(*spans, "Ship");
  const SpanRecord& second = span_of(*spans, "Pack");
  EXPECT_EQ(first.parent, request.place.span);
  EXPECT_EQ(second.parent, first.place.span);
  EXPECT_EQ(span_of(*spans, "wrap").parent, second.place.span);
  for (const SpanRecord* const span : {&first, &second}) {
    EXPECT_EQ(span->place.trace_high, request.place.trace_high);
    EXPECT_EQ(span->place.trace_low, request.place.trace_low);
    EXPECT_EQ(attribute(*span, "job.attempt"), "1");
  }
}

TEST(JobTraces, are_not_kept_if_that_of_the_request_is_not) {
  const auto spans = std::make_shared<KeptSpans>();
  spans->keeps = false;
  App app = make_shop();
  trace_requests(app, spans);
  TestClient client(app);
  EXPECT_EQ(client.post("/orders/1", 0).status, 204);
  client.advance(10s);
  EXPECT_EQ(spans->spans.size(), 0U);
}

TEST(JobMetrics, count_attempts_by_outcome) {
  std::vector<std::unique_ptr<ResourceProbe>> others;  // such as pools
  for (int count = 0; count < 200; ++count) {
    others.push_back(std::make_unique<ResourceProbe>([] { return ResourceState(); }));
  }
  App app = make_shop();
  serve_metrics(app);
  TestClient client(app);
  EXPECT_TRUE(client.get("/metrics").body.contains("\neider_jobs_total{outcome=\"done\"} 0\n"));
  for (const char* const order : {"/orders/1", "/orders/2", "/orders/7"}) {
    EXPECT_EQ(client.post(order, 0).status, 204);
  }
  client.advance(1h);
  const std::string text = client.get("/metrics").body;
  for (const char* const line :
       {"\neider_jobs_total{outcome=\"done\"} 5\n", "\neider_jobs_total{outcome=\"retried\"} 2\n",
        "\neider_jobs_total{outcome=\"failed\"} 1\n", "\neider_jobs_running 0\n"}) {
    EXPECT_TRUE(text.contains(line)) << line << text;
  }
}

}  // namespace
}  // namespace eider
