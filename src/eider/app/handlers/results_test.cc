#include "eider/app/handlers/results.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/log.h"
#include "eider/core/base/url.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

struct ResultNote {
  int id;
  std::string title;
};

std::vector<std::string> types_of(const TestResponse& reply) {
  std::vector<std::string> types;
  for (const auto& [name, value] : reply.headers) {
    if (name == "Content-Type") {
      types.push_back(value);
    }
  }
  return types;
}

TEST(ContentType, is_sent_once_however_it_was_set) {
  App app;
  app.get("/added", [] { return Response::text("a,b").add_header("Content-Type", "text/csv"); });
  app.get("/twice",
          [] { return Response().set_type("text/csv").set_type("text/x").set_body("x"); });
  app.get("/static",
          [] { return Response().set_type("text/csv").set_static_type(kTextHtml).set_body("x"); });
  app.get("/failed", [](Request&) -> Response { throw Failure(Error::conflict("Taken.")); });
  app.on_response([](const Request& request, Response& response) {
    if (request.path() == "/hooked") {
      response.add_header("content-type", "text/csv");
    }
  });
  app.get("/hooked", [] { return "x"; });
  TestClient client(app);
  using Types = std::vector<std::string>;
  EXPECT_EQ(types_of(client.get("/added")), Types{"text/csv"});
  EXPECT_EQ(types_of(client.get("/twice")), Types{"text/x"});
  EXPECT_EQ(types_of(client.get("/static")), Types{std::string(kTextHtml)});
  EXPECT_EQ(types_of(client.get("/hooked")), Types{"text/csv"});
}

TEST(ContentType, an_errors_own_takes_the_place_of_an_earlier_one) {
  App app;
  app.use(Hook{.on_request =
                   [](Request&, Response& response) {
                     response.set_type("text/csv");
                     return true;
                   },
               .on_response = {}});
  app.get("/failed", []() -> int { throw Failure(Error::conflict("Taken.")); });
  app.get("/untyped", [] { return Response().set_body("a,b"); });
  TestClient client(app);
  EXPECT_EQ(types_of(client.get("/failed")), std::vector<std::string>{"application/problem+json"});
  EXPECT_EQ(types_of(client.get("/untyped")), std::vector<std::string>{"text/csv"});
}

TEST(Errors, carry_fields_of_their_own) {
  App app;
  app.get("/result", []() -> Result<int> {
    return fail(Error(429, "Too many attempts.").with_header("Retry-After", "30"));
  });
  app.get("/thrown", []() -> int {
    throw Failure(Error::unauthorized("Who are you?")
                      .with_header("WWW-Authenticate", "Basic realm=\"a\"")
                      .with_header("WWW-Authenticate", "Bearer"));
  });
  TestClient client(app);
  const TestResponse reply = client.get("/result");
  EXPECT_EQ(reply.status, 429);
  EXPECT_EQ(reply.header("Retry-After"), "30");
  EXPECT_EQ(reply.problem().detail, "Too many attempts.");
  const std::string raw = client.raw("GET /thrown HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(raw.contains("\r\nWWW-Authenticate: Basic realm=\"a\"\r\n")) << raw;
  EXPECT_TRUE(raw.contains("\r\nWWW-Authenticate: Bearer\r\n")) << raw;
}

TEST(Errors, have_an_address_and_a_title_where_their_kind_has_them) {
  App app;
  app.get("/order", []() -> Result<std::string> {
    return fail(
        Error::conflict("There are 3 left.")
            .with_type({.uri = "https://shop.example/out-of-stock", .title = "Sold \"out\""}));
  });
  app.get("/old", []() -> Result<std::string> {
    return fail(Error(410, "Long ago.").with_type({.uri = "/problems/gone"}));
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/order").body,
            R"({"type":"https://shop.example/out-of-stock","title":"Sold \"out\"","status":409,)"
            R"("detail":"There are 3 left."})");
  EXPECT_EQ(client.get("/old").body,
            R"({"type":"/problems/gone","title":"Gone","status":410,"detail":"Long ago."})");
}

TEST(Errors, of_a_status_without_a_phrase_have_a_title_all_the_same) {
  App app;
  app.get("/tea", []() -> Result<std::string> { return fail(Error(499, "No coffee.")); });
  app.get("/odd", []() -> Result<std::string> { return fail(Error(599, "Odd.")); });
  TestClient client(app);
  EXPECT_EQ(client.get("/tea").body,
            R"({"type":"about:blank","title":"Client Error","status":499,"detail":"No coffee."})");
  EXPECT_EQ(client.get("/odd").body,
            R"({"type":"about:blank","title":"Server Error","status":599,"detail":"Odd."})");
}

TEST(Errors, that_are_returned_tell_their_cause_to_the_log_alone) {
  const auto log = std::make_shared<LogLines>();
  App app;
  app.log_to(log);
  app.get("/handler", []() -> Result<std::string> { return fail(Error::internal("disk full")); });
  app.get("/waits", []() -> Task<Result<std::string>> {
    co_return fail(Error::unavailable("Later.").because("no peer"));
  });
  app.get("/guarded", [] { return "never"; }).guard([]() -> Result<void> {
    return fail(Error::internal("no keys"));
  });
  app.get("/quiet", []() -> Result<std::string> {
    return fail(Error::conflict("Taken.").because("by nobody's business"));
  });
  TestClient client(app);
  for (const std::string path : {"/handler", "/waits", "/guarded", "/quiet"}) {
    const TestResponse reply = client.get(path);
    for (const std::string_view secret : {"disk", "peer", "keys", "business"}) {
      EXPECT_EQ(reply.body.find(secret), std::string::npos) << path;
    }
  }
  const std::vector<std::string> wanted = {
      "GET /handler failed: disk full (route at results_test.cc:",
      "GET /waits failed: no peer (route at results_test.cc:",
      "GET /guarded failed: no keys (route at results_test.cc:"};
  EXPECT_TRUE(std::ranges::equal(log->lines, wanted, [](const auto& line, const auto& begin) {
    return line.starts_with(begin);
  }));
}

TEST(Errors, with_a_field_that_would_split_the_response_are_a_500_in_the_log) {
  const auto log = std::make_shared<LogLines>();
  App app;
  app.log_to(log);
  app.get("/result", []() -> Result<int> {
    return fail(Error::conflict("Taken.").with_header("X-A", "1\r\nSet-Cookie: x=1"));
  });
  app.get("/thrown",
          []() -> int { throw Failure(Error::conflict("Taken.").with_header("X A", "1")); });
  app.get("/framing", []() -> int {
    throw Failure(Error::conflict("Taken.").with_header("Content-Length", "1"));
  });
  TestClient client(app);
  for (const char* target : {"/result", "/thrown", "/framing"}) {
    const TestResponse reply = client.get(target);
    EXPECT_EQ(reply.status, 500) << target;
    EXPECT_FALSE(reply.header("Set-Cookie").has_value()) << target;
  }
  ASSERT_EQ(log->lines.size(), 3U);
  EXPECT_TRUE(
      log->lines[0].starts_with("GET /result failed: a header value must not contain control "
                                "characters, or spaces at its ends (route at results_test.cc:"))
      << log->lines[0];
}

TEST(Results, may_have_a_status_fields_and_cookies_beside_their_value) {
  App app;
  app.get("/note", [] {
    return ResponseOf(ResultNote{1, "tea"})
        .status(201)
        .header("ETag", "\"1\"")
        .cookie({.name = "sid", .value = "abc"});
  });
  app.get("/text", []() -> Task<ResponseOf<std::string>> {
    co_return ResponseOf(std::string("a,b")).header("Content-Type", "text/csv");
  });
  app.get("/cookie", [] { return ResponseOf(1).cookie({.name = "a b", .value = "1"}); });
  app.log_to(std::make_shared<LogLines>());
  TestClient client(app);
  const TestResponse note = client.get("/note");
  EXPECT_EQ(note.status, 201);
  EXPECT_EQ(note.header("ETag"), "\"1\"");
  EXPECT_EQ(note.header("Set-Cookie"), "sid=abc; Path=/; SameSite=Lax; Secure; HttpOnly");
  EXPECT_EQ(note.header("Content-Type"), "application/json");
  EXPECT_EQ(note.json<ResultNote>().title, "tea");
  const TestResponse text = client.get("/text");
  EXPECT_EQ(text.status, 200);
  EXPECT_EQ(types_of(text), std::vector<std::string>{"text/csv"});
  EXPECT_EQ(client.get("/cookie").status, 500);
}

struct ShownNote {
  std::int64_t id;
  std::string title;
};

TEST(Results, shared_text_is_plain_text_and_none_of_it_a_404) {
  App app;
  app.get("/text", [] { return std::make_shared<const std::string>("shared"); });
  app.get("/own", [] { return std::make_shared<std::string>("shared"); });
  app.get("/none", [] { return std::shared_ptr<const std::string>(); });
  app.get("/page", [] {
    return Response().set_static_type(kTextHtml).set_shared_body(
        std::make_shared<const std::string>("<p>"));
  });
  EXPECT_EQ(TestClient(app).get("/text").body, "shared");
  EXPECT_EQ(TestClient(app).get("/own").header("Content-Type"), kTextPlain);
  EXPECT_EQ(TestClient(app).get("/none").status, 404);
  EXPECT_EQ(TestClient(app).get("/page").header("Content-Type"), kTextHtml);
}

TEST(Results, a_literal_is_plain_text) {
  App app;
  app.get("/hello", [] { return "Hello world"; });
  const TestResponse reply = TestClient(app).get("/hello");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "Hello world");
  EXPECT_EQ(reply.header("content-type"), "text/plain; charset=utf-8");
  EXPECT_TRUE(reply.header("Date").has_value());
  EXPECT_EQ(reply.header("Server"), "eider");
}

TEST(Results, every_kind_is_rendered_by_its_type) {
  App app;
  app.get("/string", [] { return std::string("s"); });
  app.get("/int", [] { return -7; });
  app.get("/unsigned", [] { return std::uint64_t{18446744073709551615U}; });
  app.get("/double", [] { return 1.5; });
  app.get("/bool", [] { return true; });
  app.get("/struct", [] { return ShownNote{1, "a\"b"}; });
  app.get("/vector", [] { return std::vector<ShownNote>{{1, "a"}, {2, "b"}}; });
  app.get("/none", [] { return std::optional<ShownNote>(); });
  app.get("/some", [] { return std::optional<ShownNote>({3, "c"}); });
  app.get("/void", [] {});
  app.get("/html", [] { return Html("<p>x</p>"); });
  app.get("/created", [] { return Created(ShownNote{4, "d"}, "/notes/4"); });
  app.get("/redirect", [] { return Redirect("/int"); });
  app.get("/json", [] { return Json(std::string("text")); });
  app.get("/response", [] { return Response::text("teapot", 418).add_header("X-A", "1"); });
  TestClient client(app);
  EXPECT_EQ(client.get("/string").body, "s");
  EXPECT_EQ(client.get("/int").body, "-7");
  EXPECT_EQ(client.get("/unsigned").body, "18446744073709551615");
  EXPECT_EQ(client.get("/double").body, "1.5");
  EXPECT_EQ(client.get("/bool").body, "true");
  EXPECT_EQ(client.get("/struct").body, R"({"id":1,"title":"a\"b"})");
  EXPECT_EQ(client.get("/struct").header("Content-Type"), "application/json");
  EXPECT_EQ(client.get("/vector").body, R"([{"id":1,"title":"a"},{"id":2,"title":"b"}])");
  EXPECT_EQ(client.get("/none").status, 404);
  EXPECT_EQ(client.get("/some").body, R"({"id":3,"title":"c"})");
  EXPECT_EQ(client.get("/void").status, 204);
  EXPECT_EQ(client.get("/html").header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(client.get("/created").status, 201);
  EXPECT_EQ(client.get("/created").header("Location"), "/notes/4");
  EXPECT_EQ(client.get("/redirect").status, 303);
  EXPECT_EQ(client.get("/redirect").header("Location"), "/int");
  EXPECT_EQ(client.get("/json").body, "\"text\"");
  EXPECT_EQ(client.get("/response").status, 418);
  EXPECT_EQ(client.get("/response").header("X-A"), "1");
}

TEST(Results, encode_control_characters_in_targets) {
  App app;
  app.get("/go", [](const Request& request) {
    return Redirect(percent_decode(request.query(), Plus::literal).value_or("/"));
  });
  app.post("/made", [](const Request& request) {
    return Created(1, percent_decode(request.query(), Plus::literal).value_or("/"));
  });
  TestClient client(app);
  for (const auto& [query, target] : std::initializer_list<std::pair<const char*, const char*>>{
           {"/a%0Ab", "/a%0Ab"},
           {"/a%00b", "/a%00b"},
           {"/a%7Fb", "/a%7Fb"},
           {"/a%0D%0ASet-Cookie:%20a=b", "/a%0D%0ASet-Cookie:%20a=b"},
           {"/a%0D%0A%0D%0A%3Cp%3E", "/a%0D%0A%0D%0A%3Cp%3E"},
           {"%0A//evil.example/", "%0A//evil.example/"},
           {"/a%09%1B", "/a%09%1B"},
           {"%20/a%20", "%20/a%20"}}) {
    const TestResponse went = client.get("/go?" + std::string(query));
    EXPECT_EQ(went.status, 303) << query;
    EXPECT_EQ(went.header("Location"), target) << query;
    EXPECT_FALSE(went.header("Set-Cookie")) << query;
    const TestResponse made = client.post("/made?" + std::string(query), "");
    EXPECT_EQ(made.status, 201) << query;
    EXPECT_EQ(made.header("Location"), target) << query;
  }
}

}  // namespace
}  // namespace eider
