// The plaintext service with what is to be measured of logs, metrics and traces: see
// arena/telemetry_cost. Must not do anything else.
#include <eider/dashboard.h>
#include <eider/eider.h>
#include <eider/otlp.h>
#include <eider/telemetry.h>

#include <memory>

using namespace eider;

namespace {

struct Settings {
  std::string sees;       ///< any of id, metrics, dashboard, slow, log, traces, kept, by commas
  std::string collector;  ///< for traces
  std::string log_file;   ///< for log
};

App make_app(const Settings& settings) {
  App app;
  const auto sees = [&](std::string_view what) {
    return ("," + settings.sees + ",").contains("," + std::string(what) + ",");
  };
  if (sees("traces") || sees("kept")) {
    export_otlp(app, {.endpoint = settings.collector, .sample_ratio = sees("kept") ? 1 : 0.001});
  }
  if (sees("id")) {
    app.use(request_id());
  }
  const auto metrics = std::make_shared<Metrics>();
  if (sees("metrics")) {
    serve_metrics(app, "/metrics", {.metrics = metrics});
  }
  if (sees("dashboard")) {
    serve_dashboard(app, {.metrics = metrics});
  }
  if (sees("log")) {
    const Log log = open_log({.file = settings.log_file});
    app.log_to(log);
    app.observe(access_log(log, AccessFormat::fields));
    app.observe(slow_log(log, std::chrono::seconds(1)));
  } else if (sees("slow")) {
    const Log log = open_log({.file = settings.log_file});
    app.log_to(log);
    app.observe(slow_log(log, std::chrono::seconds(1)));
  }
  app.get("/plaintext", [] { return "Hello, World!"; });
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<Settings>("seen", argc, argv, make_app);
}
