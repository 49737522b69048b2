#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/reflect/constraints.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/testkit/test_client.h"
#include "eider/web/languages/languages.h"

namespace eider {
namespace {

struct Thing {
  std::int64_t id;
  std::string name;
};

struct NewThing {
  Sized<std::string, 1, 20> name;
};

Task<Result<Thing>> add_twice(Json<NewThing> thing, State<Database> db) {
  auto body = [&thing](Transaction& transaction) -> Task<Result<Thing>> {
    co_await transaction.exec("insert into things(name) values($1)", *thing->name + " too");
    std::optional<Thing> added = co_await transaction.one<Thing>(
        "insert into things(name) values($1) returning id, name", thing->name);
    if (added->name == "unwanted") {
      co_return fail(Error::forbidden("Not this one."));
    }
    co_return std::move(*added);
  };
  co_return co_await db->transaction(body);
}

App make_app() {
  App app;
  app.state(open_sqlite(":memory:",
                        {.runs_on = SqliteOptions::RunsOn::loop,
                         .schema = "create table things(id integer primary key, name unique)"}));
  app.get("/things", [](State<Database> db) -> Task<std::vector<Thing>> {
    co_return co_await db->all<Thing>("select id, name from things order by id");
  });
  app.get("/things/{id}", [](std::int64_t id, State<Database> db) -> Task<std::optional<Thing>> {
    co_return co_await db->one<Thing>("select id, name from things where id = $1", id);
  });
  app.post("/things", add_twice);
  app.get("/broken", [](State<Database> db) -> Task<std::vector<Thing>> {
    co_return co_await db->all<Thing>("select id from things");
  });
  return app;
}

std::vector<Thing> things_of(TestClient& client) {
  return client.get("/things").json<std::vector<Thing>>();
}

Task<Thing> first_thing(Transaction& transaction) {
  std::optional<Thing> first =
      co_await transaction.one<Thing>("select id, name from things order by id limit 1");
  co_return std::move(*first);
}
Task<Result<Thing>> first_in_savepoint(Transaction& transaction) {
  co_return co_await transaction.savepoint(&first_thing);
}

/// g++ 14 crashes on some coroutines over pointers to functions of anonymous types: see InFrame.
TEST(DatabaseInApp, functions_are_bodies_of_transactions) {
  App app = make_app();
  app.get("/first", [](State<Database> db) { return db->transaction(first_thing); });
  app.get("/again", [](State<Database> db) {
    return db->transaction({.tries_max = 2}, &first_in_savepoint);
  });
  TestClient client(app);
  EXPECT_EQ(client.post("/things", json::object({{"name", "a"}})).status, 200);
  EXPECT_EQ(client.get("/first").json<Thing>().name, "a too");
  EXPECT_EQ(client.get("/again").json<Thing>().name, "a too");
}

TEST(DatabaseInApp, is_read_and_written_by_handlers_without_a_thread) {
  const App app = make_app();
  TestClient client(app);
  EXPECT_EQ(client.get("/things").body, "[]");
  const TestResponse reply = client.post("/things", json::object({{"name", "a"}}));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.json<Thing>().name, "a");
  EXPECT_EQ(things_of(client).size(), 2U);
  EXPECT_EQ(client.get("/things/1").json<Thing>().name, "a too");
  EXPECT_EQ(client.get("/things/9").status, 404);
}

TEST(DatabaseInApp, a_constraint_that_breaks_is_a_409_and_nothing_is_kept) {
  const App app = make_app();
  TestClient client(app);
  const json::Value thing = json::object({{"name", "a"}});
  EXPECT_EQ(client.post("/things", thing).status, 200);
  const TestResponse reply = client.post("/things", thing);
  EXPECT_EQ(reply.status, 409);
  EXPECT_EQ(reply.body.find("things"), std::string::npos) << reply.body;
  EXPECT_EQ(things_of(client).size(), 2U);
}

TEST(DatabaseInApp, a_result_that_failed_takes_the_transaction_back) {
  const App app = make_app();
  TestClient client(app);
  const json::Value thing = json::object({{"name", "unwanted"}});
  EXPECT_EQ(client.post("/things", thing).status, 403);
  EXPECT_TRUE(things_of(client).empty());
}

TEST(DatabaseInApp, what_is_our_own_mistake_is_a_500_that_names_nothing) {
  const App app = make_app();
  TestClient client(app);
  (void)client.post("/things", json::object({{"name", "a"}}));
  const TestResponse reply = client.get("/broken");
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.body.find("Thing"), std::string::npos) << reply.body;
}

struct NewUser {
  Sized<std::string, 1, 20> name;
  std::string email;
};

/// Users in German and English, with unique names and addresses. One route uses the constraint's
/// name, one the column, and one checks several. Upper case does not matter, as in SQL.
App app_of_users() {
  App app;
  add_languages(app, {.texts = {{"de", {{"taken", "ist vergeben"}}}},
                      .detect_from = {LanguageSource::accept_language}});
  app.state(open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop,
                                     .schema = "create table Users(name text not null, Email text "
                                               "not null unique, unique(name, email), "
                                               "constraint no_root check(name <> 'root')); "
                                               "create unique index once on users(name)"}));
  app.post("/users", [](Json<NewUser> user, State<Database> db) -> Task<> {
    co_await db->exec("insert into users values($1, $2)", user->name, user->email)
        .on_conflict("users_email_key", &NewUser::email, "is taken")
        .on_conflict("users.name", &NewUser::name, "is somebody's", "somebodys")
        .on_conflict("no_root", &NewUser::name, "is not for people");
  });
  app.post("/asked", [](Json<NewUser> user, State<Database> db) -> Task<Result<void>> {
    auto [added] =
        co_await db->all(db::change("insert into users values($1, $2)", user->name, user->email));
    const db::Conflict taken[] = {{"users.name", &NewUser::name, "is taken"}};
    co_return added ? Result<void>() : fail(db::explain(added.error(), taken).error());
  });
  return app;
}

TestResponse post_user(TestClient& client, const std::string& body,
                       const std::string& to = "/users") {
  return client.send({.method = Method::post,
                      .target = to,
                      .headers = {{"Content-Type", "application/json"}, {"Accept-Language", "de"}},
                      .body = body});
}

TEST(DatabaseInApp, a_constraint_is_told_of_the_member_it_speaks_of) {
  const App app = app_of_users();
  TestClient client(app);
  EXPECT_EQ(post_user(client, R"({"name":"ann","email":"a@b"})").status, 204);
  const struct {
    const char* body;
    const char* pointer;
    const char* code;
    const char* detail;
  } kCases[] = {
      {R"({"name":"bob","email":"a@b"})", "/email", "taken", "ist vergeben"},
      {R"({"name":"ann","email":"c@d"})", "/name", "somebodys", "is somebody's"},
      {R"({"name":"root","email":"c@d"})", "/name", "", "is not for people"},
  };
  for (const auto& [body, pointer, code, detail] : kCases) {
    const TestResponse reply = post_user(client, body);
    EXPECT_EQ(reply.status, 422) << reply.body;
    const TestProblem problem = reply.problem();
    ASSERT_EQ(problem.errors.size(), 1U) << reply.body;
    EXPECT_EQ(problem.errors[0].pointer, pointer);
    EXPECT_EQ(problem.errors[0].code, code);
    EXPECT_EQ(problem.errors[0].detail, detail);
    EXPECT_EQ(reply.body.find("users"), std::string::npos) << reply.body;
  }
}

TEST(DatabaseInApp, a_result_of_several_is_explained_and_what_nothing_explains_stays_a_409) {
  const App app = app_of_users();
  TestClient client(app);
  EXPECT_EQ(post_user(client, R"({"name":"ann","email":"a@b"})").status, 204);
  const TestResponse taken = post_user(client, R"({"name":"ann","email":"c@d"})", "/asked");
  EXPECT_EQ(taken.status, 422);
  EXPECT_EQ(taken.problem().errors.at(0).pointer, "/name");
  EXPECT_EQ(post_user(client, R"({"name":"bob","email":"a@b"})", "/asked").status, 409);
}

}  // namespace
}  // namespace eider
