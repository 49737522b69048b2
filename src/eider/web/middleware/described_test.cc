// Descriptions of middleware in OpenAPI documents: of groups and routes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "eider/eider.h"
#include "eider/middleware.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

struct Line {
  int id = 0;
  Sized<std::string, 0, 9> title;
  std::optional<double> weight;
};
struct Folder {
  std::string name;
  std::vector<Line> lines;
};
struct Round {
  int radius = 0;
};
struct Long {
  int length = 0;
};

std::vector<std::string> media_types(const std::vector<Operation::Content>& contents) {
  std::vector<std::string> types;
  for (const Operation::Content& content : contents) {
    types.push_back(content.media_type);
  }
  return types;
}

std::vector<std::string> with(std::vector<std::string> types, const std::string& last) {
  types.push_back(last);
  return types;
}

const std::vector<std::string> kTreeTypes = {"application/json", "application/cbor",
                                             "application/msgpack", "application/vnd.msgpack",
                                             "application/x-msgpack"};
const std::vector<std::string> kTableTypes = with(kTreeTypes, "text/csv");

/// Returns the only operation of an app.
Operation only(const App& app) {
  std::vector<Operation> all = app.operations();
  EXPECT_EQ(all.size(), 1U);
  return all.front();
}

bool has_field(const Operation& operation, int status, std::string_view name) {
  const Operation::Response* const response = operation.find_response(status);
  return response != nullptr && std::ranges::find(response->fields, name) != response->fields.end();
}

TEST(DescribedMiddleware, IsToldOfTheAppOfGroupsAndOfTheRoute) {
  App app;
  const auto says = [](int status) {
    return Hook{
        .describe = [status](Operation& operation) { operation.add_response(status, "!"); }};
  };
  app.use(says(430));
  Routes group = app.group("/a");
  group.use(says(431));
  group.get("/b", [] { return 1; }).use(says(432));
  app.get("/c", [] { return 1; });
  const std::vector<Operation> operations = app.operations();
  for (const int status : {430, 431, 432}) {
    EXPECT_NE(operations[0].find_response(status), nullptr) << status;
  }
  EXPECT_NE(operations[1].find_response(430), nullptr);
  EXPECT_EQ(operations[1].find_response(431), nullptr);
  EXPECT_EQ(operations[1].find_response(432), nullptr);
}

TEST(DescribedMiddleware, OfACoroutineAroundAndOfAHostIsToldToo) {
  App app;
  app.use(Middleware([](Request&, Next next) { return next(); }, "mine",
                     [](Operation& operation) { operation.add_response(430, "!"); }));
  app.host("api.example.org").get("/", [] { return 1; });
  EXPECT_NE(only(app).find_response(430), nullptr);
}

TEST(DescribedMiddleware, OfAMountedAppIsToldInTheWhole) {
  App inner;
  inner.use(maintenance(MaintenanceSwitch()));
  inner.get("/x", [] { return 1; });
  App app;
  app.use(request_id());
  app.mount("/in", std::move(inner));
  EXPECT_TRUE(has_field(only(app), 503, "Retry-After"));
  EXPECT_TRUE(has_field(only(app), 503, "X-Request-Id"));
}

TEST(DescribedMiddleware, IsToldFromTheHandlerOutward) {
  App app;
  std::string order;
  const auto says = [&order](std::string_view what) {
    return [&order, what](Operation&) { order.append(what); };
  };
  const auto around = [&says](std::string_view what) {
    return Middleware([](Request&, Next next) { return next(); }, "", says(what));
  };
  app.use(Hook{.describe = says("6")}).use(Hook{.describe = says("5")});
  app.use(around("2"));
  app.get("/", [] { return 1; })
      .use(Hook{.describe = says("4")})
      .use(Hook{.describe = says("3")})
      .use(around("1"));
  (void)app.operations();
  EXPECT_EQ(order, "123456");
}

TEST(DescribedMiddleware, NegotiationTellsEachTypeThatIsGivenAndTaken) {
  App app;
  app.use(negotiate());
  app.put("/", [](Json<Folder> folder) { return std::move(*folder); });
  const Operation folder = only(app);
  EXPECT_EQ(media_types(folder.contents), kTreeTypes);
  EXPECT_EQ(media_types(folder.find_response(200)->contents), kTreeTypes);
  for (const Operation::Content& content : folder.contents) {
    EXPECT_EQ(content.type, folder.contents.front().type);
  }
  EXPECT_EQ(folder.find_response(406), nullptr);  // the handler has run, so the response is JSON
}

template <class T>
std::vector<std::string> types_of_a_list_of() {
  App app;
  app.use(negotiate());
  app.get("/", [] { return std::vector<T>(); });
  return media_types(only(app).find_response(200)->contents);
}

TEST(DescribedMiddleware, NegotiationTellsOfTablesWhereRowsAreFlat) {
  EXPECT_EQ(types_of_a_list_of<Line>(), kTableTypes);
  EXPECT_EQ((types_of_a_list_of<std::variant<Round, Long>>()), kTableTypes);
  EXPECT_EQ((types_of_a_list_of<std::map<std::string, int>>()), kTableTypes);
  EXPECT_EQ(types_of_a_list_of<json::Value>(), kTableTypes);
  EXPECT_EQ(types_of_a_list_of<Folder>(), kTreeTypes);
  EXPECT_EQ(types_of_a_list_of<int>(), kTreeTypes);
  EXPECT_EQ(types_of_a_list_of<std::vector<int>>(), kTreeTypes);
}

TEST(DescribedMiddleware, NegotiationTellsOfFormsWhereItTakesThem) {
  App app;
  app.use(negotiate({.forms = true}));
  app.put("/flat", [](Json<Line> line) { return std::move(*line); });
  app.put("/nested", [](Json<Folder> folder) { return std::move(*folder); });
  const std::vector<Operation> told = app.operations();
  EXPECT_EQ(media_types(told[0].contents), with(kTreeTypes, "application/x-www-form-urlencoded"));
  EXPECT_EQ(media_types(told[1].contents), kTreeTypes);
}

TEST(DescribedMiddleware, NegotiationLeavesAloneWhatIsNoJson) {
  App app;
  app.use(negotiate());
  app.get("/", [] { return Html("<p>"); });
  EXPECT_EQ(media_types(only(app).find_response(200)->contents),
            std::vector<std::string>{"text/html"});
  EXPECT_EQ(only(app).find_response(406), nullptr);
}

TEST(DescribedMiddleware, EachTypeThatIsToldIsGivenAndTaken) {
  App app;
  app.use(negotiate());
  app.get("/", [] { return std::vector<Line>{{.id = 1, .title = "a", .weight = {}}}; });
  const Operation told = only(app);
  TestClient client(app);
  for (const std::string& type : media_types(told.find_response(200)->contents)) {
    const TestResponse reply = client.send({.target = "/", .headers = {{"Accept", type}}});
    EXPECT_TRUE(reply.header("Content-Type").value_or("").starts_with(type)) << type;
  }
  EXPECT_EQ(client.send({.target = "/", .headers = {{"Accept", "image/png"}}}).status, 406);
}

TEST(DescribedMiddleware, ASelectionTellsItsParameterAndItsNames) {
  App app;
  app.get("/", [] { return Folder(); })
      .use(select_fields<Line>({.allowed = {"id", "title"}, .parameter = "only", .at = "/lines"}));
  const Operation told = only(app);
  const Operation::Parameter* const parameter = told.find(Operation::In::query, "only");
  ASSERT_NE(parameter, nullptr);
  EXPECT_FALSE(parameter->is_required);
  EXPECT_EQ(parameter->selection.names, (std::vector<std::string>{"id", "title"}));
  EXPECT_EQ(parameter->selection.at, "/lines");
  EXPECT_NE(told.find_response(400), nullptr);
}

TEST(DescribedMiddleware, IdempotencyKeysAreToldOfWhatChangesAlone) {
  App app;
  app.use(idempotency_keys());
  app.post("/", [](Json<Line> line) { return std::move(*line); });
  app.get("/", [] { return 1; });
  const std::vector<Operation> told = app.operations();
  const Operation::Parameter* const key = told[0].find(Operation::In::header, "Idempotency-Key");
  ASSERT_NE(key, nullptr);
  EXPECT_FALSE(key->is_required);
  EXPECT_NE(told[0].find_response(409), nullptr);
  EXPECT_NE(told[0].find_response(422), nullptr);
  EXPECT_TRUE(has_field(told[0], 200, "Idempotent-Replayed"));
  EXPECT_EQ(told[1].find(Operation::In::header, "Idempotency-Key"), nullptr);
  EXPECT_EQ(told[1].find_response(409), nullptr);
}

TEST(DescribedMiddleware, AnIdempotencyKeyThatIsRequiredIsToldSo) {
  App app;
  app.patch("/", [] { return 1; }).use(idempotency_keys({.is_required = true}));
  EXPECT_TRUE(only(app).find(Operation::In::header, "Idempotency-Key")->is_required);
}

TEST(DescribedMiddleware, ConditionsAreToldOfWhatIsRead) {
  App app;
  app.use(conditional_requests());
  app.get("/", [] { return Line(); });
  app.put("/", [](Json<Line> line) { return std::move(*line); });
  app.get("/stream", [](ResponseStream) -> Task<> { co_return; });
  const std::vector<Operation> told = app.operations();
  EXPECT_NE(told[0].find(Operation::In::header, "If-None-Match"), nullptr);
  EXPECT_NE(told[0].find(Operation::In::header, "If-Match"), nullptr);
  EXPECT_TRUE(has_field(told[0], 200, "ETag"));
  EXPECT_TRUE(has_field(told[0], 304, "ETag"));
  EXPECT_TRUE(told[0].find_response(304)->contents.empty());
  EXPECT_NE(told[0].find_response(412), nullptr);
  for (const std::size_t index : {1U, 2U}) {
    EXPECT_EQ(told[index].find_response(304), nullptr);
    EXPECT_EQ(told[index].find(Operation::In::header, "If-None-Match"), nullptr);
  }
}

TEST(DescribedMiddleware, CacheControlIsToldOfResponsesThatSayIt) {
  App app;
  app.use(cache_control({.no_cache = true}));
  app.get("/{id}",
          [](int id) -> Result<Line> { return Line{.id = id, .title = {}, .weight = {}}; });
  EXPECT_TRUE(has_field(only(app), 200, "Cache-Control"));
  EXPECT_FALSE(has_field(only(app), 400, "Cache-Control"));
}

TEST(DescribedMiddleware, ALimitIsToldWithItsFields) {
  App app;
  app.use(rate_limit({.requests = 1}));
  app.get("/", [] { return 1; });
  for (const char* const name : {"Retry-After", "RateLimit", "RateLimit-Policy"}) {
    EXPECT_TRUE(has_field(only(app), 429, name)) << name;
  }
  EXPECT_TRUE(has_field(only(app), 200, "RateLimit"));
  EXPECT_FALSE(has_field(only(app), 200, "Retry-After"));
}

TEST(DescribedMiddleware, WhatRefusesIsToldWithItsStatus) {
  App app;
  app.use(csrf()).use(timeout(std::chrono::seconds(1))).use(concurrency_limit());
  app.use(address_list({.deny = "10.0.0.0/8"})).use(response_cache());
  app.post("/", [](Json<Line> line) { return std::move(*line); });
  app.get("/", [] { return 1; });
  const std::vector<Operation> told = app.operations();
  for (const Operation& operation : told) {
    EXPECT_NE(operation.find_response(403), nullptr);
    EXPECT_TRUE(has_field(operation, 503, "Retry-After"));
  }
  EXPECT_TRUE(has_field(told[1], 200, "Age"));
  EXPECT_FALSE(has_field(told[0], 200, "Age"));
}

}  // namespace
}  // namespace eider
