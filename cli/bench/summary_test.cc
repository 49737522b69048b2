#include "cli/bench/summary.h"

#include <gtest/gtest.h>

#include "cli/bench/report.h"
#include "eider/core/json/write.h"

namespace eider::bench {
namespace {

using namespace std::chrono_literals;

Outcome an_outcome() {
  Outcome outcome;
  for (int i = 1; i <= 1000; ++i) {
    outcome.latency.add(static_cast<std::uint64_t>(i) * 1000);
  }
  outcome.answered = 1000;
  outcome.statuses[2] = 990;
  outcome.statuses[5] = 10;
  outcome.bytes_received = 50000;
  outcome.took = 2s;
  return outcome;
}

Options some_options() {
  Options options;
  options.url = "http://x/<b>";
  return options;
}

TEST(BenchSummary, ComputesWhatTheOutcomeHolds) {
  const Summary summary = summarise(some_options(), an_outcome());
  EXPECT_EQ(summary.requests_per_second, 500);
  EXPECT_EQ(summary.bytes_per_second, 25000);
  EXPECT_EQ(summary.statuses.success, 990U);
  EXPECT_EQ(summary.statuses.server_error, 10U);
  EXPECT_DOUBLE_EQ(summary.latency.min_ms, 0.001);
  EXPECT_DOUBLE_EQ(summary.latency.max_ms, 1);
  EXPECT_NEAR(summary.latency.p50_ms, 0.5, 0.001);
  EXPECT_NEAR(summary.latency.p99_ms, 0.99, 0.001);
  std::uint64_t counted = 0;
  for (const Bucket& bucket : summary.buckets) {
    counted += bucket.count;
  }
  EXPECT_EQ(counted, 1000U);
}

TEST(BenchSummary, BarsHoldEveryRequest) {
  const Summary summary = summarise(some_options(), an_outcome());
  for (const std::size_t count : {1U, 2U, 16U, 500U}) {
    const auto bars = to_bars(summary.buckets, count);
    ASSERT_EQ(bars.size(), count);
    std::uint64_t counted = 0;
    double before = 0;
    for (const Bar& bar : bars) {
      counted += bar.count;
      EXPECT_GT(bar.upto_ms, before);
      before = bar.upto_ms;
    }
    EXPECT_EQ(counted, 1000U);
    EXPECT_DOUBLE_EQ(bars.back().upto_ms, 1);
  }
  EXPECT_TRUE(to_bars({}, 16).empty());
  EXPECT_EQ(to_bars({{0.5, 7}}, 4).front().count, 7U);
}

TEST(BenchSummary, IsShownWithoutAnyRequest) {
  const Summary summary = summarise(some_options(), Outcome());
  EXPECT_NE(report_text(summary).find("statuses    none"), std::string::npos);
  EXPECT_NE(report_html(summary).find("</html>"), std::string::npos);
}

TEST(BenchSummary, TextHasTheFiguresAndTheFirstError) {
  Outcome outcome = an_outcome();
  outcome.faults.add(Fault::timeout, "An answer did not come in time.");
  outcome.faults.add(Fault::reset, "Another.");
  const std::string text = report_text(summarise(some_options(), outcome));
  for (const std::string_view part :
       {"500 a second", "2xx 990   5xx 10", "errors      2   reset 1   timeout 1",
        "the first: An answer did not come in time.", "p99 ", "max 1.00 ms", "█"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
}

TEST(BenchSummary, PageIsEscapedAndNeedsNothingElse) {
  const std::string page = report_html(summarise(some_options(), an_outcome()));
  EXPECT_TRUE(page.contains(R"("url":"http://x/\u003cb>)")) << page;
  EXPECT_FALSE(page.contains("x/<b>"));
  EXPECT_FALSE(page.contains("@report@"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
  for (const std::string_view outside : {"<link", "src=", "@import", "url(", "innerHTML"}) {
    EXPECT_FALSE(page.contains(outside)) << outside;
  }
  EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
}

TEST(BenchSummary, JsonHasTheBuckets) {
  const std::string text = json::to_text(summarise(some_options(), an_outcome()));
  EXPECT_NE(text.find("\"requests_per_second\":500.0"), std::string::npos) << text;
  EXPECT_NE(text.find("\"buckets\":[{\"upto_ms\":0.001,\"count\":1}"), std::string::npos) << text;
}

TEST(BenchSummary, CountsMessagesOfWebSockets) {
  Options options = some_options();
  options.version = Version::websocket;
  options.pipeline = 4;
  Outcome outcome = an_outcome();
  outcome.faults.add(Fault::differs, "Not that.");
  outcome.faults.add(Fault::declined, "No.");
  const Summary summary = summarise(options, outcome);
  const std::string text = report_text(summary);
  for (const std::string_view part : {"messages    500 a second", "WebSocket, pipeline of 4",
                                      "errors      2   declined 1   differs 1"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  EXPECT_EQ(text.find("statuses"), std::string::npos);
  const std::string json = json::to_text(summary);
  EXPECT_NE(json.find("\"protocol\":\"WebSocket\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"declined\":1,\"wrong_status\":0,\"differs\":1"), std::string::npos)
      << json;
}

TEST(BenchSummary, WritesTimesWithThreeDigits) {
  EXPECT_EQ(ms_text(0.001234), "1.23 us");
  EXPECT_EQ(ms_text(0.87), "870 us");
  EXPECT_EQ(ms_text(12.345), "12.3 ms");
  EXPECT_EQ(ms_text(999.6), "1.00 s");
  EXPECT_EQ(ms_text(1500), "1.50 s");
  EXPECT_EQ(ms_text(99.96), "100 ms");
  EXPECT_EQ(ms_text(0), "0.00 us");
}

TEST(BenchSummary, WritesBytesByThousands) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(999.6), "1.00 kB");
  EXPECT_EQ(bytes_text(12345678), "12.3 MB");
  EXPECT_EQ(bytes_text(5e15), "5000 TB");
}

}  // namespace
}  // namespace eider::bench
