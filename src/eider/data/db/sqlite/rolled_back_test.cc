// Each test sees a file in its original state: SqliteOptions::sandbox.
#include <gtest/gtest.h>

#include <string>

#include "eider/data/db/sqlite/sqlite.h"
#include "eider/eider.h"
#include "eider/testkit/test_client.h"
#include "tests/support/sqlite_notes.h"

namespace eider {
namespace {

class RolledBackDatabase : public SqliteTest {
 protected:
  RolledBackDatabase() {
    const Database db = open();
    on_loop_.run([](Database base) -> Task<> {
      co_await base.exec("insert into notes(title) values('kept')");
    }(db));
  }
  [[nodiscard]] Database rolled_back(SqliteOptions options = {}) const {
    options.sandbox = true;
    return open_sqlite(path(), options);
  }
  int count(const Database& db) {
    return on_loop_.run([](Database base) -> Task<int> {
      co_return (co_await base.one<int>("select count(*) from notes")).value();
    }(db));
  }
  void add(const Database& db, std::string title) {
    on_loop_.run([](Database base, std::string its_title) -> Task<> {
      co_await base.exec("insert into notes(title) values($1)", its_title);
    }(db, std::move(title)));
  }
};

TEST_F(RolledBackDatabase, TakesBackWhatAStatementDid) {
  {
    const Database db = rolled_back();
    add(db, "a");
    EXPECT_EQ(count(db), 2);
  }
  EXPECT_EQ(count(open()), 1);
}

TEST_F(RolledBackDatabase, TakesBackWhatATransactionCommitted) {
  {
    const Database db = rolled_back();
    on_loop_.run([](Database base) -> Task<> {
      auto add_two = [](Transaction& transaction) -> Task<> {
        co_await transaction.exec("insert into notes(title) values('a')");
        co_await transaction.exec("insert into notes(title) values('b')");
      };
      co_await base.transaction(add_two);
      co_await base.script("insert into notes(title) values('c'); create table more(a);");
    }(db));
    EXPECT_EQ(count(db), 4);
  }
  EXPECT_EQ(count(rolled_back()), 1);
}

TEST_F(RolledBackDatabase, ATransactionWithinIsWholeOrNotAtAll) {
  const Database db = rolled_back();
  add(db, "before");
  on_loop_.run([](Database base) -> Task<> {
    auto add_and_break = [](Transaction& transaction) -> Task<> {
      co_await transaction.exec("insert into notes(title) values('a')");
      co_await transaction.exec("insert into notes(title) values('kept')");
    };
    auto broken = base.transaction(add_and_break);
    EXPECT_EQ((co_await failure_of(broken)).first, db::FailureKind::unique);
    auto script = base.script("insert into notes(title) values('b'); insert into absent values(1)");
    EXPECT_EQ((co_await failure_of(script)).first, db::FailureKind::statement);
    {
      Transaction left = co_await base.begin();
      co_await left.exec("insert into notes(title) values('c')");
    }
    Transaction undone = co_await base.begin();
    co_await undone.exec("insert into notes(title) values('d')");
    co_await undone.roll_back();
  }(db));
  EXPECT_EQ(count(db), 2);  // the previous rows still exist
}

TEST_F(RolledBackDatabase, KeepsNothingEvenWhereAFailureEndsItsTransaction) {
  {
    const Database db = rolled_back();
    add(db, "lost");
    on_loop_.run([](Database base) -> Task<> {
      auto ending = base.exec("insert or rollback into notes(title) values('kept')");
      EXPECT_EQ((co_await failure_of(ending)).first, db::FailureKind::unique);
    }(db));
    add(db, "later");
    EXPECT_EQ(count(db), 2);
  }
  EXPECT_EQ(count(open()), 1);
}

TEST_F(RolledBackDatabase, IsForATestOfHandlers) {
  for (int run = 0; run < 2; ++run) {
    App app;
    app.state(rolled_back({.runs_on = SqliteOptions::RunsOn::loop}));
    app.post("/notes", [](Body title, State<Database> db) -> Task<std::string> {
      const std::string text(title.view());
      auto add_one = [&text](Transaction& transaction) -> Task<> {
        co_await transaction.exec("insert into notes(title) values($1)", text);
      };
      co_await db->transaction(add_one);
      co_return text;
    });
    app.get("/count", [](State<Database> db) -> Task<int> {
      co_return (co_await db->one<int>("select count(*) from notes")).value();
    });
    TestClient client(app);
    EXPECT_EQ(client.send({.method = Method::post, .target = "/notes", .body = "new"}).status, 200);
    EXPECT_EQ(client.send({.method = Method::post, .target = "/notes", .body = "new"}).status, 409);
    EXPECT_EQ(client.get("/count").body, "2");
  }
}

}  // namespace
}  // namespace eider
