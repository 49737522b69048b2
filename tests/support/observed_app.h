// An application that records every response that its hook and its observer see, for both
// protocols.
// Layering: must not be included outside of tests.
#pragma once

#include <memory>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/handlers/event_stream.h"
#include "eider/app/handlers/producing.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/sleep.h"
#include "eider/web/middleware/access_log.h"
#include "eider/web/middleware/request_id.h"
#include "tests/sim/sim_app.h"

namespace eider {

/// Returns the line without the request id, which differs each time.
inline std::string without_id(const std::string& line) {
  return std::regex_replace(line, std::regex(" [0-9a-f]{16}"), "");
}

/// Stores logged lines.
class NotedLines final : public LogSink {
 public:
  void write(LogLevel, std::string_view line) noexcept override {
    lines.push_back(without_id(std::string(line)));
  }
  [[nodiscard]] std::vector<std::string> take() { return std::exchange(lines, {}); }

  std::vector<std::string> lines;
};

/// Records of the running test.
struct Noted {
  /// "405 /path", as seen by the app's own hook.
  std::vector<std::string> hooked;
  std::shared_ptr<NotedLines> log = std::make_shared<NotedLines>();
  /// "/notes/{id}", as seen by the observer.
  std::vector<std::string> routes;
};

inline Noted& noted() {
  static Noted all;
  return all;
}

inline void set_up_observed(App& app) {
  noted() = Noted();
  app.log_to(std::make_shared<NotedLines>());
  app.observe(access_log(noted().log));
  app.observe(
      [](const ResponseEvent& record) { noted().routes.emplace_back(record.request.route()); });
  app.use(request_id());
  app.use(Hook{.on_request =
                   [](Request&, Response& response) {
                     response.add_header("X-Before", "1");
                     return true;
                   },
               .on_response =
                   [](const Request& request, Response& response) {
                     noted().hooked.push_back(std::to_string(response.status()) + " " +
                                              std::string(request.path()));
                     response.add_header("X-After", "1");
                   }});
  app.body_bytes_max(10);
  app.get("/notes/{id}", [](int id) { return id; });
  app.post("/notes", [](Body body) { return static_cast<int>(body.size()); });
  app.get("/later", []() -> Task<std::string> {
    co_await sleep_for(std::chrono::milliseconds(250));
    co_return "later";
  });
  app.get("/big", [] { return std::string(1'000'000, 'b'); });
  app.get("/refused", [](EventStream) -> Task<> {
    throw Failure(Error::unauthorized("Who are you?"));
    co_return;
  });
  app.get("/changed", [](ResponseStream out) -> Task<> {
    out.head().set_status(203);
    co_await out.write("changed");
  });
  app.get("/endless", [](EventStream events) -> Task<> {
    while (true) {
      co_await events.send({.data = "1234"});
      co_await sleep_for(std::chrono::milliseconds(100));
    }
  });
  app.get("/broken-hook", [](ResponseStream out) -> Task<> {
    co_await out.write("never");
    co_await sleep_for(std::chrono::hours(1));
  });
  app.on_response([](const Request& request, Response&) {
    if (request.path() == "/broken-hook") {
      throw std::runtime_error("a hook's own");
    }
  });
}

using ObservedApp = SimApp<&set_up_observed>;

}  // namespace eider
