// Arguments that are extracted from a request: path, query, body and headers.
#include "eider/app/handlers/extract.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "eider/app/app.h"
#include "eider/core/reflect/constraints.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

struct NewNote {
  Sized<std::string, 1, 10> title;
  std::optional<Bounded<int, 0, 5>> stars;
};

struct PageOfNotes {
  int page = 1;
  Bounded<int, 1, 100> per_page = 20;
};

enum class Shade { red, green };

TEST(Paths, arguments_are_converted_in_the_patterns_order) {
  App app;
  app.get("/add/{a}/{b}", [](int a, int b) { return a + b; });
  app.get("/hello/{name}", [](std::string_view name) { return "Hello " + std::string(name); });
  app.get("/colour/{colour}", [](Shade colour) { return colour == Shade::green; });
  app.get("/rest/{path...}", [](std::string path) { return path; });
  app.get("/bounded/{n}", [](Bounded<int, 1, 3> n) { return *n; });
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
  app.get("/colour/{colour}", [](Shade) { return "ok"; });
  app.get("/bounded/{n}", [](Bounded<int, 1, 3> n) { return *n; });
  TestClient client(app);
  const TestResponse reply = client.get("/add/1/x");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.header("Content-Type"), "application/problem+json");
  const TestProblem problem = reply.problem();
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
  app.get("/notes",
          [](Query<PageOfNotes> paging) { return paging->page * 1000 + *paging->per_page; })
      .unknown_query(UnknownQuery::reject);
  TestClient client(app);
  EXPECT_EQ(client.get("/notes").body, "1020");
  EXPECT_EQ(client.get("/notes?page=3&per_page=5").body, "3005");
  const TestResponse reply = client.get("/notes?per_page=101&colour=1&page=1&page=2");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.problem().errors.size(), 3U);
}

TEST(Bodies, json_is_read_into_the_struct_or_refused_by_pointer) {
  App app;
  app.post("/notes", [](Json<NewNote> note) { return *note->title; });
  TestClient client(app);
  EXPECT_EQ(client.post("/notes", json::object({{"title", "milk"}})).body, "milk");
  const TestResponse empty = client.post("/notes", json::object({{"title", ""}}));
  EXPECT_EQ(empty.status, 422);
  EXPECT_EQ(empty.problem().errors.at(0).pointer, "/title");
  const TestResponse unknown = client.post("/notes", json::object({{"title", "a"}, {"color", 1}}));
  EXPECT_EQ(unknown.problem().errors.at(0).pointer, "/color");
  const TestResponse stars = client.post("/notes", json::object({{"title", "a"}, {"stars", 6}}));
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
  const TestResponse reply =
      client.send({.method = Method::post,
                   .target = "/form",
                   .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
                   .body = "title=a+%26+b&stars="});
  EXPECT_EQ(reply.body, "a & b");
}

TEST(Bodies, the_pointer_of_a_long_name_in_a_form_ends_with_a_whole_character) {
  App app;
  app.use(Hook{.on_request = [](Request& request, Response& /*response*/) {
    request.set(detail::app::TakesForms{});
    return true;
  }});
  app.post("/note", [](Json<NewNote> note) { return *note->title; });
  TestClient client(app);
  for (const std::string part : {"b", "é", "€", "😀"}) {
    for (std::size_t count = 248; count <= 256; ++count) {
      const std::string name = std::string(count, 'a') + part;
      const std::string fits = name.size() < 256 ? name : std::string(std::min(count, 255UZ), 'a');
      const TestResponse reply =
          client.send({.method = Method::post,
                       .target = "/note",
                       .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
                       .body = "title=a&" + name + "=1"});
      EXPECT_EQ(reply.status, 422);
      const std::string end = fits == name ? "\"" : "…\"";
      EXPECT_TRUE(reply.body.contains("\"/" + fits + end)) << reply.body;
    }
  }
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

}  // namespace
}  // namespace eider
