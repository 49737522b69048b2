// Parameters and results describe themselves for OpenAPI documents.
#include "eider/app/handlers/operation.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/client.h"
#include "eider/app/handlers/event_stream.h"
#include "eider/app/handlers/multipart.h"
#include "eider/app/handlers/producing.h"
#include "eider/app/handlers/websocket.h"
#include "eider/core/reflect/constraints.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

enum class Colour : std::uint8_t { red, green };

struct Filter {
  std::string text;
  std::optional<int> page;
  int per_page = 20;
  std::vector<std::string> tags;
  bool is_open;
};

struct Limited {
  Sized<std::vector<std::string>, 0, 3> any;
  Sized<std::vector<std::string>, 1, 3> some;
};

struct Thing {
  std::string name;
  Bounded<int, 1, 100> count;
};

/// A parameter and a result of the application without descriptions.
struct Silent {};

/// Some with descriptions.
struct Signed {
  std::string by;
};
struct Picture {};

/// A type that is computed by Extract<Owner>::from.
struct Owner {
  std::string name;
};

}  // namespace

template <>
struct Extract<Silent> {
  using Held = Silent;
  static Result<Held> from(const Context&, ArgumentPlace) { return Silent(); }
};
template <>
struct Render<Silent> {
  static void into(Response&, Silent) {}
};
template <>
struct Extract<Signed> {
  using Held = Signed;
  static Result<Held> from(const Context&, ArgumentPlace) { return Signed(); }
  static void describe(Operation& operation) { operation.take_header("Signature", nullptr, true); }
};
template <>
struct Render<Picture> {
  static void into(Response&, Picture) {}
  static void describe(Operation& operation) {
    operation.add_response(200, "A picture.", "image/png", nullptr);
  }
};
template <>
struct Extract<Owner> {
  static Result<Owner> from(Cookie<"sid"> sid) { return Owner{std::string(*sid)}; }
};

namespace {

using In = Operation::In;

/// Returns the operation of one route.
template <class F>
Operation operation_of(F handler, const char* pattern = "/", Method method = Method::get) {
  App app;
  app.route(method, RuntimePattern{pattern}, std::move(handler));
  return app.operations().at(0);
}

const reflect::Type* type_in(const Operation& operation, In in, std::string_view name) {
  const Operation::Parameter* parameter = operation.find(in, name);
  EXPECT_NE(parameter, nullptr) << name;
  return parameter == nullptr ? nullptr : parameter->type;
}

bool is_required(const Operation& operation, In in, std::string_view name) {
  const Operation::Parameter* parameter = operation.find(in, name);
  return parameter != nullptr && parameter->is_required;
}

/// Returns "200 application/json", with the first media type of the response.
std::string response_text(const Operation& operation, int status) {
  const Operation::Response* response = operation.find_response(status);
  if (response == nullptr) {
    return "none";
  }
  return response->contents.empty() ? "empty" : response->contents.front().media_type;
}

TEST(Operations, name_their_routes) {
  App app;
  app.get("/a", [] { return "a"; });
  Routes group = app.group("/in");
  group.post("/b", [] { return "b"; }).body_bytes_max(7);
  app.host("api.example").del("/c", [] { return "c"; });
  const std::vector<Operation> all = app.operations();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].pattern, "/a");
  EXPECT_EQ(all[0].method, Method::get);
  EXPECT_EQ(all[0].body_bytes_max, std::size_t{1} << 20);
  EXPECT_EQ(all[1].pattern, "/in/b");
  EXPECT_EQ(all[1].method, Method::post);
  EXPECT_EQ(all[1].body_bytes_max, 7U);
  EXPECT_EQ(all[2].host, "api.example");
  EXPECT_EQ(all[2].method, Method::delete_);
}

TEST(Operations, know_the_values_of_the_path) {
  const Operation operation = operation_of(
      [](int, std::string_view, Colour, Silent) { return "x"; }, "/{id}/{name}/{colour}");
  ASSERT_EQ(operation.parameters.size(), 3U);
  EXPECT_EQ(type_in(operation, In::path, "id"), &reflect::type_of<int>());
  EXPECT_EQ(type_in(operation, In::path, "name"), nullptr);
  EXPECT_EQ(type_in(operation, In::path, "colour"), &reflect::type_of<Colour>());
  EXPECT_TRUE(is_required(operation, In::path, "id"));
  EXPECT_EQ(response_text(operation, 400), "application/problem+json");
  EXPECT_EQ(operation.find_response(400)->contents[0].type, &problem_type());
}

TEST(Operations, know_the_members_of_a_query) {
  const Operation operation = operation_of([](Query<Filter>) { return "x"; });
  ASSERT_EQ(operation.parameters.size(), 5U);
  EXPECT_EQ(type_in(operation, In::query, "text"), &reflect::type_of<std::string>());
  EXPECT_EQ(type_in(operation, In::query, "page"), &reflect::type_of<int>());
  EXPECT_EQ(type_in(operation, In::query, "tags"), &reflect::type_of<std::vector<std::string>>());
  EXPECT_TRUE(is_required(operation, In::query, "text"));
  EXPECT_FALSE(is_required(operation, In::query, "page"));
  EXPECT_FALSE(is_required(operation, In::query, "per_page"));
  EXPECT_FALSE(is_required(operation, In::query, "tags"));
  EXPECT_FALSE(is_required(operation, In::query, "is_open"));  // a checkbox that is not ticked
}

TEST(Operations, require_a_list_of_a_query_only_if_it_must_not_be_empty) {
  App app;
  app.get("/", [](Query<Limited>) { return "x"; });
  const Operation operation = app.operations().at(0);
  EXPECT_FALSE(is_required(operation, In::query, "any"));
  EXPECT_TRUE(is_required(operation, In::query, "some"));
  TestClient client(app);
  EXPECT_EQ(client.get("/?some=a").status, 200);
  EXPECT_EQ(client.get("/?any=a").status, 400);
}

TEST(Operations, know_fields_and_cookies) {
  const Operation operation =
      operation_of([](Header<"x-one">, Header<"x-two", std::optional<int>>, Cookie<"sid">,
                      Cookie<"page", std::optional<int>>, Signed, const ClientInfo&,
                      const Request&) { return "x"; });
  ASSERT_EQ(operation.parameters.size(), 5U);
  EXPECT_TRUE(is_required(operation, In::header, "X-One"));
  EXPECT_FALSE(is_required(operation, In::header, "x-two"));
  EXPECT_EQ(type_in(operation, In::header, "x-two"), &reflect::type_of<int>());
  EXPECT_TRUE(is_required(operation, In::cookie, "sid"));
  EXPECT_FALSE(is_required(operation, In::cookie, "page"));
  EXPECT_TRUE(is_required(operation, In::header, "Signature"));
  EXPECT_TRUE(operation.contents.empty());
  const Operation optional = operation_of([](Header<"x-two", std::optional<int>>) { return "x"; });
  EXPECT_EQ(response_text(optional, 400), "application/problem+json") << "it may be no number";
}

TEST(Operations, know_the_content_that_they_take) {
  struct Case {
    Operation operation;
    std::string media_type;
    const reflect::Type* type;
    bool is_streamed;
  };
  const std::vector<Case> cases = {
      {operation_of([](Json<Thing>) {}), "application/json", &reflect::type_of<Thing>(), false},
      {operation_of([](Form<Filter>) {}), "application/x-www-form-urlencoded",
       &reflect::type_of<Filter>(), false},
      {operation_of([](Body) {}), "*/*", nullptr, false},
      {operation_of([](BodyStream) -> Task<> { co_return; }), "*/*", nullptr, true},
      {operation_of([](Multipart) -> Task<> { co_return; }), "multipart/form-data", nullptr, true}};
  for (const Case& each : cases) {
    ASSERT_EQ(each.operation.contents.size(), 1U) << each.media_type;
    EXPECT_EQ(each.operation.contents[0].media_type, each.media_type);
    EXPECT_EQ(each.operation.contents[0].type, each.type) << each.media_type;
    EXPECT_EQ(each.operation.is_body_streamed, each.is_streamed) << each.media_type;
    EXPECT_EQ(each.operation.is_body_required, each.type != nullptr) << each.media_type;
    EXPECT_EQ(response_text(each.operation, 413), "application/problem+json");
    EXPECT_EQ(response_text(each.operation, 204), "empty");
  }
  EXPECT_EQ(response_text(cases[0].operation, 422), "application/problem+json");
  EXPECT_EQ(response_text(cases[1].operation, 415), "application/problem+json");
}

TEST(Operations, know_what_values_become) {
  const auto expect = [](const Operation& operation, int status, std::string_view media_type,
                         const reflect::Type* type) {
    EXPECT_EQ(response_text(operation, status), media_type);
    const Operation::Response* response = operation.find_response(status);
    EXPECT_TRUE(response != nullptr && response->contents.at(0).type == type) << media_type;
  };
  const reflect::Type& thing = reflect::type_of<Thing>();
  expect(operation_of([] { return 7; }), 200, "text/plain", &reflect::type_of<int>());
  expect(operation_of([] { return 7.5; }), 200, "text/plain", &reflect::type_of<double>());
  expect(operation_of([] { return true; }), 200, "text/plain", &reflect::type_of<bool>());
  expect(operation_of([] { return "x"; }), 200, "text/plain", nullptr);
  expect(operation_of([] { return std::string("x"); }), 200, "text/plain", nullptr);
  expect(operation_of([] { return std::string_view("x"); }), 200, "text/plain", nullptr);
  expect(operation_of([] { return std::make_shared<const std::string>(); }), 200, "text/plain",
         nullptr);
  expect(operation_of([] { return Html("x"); }), 200, "text/html", nullptr);
  expect(operation_of([] { return Thing{"x", 1}; }), 200, "application/json", &thing);
  expect(operation_of([] { return Json(Thing{"x", 1}); }), 200, "application/json", &thing);
  expect(operation_of([] { return std::vector<Thing>(); }), 200, "application/json",
         &reflect::type_of<std::vector<Thing>>());
  expect(operation_of([]() -> Task<Thing> { co_return Thing{"x", 1}; }), 200, "application/json",
         &thing);
  expect(operation_of(blocking([] { return Thing{"x", 1}; })), 200, "application/json", &thing);
  expect(operation_of([] { return Created(Thing{"x", 1}); }), 201, "application/json", &thing);
  expect(operation_of([] { return ResponseOf(Thing{"x", 1}); }), 200, "application/json", &thing);
  expect(operation_of([] { return std::optional<Thing>(); }), 200, "application/json", &thing);
  expect(operation_of([] { return std::optional<Thing>(); }), 404, "application/problem+json",
         &problem_type());
  expect(operation_of([]() -> Result<Thing> { return Thing{"x", 1}; }), 200, "application/json",
         &thing);
  expect(operation_of([]() -> Result<Thing> { return Thing{"x", 1}; }), 0,
         "application/problem+json", &problem_type());
  expect(operation_of([] { return Error::not_found(); }), 0, "application/problem+json",
         &problem_type());
  expect(operation_of([] { return Picture(); }), 200, "image/png", nullptr);
}

TEST(Operations, know_answers_without_content) {
  EXPECT_EQ(response_text(operation_of([] {}), 204), "empty");
  EXPECT_EQ(response_text(operation_of([]() -> Result<void> { return {}; }), 204), "empty");
  EXPECT_EQ(operation_of([] { return Redirect("/"); }).find_response(303)->fields,
            std::vector<std::string>{"Location"});
  EXPECT_EQ(operation_of([] { return Created(7); }).find_response(201)->fields,
            std::vector<std::string>{"Location"});
  EXPECT_EQ(response_text(operation_of([] { return Response(); }), 0), "empty");
}

TEST(Operations, of_those_who_say_nothing_leave_that_out) {
  const Operation operation = operation_of([](Silent) { return Silent(); });
  EXPECT_TRUE(operation.parameters.empty());
  EXPECT_EQ(response_text(operation, 0), "empty");
}

TEST(Operations, know_what_streams) {
  const Operation stream = operation_of([](ResponseStream) -> Task<> { co_return; });
  EXPECT_EQ(response_text(stream, 200), "application/octet-stream");
  EXPECT_TRUE(stream.find_response(200)->is_streamed);
  EXPECT_EQ(stream.responses.size(), 1U);
  const Operation events = operation_of([](EventStream) -> Task<> { co_return; });
  EXPECT_EQ(response_text(events, 200), "text/event-stream");
  EXPECT_FALSE(is_required(events, In::header, "Last-Event-ID"));
  EXPECT_NE(events.find(In::header, "Last-Event-ID"), nullptr);
  const Operation typed = operation_of([](JsonEvents<Thing>) -> Task<> { co_return; });
  EXPECT_EQ(response_text(typed, 200), "text/event-stream");
  EXPECT_EQ(typed.find_response(200)->contents[0].type, &reflect::type_of<Thing>());
  EXPECT_NE(typed.find(In::header, "Last-Event-ID"), nullptr);
  const Operation lines = operation_of([](JsonLines<Thing>) -> Task<> { co_return; });
  EXPECT_EQ(response_text(lines, 200), "application/x-ndjson");
  EXPECT_EQ(lines.find_response(200)->contents[0].type, &reflect::type_of<Thing>());
  const Operation streamed = operation_of(
      [] { return Streamed("text/csv", [](ResponseStream) -> Task<> { co_return; }); });
  EXPECT_EQ(response_text(streamed, 200), "*/*");
  EXPECT_TRUE(streamed.find_response(200)->is_streamed);
}

TEST(Operations, know_websockets) {
  App app;
  app.ws("/feed/{room}", [](WebSocket, std::string) -> Task<> { co_return; },
         {.subprotocols = {"one", "two"}});
  app.ws("/calls", WebSocketHandlers());
  const std::vector<Operation> all = app.operations();
  EXPECT_TRUE(all.at(0).opens_websocket);
  EXPECT_EQ(all[0].subprotocols, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(all[0].parameters.size(), 1U);
  EXPECT_EQ(response_text(all[0], 101), "empty");
  EXPECT_TRUE(all.at(1).opens_websocket);
}

// Guards.

TEST(Operations, know_what_guards_take_and_refuse_with) {
  App app;
  app.guard([](Header<"x-key">) -> Result<long> { return 7L; });
  app.get("/", [](Extension<long>) { return "x"; })
      .guard([](Header<"x-other", std::optional<int>>) {});
  const Operation operation = app.operations().at(0);
  EXPECT_TRUE(is_required(operation, In::header, "x-key"));
  EXPECT_NE(operation.find(In::header, "x-other"), nullptr);
  EXPECT_EQ(response_text(operation, 0), "application/problem+json");
  EXPECT_EQ(response_text(operation, 400), "application/problem+json");
}

TEST(Operations, know_what_is_made_for_them_alone) {
  App app;
  app.provide([](Header<"x-key">) -> Result<long> { return 7L; });
  app.get("/must", [](Extension<long>, const Owner&) { return "x"; });
  app.get("/perhaps", [](std::optional<Extension<long>>, std::optional<Owner>) { return "x"; });
  app.get("/without", [] { return "x"; });
  const std::vector<Operation> all = app.operations();
  EXPECT_TRUE(is_required(all.at(0), In::header, "x-key"));
  EXPECT_TRUE(is_required(all[0], In::cookie, "sid"));
  EXPECT_NE(all.at(1).find(In::header, "x-key"), nullptr);
  EXPECT_FALSE(is_required(all[1], In::header, "x-key"));
  EXPECT_FALSE(is_required(all[1], In::cookie, "sid"));
  EXPECT_EQ(all[1].find_response(0), nullptr);
  EXPECT_TRUE(all.at(2).parameters.empty());
}

struct BearerGuard {
  Result<Owner> operator()(Header<"authorization"> given) const {
    return Owner{std::string(*given)};
  }
  static void describe(Operation& operation) {
    operation.secure(
        {.name = "bearer", .kind = Operation::Security::Kind::http, .field = "bearer"});
    operation.add_problem(401, "Nobody is known by that.");
  }
};

TEST(Operations, know_guards_that_describe_themselves) {
  App app;
  app.get("/struct", [] { return "x"; }).guard(BearerGuard());
  app.get("/said", [] { return "x"; })
      .guard([](Cookie<"sid">) {},
             [](Operation& operation) {
               operation.secure({.name = "session",
                                 .kind = Operation::Security::Kind::api_key,
                                 .in = In::cookie,
                                 .field = "sid"});
             });
  const std::vector<Operation> all = app.operations();
  EXPECT_EQ(all.at(0).security.at(0).name, "bearer");
  EXPECT_TRUE(all[0].parameters.empty());
  EXPECT_EQ(response_text(all[0], 401), "application/problem+json");
  EXPECT_EQ(all.at(1).security.at(0).field, "sid");
  EXPECT_TRUE(all[1].parameters.empty());
}

/// Stores a short, and adds a header to responses.
struct MarkingGuard {
  std::string field;

  short operator()(const Request& /*request*/) const { return 7; }
  [[nodiscard]] Middleware middleware() const {
    return Middleware(
        [field = field](Request& /*request*/, Next next) -> Task<Response> {
          Response response = co_await next();
          response.add_header(field, "7");
          co_return response;
        },
        "mark",
        [field = field](Operation& operation) {
          for (Operation::Response& response : operation.responses) {
            response.add_header(field);
          }
        });
  }
};

std::string fields_of(const Operation& operation, int status) {
  std::string all;
  for (const std::string& field : operation.find_response(status)->fields) {
    all.append(field).append(" ");
  }
  return all;
}

TEST(Operations, know_what_their_guards_put_around_them) {
  App app;
  app.provide(MarkingGuard{"X-Provided"});
  app.use(Hook{.describe = [](Operation& operation) { operation.add_problem(503, "Closed."); }});
  app.get("/taken", [](Extension<short>) { return "x"; });
  app.get("/other", [] { return "x"; });
  Routes group = app.group("/group");
  group.guard(MarkingGuard{"X-Outer"});
  group.get("/", [] { return "x"; }).guard(MarkingGuard{"X-Inner"});
  const std::vector<Operation> all = app.operations();
  EXPECT_EQ(fields_of(all.at(0), 200), "X-Provided ");
  EXPECT_EQ(fields_of(all.at(1), 200), "");
  EXPECT_EQ(fields_of(all.at(2), 200), "X-Inner X-Outer ");
  EXPECT_EQ(fields_of(all[2], 503), "") << "what hooks answer never passes there";
  TestClient client(app);
  for (const Operation& operation : all) {
    const TestResponse reply = client.get(operation.pattern);
    for (const char* const field : {"X-Provided", "X-Inner", "X-Outer"}) {
      EXPECT_EQ(reply.header(field).has_value(),
                fields_of(operation, 200).contains(std::string(field) + " "))
          << operation.pattern << " " << field;
    }
  }
}

TEST(Operations, are_there_for_an_app_that_does_not_start) {
  App app;
  app.get("/", [](Extension<Owner>, State<Thing>) { return "x"; });
  EXPECT_FALSE(app.make_service().has_value());
  EXPECT_EQ(app.operations().size(), 1U);
}

}  // namespace
}  // namespace eider
