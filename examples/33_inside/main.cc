// Diagnostics of a running service: current requests and the resources that they wait for.
//
//     33_inside --port 8080
//     curl 127.0.0.1:8080/wait/5000 & curl 127.0.0.1:8080/count/20000000 &
//     chromium http://localhost:8080/_eider/
//     kill -USR1 $(pidof 33_inside)      # writes it as JSON to /tmp/eider-state-PID.json

#include <eider/client.h>
#include <eider/dashboard.h>
#include <eider/eider.h>
#include <eider/middleware.h>
#include <eider/runtime.h>
#include <eider/sqlite.h>
#include <eider/telemetry.h>

#include <chrono>
#include <thread>

using namespace eider;

namespace {

struct Settings {
  std::string metrics = "127.0.0.1:0";  ///< address that serves the metrics
  std::string stock;                    ///< address of another service
};

using Milliseconds = std::chrono::milliseconds;

Task<> clean(Database database) {
  while (true) {
    (void)co_await database.one<std::int64_t>("select count(*) from sqlite_schema");
    co_await sleep_for(std::chrono::minutes(1));
  }
}

App make_app(const Settings& settings) {
  App app;
  const auto metrics = std::make_shared<Metrics>();
  const Database database = open_sqlite(":memory:");
  metrics->watch("shop", database);
  const Log log = open_log();
  app.log_to(log);
  app.observe(access_log(log, AccessFormat::fields));
  app.observe(slow_log(log, std::chrono::seconds(2)));
  app.use(request_id());
  serve_metrics_at(app, settings.metrics, {.metrics = metrics});
  serve_dashboard(app, {.metrics = metrics});

  // Each of these waits for another resource, without blocking other requests.
  app.get("/wait/{ms}", [](int ms) -> Task<std::string> {
    co_await sleep_for(Milliseconds(ms));
    co_return "waited";
  });
  app.get("/count/{to}", [database](std::int64_t to) -> Task<std::int64_t> {
    const auto count = co_await database.one<std::int64_t>(
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < $1) "
        "select count(*) from n",
        to);
    co_return count.value_or(0);
  });
  const auto clients =
      std::make_shared<LoopLocal<HttpClient>>([] { return std::make_unique<HttpClient>(); });
  app.get("/stock", [clients, stock = settings.stock]() -> Task<Result<std::string>> {
    const auto reply = co_await clients->here().get(stock);
    if (!reply) {
      co_return fail(to_error(reply.error()));
    }
    co_return std::string(reply->body());
  });
  app.post("/upload", [](BodyStream body) -> Task<std::uint64_t> {
    std::uint64_t bytes = 0;
    while (auto part = co_await body.next()) {
      bytes += part->size();
    }
    co_return bytes;
  });
  app.get("/report/{ms}", [](int ms) -> Task<std::string> {
    co_await run_blocking([ms] { std::this_thread::sleep_for(Milliseconds(ms)); });
    co_return "written";
  });

  // Runs in addition to requests, and appears in the dashboard, too.
  app.background("cleaning", [database] { return clean(database); });

  // Any text of a client is one line of the log, and plain text on the dashboard.
  app.post("/note",
           [log](const Request& request) { log.warning("noted", {{"text", request.body()}}); });

  // An error: this blocks everything on this event loop.
  app.get("/block/{ms}", [](int ms) {
    std::this_thread::sleep_for(Milliseconds(ms));
    return std::string("blocked");
  });
  app.get("/block-later/{ms}", [](int ms) -> Task<std::string> {
    co_await sleep_for(Milliseconds(1));
    std::this_thread::sleep_for(Milliseconds(ms));
    co_return "blocked";
  });
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<Settings>("inside", argc, argv, make_app);
}
