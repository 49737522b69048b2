#include "eider/ops/telemetry/metrics.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

App counted() {
  App app;
  serve_metrics(app, "/metrics", {.buckets = {0.05, 1}});
  app.get("/notes/{id}", [](int id) { return id; });
  app.get("/slow", []() -> Task<std::string> {
    co_await sleep_for(200ms);
    co_return "done";
  });
  return app;
}

TEST(Metrics, are_read_while_others_are_added) {
  Metrics metrics;
  std::jthread adds([&metrics] {
    for (int i = 0; i < 900; ++i) {
      metrics.gauge_of("a", "", {{"i", std::to_string(i)}}, [] { return 1.0; });
    }
  });
  std::size_t points = 0;
  while (points < 900) {
    const auto all = metrics.read();
    points = all.empty() ? 0 : all[0].points.size();
    EXPECT_TRUE(points == 0 || std::ranges::all_of(all[0].points, [](const MetricPoint& point) {
                  return point.value == 1;
                }));
  }
}

TEST(Metrics, ask_what_asks_them) {
  Metrics metrics;
  metrics.counter("b_total", "").add(7);
  metrics.gauge_of("a", "", {},
                   [&] { return static_cast<double>(metrics.counter("b_total", "").value()); });
  EXPECT_TRUE(metrics.text().contains("\na 7\n"));
}

TEST(Metrics, count_requests_by_route_method_and_status) {
  TestClient client(counted());
  client.get("/notes/1");
  client.get("/notes/2");
  client.get("/notes/x");
  const TestResponse told = client.get("/metrics");
  EXPECT_EQ(told.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_TRUE(told.body.contains(
      "http_requests_total{method=\"GET\",route=\"/notes/{id}\",status=\"200\"} 2\n"));
  EXPECT_TRUE(told.body.contains("route=\"/notes/{id}\",status=\"400\"} 1\n"));
  EXPECT_FALSE(told.body.contains("/notes/1"));
}

TEST(Metrics, have_one_series_for_all_paths_that_there_are_not) {
  TestClient client(counted());
  client.get("/a");
  client.get("/b\"\\");
  static_cast<void>(client.raw("nonsense\r\n\r\n"));
  const std::string text = client.get("/metrics").body;
  EXPECT_TRUE(text.contains("http_requests_total{method=\"GET\",route=\"\",status=\"404\"} 1\n"));
  EXPECT_FALSE(text.contains("/a"));
  EXPECT_TRUE(text.contains("{method=\"\",route=\"\",status=\"400\"}")) << text;
}

TEST(Metrics, have_durations_in_buckets_that_add_up) {
  TestClient client(counted());
  client.get("/slow");
  const std::string text = client.get("/metrics").body;
  const std::string series = "http_request_duration_seconds_bucket{method=\"GET\",route=\"/slow\",";
  EXPECT_TRUE(text.contains(series + "le=\"0.05\"} 0\n")) << text;
  EXPECT_TRUE(text.contains(series + "le=\"1\"} 1\n"));
  EXPECT_TRUE(text.contains(series + "le=\"+Inf\"} 1\n"));
  EXPECT_TRUE(text.contains("_count{method=\"GET\",route=\"/slow\"} 1\n"));
  EXPECT_TRUE(text.contains("http_response_bytes_total{method=\"GET\",route=\"/slow\"} 4\n"));
}

TEST(Metrics, are_behind_a_guard_where_their_route_is_given_one) {
  App app;
  serve_metrics(app).guard(
      [](const Request&) -> Result<void> { return fail(Error::forbidden("Not yours.")); });
  EXPECT_EQ(TestClient(app).get("/metrics").status, 403);
}

TEST(Metrics, ask_for_buckets_that_rise) {
  App app;
  EXPECT_THROW(serve_metrics(app, "/metrics", {.buckets = {1, 1}}), Failure);
}

TEST(Metrics, of_the_application_are_told_with_their_labels) {
  Metrics metrics;
  metrics.counter("paid_total", "What was paid.").add(3);
  metrics.counter("paid_total", "What was paid.").add();
  metrics.gauge("queue", "A line's end\nand \\.", {{"kind", "a\"b\\c\nd"}}).set(2.5);
  Histogram& sizes = metrics.histogram("size_bytes", "Sizes.", {}, std::array{1.0, 10.0});
  sizes.observe(1);
  sizes.observe(5);
  sizes.observe(50);
  EXPECT_EQ(metrics.text(),
            "# HELP paid_total What was paid.\n# TYPE paid_total counter\npaid_total 4\n"
            "# HELP queue A line's end\\nand \\\\.\n# TYPE queue gauge\n"
            "queue{kind=\"a\\\"b\\\\c\\nd\"} 2.5\n"
            "# HELP size_bytes Sizes.\n# TYPE size_bytes histogram\n"
            "size_bytes_bucket{le=\"1\"} 1\nsize_bytes_bucket{le=\"10\"} 2\n"
            "size_bytes_bucket{le=\"+Inf\"} 3\nsize_bytes_sum 56\nsize_bytes_count 3\n");
}

TEST(Metrics, have_the_buckets_of_each_series) {
  Metrics metrics;
  metrics.histogram("size_bytes", "", {{"of", "a"}}, std::array{1.0, 2.0}).observe(2);
  metrics.histogram("size_bytes", "", {{"of", "b"}}, std::array{100.0}).observe(50);
  EXPECT_EQ(metrics.text(),
            "# HELP size_bytes \n# TYPE size_bytes histogram\n"
            "size_bytes_bucket{of=\"a\",le=\"1\"} 0\nsize_bytes_bucket{of=\"a\",le=\"2\"} 1\n"
            "size_bytes_bucket{of=\"a\",le=\"+Inf\"} 1\n"
            "size_bytes_sum{of=\"a\"} 2\nsize_bytes_count{of=\"a\"} 1\n"
            "size_bytes_bucket{of=\"b\",le=\"100\"} 1\nsize_bytes_bucket{of=\"b\",le=\"+Inf\"} 1\n"
            "size_bytes_sum{of=\"b\"} 50\nsize_bytes_count{of=\"b\"} 1\n");
}

TEST(Metrics, have_the_unit_that_their_names_end_with) {
  Metrics metrics;
  for (const char* const name : {"a_seconds", "b_bytes", "c_milliseconds", "d"}) {
    metrics.gauge(name, "");
  }
  metrics.counter("e_seconds_total", "");
  std::string units;
  for (const MetricRead& metric : metrics.read()) {
    units.append(metric.name).append(" ").append(metric.unit).append("\n");
  }
  EXPECT_EQ(units, "a_seconds s\nb_bytes By\nc_milliseconds \nd \ne_seconds_total s\n");
}

TEST(Metrics, refuse_names_that_cannot_be_read) {
  Metrics metrics;
  metrics.counter("one", "");
  metrics.counter("two", "", {{"a", "1"}});
  for (const std::string_view name : {"", "1a", "a b", "a\n", "a\"", "\xc3\xa4"}) {
    EXPECT_THROW(metrics.counter(name, ""), Failure) << name;
  }
  for (const std::string_view label : {"", "a:b", "__name__", "le", "a\n"}) {
    EXPECT_THROW(metrics.counter("a", "", {{label, ""}}), Failure) << label;
  }
  EXPECT_THROW(metrics.gauge("one", ""), Failure);
  EXPECT_THROW(metrics.counter("two", "", {{"b", "1"}}), Failure);
  EXPECT_THROW(metrics.histogram("h", "", {}, std::array{2.0, 1.0}), Failure);
}

// Labels with values from clients use a limited amount of memory.
TEST(Metrics, of_a_name_are_only_so_many) {
  Metrics metrics;
  for (int i = 0; i < 5000; ++i) {
    metrics.counter("asked_total", "", {{"by", std::to_string(i)}}).add();
  }
  const std::string text = metrics.text();
  EXPECT_LE(std::ranges::count(text, '\n'), 1003);
  EXPECT_TRUE(text.contains("asked_total{by=\"other\"} 4000\n"));
}

// Prometheus rejects all metrics of a response if one label value is not UTF-8.
TEST(Metrics, have_label_values_of_clients_in_utf8) {
  Metrics metrics;
  metrics.counter("asked_total", "", {{"by", "\xc3\xa4\xff"}}).add(2);
  metrics.counter("asked_total", "", {{"by", "\xc3\xa4\xfe"}}).add(3);
  metrics.counter("asked_total", "", {{"by", "\xc3"}}).add();
  EXPECT_EQ(metrics.text(),
            "# HELP asked_total \n# TYPE asked_total counter\n"
            "asked_total{by=\"\xc3\xa4\xef\xbf\xbd\"} 5\n"
            "asked_total{by=\"\xef\xbf\xbd\"} 1\n");
}

TEST(Metrics, lose_nothing_of_what_threads_count_at_once) {
  Metrics metrics;
  Counter& counter = metrics.counter("a_total", "");
  Histogram& histogram = metrics.histogram("b", "");
  Gauge& gauge = metrics.gauge("c", "");
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 12; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) {
        counter.add();
        histogram.observe(0.25);
        gauge.add(1);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(counter.value(), 60'000U);
  EXPECT_EQ(histogram.read().count, 60'000U);
  EXPECT_EQ(histogram.read().sum, 15'000);
  EXPECT_EQ(gauge.value(), 60'000);
}

TEST(Metrics, keep_what_threads_have_counted_in_parts_of_their_own) {
  Counter counter;
  Histogram histogram;
  counter.add(1);
  histogram.observe(100);
  std::atomic<bool> is_over = false;
  std::thread reader([&] {
    for (std::uint64_t before = 0; !is_over;) {
      const std::uint64_t now = counter.value();
      EXPECT_GE(now, before);
      before = now;
    }
  });
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int part = 0; part < 50; ++part) {
        Counter::Own its_counter(counter);
        Histogram::Own its_histogram(histogram);
        for (int i = 0; i < 100; ++i) {
          its_counter.add(2);
          its_histogram.observe(0.25);
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  is_over = true;
  reader.join();
  const Counter::Own none(counter);
  EXPECT_EQ(counter.value(), 40'001U);
  EXPECT_EQ(histogram.read().count, 20'001U);
  EXPECT_EQ(histogram.read().sum, 5'100);
  EXPECT_EQ(histogram.read().counts[8], 20'000U);
  EXPECT_EQ(histogram.read().counts.back(), 1U);
}

TEST(Metrics, have_what_is_at_work_and_what_the_process_takes) {
  App app = counted();
  TestClient client(app);
  const std::string text = client.get("/metrics").body;
  EXPECT_TRUE(text.contains("http_requests_in_flight 0\n")) << text;  // the response was immediate
  EXPECT_TRUE(text.contains("eider_build_info{eider=\"0.1.0\",build=\"\"} 1\n"));
  EXPECT_TRUE(text.contains("\nprocess_resident_memory_bytes "));
  EXPECT_TRUE(text.contains("\nprocess_open_fds "));
  client.advance(3s);
  EXPECT_TRUE(client.get("/metrics").body.contains("eider_loop_lag_seconds_count 3\n"));
}

/// Returns the value in the metrics.
double heap_bytes(TestClient& client) {
  constexpr std::string_view kName = "\neider_heap_bytes ";
  const std::string text = client.get("/metrics").body;
  return std::stod(text.substr(text.find(kName) + kName.size()));
}

TEST(Metrics, tell_what_the_program_has_allocated_in_blocks_of_each_size) {
  if (::mallinfo2().arena == 0) {
    GTEST_SKIP() << "a sanitizer has taken the heap's place";
  }
  App app = counted();
  TestClient client(app);
  for (const std::size_t bytes : {std::size_t{10'000}, std::size_t{50'000'000}}) {
    const double before = heap_bytes(client);
    std::vector<std::string> blocks(50'000'000 / bytes, std::string(bytes, 'x'));
    EXPECT_NEAR(heap_bytes(client) - before, 5e7, 2e6) << bytes;
    blocks.clear();
    EXPECT_NEAR(heap_bytes(client) - before, 0, 2e6) << bytes;
  }
}

}  // namespace
}  // namespace eider
