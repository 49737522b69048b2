// An application that stores counted objects in each request, for both protocols.
// Layering: must not be included outside of tests.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "eider/app/app.h"
#include "eider/app/handlers/producing.h"
#include "eider/app/handlers/websocket.h"
#include "eider/io/runtime/sleep.h"
#include "tests/sim/sim_app.h"

namespace eider {

inline int slots_alive = 0;

/// Counts its instances.
struct Caller {
  explicit Caller(std::string its_name) : name(std::move(its_name)) { ++slots_alive; }
  Caller(Caller&& other) noexcept : name(std::move(other.name)) { ++slots_alive; }
  Caller& operator=(Caller&&) = delete;
  ~Caller() { --slots_alive; }

  std::string name;
};

inline const std::string kCaller(100, 'c');

/// Routes that use the objects of a request with each kind of response.
inline void add_slot_routes(App& app) {
  app.on_request([](Request& request) {
    request.set(Caller(kCaller));
    request.set(request.arena().copy("in the arena"));
  });
  app.on_response([](const Request& request, Response& response) {
    const auto* caller = request.find<Caller>();
    response.add_header("Seen", caller == nullptr ? "nobody" : "caller");
  });
  app.get("/view",
          [](const Request& request) -> std::string_view { return request.find<Caller>()->name; });
  app.get("/arena", [](const Request& request) { return *request.find<std::string_view>(); });
  app.get("/large", [](Request& request) -> std::string_view {
    return request.arena().copy(std::string(300'000, 'c'));
  });
  app.get("/later", [](const Request& request) -> Task<std::string_view> {
    const Caller& caller = *request.find<Caller>();
    co_await sleep_for(std::chrono::milliseconds(10));
    co_return caller.name;
  });
  app.get("/streamed", [](const Request& request) {
    const Caller& caller = *request.find<Caller>();
    return Streamed("text/plain", [&caller](ResponseStream out) -> Task<> {
      co_await sleep_for(std::chrono::milliseconds(10));
      co_await out.write(caller.name);
    });
  });
  app.get("/owning", [] {  // has no reference to the request, so that is not copied
    return Streamed("text/plain", [](ResponseStream out) -> Task<> {
      co_await sleep_for(std::chrono::milliseconds(10));
      co_await out.write(kCaller);
    });
  });
  app.get("/blocking", blocking([](const Request& request) -> std::string_view {
            return request.find<Caller>()->name;
          }));
  app.post("/content", [](const Request& request, Body) -> std::string_view {
    return request.find<Caller>()->name;
  });
  app.get("/refused",
          [](const Request&) -> Result<std::string> { return fail(Error(403, kCaller)); });
  app.ws("/socket",
         [](WebSocket socket) -> Task<> { co_await socket.send(std::to_string(slots_alive)); });
}

}  // namespace eider
