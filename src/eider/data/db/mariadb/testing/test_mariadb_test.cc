#include "eider/data/db/mariadb/testing/test_mariadb.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/data/db/failure.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

constexpr MigrationFile kWords[] = {
    {"0001_words.sql",
     "create table words(id bigint auto_increment primary key, word varchar(9) not null unique);\n"
     "insert into words(word) values ('first');\n"}};

struct Word {
  std::string word;
};

App words_app(Database database) {
  App app;
  app.state(std::move(database));
  app.get("/words", [](State<Database> db) -> Task<std::vector<Word>> {
    co_return co_await db->all<Word>("select word from words order by id");
  });
  app.post("/words", [](Json<Word> word, State<Database> db) -> Task<> {
    co_await db->exec("insert into words(word) values ($1)", word->word);
    co_await db->exec("do sleep(0.2)");
  });
  return app;
}

TEST(TestMariadb, a_client_in_simulated_time_calls_an_app_over_a_real_server) {
  const App tested = words_app(open_test_mariadb(embedded_migrations(kWords)));
  const App other = words_app(open_test_mariadb(embedded_migrations(kWords)));
  TestClient client(tested);
  TestClient of_other(other);
  EXPECT_EQ(client.post("/words", Word{.word = "second"}).status, 204);
  EXPECT_EQ(client.post("/words", Word{.word = "second"}).status, 409);
  client.advance(1h);
  EXPECT_EQ(client.get("/words").json<std::vector<Word>>().size(), 2U);
  EXPECT_EQ(of_other.get("/words").json<std::vector<Word>>().size(), 1U);
}

TEST(TestMariadb, a_migration_that_fails_is_named) {
  constexpr MigrationFile kWrong[] = {{"0001_wrong.sql", "create tabel words(id int);\n"}};
  try {
    (void)open_test_mariadb(embedded_migrations(kWrong));
    FAIL() << "it was made";
  } catch (const db::Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("0001_wrong.sql"), std::string::npos)
        << failure.what();
  }
}

}  // namespace
}  // namespace eider
