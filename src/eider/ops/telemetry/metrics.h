// Numbers for monitoring: the application's own, and what it has of requests, loops and databases.
// Must not count by what clients choose, such as paths: of these there are as many as they like.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/log.h"
#include "eider/core/base/metric.h"

namespace eider {

class Database;

/// A name and a value of a label: {"kind", "card"}.
using MetricLabel = std::pair<std::string_view, std::string_view>;
using MetricLabels = std::initializer_list<MetricLabel>;

enum class MetricKind : std::uint8_t { counter, gauge, histogram };

/// One series as it stands.
struct MetricPoint {
  std::vector<std::string> label_values;
  double value = 0;
  std::optional<Histogram::Read> spread = {};  // of a histogram
};

/// All series of one name.
struct MetricRead {
  std::string name;
  std::string help;
  std::string_view unit;  // by how the name ends: "s", "By", or empty
  MetricKind kind = MetricKind::counter;
  std::vector<std::string> label_names;
  std::vector<double> bounds;  // of a histogram
  std::vector<MetricPoint> points;
};

/// All numbers that are told at one place. What it gives stays as long as it does, may be used from
/// any thread, and asked for again by the same name and labels is the same:
///
///     const auto metrics = std::make_shared<Metrics>();
///     Counter& paid = metrics->counter("orders_paid_total", "Orders that were paid.");
///     paid.add();
///
/// A name has at most 1,000 combinations of labels; what comes on top is one, with the value
/// "other" for each label.
///
/// errors  throw a Failure for names that Prometheus does not take, for one name of two kinds, and
///         for labels of one name that differ in theirs
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// What only grows; its name ends in "_total".
  Counter& counter(std::string_view name, std::string_view help, MetricLabels labels = {});
  /// What grows and shrinks.
  Gauge& gauge(std::string_view name, std::string_view help, MetricLabels labels = {});
  /// How values are spread, such as seconds ("_seconds") or bytes.
  Histogram& histogram(std::string_view name, std::string_view help, MetricLabels labels = {},
                       std::span<const double> bounds = Histogram::kSeconds);
  /// What is counted elsewhere: asked when somebody wants to know, on his thread.
  void counter_of(std::string_view name, std::string_view help, MetricLabels labels,
                  std::function<double()> read);
  void gauge_of(std::string_view name, std::string_view help, MetricLabels labels,
                std::function<double()> read);
  void histogram_of(std::string_view name, std::string_view help, MetricLabels labels,
                    std::function<const Histogram&()> read);

  /// What the database is asked from now on: eider_db_seconds, eider_db_under_way and
  /// eider_db_failed_total; and its pool: eider_db_connections, eider_db_connections_busy and
  /// eider_db_waiting; each with `database="name"`.
  void watch(std::string_view name, const Database& database);
  /// eider_log_lines_total, by what became of them.
  void watch(const Log& log);

  /// As Prometheus reads it.
  ///
  /// source  Prometheus, "Exposition formats", text format 0.0.4
  [[nodiscard]] std::string text() const;
  /// The same for who writes it otherwise.
  [[nodiscard]] std::vector<MetricRead> read() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct MetricsOptions {
  /// The upper bounds of the buckets that durations are counted in, in seconds, rising.
  std::vector<double> buckets = {Histogram::kSeconds.begin(), Histogram::kSeconds.end()};
  /// Where the application's own are; null: there are none.
  std::shared_ptr<Metrics> metrics = nullptr;
  /// The labels of eider_build_info beside Eider's version: {{"version", "1.4.2"}}
  std::vector<std::pair<std::string, std::string>> build = {};
};

/// Counts all requests of the app, and serves the numbers at a path, as Prometheus reads them:
///
///     serve_metrics(app);      // GET /metrics
///
///     http_requests_total{method="GET",route="/notes/{id}",status="200"} 12
///     http_request_duration_seconds_bucket{method="GET",route="/notes/{id}",le="0.001"} 11
///
/// `http_response_bytes_total` has bytes of content, `http_requests_cut_total` the clients that
/// have left ahead of the end, `http_requests_in_flight` those that wait, of every app here. Paths
/// without a route have the route "", what could not be read the method "" as well, so that no
/// client makes more series. How late each loop is (`eider_loop_lag_seconds`), and what the process
/// takes (`process_…`), is told, too. Who may read it is for a proxy to say, for what the route is
/// given, as in `serve_metrics(app).guard([](const Admin&) {})`, or for a port of its own.
///
/// errors  throws a Failure for buckets that do not rise
Route<0> serve_metrics(App& app, const std::string& path = "/metrics", MetricsOptions options = {},
                       std::source_location where = std::source_location::current());

/// The same at a place of its own, by a thread of its own, while the app serves:
///
///     serve_metrics_at(app, "127.0.0.1:9464");      // GET /metrics
///
/// Workers, and both programs of an upgrade, listen there side by side: one of them is asked.
///
/// errors  the app does not start where nothing can listen there
void serve_metrics_at(App& app, std::string listen, MetricsOptions options = {});

}  // namespace eider
