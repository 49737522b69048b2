// Metrics and traces of SQL statements.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "eider/data/db/sqlite/sqlite.h"
#include "eider/ops/telemetry/metrics.h"
#include "eider/ops/telemetry/traces.h"
#include "eider/testkit/test_client.h"
#include "tests/support/kept_spans.h"

namespace eider {
namespace {

TEST(Metrics, count_what_a_database_is_asked) {
  const auto metrics = std::make_shared<Metrics>();
  App app;
  const Database database = open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop});
  metrics->watch("shop", database);
  app.get("/asks", [database]() -> Task<int> {
    const auto value = co_await database.one<int>("select 1");
    co_return value.value_or(0);
  });
  app.get("/fails", [database]() -> Task<int> {
    const auto value = co_await database.one<int>("select nosuch");
    co_return value.value_or(0);
  });
  serve_metrics(app, "/metrics", {.metrics = metrics});
  TestClient client(app);
  client.get("/asks");
  client.get("/fails");
  const std::string text = client.get("/metrics").body;
  EXPECT_TRUE(text.contains("eider_db_seconds_count{database=\"shop\"} 2\n")) << text;
  EXPECT_TRUE(text.contains("eider_db_failed_total{database=\"shop\"} 1\n"));
  EXPECT_TRUE(text.contains("eider_db_in_flight{database=\"shop\"} 0\n"));
}

TEST(Traces, have_spans_of_statements_without_their_values) {
  const auto spans = std::make_shared<KeptSpans>();
  App app;
  trace_requests(app, spans);
  app.state(open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop}));
  app.get("/asks", [](State<Database> database) -> Task<int> {
    const auto value = co_await database->one<int>("select $1 + 1", 41);
    co_return value.value_or(0);
  });
  app.get("/fails", [](State<Database> database) -> Task<int> {
    const auto value = co_await database->one<int>("select nosuch");
    co_return value.value_or(0);
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/asks").body, "42");
  ASSERT_EQ(spans->spans.size(), 2U);
  const SpanRecord& asked = spans->spans[0];
  EXPECT_EQ(asked.name, "select");
  EXPECT_EQ(asked.kind, SpanKind::client);
  EXPECT_EQ(attribute(asked, "db.query.text"), "select $1 + 1");
  EXPECT_EQ(asked.parent, spans->spans[1].place.span);
  client.get("/fails");
  ASSERT_EQ(spans->spans.size(), 4U);
  EXPECT_EQ(spans->spans[2].error, "failed");
}

}  // namespace
}  // namespace eider
