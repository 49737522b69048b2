// Sessions in an SQLite table.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/auth/session/session.h"
#include "eider/auth/session/test_visits.h"
#include "eider/data/db/sqlite/sqlite.h"

namespace eider {
namespace {

using detail::session::test::cookie_of;
using detail::session::test::VisitApp;
using std::chrono::minutes;

struct KeptText {
  std::string text;
};

Database open_session_database() {
  return open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop});
}

/// Adds a route that returns the table's contents as text.
void add_dump(VisitApp& app, const Database& database) {
  app.app().get("/dump", [database]() -> Task<std::string> {
    const auto rows = co_await database.all<KeptText>(
        "select name || owner || began || seen || version || data || flashes as text "
        "from eider_sessions");
    std::string text;
    for (const KeptText& row : rows) {
      text += row.text + "\n";
    }
    co_return text;
  });
}

TEST(SqlSessions, AreKeptInATableThatIsMadeByItself) {
  const Database database = open_session_database();
  VisitApp app({.store = sql_sessions(database)});
  const std::string one = cookie_of(app.post("/cart/1"));
  EXPECT_EQ(app.post("/cart/2", one).body, "[1,2]");
  const std::string ada = app.log_in("ada", one);
  EXPECT_EQ(app.get("/me", ada).body, "ada");
  EXPECT_EQ(app.get("/cart", ada).body, "[1,2]");
  EXPECT_EQ(app.get("/me", one).body, "nobody");
  (void)app.post("/logout", ada);
  EXPECT_EQ(app.get("/me", ada).body, "nobody");
}

TEST(SqlSessions, ATableOfAnEarlierVersionIsTakenOn) {
  const Database database = open_sqlite(
      ":memory:",
      {.runs_on = SqliteOptions::RunsOn::loop,
       .schema = "create table eider_sessions (name text primary key, owner text not null, "
                 "began bigint not null, seen bigint not null, version bigint not null, "
                 "data text not null, flashes text not null);"});
  VisitApp app({.store = sql_sessions(database)});
  const std::string ada = app.log_in("ada");
  EXPECT_EQ(app.get("/me", ada).body, "ada");
  VisitApp again({.store = sql_sessions(database)});
  EXPECT_EQ(again.get("/me", ada).body, "ada");
}

TEST(SqlSessions, KeepWhenTheirUserHasShownWhoHeIs) {
  const Database database = open_session_database();
  VisitApp app({.store = sql_sessions(database)});
  app.app().get("/authenticated", [database]() -> Task<std::optional<std::int64_t>> {
    co_return co_await database.one<std::int64_t>(
        "select authenticated - began from eider_sessions");
  });
  const std::string ada = app.log_in("ada");
  EXPECT_EQ(app.get("/authenticated").body, "0");
  app.client().advance(minutes(11));
  (void)app.log_in("ada", ada);
  EXPECT_EQ(app.get("/authenticated").body, "660");
}

TEST(SqlSessions, AStolenDatabaseOpensNone) {
  const Database database = open_session_database();
  VisitApp app({.store = sql_sessions(database)});
  add_dump(app, database);
  const std::string cookie = app.log_in("ada");
  const std::string id = cookie.substr(cookie.find('=') + 1);
  const std::string dump = app.get("/dump").body;
  EXPECT_TRUE(dump.contains("ada")) << dump;
  EXPECT_FALSE(dump.contains(id)) << dump;
  EXPECT_FALSE(dump.contains(id.substr(1))) << dump;
}

TEST(SqlSessions, AllOfAUsersAreEndedAndAProgramThatBeginsAgainHasTheOthers) {
  const Database database = open_session_database();
  std::string ada;
  std::string bob;
  {
    VisitApp app({.store = sql_sessions(database)});
    ada = app.log_in("ada");
    bob = app.log_in("bob");
    EXPECT_EQ(app.post("/end-all/ada").body, "1");
    EXPECT_EQ(app.get("/me", ada).body, "nobody");
  }
  VisitApp app({.store = sql_sessions(database)});
  EXPECT_EQ(app.get("/me", ada).body, "nobody");
  EXPECT_EQ(app.get("/me", bob).body, "bob");
}

TEST(SqlSessions, AStrangerDoesNotEndThoseOfOtherStrangers) {
  const Database database = open_session_database();
  VisitApp app({.store = sql_sessions(database)});
  app.app().post("/everywhere", [](Session<> session, State<Sessions> all) -> Task<std::string> {
    const auto known = co_await all->list(session.user());
    const std::size_t count = co_await all->log_out_all(session.user());
    co_return std::to_string(known.size() + count);
  });
  const std::string cookie = cookie_of(app.post("/cart/1"));
  EXPECT_EQ(app.post("/everywhere").body, "0");
  EXPECT_EQ(app.get("/cart", cookie).body, "[1]");
}

TEST(SqlSessions, EndByTheClockAndAreSwept) {
  const Database database = open_session_database();
  VisitApp app({.store = sql_sessions(database)});
  add_dump(app, database);
  const std::string cookie = app.log_in("ada");
  app.client().advance(minutes(20));
  EXPECT_EQ(app.get("/me", cookie).body, "ada");
  app.client().advance(minutes(20));
  EXPECT_EQ(app.get("/me", cookie).body, "ada");
  app.client().advance(minutes(45));
  EXPECT_EQ(app.get("/dump").body, "");
  EXPECT_EQ(app.get("/me", cookie).body, "nobody");
}

TEST(SqlSessions, ManyAreSweptAndNoneThatIsStillUsed) {
  const Database database = open_session_database();
  VisitApp app({.store = sql_sessions(database)});
  add_dump(app, database);
  app.app().post("/fill", [database]() -> Task<std::string> {
    co_await database.script(
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 4500) "
        "insert into eider_sessions select 'n' || i, 'o', 1, 1, 1, '', '', 1 from n");
    co_return "filled";
  });
  EXPECT_EQ(app.post("/fill").status, 200);
  const std::string ada = app.log_in("ada");
  app.client().advance(minutes(11));
  const std::string dump = app.get("/dump").body;
  EXPECT_EQ(std::count(dump.begin(), dump.end(), '\n'), 1) << dump.size();
  EXPECT_EQ(app.get("/me", ada).body, "ada");
}

TEST(SqlSessions, AllButTheOneThatAsksAreEndedAndARenewalBringsBackNone) {
  const Database database = open_session_database();
  VisitApp app({.store = sql_sessions(database)});
  app.app().post("/others", [](Session<> session, State<Sessions> all) -> Task<std::string> {
    co_return std::to_string(co_await all->log_out_others(session));
  });
  app.app().post("/late", [](Session<> session, State<Sessions> all) -> Task<> {
    session.log_in("ada");
    (void)co_await all->log_out_all("ada");
  });
  const std::string ada = app.log_in("ada");
  const std::string thief = app.log_in("ada");
  (void)app.post("/cart/7", ada);
  const TestResponse reply = app.post("/others", ada);
  EXPECT_EQ(reply.body, "1");
  const std::string renewed = cookie_of(reply);
  EXPECT_EQ(app.get("/cart", renewed).body, "[7]");
  EXPECT_EQ(app.get("/me", ada).body, "nobody");
  EXPECT_EQ(app.get("/me", thief).body, "nobody");
  EXPECT_EQ(app.post("/late", renewed).header("Set-Cookie"), std::nullopt);
  EXPECT_EQ(app.get("/me", renewed).body, "nobody");
}

TEST(SqlSessions, TwoProgramsOnOneDatabaseOpenNothingOfEachOther) {
  const Database database = open_session_database();
  VisitApp shop({.store = sql_sessions(database), .cookie = "__Host-shop"});
  VisitApp blog({.store = sql_sessions(database), .cookie = "__Host-blog"});
  const std::string ada = shop.log_in("ada");
  EXPECT_EQ(blog.get("/me", "__Host-blog" + ada.substr(ada.find('='))).body, "nobody");
  EXPECT_EQ(blog.post("/end-all/ada").body, "0");
  EXPECT_EQ(shop.get("/me", ada).body, "ada");
}

TEST(SqlSessions, ADatabaseWithoutTheTableIsA503) {
  const Database database = open_session_database();
  VisitApp app({.store = sql_sessions(database)});
  app.app().post("/drop", [database]() -> Task<std::string> {
    co_await database.script("drop table eider_sessions");
    co_return "dropped";
  });
  const std::string cookie = app.log_in("ada");
  EXPECT_EQ(app.post("/drop").status, 200);
  EXPECT_EQ(app.get("/me", cookie).status, 503);
  EXPECT_EQ(app.post("/cart/1").status, 503);
}

}  // namespace
}  // namespace eider
