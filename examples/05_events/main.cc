// Server-sent events: a tick every second for all clients, with resumption after a reconnect; and
// the same as JSON, described in the OpenAPI document for generated clients.
//
//   ./05_events --port 8080      then open http://127.0.0.1:8080, or curl -N …/ticks
//   ./05_events --openapi | eider openapi client --language c++ --out ticks.h -
#include <eider/eider.h>

#include <charconv>

using namespace eider;

namespace {

constexpr std::string_view kPage = R"(<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>Ticks</title><style>body{font:1.2rem system-ui;margin:2rem}</style>
<h1>Ticks</h1><p aria-live="polite"><output id="tick">waiting…</output></p>
<script>
  new EventSource("/ticks").addEventListener("tick", (event) => {
    document.getElementById("tick").textContent = event.data;
  });
</script>)";

/// Continues after the last event that a reconnecting browser has received.
int first_of(const EventStream& events) {
  int last = 0;
  const std::string& id = events.last_event_id();
  std::from_chars(id.data(), id.data() + id.size(), last);
  return last + 1;
}

Task<> tick(EventStream events) {
  for (int number = first_of(events);; ++number) {
    const std::string text = std::to_string(number);
    co_await events.send({.event = "tick", .data = text, .id = text});
    co_await sleep_for(std::chrono::seconds(1));
  }
}

struct Tick {
  int number;
  std::chrono::sys_time<std::chrono::milliseconds> at;
};

Task<> tick_as_json(JsonEvents<Tick> events) {
  for (int number = first_of(events);; ++number) {
    const auto now = std::chrono::system_clock::now();
    const Tick tick{number, std::chrono::floor<std::chrono::milliseconds>(now)};
    co_await events.send(tick, {.event = "tick", .id = std::to_string(number)});
    co_await sleep_for(std::chrono::seconds(1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  App app;
  app.get("/", [] { return Html(std::string(kPage)); });
  app.get("/ticks", tick);
  app.get("/ticks/json", tick_as_json).docs({.operation_id = "ticks"});
  serve_openapi(app, {.title = "Ticks"});
  return app.run(argc, argv);
}
