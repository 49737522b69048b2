#include "eider/web/openapi/openapi.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "eider/eider.h"
#include "eider/middleware.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

struct Other {
  struct Note {
    int number;
  };
};

enum class Colour { red, green };

struct Note {
  Sized<std::string, 1, 200> title;
  std::string text = kOptional;
  std::optional<Bounded<int, 0, 5>> stars;
  Colour colour = Colour::red;
};
struct Tree {
  int value;
  std::vector<Tree> children;
  std::unique_ptr<Tree> parent;
};
struct Circle {
  double radius;
};
struct Square {
  float side;
};
struct Rich {
  std::variant<Circle, Square> shape;
  std::map<std::string, std::uint8_t> counts;
  std::set<Uuid> ids;
  std::array<std::int64_t, 2> pair;
  Email mail;
  Decimal price;
  std::chrono::sys_seconds at;
  json::Value any;
  Validated<std::string, Matches<"[a-z]+">> word;
  Sized<std::vector<std::byte>, 0, 4> seal;
};
struct Find {
  std::vector<std::string> tag;
  std::optional<int> page;
  std::string q;
};

struct Said {
  Sized<std::string, 1, 9> title;
  std::optional<int> stars;
  Colour colour = Colour::red;
  static constexpr MemberText kDocs[] = {
      {"title", "What it is about.", "12"}, {"stars", "How good.", "3"}, {"colour", "", "green"}};
};

struct Even {
  static bool check(int number) { return number % 2 == 0; }
  static Requirement describe() { return {.code = "even", .text = "must be even"}; }
};
struct Small {
  static bool check(int number) { return number < 10; }
  static Requirement describe() { return {.code = "small", .text = "must be small"}; }
};
struct Ruled {
  Validated<std::string, Matches<"[a-z]+">, Matches<".{2,}">> word;
  Validated<Sized<std::string, 1, 50>, HasLength<3, 20>, Matches<"[a-z]+">> name;
  Validated<Bounded<int, 0, 5>, InRange<int, -3, 3>> stars;
  Validated<int, Even, Small> number;
  Bounded<double, 0.0, std::numeric_limits<double>::infinity()> weight;
};

json::Value document_of(const App& app, const OpenApiInfo& info = {}) {
  return *json::read<json::Value>(openapi_document(app.operations(), info));
}

/// Returns the schema of the result of a handler.
template <class T>
json::Value schema_of() {
  App app;
  app.post("/", [](Json<T>) {});
  return document_of(app);
}

TEST(OpenApi, says_what_a_route_takes_and_answers) {
  App app;
  app.get("/notes/{id}", [](std::int64_t) -> std::optional<Note> { return std::nullopt; });
  const json::Value all = document_of(app, {.title = "Notes", .version = "1.2.0"});
  EXPECT_EQ(all.at("/openapi").text(), "3.1.1");
  EXPECT_EQ(all.at("/info/title").text(), "Notes");
  EXPECT_EQ(all.at("/info/version").text(), "1.2.0");
  const json::Value& get = all.at("/paths/~1notes~1{id}/get");
  EXPECT_EQ(get.at("/operationId").text(), "get_notes_id");
  EXPECT_EQ(json::to_text(get.at("/parameters")),
            R"([{"name":"id","in":"path","required":true,"schema":{"type":"integer",)"
            R"("format":"int64","minimum":-9223372036854775808,"maximum":9223372036854775807}}])");
  EXPECT_EQ(get.at("/responses/200/content/application~1json/schema/$ref").text(),
            "#/components/schemas/Note");
  EXPECT_EQ(get.at("/responses/404/content/application~1problem+json/schema/$ref").text(),
            "#/components/schemas/Problem");
}

TEST(OpenApi, requires_what_reading_requires_and_allows_no_more) {
  const json::Value all = schema_of<Note>();
  const json::Value& note = all.at("/components/schemas/Note");
  EXPECT_EQ(json::to_text(note.at("/required")), R"(["title"])");
  EXPECT_EQ(note.at("/additionalProperties").boolean(), false);
  EXPECT_EQ(json::to_text(note.at("/properties/title")),
            R"({"type":"string","minLength":1,"maxLength":200})");
  EXPECT_EQ(json::to_text(note.at("/properties/stars/anyOf/1")), R"({"type":"null"})");
  EXPECT_EQ(note.at("/properties/stars/anyOf/0/maximum").integer(), 5);
  EXPECT_EQ(json::to_text(all.at("/components/schemas/Colour")),
            R"({"type":"string","enum":["red","green"]})");
}

TEST(OpenApi, knows_types_of_every_kind) {
  const json::Value all = schema_of<Rich>();
  const json::Value& members = all.at("/components/schemas/Rich/properties");
  EXPECT_EQ(members.at("/shape/oneOf/0/properties/type/const").text(), "Circle");
  EXPECT_EQ(members.at("/counts/additionalProperties/maximum").integer(), 255);
  EXPECT_EQ(members.at("/ids/uniqueItems").boolean(), true);
  EXPECT_EQ(members.at("/ids/items/format").text(), "uuid");
  EXPECT_EQ(members.at("/pair/minItems").integer(), 2);
  EXPECT_EQ(members.at("/mail/format").text(), "email");
  EXPECT_EQ(members.at("/price/format").text(), "decimal");
  EXPECT_EQ(members.at("/seal/type").text(), "string");
  EXPECT_EQ(members.at("/seal/contentEncoding").text(), "base64");
  EXPECT_EQ(members.at("/seal").find("format"), nullptr);
  EXPECT_EQ(members.at("/seal/maxLength").integer(), 8);
  EXPECT_EQ(members.at("/at/format").text(), "date-time");
  EXPECT_EQ(json::to_text(members.at("/any")), "{}");
  EXPECT_EQ(members.at("/word/pattern").text(), "^(?:[a-z]+)$");
}

TEST(OpenApi, has_all_rules_also_where_they_say_the_same_word) {
  const json::Value all = schema_of<Ruled>();
  const json::Value& members = all.at("/components/schemas/Ruled/properties");
  EXPECT_EQ(json::to_text(members.at("/word")),
            R"({"type":"string","pattern":"^(?:[a-z]+)$","allOf":[{"pattern":"^(?:.{2,})$"}]})");
  EXPECT_EQ(json::to_text(members.at("/name")),
            R"({"type":"string","minLength":1,"maxLength":50,)"
            R"("allOf":[{"minLength":3},{"maxLength":20}],"pattern":"^(?:[a-z]+)$"})");
  EXPECT_EQ(json::to_text(members.at("/stars")),
            R"({"type":"integer","format":"int32","minimum":0,"maximum":5,)"
            R"("allOf":[{"minimum":-3},{"maximum":3}]})");
  EXPECT_EQ(members.at("/number/description").text(), "must be even, must be small");
  EXPECT_EQ(json::to_text(members.at("/weight")),
            R"({"type":"number","format":"double","minimum":0})");
}

TEST(OpenApi, refers_to_a_struct_that_holds_itself) {
  const json::Value tree = schema_of<Tree>().at("/components/schemas/Tree");
  EXPECT_EQ(tree.at("/properties/children/items/$ref").text(), "#/components/schemas/Tree");
  EXPECT_EQ(tree.at("/properties/parent/anyOf/0/$ref").text(), "#/components/schemas/Tree");
}

TEST(OpenApi, numbers_types_of_one_name) {
  App app;
  app.post("/a", [](Json<Note>) {});
  app.post("/b", [](Json<Other::Note>) {});
  const json::Value all = document_of(app);
  EXPECT_NE(all.find_at("/components/schemas/Note/properties/title"), nullptr);
  EXPECT_NE(all.find_at("/components/schemas/Note2/properties/number"), nullptr);
}

TEST(OpenApi, tells_parameters_of_queries_headers_and_cookies) {
  App app;
  app.get("/", [](Query<Find>, Header<"X-Client", std::optional<std::string>>, Cookie<"sid">,
                  Header<"Authorization", std::optional<std::string>>) {});
  const json::Value all = document_of(app);
  std::string told;
  for (const json::Value& one : all.at("/paths/~1/get/parameters").elements()) {
    told += one.at("/in").text() + ":" + one.at("/name").text() +
            (one.at("/required").boolean()            ? "! "
             : one.find("allowEmptyValue") != nullptr ? "? "
                                                      : " ");
  }
  EXPECT_EQ(told, "query:tag query:page? query:q! header:X-Client cookie:sid! ");
}

TEST(OpenApi, tells_what_is_said_about_a_route) {
  App app;
  app.get("/", [] { return 1; })
      .docs({.summary = "A number",
             .description = "Always *one*.",
             .tags = {"numbers"},
             .operation_id = "one",
             .is_deprecated = true});
  EXPECT_TRUE(json::to_text(document_of(app).at("/paths/~1/get"))
                  .starts_with(R"({"operationId":"one","summary":"A number",)"
                               R"("description":"Always *one*.","tags":["numbers"],)"
                               R"("deprecated":true,)"));
}

TEST(OpenApi, says_what_a_struct_says_of_its_members) {
  App app;
  app.post("/", [](Json<Said>) {});
  app.get("/", [](Query<Said>) {});
  const json::Value all = document_of(app);
  const json::Value& members = all.at("/components/schemas/Said/properties");
  EXPECT_EQ(members.at("/title/description").text(), "What it is about.");
  EXPECT_EQ(json::to_text(members.at("/title/examples")), R"(["12"])");
  EXPECT_EQ(json::to_text(members.at("/stars/examples")), "[3]");
  EXPECT_EQ(json::to_text(members.at("/colour")),
            R"({"$ref":"#/components/schemas/Colour","examples":["green"]})");
  EXPECT_EQ(all.at("/paths/~1/get/parameters/0/description").text(), "What it is about.");
  EXPECT_EQ(json::to_text(all.at("/paths/~1/get/parameters/1/example")), "3");
}

auto guard_by(std::vector<std::string> names) {
  return [names](Operation& operation) {
    for (const std::string& name : names) {
      operation.secure({.name = name, .kind = Operation::Security::Kind::http, .field = "bearer"});
    }
  };
}

TEST(OpenApi, asks_for_one_way_of_each_guard) {
  App app;
  app.guard([](const Request&) -> Result<void> { return {}; }, guard_by({"token", "key"}));
  app.guard([](const Request&) -> Result<void> { return {}; }, guard_by({"second"}));
  app.get("/", [] {});
  const json::Value all = document_of(app);
  EXPECT_EQ(json::to_text(all.at("/paths/~1/get/security")),
            R"([{"token":[],"second":[]},{"key":[],"second":[]}])");
  EXPECT_EQ(all.at("/components/securitySchemes").size(), 3U);
}

struct SessionUser {
  static constexpr bool kIsInjectable = true;
};
struct ApiCaller {
  static constexpr bool kIsInjectable = true;
};

/// Returns the security requirements of a provider with an optional login of the scheme "session".
std::string ways_of_provider(const std::vector<std::string>& names) {
  App app;
  app.provide([](const Request&) -> Result<SessionUser> { return SessionUser(); },
              guard_by({"session"}));
  app.provide([](const std::optional<SessionUser>&) -> Result<ApiCaller> { return ApiCaller(); },
              guard_by(names));
  app.get("/", [](const ApiCaller&) {});
  return json::to_text(document_of(app).at("/paths/~1/get/security"));
}

TEST(OpenApi, offers_a_login_or_a_token_where_a_provider_describes_both) {
  EXPECT_EQ(ways_of_provider({"session", "token"}), R"([{"session":[]},{"token":[]}])");
  EXPECT_EQ(ways_of_provider({"session"}), R"([{"session":[]}])");
  EXPECT_EQ(ways_of_provider({"token"}), R"([{"session":[],"token":[]},{"token":[]}])");
}

TEST(OpenApi, offers_an_optional_login_that_two_providers_read) {
  App app;
  app.provide([](const Request&) -> Result<SessionUser> { return SessionUser(); },
              guard_by({"session"}));
  app.provide([](const Request&) -> Result<ApiCaller> { return ApiCaller(); },
              guard_by({"session"}));
  app.get("/", [](const std::optional<SessionUser>&, const std::optional<ApiCaller>&) {});
  EXPECT_EQ(json::to_text(document_of(app).at("/paths/~1/get/security")), R"([{"session":[]},{}])");
}

TEST(OpenApi, says_what_a_bearers_token_is_where_somebody_says_it) {
  const auto let_in = [](const Request&) -> Result<void> { return {}; };
  App app;
  app.guard(let_in, [](Operation& operation) {
    operation.secure({.name = "token",
                      .kind = Operation::Security::Kind::http,
                      .field = "bearer",
                      .format = "JWT"});
  });
  app.get("/", [] {});
  EXPECT_EQ(json::to_text(document_of(app).at("/components/securitySchemes/token")),
            R"({"type":"http","scheme":"bearer","bearerFormat":"JWT"})");
}

TEST(OpenApi, asks_for_the_scopes_of_all_guards_of_a_scheme) {
  const auto needs = [](std::vector<std::string> scopes) {
    return [scopes](Operation& operation) {
      operation.secure({.name = "token",
                        .kind = Operation::Security::Kind::http,
                        .field = "bearer",
                        .scopes = scopes});
    };
  };
  const auto let_in = [](const Request&) -> Result<void> { return {}; };
  App app;
  app.guard(let_in, needs({"read", "list"}));
  app.guard(let_in, needs({"write", "read"}));
  app.guard(let_in, needs({}));
  app.get("/", [] {});
  EXPECT_EQ(json::to_text(document_of(app).at("/paths/~1/get/security")),
            R"([{"token":["read","list","write"]}])");
}

TEST(OpenApi, tells_each_choice_of_schemes_once) {
  App app;
  app.guard([](const Request&) -> Result<void> { return {}; }, guard_by({"token", "key"}));
  app.guard([](const Request&) -> Result<void> { return {}; }, guard_by({"token", "key"}));
  app.get("/", [] {});
  EXPECT_EQ(json::to_text(document_of(app).at("/paths/~1/get/security")),
            R"([{"token":[]},{"token":[],"key":[]},{"key":[]}])");
}

TEST(OpenApi, tells_what_a_stream_is_made_of) {
  App app;
  app.get("/", [](JsonLines<Note>) -> Task<> { co_return; });
  const json::Value media =
      document_of(app).at("/paths/~1/get/responses/200/content").members()[0].value;
  EXPECT_EQ(media.at("/x-itemSchema/$ref").text(), "#/components/schemas/Note");
  EXPECT_EQ(media.at("/schema/type").text(), "string");
}

// Like events in OpenAPI 3.2: objects that contain JSON as text.
TEST(OpenApi, tells_what_events_hold) {
  App app;
  app.get("/typed", [](JsonEvents<Note>) -> Task<> { co_return; });
  app.get("/text", [](EventStream) -> Task<> { co_return; });
  app.get("/word", [](JsonEvents<std::string>) -> Task<> { co_return; });
  const json::Value document = document_of(app);
  const auto data = [&](const std::string& path) {
    const json::Value& get = document["paths"][path]["get"];
    EXPECT_EQ(get.at("/parameters/0/name").text(), "Last-Event-ID");
    const json::Value& media = get["responses"]["200"]["content"]["text/event-stream"];
    EXPECT_EQ(media.at("/x-itemSchema/type").text(), "object");
    EXPECT_EQ(media.at("/schema/type").text(), "string");
    return json::to_text(media.at("/x-itemSchema/properties/data"));
  };
  EXPECT_EQ(data("/typed"), R"({"type":"string","contentMediaType":"application/json",)"
                            R"("contentSchema":{"$ref":"#/components/schemas/Note"}})");
  EXPECT_EQ(data("/text"), R"({"type":"string"})");
  EXPECT_EQ(data("/word"), R"({"type":"string","contentMediaType":"application/json",)"
                           R"("contentSchema":{"type":"string"}})");
}

TEST(OpenApi, tells_a_websocket_by_the_get_that_opens_it) {
  App app;
  app.ws("/talk", [](WebSocket) -> Task<> { co_return; });
  const json::Value get = document_of(app).at("/paths/~1talk/get");
  EXPECT_NE(get.find_at("/responses/101"), nullptr);
  EXPECT_EQ(get.at("/externalDocs/url").text(), "https://www.rfc-editor.org/rfc/rfc6455");
}

TEST(OpenApi, has_the_urls_of_servers_encoded) {
  App app;
  app.get("/", [] {});
  const json::Value document =
      document_of(app, {.servers = {"https://{tenant}.example.org/caf\xC3\xA9 x", "/a%20b"}});
  EXPECT_EQ(document.at("/servers/0/url").text(), "https://{tenant}.example.org/caf%C3%A9%20x");
  EXPECT_EQ(document.at("/servers/1/url").text(), "/a%20b");
}

TEST(OpenApi, tells_only_what_lies_below) {
  App app;
  app.get("/", [] {});
  app.get("/api/a", [] {});
  EXPECT_EQ(document_of(app, {.below = "/api/"}).at("/paths").size(), 1U);
}

TEST(OpenApi, does_not_take_a_longer_name_for_what_lies_below) {
  App app;
  app.get("/api", [] {});
  app.get("/api/a", [] {});
  app.get("/apikeys", [] {});
  app.get("/ap", [] {});
  for (const char* const below : {"/api", "/api/"}) {
    const json::Value paths = document_of(app, {.below = below}).at("/paths");
    EXPECT_EQ(paths.size(), 2U) << below;
    EXPECT_NE(paths.find("/api"), nullptr) << below;
    EXPECT_NE(paths.find("/api/a"), nullptr) << below;
  }
  EXPECT_EQ(document_of(app, {.below = "/"}).at("/paths").size(), 4U);
}

TEST(OpenApi, puts_routes_that_differ_in_names_at_one_path) {
  App app;
  app.put("/n/{key}/to/{other}", [](std::int64_t, std::string_view) {});
  app.get("/n/{id}/to/{end}", [](std::int64_t, std::string_view) {});
  const json::Value paths = document_of(app).at("/paths");
  ASSERT_EQ(paths.size(), 1U);
  const json::Value& item = paths.at("/~1n~1{id}~1to~1{end}");
  for (const char* const method : {"get", "put"}) {
    const json::Value& parameters = item.at("/" + std::string(method) + "/parameters");
    EXPECT_EQ(parameters[0].at("/name").text(), "id") << method;
    EXPECT_EQ(parameters[0].at("/schema/type").text(), "integer") << method;
    EXPECT_EQ(parameters[1].at("/name").text(), "end") << method;
  }
}

TEST(OpenApi, prefers_what_takes_a_segment_to_what_takes_the_rest) {
  App app;
  app.get("/f/{a...}", [](std::string_view) {}).docs({.summary = "the rest"});
  app.get("/f/{b}", [](std::string_view) {}).docs({.summary = "a segment"});
  const json::Value paths = document_of(app).at("/paths");
  ASSERT_EQ(paths.size(), 1U);
  EXPECT_EQ(paths.at("/~1f~1{b}/get/summary").text(), "a segment");
}

TEST(OpenApi, has_a_template_for_a_family_of_hosts) {
  App app;
  app.host("*.example.org").get("/", [] {});
  app.host("api.example.org").get("/a", [] {});
  const json::Value paths = document_of(app).at("/paths");
  const json::Value& server = paths.at("/~1/get/servers/0");
  EXPECT_EQ(server.at("/url").text(), "https://{name}.example.org");
  EXPECT_EQ(server.at("/variables/name/default").text(), "www");
  EXPECT_EQ(paths.at("/~1a/get/servers/0/url").text(), "https://api.example.org");
}

TEST(OpenApi, may_be_several_documents_with_an_option_each) {
  App app;
  app.get("/api/a", [] { return 1; });
  app.get("/admin/b", [] { return 2; });
  serve_openapi(app, {.below = "/api"});
  EXPECT_THROW(serve_openapi(app, {.below = "/admin"}, "/admin.json"), Failure);
  serve_openapi(app, {.below = "/admin", .option = "openapi-admin"}, "/admin.json");
  serve_openapi(app, {.option = ""}, "/all.json");
  TestClient client(app);
  EXPECT_NE(client.get("/openapi.json").json<json::Value>().find_at("/paths/~1api~1a"), nullptr);
  const std::string admin = client.get("/admin.json").body;
  EXPECT_NE(json::read<json::Value>(admin)->find_at("/paths/~1admin~1b"), nullptr);
  const char* const words[] = {"program", "--openapi-admin"};
  const auto read = read_command_line(2, words, app.options());
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().text(), admin + "\n");
}

TEST(OpenApi, is_printed_in_place_of_serving) {
  App app;
  app.get("/a", [] { return 1; });
  const std::string document = openapi_document(app.operations(), {.title = "Printed"});
  serve_openapi(app, {.title = "Printed"});
  const char* const words[] = {"program", "--openapi"};
  const auto read = read_command_line(2, words, app.options());
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code(), 0);
  EXPECT_EQ(read.error().text(), document + "\n");
}

TEST(OpenApi, is_the_same_wherever_routes_stand) {
  App one;
  one.get("/b", [] { return 1; });
  one.get("/a", [] { return 2; });
  App other;
  other.get("/a", [] { return 2; });
  other.get("/b", [] { return 1; });
  EXPECT_EQ(openapi_document(one.operations()), openapi_document(other.operations()));
}

TEST(OpenApi, numbers_names_wherever_routes_stand) {
  const auto add_note = [](App& app) { app.post("/a-b", [](Json<Note>) {}); };
  const auto add_other = [](App& app) { app.post("/a/b", [](Json<Other::Note>) {}); };
  App one;
  add_note(one);
  add_other(one);
  App other;
  add_other(other);
  add_note(other);
  EXPECT_EQ(openapi_document(one.operations()), openapi_document(other.operations()));
}

TEST(OpenApi, prefers_what_is_of_no_host) {
  App app;
  app.host("api.example.org").get("/", [] { return 1; }).docs({.summary = "of the host"});
  app.get("/", [] { return 2; }).docs({.summary = "of all"});
  EXPECT_EQ(document_of(app).at("/paths/~1/get/summary").text(), "of all");
}

TEST(OpenApi, leaves_out_methods_that_it_does_not_know) {
  App app;
  app.query("/find", [] { return 1; });
  EXPECT_EQ(document_of(app).at("/paths").size(), 0U);
}

TEST(OpenApi, sorts_answers_by_status) {
  App app;
  app.post("/", [](Json<Note>) -> Result<Created<Note>> { return fail(Error::not_found()); });
  const json::Value all = document_of(app);
  std::string told;
  for (const json::Field& response : all.at("/paths/~1/post/responses").members()) {
    told += response.name + " ";
  }
  EXPECT_EQ(told, "default 201 400 413 415 422 ");
}

TEST(OpenApi, ASelectionIsAListWithWhatItSelects) {
  App app;
  app.get("/", [] { return Note(); }).use(select_fields<Note>({.allowed = {"title", "stars"}}));
  const json::Value all = document_of(app);
  const json::Value& parameter = all.at("/paths/~1/get/parameters/0");
  EXPECT_EQ(parameter["name"], json::Value("fields"));
  EXPECT_EQ(parameter["required"], json::Value(false));
  EXPECT_EQ(parameter["explode"], json::Value(false));
  EXPECT_EQ(json::to_text(parameter["schema"]),
            R"({"type":"array","items":{"type":"string","enum":["title","stars"]},"minItems":1})");
  EXPECT_EQ(parameter["x-selects"], json::Value(""));
}

TEST(OpenApi, AResponseHasItsFieldsOnce) {
  App app;
  app.use(conditional_requests()).use(request_id());
  app.get("/", [] { return Note(); }).use(conditional_requests());
  const json::Value all = document_of(app);
  EXPECT_EQ(all.at("/paths/~1/get/responses/200/headers").size(), 2U);
  EXPECT_EQ(all.at("/paths/~1/get/parameters").size(), 4U);
  EXPECT_NE(all.find_at("/paths/~1/get/responses/304/headers/ETag"), nullptr);
  EXPECT_EQ(all.find_at("/paths/~1/get/responses/304/content"), nullptr);
}

TEST(OpenApi, EachFormatIsOfOneSchemaAndATableIsText) {
  App app;
  app.use(negotiate());
  app.get("/", [] { return std::vector<Note>(); });
  const json::Value all = document_of(app);
  const json::Value& content = all.at("/paths/~1/get/responses/200/content");
  EXPECT_EQ(content.size(), 6U);
  EXPECT_EQ(content["application/cbor"], content["application/json"]);
  EXPECT_EQ(content["text/csv"]["schema"]["type"], json::Value("string"));
}

TEST(OpenApi, gives_each_operation_a_name_of_its_own) {
  App app;
  app.get("/a/b", [] {});
  app.get("/a-b", [] {});
  app.post("/a/b", [] {});
  const json::Value all = document_of(app);
  const std::set<std::string> names = {all.at("/paths/~1a~1b/get/operationId").text(),
                                       all.at("/paths/~1a-b/get/operationId").text(),
                                       all.at("/paths/~1a~1b/post/operationId").text()};
  EXPECT_EQ(names, (std::set<std::string>{"get_a_b", "get_a_b_2", "post_a_b"}));
}

TEST(OpenApi, is_served_for_the_routes_that_stand_in_front) {
  App app;
  app.get("/files/{path...}", [](std::string_view) { return Html("x"); });
  serve_openapi(app, {.title = "Files"});
  const std::string here = "openapi_test.cc:" + std::to_string(__LINE__ - 1) + "\n";
  EXPECT_TRUE(app.list_routes().contains(here)) << app.list_routes();
  TestClient client(app);
  const TestResponse reply = client.get("/openapi.json");
  EXPECT_EQ(reply.header("Content-Type"), "application/json");
  const auto all = reply.json<json::Value>();
  EXPECT_NE(all.find_at("/paths/~1files~1{path}/get"), nullptr);
  EXPECT_EQ(all.at("/paths").size(), 1U);
}

}  // namespace
}  // namespace eider
