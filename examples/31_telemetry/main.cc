// Telemetry of a service: structured logs, metrics for Prometheus, traces for a collector.
//
//     31_telemetry --port 8080 --metrics 127.0.0.1:9464 --collector http://127.0.0.1:4318
//     curl 127.0.0.1:8080/orders/7/pay -d ''; curl 127.0.0.1:9464/metrics

#include <eider/client.h>
#include <eider/eider.h>
#include <eider/otlp.h>
#include <eider/runtime.h>
#include <eider/sqlite.h>
#include <eider/telemetry.h>
#include <eider/tls.h>

using namespace eider;
using namespace std::chrono_literals;

namespace {

struct Settings {
  std::string metrics = "127.0.0.1:0";  ///< address that serves the metrics
  std::string collector;                ///< address of an OTLP collector; empty: none
  std::string stock;                    ///< address of another service
  std::string log_file;                 ///< empty: standard error
};

struct Paid {
  int order;
  int orders_paid;
};

App make_app(const Settings& settings) {
  App app;
  add_tls(app);  // with --tls-port

  Log log = open_log({.file = settings.log_file});
  const auto metrics = std::make_shared<Metrics>();
  const Database database =
      open_sqlite(":memory:", {.schema = "create table paid(id integer primary key)"});
  metrics->watch("shop", database);
  metrics->watch(log);
  Counter& paid = metrics->counter("orders_paid_total", "Orders that were paid.");

  if (!settings.collector.empty()) {  // before the parts that need the trace
    const auto otlp = export_otlp(app, {.endpoint = settings.collector,
                                        .service = "shop",
                                        .traces = {.accepts_incoming = true},  // not public
                                        .metrics = metrics,
                                        .metrics_interval = 1s,
                                        .interval = 100ms,
                                        .timeout = 500ms,
                                        .retries_max = 1,
                                        .retry_pause = 100ms});
    log = otlp->with(log);
  }
  app.log_to(log);
  app.use(request_id());
  app.observe(access_log(log, AccessFormat::fields));
  app.observe(slow_log(log, 1s));
  serve_metrics_at(app, settings.metrics, {.metrics = metrics, .build = {{"version", "1.0"}}});

  app.post("/orders/{id}/pay", [log, database, &paid](int id) -> Task<Paid> {
    const Span span("charge the card");
    co_await database.exec("insert or ignore into paid(id) values($1)", id);
    const auto count = co_await database.one<int>("select count(*) from paid");
    paid.add();
    log.info("paid", {{"order", id}, {"card_token", "4242 4242"}});
    co_return Paid{id, count.value_or(0)};
  });
  // Requests another service, and passes the trace on.
  const auto clients =
      std::make_shared<LoopLocal<HttpClient>>([] { return std::make_unique<HttpClient>(); });
  app.get("/stock", [clients, stock = settings.stock]() -> Task<Result<std::string>> {
    const auto reply = co_await clients->here().get(stock);
    if (!reply) {
      co_return fail(to_error(reply.error()));
    }
    co_return std::string(reply->body());
  });
  app.get("/fails",
          []() -> std::string { throw std::runtime_error("the card\nis\x1b[31m no more"); });
  return app;
}

}  // namespace

int main(int argc, char** argv) {
  return run_app<Settings>("shop", argc, argv, make_app);
}
