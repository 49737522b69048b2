// Built-in metrics of requests, event loops and the process.
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <mutex>
#include <unordered_map>

#include "eider/core/base/failure.h"
#include "eider/core/base/resource_probe.h"
#include "eider/core/base/version.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/sleep.h"
#include "eider/ops/telemetry/metrics.h"
#include "eider/protocols/http/method.h"
#include "eider/server/loop_numbers.h"
#include "eider/server/server.h"

namespace eider {

namespace {

namespace server = detail::server;
using detail::telemetry::count_requests;

constexpr std::string_view kTextOfPrometheus = "text/plain; version=0.0.4; charset=utf-8";

/// The text of a route exists as long as the server, so its address identifies it.
struct RouteKey {
  const char* route;
  Method method;
  int status;
  bool operator==(const RouteKey&) const noexcept = default;
};

struct HashOfKey {
  std::size_t operator()(const RouteKey& key) const noexcept {
    return (std::hash<const void*>()(key.route) >> 3U) +
           (static_cast<std::size_t>(key.method) * 7) + static_cast<std::size_t>(key.status);
  }
};

/// The counts of one route, method and status on one event loop.
struct RouteCounts {
  Counter::Own requests;
  Histogram::Own seconds;
  Counter::Own bytes_out;
  Counter::Own cut;
};

/// The counts of one event loop: it accesses the registry, which locks, only once for each key.
class LoopCounts {
 public:
  LoopCounts(std::shared_ptr<Metrics> metrics, std::vector<double> bounds)
      : metrics_(std::move(metrics)), bounds_(std::move(bounds)) {}

  void add(const ResponseEvent& record) {
    const Request& request = record.request;
    const RouteKey key{request.route().data(), request.method(), record.status};
    Seen& seen = seen_[HashOfKey()(key) % seen_.size()];
    if (seen.counts == nullptr || seen.key != key) {
      seen = {key, &counts_of(key, request)};
    }
    RouteCounts& counts = *seen.counts;
    counts.requests.add();
    counts.seconds.observe(std::chrono::duration<double>(record.ended - record.began).count());
    counts.bytes_out.add(record.bytes_out);
    if (!record.is_complete) {
      counts.cut.add();
    }
  }

 private:
  /// The key of this hash slot that was used last.
  struct Seen {
    RouteKey key{};
    RouteCounts* counts = nullptr;
  };

  RouteCounts& counts_of(const RouteKey& key, const Request& request) {
    std::unique_ptr<RouteCounts>& counts = routes_[key];
    if (counts == nullptr) {
      counts = make_counts(request, key.status);
    }
    return *counts;
  }

  std::unique_ptr<RouteCounts> make_counts(const Request& request, int status) {
    const std::string_view method = to_text(request.method());
    const MetricLabels labels = {{"method", method}, {"route", request.route()}};
    Counter& requests = metrics_->counter(
        "http_requests_total", "Requests, by status.",
        {{"method", method}, {"route", request.route()}, {"status", std::to_string(status)}});
    Histogram& seconds = metrics_->histogram(
        "http_request_duration_seconds",
        "Time from the request headers to the last byte of the response.", labels, bounds_);
    Counter& bytes_out = metrics_->counter("http_response_bytes_total",
                                           "Bytes of response bodies that were sent.", labels);
    Counter& cut = metrics_->counter("http_requests_aborted_total",
                                     "Requests whose client disconnected early.", labels);
    return std::unique_ptr<RouteCounts>(
        new RouteCounts{Counter::Own(requests), Histogram::Own(seconds), Counter::Own(bytes_out),
                        Counter::Own(cut)});
  }

  std::shared_ptr<Metrics> metrics_;
  std::vector<double> bounds_;
  std::unordered_map<RouteKey, std::unique_ptr<RouteCounts>, HashOfKey> routes_;
  std::array<Seen, 64> seen_;
};

/// The connections of the servers that serve the app, counted by event loop.
class ConnectionCounts {
 public:
  using Numbers = server::LoopNumbers;

  /// Called on each event loop when it starts to serve.
  void add(std::shared_ptr<const Numbers> numbers) {
    const std::lock_guard lock(mutex_);
    loops_.push_back(std::move(numbers));
  }
  [[nodiscard]] double sum(std::int64_t (Numbers::*number)() const noexcept) const {
    return sum_of([number](const Numbers& one) { return (one.*number)(); });
  }
  [[nodiscard]] double open(server::Spoken spoken) const {
    return sum_of([spoken](const Numbers& one) { return one.connections(spoken); });
  }

 private:
  template <class Read>
  [[nodiscard]] double sum_of(Read read) const {
    const std::lock_guard lock(mutex_);
    std::int64_t sum = 0;
    for (const auto& one : loops_) {
      sum += read(*one);
    }
    return static_cast<double>(sum);
  }

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Numbers>> loops_;
};

/// Returns the counts for `metrics`, which several apps may share.
std::shared_ptr<ConnectionCounts> counts_of(const Metrics& metrics) {
  static std::mutex mutex;
  static std::map<const Metrics*, std::weak_ptr<ConnectionCounts>> all;  // owned by the metrics
  const std::lock_guard lock(mutex);
  std::erase_if(all, [](const auto& one) { return one.second.expired(); });
  std::weak_ptr<ConnectionCounts>& known = all[&metrics];
  auto counts = known.lock();
  if (counts == nullptr) {
    counts = std::make_shared<ConnectionCounts>();
    known = counts;
  }
  return counts;
}

void add_connections(App& app, Metrics& metrics) {
  const auto counts = counts_of(metrics);
  using enum server::Spoken;
  for (const auto& [protocol, spoken] :
       std::initializer_list<std::pair<std::string_view, server::Spoken>>{
           {"none", opening}, {"http/1.1", http1}, {"h2", http2}, {"websocket", websocket}}) {
    metrics.gauge_of("eider_connections", "Open connections, by protocol.",
                     {{"protocol", protocol}},
                     [counts, its = spoken] { return counts->open(its); });
  }
  metrics.gauge_of("http_requests_in_flight", "Requests that are being received or processed.", {},
                   [counts] { return counts->sum(&server::LoopNumbers::in_flight); });
  metrics.counter_of("eider_connections_accepted_total", "Accepted connections.", {},
                     [counts] { return counts->sum(&server::LoopNumbers::accepted); });
  app.background("connections",
                 [counts]() -> Task<> {
                   if (auto numbers = server::numbers_here()) {
                     counts->add(std::move(numbers));
                   }
                   co_return;
                 },
                 {.runs_on = RunsOn::each_loop});
}

/// Measures how late timers run: the time in which the event loop had other work, and how much of
/// that was in one piece.
Task<> measure_lag(std::shared_ptr<Metrics> metrics) {
  constexpr Duration kInterval = std::chrono::seconds(1);
  Histogram& lag = metrics->histogram("eider_loop_lag_seconds",
                                      "Delay of the event loop, measured once a second.");
  while (true) {
    const Instant due = Loop::current().now() + kInterval;
    co_await sleep_until(due);
    lag.observe(std::chrono::duration<double>(Loop::current().read_now() - due).count());
  }
}

/// Returns a number of the jobs of this process, such as "done".
double jobs_number(const std::string& name) {
  std::int64_t sum = 0;
  for (const ResourceState& resource : ResourceProbe::all()) {
    const auto found = resource.numbers.find(name);
    sum += resource.kind == "jobs" && found != resource.numbers.end() ? found->second : 0;
  }
  return static_cast<double>(sum);
}

void add_background_jobs(Metrics& metrics) {
  for (const std::string outcome : {"done", "retried", "failed"}) {
    metrics.counter_of("eider_jobs_total", "Attempts of background jobs, by outcome.",
                       {{"outcome", outcome}}, [outcome] { return jobs_number(outcome); });
  }
  metrics.gauge_of("eider_jobs_running", "Background jobs that are running.", {},
                   [] { return jobs_number("running"); });
}

double seconds_of(const timeval& time) noexcept {
  constexpr double kMicro = 1e-6;
  return static_cast<double>(time.tv_sec) + (static_cast<double>(time.tv_usec) * kMicro);
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

double resident_bytes() {
  unsigned long pages = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "re")) {
    if (std::fscanf(file, "%*u %lu", &pages) != 1) {
      pages = 0;
    }
    std::fclose(file);
  }
  return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

double open_descriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator all("/proc/self/fd", error);
  return static_cast<double>(std::distance(begin(all), end(all)));
}

/// Large blocks are allocated with mmap, and counted separately.
double heap_bytes() {
  const auto info = ::mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

/// Adds metrics with the names of the official Prometheus clients.
void add_process(Metrics& metrics, const MetricsOptions& options) {
  static const auto started = static_cast<double>(std::time(nullptr));
  metrics.counter_of("process_cpu_seconds_total", "User and system CPU time.", {}, cpu_seconds);
  metrics.gauge_of("process_resident_memory_bytes", "Resident memory.", {}, resident_bytes);
  metrics.gauge_of("process_open_fds", "Open file descriptors.", {}, open_descriptors);
  metrics.gauge_of("process_start_time_seconds",
                   "Start time of the process, in seconds since 1970.", {}, [] { return started; });
  metrics.gauge_of("eider_heap_bytes", "Memory that the program has allocated and not freed.", {},
                   heap_bytes);
  std::string version(kVersion);
  std::string of_program;
  for (const auto& [name, value] : options.build) {
    of_program.append(of_program.empty() ? "" : " ").append(name).append("=").append(value);
  }
  metrics
      .gauge("eider_build_info", "Always 1; the labels describe the program.",
             {{"eider", version}, {"build", of_program}})
      .set(1);
}

Route<0> serve_text(App& app, const std::string& path, std::shared_ptr<Metrics> metrics,
                    std::source_location where) {
  return app
      .route(Method::get, RuntimePattern{path, where},
             [metrics = std::move(metrics)] {
               Response response;
               response.set_static_type(kTextOfPrometheus).set_body(metrics->text());
               return response;
             })
      .exempt_from_load_shedding();
}

/// A separate server for the metrics, at its own address.
class MetricsServer {
 public:
  MetricsServer(const std::shared_ptr<Metrics>& metrics, std::string listen)
      : listen_(std::move(listen)) {
    serve_text(app_, "/metrics", metrics, std::source_location::current());
  }

  Result<void> start() {
    const std::size_t colon = listen_.rfind(':');
    // Other workers use the same port, and so do both programs during an upgrade.
    ServerOptions options{.threads = 1,
                          .shares_port = true,
                          .shutdown_delay = Duration::zero(),
                          .drain = Duration::zero()};
    unsigned port = 0;
    const char* const end = listen_.data() + listen_.size();
    if (colon == std::string::npos ||
        std::from_chars(listen_.data() + colon + 1, end, port).ptr != end || port > 65535) {
      return fail(Error::internal("metrics: \"" + listen_ + "\" is not a valid address and port"));
    }
    options.host = listen_.substr(0, colon);
    if (options.host.starts_with('[') && options.host.ends_with(']')) {
      options.host = options.host.substr(1, options.host.size() - 2);
    }
    options.port = static_cast<std::uint16_t>(port);
    auto service = app_.make_service();
    if (!service) {
      return fail(std::move(service.error()));
    }
    service_ = std::move(*service);
    server_ = std::make_unique<Server>(*service_, options);
    return server_->start();
  }

  void stop() noexcept {
    server_.reset();
    service_.reset();
  }

 private:
  App app_;
  std::string listen_;
  std::unique_ptr<RequestService> service_;
  std::unique_ptr<Server> server_;
};

}  // namespace

std::shared_ptr<Metrics> detail::telemetry::count_requests(App& app, MetricsOptions options) {
  if (std::ranges::adjacent_find(options.buckets, std::greater_equal<>()) !=
      options.buckets.end()) {
    throw Failure(Error::internal("The bucket bounds of metrics must increase"));
  }
  const auto metrics =
      options.metrics == nullptr ? std::make_shared<Metrics>() : std::move(options.metrics);
  add_process(*metrics, options);
  const auto counts = std::make_shared<LoopLocal<LoopCounts>>([metrics, bounds = options.buckets] {
    return std::make_unique<LoopCounts>(metrics, bounds);
  });
  app.observe([counts](const ResponseEvent& record) { counts->here().add(record); });
  add_connections(app, *metrics);
  add_background_jobs(*metrics);
  app.background("loop lag", [metrics] { return measure_lag(metrics); },
                 {.runs_on = RunsOn::each_loop});
  return metrics;
}

Route<0> serve_metrics(App& app, const std::string& path, MetricsOptions options,
                       std::source_location where) {
  return serve_text(app, path, count_requests(app, std::move(options)), where);
}

void serve_metrics_at(App& app, std::string listen, MetricsOptions options) {
  const auto server =
      std::make_shared<MetricsServer>(count_requests(app, std::move(options)), std::move(listen));
  app.on_start("metrics", [server] { return server->start(); });
  app.on_stop("metrics", [server] { server->stop(); });
}

}  // namespace eider
