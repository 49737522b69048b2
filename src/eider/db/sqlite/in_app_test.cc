#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/db/sqlite/sqlite.h"
#include "eider/reflect/constraints.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

struct Thing {
  std::int64_t id;
  std::string name;
};

struct NewThing {
  Length<std::string, 1, 20> name;
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

TEST(DatabaseInApp, is_read_and_written_by_handlers_without_a_thread) {
  const App app = make_app();
  TestClient client(app);
  EXPECT_EQ(client.get("/things").body, "[]");
  const Reply reply = client.post("/things", json::object({{"name", "a"}}));
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
  const Reply reply = client.post("/things", thing);
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
  const Reply reply = client.get("/broken");
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.body.find("Thing"), std::string::npos) << reply.body;
}

}  // namespace
}  // namespace eider
