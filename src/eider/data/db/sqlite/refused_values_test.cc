// A value that a column cannot contain is an error of the client, and the response contains its
// member.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/testkit/test_client.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

struct Line {
  std::string text;
};
struct Order {
  std::string title;
  std::vector<Line> lines = {};
};

constexpr const char* kComplaint = "must not be so";

/// Like a database that rejects text with a zero byte.
std::string keep(const std::string& text) {
  if (text.contains('\0')) {
    throw db::Failure::of_value("no NUL, please", {}, RefusedValue{text, kComplaint});
  }
  return text;
}

App make_keeping_app() {
  App app;
  app.state(open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop,
                                     .schema = "create table strict_one(n integer) strict; "
                                               "create table keyed(id integer primary key); "
                                               "create virtual table papers using fts5(body)"}));
  app.post("/orders", [](Json<Order> order) {
    return keep(order->lines.empty() ? order->title : order->lines.back().text);
  });
  app.post("/form", [](Form<Line> line) { return keep(line->text); });
  app.get("/search", [](Query<Line> line) { return keep("%" + line->text + "%"); });
  app.get("/numbers/{first}/{second}", [](int, std::int64_t second) -> std::string {
    throw db::Failure::of_value("too large", {}, RefusedValue{std::to_string(second), kComplaint});
  });
  app.post("/numbers", [](Json<Line> line, State<Database> db) -> Task<std::string> {
    co_await db->exec("insert into strict_one values($1)", line->text);
    co_return "kept";
  });
  app.post("/keys", [](Json<Line> line, State<Database> db) -> Task<std::string> {
    co_await db->exec("insert into keyed values($1)", line->text);
    co_return "kept";
  });
  app.get("/papers", [](Query<Line> line, State<Database> db) -> Task<std::string> {
    (void)co_await db->all<std::string>("select body from papers where papers match $1",
                                        line->text);
    co_return "found";
  });
  return app;
}

void expect_refused_at(const TestResponse& reply, int status, const std::string& pointer) {
  EXPECT_EQ(reply.status, status) << reply.body;
  const TestProblem problem = reply.problem();
  ASSERT_EQ(problem.errors.size(), 1U) << reply.body;
  EXPECT_EQ(problem.errors[0].pointer, pointer);
  EXPECT_EQ(problem.errors[0].detail, kComplaint);
}

TEST(RefusedValues, name_the_member_that_they_came_in) {
  const App app = make_keeping_app();
  TestClient client(app);
  const std::string nul("a\0b", 3);
  expect_refused_at(client.post("/orders", Order{.title = nul}), 422, "/title");
  expect_refused_at(client.post("/orders", Order{.title = "", .lines = {{"x"}, {nul}}}), 422,
                    "/lines/1/text");
  expect_refused_at(client.post_form("/form", {{"text", nul}}), 422, "text");
  expect_refused_at(client.get("/search?text=a%00b"), 400, "text");
  expect_refused_at(client.get("/numbers/1/3000000000"), 400, "second");
}

TEST(RefusedValues, of_sqlite_are_the_clients) {
  const App app = make_keeping_app();
  TestClient client(app);
  const auto status_of = [&](const char* path) { return client.post(path, Line{"x"}).status; };
  EXPECT_EQ(status_of("/numbers"), 422);
  EXPECT_EQ(status_of("/keys"), 422);
  EXPECT_EQ(client.get("/papers?text=%22").status, 422);
  EXPECT_EQ(client.get("/papers?text=a+AND").status, 422);
  // These search a column that does not exist.
  EXPECT_EQ(client.get("/papers?text=wi-fi").status, 422);
  EXPECT_EQ(client.get("/papers?text=12:30").status, 422);
  EXPECT_EQ(client.get("/papers?text=%7Btitle%7D:x").status, 422);
  EXPECT_EQ(client.get("/papers?text=NEAR(a+b,+c)").status, 422);
  EXPECT_EQ(client.get("/papers?text=a").status, 200);
}

TEST(RefusedValues, of_a_statement_without_values_are_ours) {
  TestLoop on_loop;
  on_loop.run([](Database on) -> Task<> {
    try {
      co_await on.exec("insert into keyed values('x')");
      ADD_FAILURE() << "it was inserted";
    } catch (const db::Failure& failure) {
      EXPECT_EQ(failure.kind(), db::FailureKind::values);
      EXPECT_EQ(failure.error().status(), 500);
    }
  }(open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop,
                             .schema = "create table keyed(id integer primary key)"})));
}

}  // namespace
}  // namespace eider
