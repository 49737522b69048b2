// Views that a handler received stay valid while the response is produced, even if other requests
// are served.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "eider/app/app.h"
#include "eider/app/handlers/producing.h"
#include "eider/io/runtime/sleep.h"
#include "tests/sim/sim_app.h"

namespace eider {
namespace {

using std::chrono::milliseconds;

const std::string kMine(1000, 'm');
const std::string kTheirs(4000, 't');

/// Sends the viewed text after other requests had their turn.
Streamed say_later(std::string_view viewed) {
  return Streamed("text/plain", [viewed](ResponseStream out) -> Task<> {
    co_await sleep_for(milliseconds(10));
    co_await out.write(viewed);
  });
}

Response respond_later(std::string_view viewed) {
  Response response;
  Render<Streamed>::into(response, say_later(viewed));
  return response;
}

/// An extractor and a result of the application, which do not declare whether they contain views.
struct Whole {
  std::string_view bytes;
};
struct Later {
  std::string_view viewed;
};

}  // namespace

template <>
struct Extract<Whole> {
  using Held = Whole;
  static Result<Held> from(const Context& context, ArgumentPlace /*place*/) {
    return Whole{context.request.body()};
  }
};

template <>
struct Render<Later> {
  static void into(Response& response, Later later) {
    Render<Streamed>::into(response, say_later(later.viewed));
  }
};

namespace {

void add_routes(App& app) {
  app.get("/plain", [] { return "plain"; });
  app.get("/path/{name}", [](std::string_view name) { return say_later(name); });
  app.get("/own/{name}", [](std::string name) {
    return Streamed("text/plain", [name](ResponseStream out) -> Task<> {
      co_await sleep_for(milliseconds(10));
      co_await out.write(name);
    });
  });
  app.get("/response/{name}", [](std::string_view name) { return respond_later(name); });
  app.get("/result/{name}",
          [](std::string_view name) -> Result<Streamed> { return say_later(name); });
  app.get("/optional/{name}",
          [](std::string_view name) { return std::optional<Streamed>(say_later(name)); });
  app.get("/request", [](const Request& request) {
    return say_later(request.header("Mine").value_or("none"));
  });
  app.get("/reference", [](const Request& request) {
    return Streamed("text/plain", [&request](ResponseStream out) -> Task<> {
      co_await sleep_for(milliseconds(10));
      co_await out.write(request.header("Mine").value_or("none"));
    });
  });
  app.get("/field", [](Header<"mine"> mine) { return say_later(*mine); });
  app.get("/cookie", [](Cookie<"mine"> mine) { return say_later(*mine); });
  app.post("/body", [](Body body) { return say_later(body.view()); });
  app.post("/whole", [](Whole whole) { return Later{whole.bytes}; });
}

struct KeptCase {
  std::string_view what;
  std::string request;
};

std::string kept_get(const std::string& target, const std::string& fields = {}) {
  return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}

std::string kept_post(const std::string& target) {
  return "POST " + target + " HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + kMine;
}

std::vector<KeptCase> kept_cases() {
  return {{"a path value", kept_get("/path/" + kMine)},
          {"an escaped path value", kept_get("/path/%6D" + kMine.substr(1))},
          {"an owned path value", kept_get("/own/" + kMine)},
          {"a Response", kept_get("/response/" + kMine)},
          {"a Result", kept_get("/result/" + kMine)},
          {"an optional", kept_get("/optional/" + kMine)},
          {"a view taken from the request", kept_get("/request", "Mine: " + kMine + "\r\n")},
          {"the request itself", kept_get("/reference", "Mine: " + kMine + "\r\n")},
          {"a field", kept_get("/field", "Mine: " + kMine + "\r\n")},
          {"a cookie", kept_get("/cookie", "Cookie: mine=" + kMine + "\r\n")},
          {"a body", kept_post("/body")},
          {"what a user's own extractor views", kept_post("/whole")}};
}

using KeptServer = SimAppServer<&add_routes>;

void expect_kept(const KeptCase& each, std::size_t cut) {
  KeptServer server;
  SimClient mine = server.connect();
  mine.send(std::string_view(each.request).substr(0, cut));
  server.kernel.run_until_idle();
  mine.send(std::string_view(each.request).substr(cut));
  server.kernel.run_until_idle();
  SimClient theirs = server.connect();
  theirs.send(kept_get("/plain", "Theirs: " + kTheirs + "\r\n"));
  server.kernel.run_until_idle();
  EXPECT_TRUE(theirs.received().ends_with("plain"));
  server.kernel.advance(milliseconds(20));
  const std::string response = mine.take_received();
  EXPECT_TRUE(response.contains("\r\n" + kMine + "\r\n0\r\n")) << each.what << "\n" << response;
}

TEST(KeptViews, stay_while_the_response_is_made) {
  for (const KeptCase& each : kept_cases()) {
    expect_kept(each, 0);
    expect_kept(each, each.request.size() / 2);
  }
}

TEST(KeptViews, are_kept_behind_others_of_the_same_connection) {
  for (const KeptCase& each : kept_cases()) {
    KeptServer server;
    const std::string response = [&] {
      SimClient client = server.connect();
      client.send(kept_get("/plain") + each.request +
                  kept_get("/plain", "Theirs: " + kTheirs + "\r\n"));
      server.kernel.advance(milliseconds(20));
      return client.take_received();
    }();
    EXPECT_TRUE(response.contains("\r\n" + kMine + "\r\n0\r\n")) << each.what << "\n" << response;
    EXPECT_TRUE(response.ends_with("plain")) << each.what;
  }
}

// Nothing is copied if the response is complete, or if the arguments own their data.

template <class F>
constexpr bool keeps(const F& /*function*/) {
  return detail::app::kKeepsRequest<F>;
}

TEST(KeptViews, cost_nothing_where_nothing_can_be_kept) {
  static_assert(keeps([](std::string_view name) { return say_later(name); }));
  static_assert(keeps([](const Request&) { return Response(); }));
  static_assert(keeps([](Header<"x", std::optional<std::string_view>>) { return Response(); }));
  static_assert(keeps([](Whole) { return Response(); }));
  static_assert(!keeps([](const Request& request) { return request.path(); }));
  static_assert(!keeps([](std::string_view name) { return name; }));
  static_assert(!keeps([](Body body) { return Result<std::string_view>(body.view()); }));
  static_assert(!keeps([](const Request&) {}));
  static_assert(!keeps([](std::string, int, Header<"x", int>) { return Response(); }));
  static_assert(!keeps([](const Request&) -> Task<Response> { co_return Response(); }));
  const auto blocked = blocking([](const Request&) { return Response(); });
  static_assert(!detail::app::kKeepsRequest<std::remove_const_t<decltype(blocked)>>);
}

}  // namespace
}  // namespace eider
