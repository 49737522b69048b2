#include "eider/data/db/postgres/testing/test_postgres.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/data/db/failure.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

constexpr MigrationFile kNotes[] = {
    {"0001_notes.sql",
     "create table notes(id bigint generated always as identity primary key,\n"
     "  title text not null unique);\n"},
    {"0002_first.sql", "insert into notes(title) values ('first');\n"}};

struct NewNote {
  std::string title;
};
struct Note {
  std::int64_t id;
  std::string title;
};

App notes_app(Database database) {
  App app;
  app.state(std::move(database));
  app.get("/notes", [](State<Database> db) -> Task<std::vector<Note>> {
    co_return co_await db->all<Note>("select id, title from notes order by id");
  });
  app.post("/notes", [](Json<NewNote> note, State<Database> db) -> Task<Note> {
    auto made = co_await db->one<Note>("insert into notes(title) values ($1) returning id, title",
                                       note->title);
    co_return std::move(made).value();
  });
  // A transaction that is open while simulated time passes.
  app.post("/slow", [](State<Database> db) -> Task<std::int64_t> {
    auto transaction = co_await db->begin();
    co_await transaction.exec("insert into notes(title) values ('slow')");
    co_await sleep_for(3s);
    co_await transaction.exec("select pg_sleep(0.2)");
    co_await transaction.commit();
    auto count = co_await db->one<std::int64_t>("select count(*) from notes");
    co_return count.value();
  });
  return app;
}

class TestPostgres : public ::testing::Test {
 protected:
  App app() { return notes_app(open_test_postgres(embedded_migrations(kNotes))); }
};

TEST_F(TestPostgres, a_client_in_simulated_time_calls_an_app_over_a_real_server) {
  const App tested = app();
  TestClient client(tested);
  EXPECT_EQ(client.get("/notes").json<std::vector<Note>>().size(), 1U);
  EXPECT_EQ(client.post("/notes", NewNote{.title = "second"}).json<Note>().title, "second");
  EXPECT_EQ(client.post("/notes", NewNote{.title = "second"}).status, 409);
  EXPECT_EQ(client.get("/notes").json<std::vector<Note>>().size(), 2U);
}

TEST_F(TestPostgres, each_test_has_a_database_of_its_own) {
  const App one = app();
  const App other = app();
  TestClient of_one(one);
  TestClient of_other(other);
  EXPECT_EQ(of_one.post("/notes", NewNote{.title = "mine"}).status, 200);
  EXPECT_EQ(of_one.get("/notes").json<std::vector<Note>>().size(), 2U);
  EXPECT_EQ(of_other.get("/notes").json<std::vector<Note>>().size(), 1U);
}

TEST_F(TestPostgres, time_passes_between_statements_and_not_while_the_server_works) {
  const App tested = app();
  TestClient client(tested);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(client.post("/slow", json::Value()).json<std::int64_t>(), 2);
  client.advance(1h);
  EXPECT_EQ(client.get("/notes").json<std::vector<Note>>().size(), 2U);
  EXPECT_GE(std::chrono::steady_clock::now() - before, 200ms);
}

TEST_F(TestPostgres, a_migration_that_fails_is_named) {
  constexpr MigrationFile kWrong[] = {{"0001_wrong.sql", "create tabel notes(id int);\n"}};
  try {
    (void)open_test_postgres(embedded_migrations(kWrong));
    FAIL() << "it was made";
  } catch (const db::Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("0001_wrong.sql"), std::string::npos)
        << failure.what();
  }
}

TEST_F(TestPostgres, a_server_that_cannot_be_understood_is_an_error) {
  EXPECT_THROW((void)open_test_postgres({}, {.server = "no server"}), db::Failure);
}

}  // namespace
}  // namespace eider
