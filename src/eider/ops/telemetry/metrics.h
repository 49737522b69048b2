// Metrics: custom counters, gauges and histograms, and those of requests, event loops and
// databases.
// Layering: must not use labels that clients choose, such as paths, because their number is
// unbounded.
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

/// The current value of one series.
struct MetricPoint {
  std::vector<std::string> label_values;
  double value = 0;
  std::optional<Histogram::Read> histogram = {};  // of a histogram
  std::vector<double> bounds = {};                // of its buckets
};

/// The series of one name.
struct MetricRead {
  std::string name;
  std::string help;
  std::string_view unit;  // derived from the end of the name: "s", "By", or empty
  MetricKind kind = MetricKind::counter;
  std::vector<std::string> label_names;
  std::vector<MetricPoint> points;
};

/// A collection of metrics. Its counters, gauges and histograms are valid as long as it exists, and
/// thread-safe; the same name and labels return the same object:
///
///     const auto metrics = std::make_shared<Metrics>();
///     Counter& paid = metrics->counter("orders_paid_total", "Orders that were paid.");
///     paid.add();
///
/// A name has at most 1,000 combinations of labels; further ones share one series with the value
/// "other" for each label. Bytes of label values that are not UTF-8 become U+FFFD.
///
/// errors  throw a Failure for names that Prometheus does not accept, for one name with two types,
///         and for different label names of one metric
class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// A value that only increases; its name ends in "_total".
  Counter& counter(std::string_view name, std::string_view help, MetricLabels labels = {});
  /// A value that increases and decreases.
  Gauge& gauge(std::string_view name, std::string_view help, MetricLabels labels = {});
  /// Registers a histogram: the distribution of values such as seconds ("_seconds") or bytes.
  ///
  /// bounds  the upper bounds of its buckets, increasing; other labels may have other bounds
  Histogram& histogram(std::string_view name, std::string_view help, MetricLabels labels = {},
                       std::span<const double> bounds = Histogram::kSeconds);
  /// A counter whose value is read from a function when the metrics are requested, on the
  /// requesting thread.
  void counter_of(std::string_view name, std::string_view help, MetricLabels labels,
                  std::function<double()> read);
  void gauge_of(std::string_view name, std::string_view help, MetricLabels labels,
                std::function<double()> read);
  void histogram_of(std::string_view name, std::string_view help, MetricLabels labels,
                    std::function<const Histogram&()> read);

  /// Adds metrics of the database: eider_db_seconds, eider_db_in_flight and eider_db_failed_total;
  /// and of its pool: eider_db_connections, eider_db_connections_busy and eider_db_waiting; each
  /// with `database="name"`.
  void watch(std::string_view name, const Database& database);
  /// Adds eider_log_lines_total, by outcome.
  void watch(const Log& log);

  /// Returns all metrics in the text format of Prometheus.
  ///
  /// source  Prometheus, "Exposition formats", text format 0.0.4
  [[nodiscard]] std::string text() const;
  /// Returns the values for other formats.
  [[nodiscard]] std::vector<MetricRead> read() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct MetricsOptions {
  /// The upper bounds of the buckets for durations, in seconds, increasing.
  std::vector<double> buckets = {Histogram::kSeconds.begin(), Histogram::kSeconds.end()};
  /// The application's own metrics; null: none.
  std::shared_ptr<Metrics> metrics = nullptr;
  /// Added to the label `build` of eider_build_info, which has Eider's version:
  /// {{"version", "1.4.2"}}
  std::vector<std::pair<std::string, std::string>> build = {};
};

namespace detail::telemetry {

/// Counts the app's requests, from now on, into the returned metrics.
///
/// errors  throws a Failure for buckets that do not increase
[[nodiscard]] std::shared_ptr<Metrics> count_requests(App& app, MetricsOptions options);

}  // namespace detail::telemetry

/// Counts all requests of the app, and serves the metrics at a path, in the format of Prometheus:
///
///     serve_metrics(app);      // GET /metrics
///
///     http_requests_total{method="GET",route="/notes/{id}",status="200"} 12
///     http_request_duration_seconds_bucket{method="GET",route="/notes/{id}",le="0.001"} 11
///
/// `http_response_bytes_total` counts bytes of bodies, `http_requests_aborted_total` clients that
/// disconnected early, `http_requests_in_flight` running requests, for all apps of the process.
/// Paths without a route have the route "", and unreadable requests also the method "", so that
/// clients cannot create series. The delay of each event loop (`eider_loop_lag_seconds`) and the
/// resources of the process (`process_…`) are included. Restrict access with a proxy, with a guard,
/// `serve_metrics(app).guard([](const Admin&) {})`, or with a separate port.
///
/// errors  throws a Failure for buckets that do not increase
Route<0> serve_metrics(App& app, const std::string& path = "/metrics", MetricsOptions options = {},
                       std::source_location where = std::source_location::current());

/// Serves the metrics at a separate address, with a separate thread, while the app serves:
///
///     serve_metrics_at(app, "127.0.0.1:9464");      // GET /metrics
///
/// Worker processes, and both programs of an upgrade, share the address: one of them responds.
///
/// errors  the app does not start if the address cannot be used
void serve_metrics_at(App& app, std::string listen, MetricsOptions options = {});

}  // namespace eider
