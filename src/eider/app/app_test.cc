#include "eider/app/app.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "eider/base/failure.h"
#include "eider/reflect/constraints.h"
#include "eider/runtime/sleep.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

struct Note {
  std::int64_t id;
  std::string title;
};

struct NewNote {
  Length<std::string, 1, 10> title;
  std::optional<Range<int, 0, 5>> stars;
};

struct Paging {
  int page = 1;
  Range<int, 1, 100> per_page = 20;
};

enum class Colour { red, green };

class Counter {
 public:
  int next() { return ++count_; }

 private:
  int count_ = 0;
};

class LogLines final : public LogSink {
 public:
  void write(LogLevel, std::string_view line) noexcept override { lines.emplace_back(line); }
  std::vector<std::string> lines;
};

Reply get(const App& app, const std::string& target) {
  TestClient client(app);
  return client.get(target);
}

TEST(Results, a_literal_is_plain_text) {
  App app;
  app.get("/hello", [] { return "Hello world"; });
  const Reply reply = get(app, "/hello");
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
  app.get("/struct", [] { return Note{1, "a\"b"}; });
  app.get("/vector", [] { return std::vector<Note>{{1, "a"}, {2, "b"}}; });
  app.get("/none", [] { return std::optional<Note>(); });
  app.get("/some", [] { return std::optional<Note>({3, "c"}); });
  app.get("/void", [] {});
  app.get("/html", [] { return Html("<p>x</p>"); });
  app.get("/created", [] { return Created(Note{4, "d"}, "/notes/4"); });
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

TEST(Paths, arguments_are_converted_in_the_patterns_order) {
  App app;
  app.get("/add/{a}/{b}", [](int a, int b) { return a + b; });
  app.get("/hello/{name}", [](std::string_view name) { return "Hello " + std::string(name); });
  app.get("/colour/{colour}", [](Colour colour) { return colour == Colour::green; });
  app.get("/rest/{path...}", [](std::string path) { return path; });
  app.get("/bounded/{n}", [](Range<int, 1, 3> n) { return *n; });
  TestClient client(app);
  EXPECT_EQ(client.get("/add/1/2").body, "3");
  EXPECT_EQ(client.get("/add/-2147483648/0").body, "-2147483648");
  EXPECT_EQ(client.get("/hello/a%20b").body, "Hello a b");
  EXPECT_EQ(client.get("/colour/green").body, "true");
  EXPECT_EQ(client.get("/rest/a/b").body, "a/b");
  EXPECT_EQ(client.get("/bounded/3").body, "3");
}

TEST(Paths, a_wrong_value_is_a_400_that_names_the_parameter) {
  App app;
  app.get("/add/{a}/{b}", [](int a, int b) { return a + b; });
  app.get("/colour/{colour}", [](Colour) { return "ok"; });
  app.get("/bounded/{n}", [](Range<int, 1, 3> n) { return *n; });
  TestClient client(app);
  const Reply reply = client.get("/add/1/x");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.header("Content-Type"), "application/problem+json");
  const ProblemReply problem = reply.problem();
  ASSERT_EQ(problem.errors.size(), 1U);
  EXPECT_EQ(problem.errors[0].pointer, "b");
  EXPECT_EQ(problem.errors[0].detail, "must be an integer");
  EXPECT_EQ(client.get("/add/x/y").problem().errors.size(), 2U);
  for (const char* target : {"/add/1/2147483648", "/add/1/1.0", "/add/1/%20", "/add/1/0x1",
                             "/colour/blue", "/bounded/4", "/bounded/0"}) {
    EXPECT_EQ(client.get(target).status, 400) << target;
  }
}

TEST(Queries, members_with_an_initialiser_may_be_absent) {
  App app;
  app.get("/notes", [](Query<Paging> paging) { return paging->page * 1000 + *paging->per_page; });
  TestClient client(app);
  EXPECT_EQ(client.get("/notes").body, "1020");
  EXPECT_EQ(client.get("/notes?page=3&per_page=5").body, "3005");
  const Reply reply = client.get("/notes?per_page=101&colour=1&page=1&page=2");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.problem().errors.size(), 3U);
}

TEST(Bodies, json_is_read_into_the_struct_or_refused_by_pointer) {
  App app;
  app.post("/notes", [](Json<NewNote> note) { return *note->title; });
  TestClient client(app);
  EXPECT_EQ(client.post("/notes", json::object({{"title", "milk"}})).body, "milk");
  const Reply empty = client.post("/notes", json::object({{"title", ""}}));
  EXPECT_EQ(empty.status, 422);
  EXPECT_EQ(empty.problem().errors.at(0).pointer, "/title");
  const Reply unknown = client.post("/notes", json::object({{"title", "a"}, {"color", 1}}));
  EXPECT_EQ(unknown.problem().errors.at(0).pointer, "/color");
  const Reply stars = client.post("/notes", json::object({{"title", "a"}, {"stars", 6}}));
  EXPECT_EQ(stars.problem().errors.at(0).pointer, "/stars");
}

TEST(Bodies, json_of_another_type_or_shape_is_refused) {
  App app;
  app.post("/notes", [](Json<NewNote> note) { return *note->title; });
  TestClient client(app);
  const auto post = [&client](std::string_view type, std::string body) {
    return client.send({.method = Method::post,
                        .target = "/notes",
                        .headers = {{"Content-Type", type}},
                        .body = std::move(body)});
  };
  EXPECT_EQ(post("text/plain", R"({"title":"a"})").status, 415);
  EXPECT_EQ(post("application/json", R"({"title":"a")").status, 400);
  EXPECT_EQ(post("application/json", "").status, 400);
  EXPECT_EQ(post("application/json", "[]").status, 422);
  EXPECT_EQ(post("Application/JSON; charset=utf-8", R"({"title":"a"})").status, 200);
}

TEST(Bodies, a_form_is_read_like_a_query) {
  App app;
  app.post("/form", [](Form<NewNote> note) { return *note->title; });
  TestClient client(app);
  const Reply reply =
      client.send({.method = Method::post,
                   .target = "/form",
                   .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
                   .body = "title=a+%26+b&stars="});
  EXPECT_EQ(reply.body, "a & b");
}

TEST(Bodies, a_body_beyond_the_routes_bound_is_a_413) {
  App app;
  app.post("/small", [](Body body) { return body.size(); }).body_bytes_max(4);
  app.post("/usual", [](Body body) { return body.size(); });
  TestClient client(app);
  EXPECT_EQ(client.send({.method = Method::post, .target = "/small", .body = "1234"}).body, "4");
  EXPECT_EQ(client.send({.method = Method::post, .target = "/small", .body = "12345"}).status, 413);
  EXPECT_EQ(client.send({.method = Method::post, .target = "/usual", .body = "12345"}).body, "5");
}

TEST(Fields, headers_and_cookies_are_taken_by_name) {
  App app;
  app.get("/h",
          [](Header<"x-count", int> count, Header<"x-none", std::optional<std::string>> none) {
            return std::to_string(*count) + (none->has_value() ? "some" : "none");
          });
  app.get("/c", [](Cookie<"id"> id) { return *id; });
  TestClient client(app);
  EXPECT_EQ(client.send({.target = "/h", .headers = {{"X-Count", "3"}}}).body, "3none");
  EXPECT_EQ(client.send({.target = "/c", .headers = {{"Cookie", "a=1; id=seven"}}}).body, "seven");
  EXPECT_EQ(client.get("/h").problem().errors.at(0).pointer, "x-count");
  EXPECT_EQ(client.get("/c").status, 400);
  EXPECT_EQ(client.send({.target = "/h", .headers = {{"X-Count", "x"}}}).status, 400);
}

TEST(States, one_object_is_shared_and_may_be_overridden) {
  App app;
  app.state(Counter());
  app.get("/next", [](State<Counter> counter) { return counter->next(); });
  TestClient client(app);
  EXPECT_EQ(client.get("/next").body, "1");
  EXPECT_EQ(client.get("/next").body, "2");
  app.override_state(Counter());
  EXPECT_EQ(get(app, "/next").body, "1");
}

TEST(States, a_missing_one_is_reported_before_the_first_request) {
  App app;
  app.get("/next", [](State<Counter> counter) { return counter->next(); });
  const auto service = app.make_service();
  ASSERT_FALSE(service.has_value());
  EXPECT_TRUE(service.error().cause().contains("GET /next takes State<"));
  EXPECT_TRUE(service.error().cause().contains("Counter"));
}

TEST(Routes, conflicts_are_reported_before_the_first_request) {
  App app;
  app.get("/a/{x}", [](int x) { return x; });
  app.get("/a/{y}", [](int y) { return y; });
  app.get(RuntimePattern{"no-slash"}, [] { return "x"; });
  const auto service = app.make_service();
  ASSERT_FALSE(service.has_value());
  EXPECT_TRUE(service.error().cause().contains("/a/{x}"));
  EXPECT_TRUE(service.error().cause().contains("no-slash"));
}

TEST(Routes, a_group_adds_its_prefix) {
  App app;
  auto api = app.group("/api/v1");
  api.get("/notes", [] { return "notes"; });
  api.group("/deep").get("/er", [] { return "deeper"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/api/v1/notes").body, "notes");
  EXPECT_EQ(client.get("/api/v1/deep/er").body, "deeper");
  EXPECT_EQ(client.get("/notes").status, 404);
}

TEST(Routes, head_options_and_405_come_by_themselves) {
  App app;
  app.get("/a", [] { return "text"; });
  app.post("/a", [](Body) { return "text"; });
  TestClient client(app);
  const Reply head = client.head("/a");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("Content-Length"), "4");
  EXPECT_EQ(head.body, "");
  const Reply options = client.send({.method = Method::options, .target = "/a"});
  EXPECT_EQ(options.status, 204);
  EXPECT_EQ(options.header("Allow"), "GET, HEAD, POST, OPTIONS");
  const Reply refused = client.del("/a");
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.header("Allow"), "GET, HEAD, POST, OPTIONS");
  EXPECT_EQ(client.get("/%zz").status, 400);
}

TEST(Errors, a_result_and_a_thrown_failure_have_their_own_status) {
  App app;
  app.get("/result", []() -> Result<int> { return fail(Error::conflict("Taken.")); });
  app.get("/failure", []() -> int { throw Failure(Error::forbidden("No.")); });
  app.get("/later", []() -> Task<Result<int>> { co_return fail(Error::not_found()); });
  TestClient client(app);
  EXPECT_EQ(client.get("/result").status, 409);
  EXPECT_EQ(client.get("/result").problem().detail, "Taken.");
  EXPECT_EQ(client.get("/failure").status, 403);
  EXPECT_EQ(client.get("/later").status, 404);
}

TEST(Errors, an_exception_is_a_500_that_names_nothing_inside_and_is_logged) {
  const auto log = std::make_shared<LogLines>();
  App app;
  app.log_to(log);
  app.get("/now", []() -> int { throw std::runtime_error("secret"); });
  app.get("/later", []() -> Task<int> {
    co_await sleep_for(1ms);
    throw std::runtime_error("secret");
  });
  app.get("/odd", []() -> int { throw 7; });
  TestClient client(app);
  for (const char* target : {"/now", "/later", "/odd"}) {
    const Reply reply = client.get(target);
    EXPECT_EQ(reply.status, 500) << target;
    EXPECT_FALSE(reply.body.contains("secret")) << target;
  }
  ASSERT_EQ(log->lines.size(), 3U);
  EXPECT_EQ(log->lines[0], "GET /now failed: secret");
  EXPECT_EQ(log->lines[1], "GET /later failed: secret");
}

TEST(Errors, a_header_that_would_split_the_response_is_a_500) {
  App app;
  app.log_to(std::make_shared<LogLines>());
  app.get("/to/{where}", [](std::string where) { return Redirect(where); });
  TestClient client(app);
  const Reply reply = client.get("/to/a%0d%0aSet-Cookie:%20x=1");
  EXPECT_EQ(reply.status, 500);
  EXPECT_FALSE(reply.header("Set-Cookie").has_value());
}

TEST(Hooks, run_outer_first_and_see_every_response) {
  std::string order;
  App app;
  app.use(Hook{.before =
                   [&order](Request&, Response&) {
                     order += "a";
                     return true;
                   },
               .after = [&order](const Request&, Response&) { order += "A"; }});
  auto group = app.group("/g");
  group.use(Hook{.before =
                     [&order](Request&, Response&) {
                       order += "b";
                       return true;
                     },
                 .after = [&order](const Request&, Response&) { order += "B"; }});
  group.get("/x", [&order] {
    order += "x";
    return "x";
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/g/x").body, "x");
  EXPECT_EQ(client.get("/none").status, 404);
  EXPECT_EQ(order, "abxBAaA");
}

TEST(Hooks, before_may_refuse) {
  App app;
  app.before([](Request& request) -> Result<void> {
    if (!request.header("X-Key")) {
      return fail(Error::unauthorized("Send X-Key."));
    }
    return {};
  });
  app.get("/x", [] { return "x"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/x").status, 401);
  EXPECT_EQ(client.send({.target = "/x", .headers = {{"X-Key", "1"}}}).body, "x");
}

TEST(Hooks, a_request_id_is_kept_when_harmless_and_made_otherwise) {
  App app;
  app.use(request_id());
  app.get("/x", [] { return Response::text("x"); });
  TestClient client(app);
  const auto id_for = [&client](std::string_view given) {
    const Reply reply = client.send({.target = "/x", .headers = {{"X-Request-Id", given}}});
    return std::string(reply.header("X-Request-Id").value_or(""));
  };
  EXPECT_EQ(id_for("abc-1"), "abc-1");
  EXPECT_EQ(id_for("a b").size(), 16U);
  EXPECT_EQ(client.get("/x").header("X-Request-Id")->size(), 16U);
}

TEST(Middleware, wraps_handlers_that_wait_and_those_that_do_not) {
  App app;
  app.use([](Request&, Next next) -> Task<Response> {
    Task<Response> inner = next();
    Response response = co_await std::move(inner);
    response.add_header("X-Outer", "1");
    co_return response;
  });
  auto group = app.group("/g");
  group.use([](Request& request, Next next) -> Task<Response> {
    if (request.header("X-Stop")) {
      co_return Response::text("stopped", 403);
    }
    Task<Response> inner = next();
    co_return co_await std::move(inner);
  });
  group.get("/now", [] { return "now"; });
  group.get("/later", []() -> Task<std::string> {
    co_await sleep_for(10ms);
    co_return "later";
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/g/now").body, "now");
  EXPECT_EQ(client.get("/g/now").header("X-Outer"), "1");
  EXPECT_EQ(client.get("/g/later").body, "later");
  EXPECT_EQ(client.send({.target = "/g/later", .headers = {{"X-Stop", "1"}}}).status, 403);
}

TEST(Waiting, a_task_answers_later_and_its_request_is_still_there) {
  App app;
  app.post("/echo/{name}", [](std::string_view name, Body body) -> Task<std::string> {
    co_await sleep_for(200ms);
    co_return std::string(name) + ":" + std::string(body.view());
  });
  TestClient client(app);
  const Reply reply =
      client.send({.method = Method::post, .target = "/echo/a%20b", .body = "payload"});
  EXPECT_EQ(reply.body, "a b:payload");
}

TEST(Waiting, blocking_work_runs_on_the_pool_with_its_arguments) {
  App app;
  app.get("/slow/{n}", blocking([](int n, Request& request) {
            return std::to_string(n) + std::string(request.path());
          }));
  app.get("/throws", blocking([]() -> int { throw Failure(Error::conflict("no")); }));
  TestClient client(app);
  EXPECT_EQ(client.get("/slow/7").body, "7/slow/7");
  EXPECT_EQ(client.get("/throws").status, 409);
}

}  // namespace
}  // namespace eider
