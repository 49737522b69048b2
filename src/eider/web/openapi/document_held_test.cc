// TestClientOptions::document with an app that serves its document.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/eider.h"
#include "eider/middleware.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

struct NewHeldNote {
  Sized<std::string, 1, 20> title;
  std::optional<Bounded<int, 0, 5>> stars;
};
struct HeldNote {
  int id;
  std::string title;
};

struct HeldCircle {
  double radius;
};
struct HeldSquare {
  float side;
};
struct HeldTree {
  int value;
  std::vector<HeldTree> children = kOptional;
  std::unique_ptr<HeldTree> parent = nullptr;
};
enum class HeldColour { red, green };
/// The schema and the written JSON come from one description, but from different code.
struct HeldRich {
  std::variant<HeldCircle, HeldSquare> shape;
  std::map<std::string, std::uint8_t> counts;
  std::set<Uuid> ids;
  std::array<std::int64_t, 2> pair;
  Email mail;
  std::vector<Decimal> prices;
  std::chrono::sys_seconds at;
  std::chrono::year_month_day day;
  std::chrono::days stay;
  json::Value any;
  Validated<std::string, Matches<"[a-z]+">> word;
  std::uint64_t large;
  double real;
  HeldColour colour;
  HeldTree tree;
  std::vector<std::optional<int>> gaps;
  Nullable<int> cleared;
  std::optional<Sized<std::string, 2, 3>> missing;
};

App held_app() {
  App app;
  app.get("/notes/{id}", [](int id) -> Result<HeldNote> {
    return id == 1 ? Result<HeldNote>(HeldNote{1, "Milk"}) : fail(Error::not_found());
  });
  app.post("/notes",
           [](Json<NewHeldNote> note) { return Created(HeldNote{1, *note->title}, "/notes/1"); });
  app.get("/count", [] { return 3; });
  app.get("/text", [] { return "text"; });
  app.get("/lines",
          [](JsonLines<HeldNote> lines) -> Task<> { co_await lines.send(HeldNote{1, "a"}); });
  app.get("/thrown", [](Query<HeldNote>) -> int { throw Failure(Error::conflict("No.")); });
  app.get("/html",
          [] { return ResponseOf(std::string("<p>")).header("Content-Type", "text/html"); });
  serve_openapi(app);
  app.get("/later", [] { return "added behind the document"; });
  return app;
}

/// Returns the differences for GET `target`; empty: none.
std::string said_of(TestClient& client, std::string target) {
  try {
    (void)client.get(std::move(target));
    return {};
  } catch (const Failure& failure) {
    return failure.what();
  }
}

TEST(DocumentAsTest, takes_every_response_that_is_as_it_says) {
  const App app = held_app();
  TestClient client(app, {.document = DocumentCheck()});
  EXPECT_EQ(client.get("/notes/1").status, 200);
  EXPECT_EQ(client.get("/notes/2").status, 404);
  EXPECT_EQ(client.get("/notes/x").status, 400);
  EXPECT_EQ(client.post("/notes", json::object({{"title", "a"}})).status, 201);
  EXPECT_EQ(client.post("/notes", json::object({{"title", ""}, {"stars", 9}})).status, 422);
  EXPECT_EQ(client.post_form("/notes", {{"title", "a"}}).status, 415);
  EXPECT_EQ(client.get("/count").status, 200);
  EXPECT_EQ(client.get("/text").status, 200);
  EXPECT_EQ(client.get("/lines").status, 200);
  EXPECT_EQ(client.get("/nowhere").status, 404);
  EXPECT_EQ(client.del("/notes/1").status, 405);
  EXPECT_EQ(client.head("/notes/1").status, 200);
  EXPECT_EQ(client.get("/openapi.json").status, 200);
}

TEST(DocumentAsTest, fails_by_one_that_is_not) {
  const App app = held_app();
  TestClient client(app, {.document = DocumentCheck()});
  EXPECT_EQ(said_of(client, "/later"),
            "GET /later returned 200, which does not match /openapi.json:\n"
            "  the document does not contain this path\n  added behind the document");
  EXPECT_TRUE(said_of(client, "/thrown?id=1&title=a")
                  .contains("the document does not contain this status, only 200, 400"))
      << said_of(client, "/thrown?id=1&title=a");
  EXPECT_TRUE(said_of(client, "/html").contains("Content-Type \"text/html\""))
      << said_of(client, "/html");
  TestClient lenient(
      app, {.document = DocumentCheck{.excluded_paths = {"/later"}, .allowed_statuses = {409}}});
  EXPECT_EQ(said_of(lenient, "/later"), "");
  EXPECT_EQ(said_of(lenient, "/thrown?id=1&title=a"), "");
}

TEST(DocumentAsTest, finds_every_kind_written_as_its_schema_has_it) {
  App app;
  app.post("/rich", [](Json<HeldRich> rich) { return std::move(*rich); });
  serve_openapi(app);
  TestClient client(app, {.document = DocumentCheck()});
  const TestResponse reply = client.send({.method = Method::post,
                                          .target = "/rich",
                                          .headers = {{"Content-Type", "application/json"}},
                                          .body = R"({
      "shape": {"type": "HeldCircle", "radius": 1}, "counts": {"a": 255, "b/~": 0},
      "ids": ["f81d4fae-7dec-11d0-a765-00a0c91e6bf6"],
      "pair": [-9223372036854775808, 9223372036854775807], "mail": "ada@example.org",
      "prices": ["0.10", "-999999999999999999", "123456.789"], "at": "2026-11-23T01:02:03Z",
      "day": "2026-02-28", "stay": "P3D", "any": {"x": [1, null]}, "word": "abc",
      "large": 18446744073709551615, "real": 1e300, "colour": "green",
      "tree": {"value": 1, "children": [{"value": 2, "parent": {"value": 3}}]},
      "gaps": [1, null], "cleared": null})"});
  EXPECT_EQ(reply.status, 200) << reply.body;
}

App negotiating_app() {
  App app;
  app.use(conditional_requests()).use(negotiate()).use(rate_limit({.requests = 9}));
  app.get("/notes", [] { return std::vector<HeldNote>{{1, "Milk"}, {2, "Eggs"}}; })
      .use(select_fields<HeldNote>());
  app.post("/notes", [](Json<NewHeldNote> note) { return HeldNote{1, *note->title}; })
      .use(idempotency_keys());
  serve_openapi(app);
  return app;
}

TEST(DocumentAsTest, TakesWhatMiddlewareMakesOfResponses) {
  const App app = negotiating_app();
  TestClient client(app, {.document = DocumentCheck()});
  const auto get = [&client](TestHeader header, std::string target = "/notes") {
    return client.send({.target = std::move(target), .headers = {std::move(header)}});
  };
  EXPECT_EQ(get({"Accept", "application/cbor"}).header("Content-Type"), "application/cbor");
  EXPECT_EQ(get({"Accept", "application/msgpack"}, "/notes?fields=id").status, 200);
  EXPECT_EQ(get({"Accept", "text/csv"}).status, 200);
  EXPECT_EQ(get({"Accept", "image/png"}).status, 406);
  const TestResponse selected = get({"Accept", "*/*"}, "/notes?fields=title");
  EXPECT_EQ(selected.body, R"([{"title":"Milk"},{"title":"Eggs"}])");
  EXPECT_EQ(get({"If-None-Match", *selected.header("ETag")}, "/notes?fields=title").status, 304);
  EXPECT_EQ(get({"If-Match", "\"no\""}).status, 412);
  EXPECT_EQ(get({"Accept", "*/*"}, "/notes?fields=other").status, 400);
  EXPECT_EQ(get({"Accept", "*/*"}).status, 429);
}

TEST(DocumentAsTest, TakesWhatAnIdempotencyKeyIsAnsweredBy) {
  const App app = negotiating_app();
  TestClient client(app, {.document = DocumentCheck()});
  const auto post = [&client](std::string body) {
    return client.send({.method = Method::post,
                        .target = "/notes",
                        .headers = {{"Content-Type", "application/json"}, {"Idempotency-Key", "k"}},
                        .body = std::move(body)});
  };
  EXPECT_EQ(post(R"({"title":"a"})").status, 200);
  EXPECT_EQ(post(R"({"title":"a"})").header("Idempotent-Replayed"), "true");
  EXPECT_EQ(post(R"({"title":"b"})").status, 422);
}

TEST(DocumentAsTest, RefusesASelectionThatLacksWhatWasAskedFor) {
  App app;
  app.get("/", [] { return json::object({{"title", "a"}}); })
      .use(Hook{.describe = [](Operation& it) {
        it.responses.clear();
        it.add_response(200, "", "application/json", &reflect::type_of<HeldNote>());
        it.take_selection("fields", {{"id", "title"}, ""});
      }});
  serve_openapi(app);
  TestClient client(app, {.document = DocumentCheck()});
  EXPECT_EQ(said_of(client, "/?fields=title"), "");
  EXPECT_TRUE(said_of(client, "/?fields=id").contains("/id is required"));
  EXPECT_TRUE(said_of(client, "/").contains("/id is required"));
}

struct HeldTick {
  Bounded<int, 1, 2> count = 1;
};

/// Counts to two, as in its document, and to three, which is not in it.
App ticking_app() {
  App app;
  app.get("/ticks", [](JsonEvents<HeldTick> events) -> Task<> {
    const SseEvent named{.event = "tick"};
    for (int count = 1; count <= 2; ++count) {
      const HeldTick tick{count};
      co_await events.send(tick, named);
    }
  });
  app.get("/wrong", [](JsonEvents<HeldTick> events) -> Task<> {
    const HeldTick tick{1};
    co_await events.send(tick);
    const SseEvent other{.data = R"({"count":3})"};
    co_await static_cast<EventStream&>(events).send(other);
  });
  app.get("/text", [](EventStream events) -> Task<> {
    const SseEvent any{.data = "any"};
    co_await events.send(any);
  });
  serve_openapi(app);
  return app;
}

TEST(DocumentAsTest, HoldsEventsOfStreamsThatEnd) {
  const App app = ticking_app();
  TestClient client(app, {.document = DocumentCheck()});
  EXPECT_EQ(said_of(client, "/ticks"), "");
  EXPECT_EQ(said_of(client, "/text"), "");
  EXPECT_TRUE(said_of(client, "/wrong").contains("event 1: /data/count must be at most 2"))
      << said_of(client, "/wrong");
}

TEST(DocumentAsTest, HoldsEventsOfStreamsAsTheyCome) {
  const App app = ticking_app();
  TestClient client(app, {.document = DocumentCheck()});
  TestEvents ticks = client.events("/ticks");
  EXPECT_EQ(ticks.next()->data, R"({"count":1})");
  EXPECT_EQ(ticks.next()->event, "tick");
  EXPECT_FALSE(ticks.next().has_value());
  TestEvents wrong = client.events("/wrong");
  EXPECT_EQ(wrong.next()->data, R"({"count":1})");
  EXPECT_THROW((void)wrong.next(), Failure);
  TestClient careless(app);
  TestEvents unheld = careless.events("/wrong");
  (void)unheld.next();
  EXPECT_EQ(unheld.next()->data, R"({"count":3})");
}

TEST(DocumentAsTest, needs_a_document) {
  App app;
  app.get("/", [] { return 1; });
  EXPECT_THROW(TestClient(app, {.document = DocumentCheck()}), Failure);
}

}  // namespace
}  // namespace eider
