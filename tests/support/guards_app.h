// An application with guards of every kind that records their order, for both protocols.
// Layering: must not be included outside of tests.
#pragma once

#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/event_stream.h"
#include "eider/app/handlers/producing.h"
#include "eider/app/handlers/websocket.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/sleep.h"
#include "tests/sim/sim_app.h"

namespace eider {

/// Records of the running test.
struct GuardsNoted {
  std::vector<std::string> steps;
  int waiting = 0;  // guards that are suspended

  void note(std::string_view step) { steps.emplace_back(step); }
};

inline GuardsNoted& guards_noted() {
  static GuardsNoted noted;
  return noted;
}

inline std::vector<std::string> take_steps() {
  return std::exchange(guards_noted().steps, {});
}

class GuardUnderWay {
 public:
  GuardUnderWay() { ++guards_noted().waiting; }
  ~GuardUnderWay() { --guards_noted().waiting; }
  GuardUnderWay(const GuardUnderWay&) = delete;
  GuardUnderWay& operator=(const GuardUnderWay&) = delete;
};

/// Counts its instances.
class AliveAsking {
 public:
  AliveAsking() noexcept { ++count; }
  AliveAsking(const AliveAsking&) noexcept { ++count; }
  AliveAsking& operator=(const AliveAsking&) noexcept = default;
  ~AliveAsking() { --count; }

  static inline int count = 0;
};

/// The caller, from the header Who.
struct Asking {
  std::string name;
  AliveAsking alive{};
};

/// An object that is created if a handler needs it.
struct Account {
  std::string owner;
};

/// Created by its Extract.
struct Basket {
  std::string owner;
};

}  // namespace eider

template <>
struct eider::Extract<eider::Basket> {
  static constexpr bool kOwnsData = true;
  static Task<Result<Basket>> from(Header<"basket", std::optional<std::string>> name) {
    guards_noted().note("basket");
    co_await sleep_for(std::chrono::milliseconds(10));
    if (!*name) {
      co_return fail(Error(404, "No basket."));
    }
    if (**name == "broken") {
      co_return fail(Error::unavailable("The baskets are away."));
    }
    co_return Basket{std::move(**name)};
  }
};

namespace eider {

/// 401 without a name, 403 for "bad"; "broken" causes a failure.
inline Result<Asking> judge(std::string_view who) {
  if (who.empty()) {
    return fail(Error::unauthorized("Who are you?").with_header("WWW-Authenticate", "Bearer"));
  }
  if (who == "bad") {
    throw Failure(Error(403, "Not you."));
  }
  if (who == "broken") {
    throw std::runtime_error("the guard is broken");
  }
  return Asking{std::string(who)};
}

inline void add_guarded_routes(Routes group) {
  group.get("/me", [](Extension<Asking> asking) -> std::string_view { return asking->name; });
  group.get("/later", [](Extension<Asking> asking) -> Task<std::string> {
    co_await sleep_for(std::chrono::milliseconds(10));
    co_return asking->name;
  });
  group.post("/content", [](Extension<Asking> asking, Body content) {
    guards_noted().note("handler");
    return asking->name + ":" + std::to_string(content.size());
  });
  group.post("/stream", [](Extension<Asking> asking, BodyStream content) -> Task<std::string> {
    const std::string all = co_await content.collect(1'000'000);
    co_return asking->name + ":" + std::to_string(all.size());
  });
  group.get("/streamed", [](Extension<Asking> asking) {
    return Streamed("text/plain", [asking](ResponseStream out) -> Task<> {
      co_await sleep_for(std::chrono::milliseconds(10));
      co_await out.write(asking->name);
    });
  });
  group.get("/events", [](Extension<Asking> asking, EventStream events) -> Task<> {
    co_await events.send({.data = asking->name});
  });
  group.get("/blocking", blocking([](Extension<Asking> asking) { return asking->name; }));
  group.post("/blocking-content", blocking([](Extension<Asking>, Body content) {
               guards_noted().note("handler");
               return static_cast<int>(content.size());
             }));
  group.ws("/socket",
           [](WebSocket socket, Basket basket) -> Task<> { co_await socket.send(basket.owner); });
}

inline void set_up_guards(App& app) {
  guards_noted() = GuardsNoted();
  app.log_to(nullptr);
  app.body_bytes_max(1'000'000);
  app.use(Hook{.on_request =
                   [](Request& request, Response& response) {
                     guards_noted().note("hook");
                     response.add_header("X-Hook", std::to_string(request.body().size()));
                     return true;
                   },
               .on_response =
                   [](const Request& request, Response& response) {
                     const auto* asking = request.find<Asking>();
                     response.add_header("X-Asking", asking == nullptr ? "-" : asking->name);
                   }});
  app.use(Hook{.on_body = [](Request& request, Response& response) {
    guards_noted().note("content hook");
    response.add_header("X-Content", std::to_string(request.body().size()));
    return true;
  }});
  app.get("/open", [] { return "open"; });
  app.get("/basket", [](const Basket& basket) { return basket.owner; });
  app.get("/perhaps", [](const std::optional<Basket>& basket) {
    return basket ? basket->owner : std::string("none");
  });

  // A group with synchronous guards.
  Routes plain = app.group("/plain");
  plain.guard([](Header<"who", std::optional<std::string_view>> who, const Request& request) {
    guards_noted().note("plain guard of " + std::to_string(request.body().size()));
    return judge(who->value_or(""));
  });
  add_guarded_routes(plain);

  // A group whose hook decides.
  Routes hooked = app.group("/hooked");
  hooked.use(Hook{.on_request =
                      [](Request& request, Response& response) {
                        guards_noted().note("hooked guard of " +
                                            std::to_string(request.body().size()));
                        Result<Asking> said = judge(request.header("who").value_or(""));
                        if (!said) {
                          render_error(response, said.error());
                          return false;
                        }
                        request.set(*std::move(said));
                        return true;
                      },
                  .extensions = {kExtension<Asking>}});
  add_guarded_routes(hooked);

  // A group with asynchronous guards.
  Routes waiting = app.group("/waiting");
  waiting.guard([](Header<"who", std::optional<std::string_view>> who,
                   const Request& request) -> Task<Result<Asking>> {
    guards_noted().note("waiting guard of " + std::to_string(request.body().size()));
    const GuardUnderWay under_way;
    co_await sleep_for(std::chrono::milliseconds(10));
    co_return judge(who->value_or(""));
  });
  add_guarded_routes(waiting);
}

/// Returns the startup error of an app, or "it starts".
inline std::string start_error_of(const App& app) {
  const auto service = app.make_service();
  if (service) {
    return "it starts";
  }
  // Without source locations and error codes, which other tests check.
  return std::regex_replace(service.error().cause(),
                            std::regex("([a-z_0-9]+\\.(cc|h):[0-9]+: )?(error\\[[a-z-]+\\]: )?"),
                            "");
}

}  // namespace eider
