#include "eider/data/db/mariadb/mariadb.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "eider/core/kinds/kinds.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/mariadb_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

TEST_F(MariadbTest, more_of_what_the_server_has_is_read_as_text_or_numbers) {
  on_loop_.run([](Database on) -> Task<> {
    const auto row = *co_await on.one<db::Row>(
        "select cast('23:59:59.5' as time(1)) as a, cast('-838:59:59' as time) as b, "
        "cast(1.10 as decimal(30, 3)) as d, json_object('a', 1) as e, null as f, "
        "inet6_aton('::1') as g, year(now()) as h, repeat('x', 100000) as i, "
        "timestamp '2026-11-22 18:05:00.250' as j, cast(0.25 as float) as k");
    EXPECT_EQ(*row["a"].text(), "23:59:59.500000");
    EXPECT_EQ(*row["b"].text(), "-838:59:59");
    EXPECT_EQ(*row["d"].text(), "1.100");
    EXPECT_EQ(*row["e"].text(), "{\"a\": 1}");
    EXPECT_TRUE(row["f"].is_null());
    EXPECT_EQ(row["g"].blob()->size(), 16U);
    EXPECT_GE(row["h"].integer(), 2026);
    EXPECT_EQ(*row["i"].text(), std::string(100000, 'x'));
    EXPECT_EQ(*row["j"].text(), "2026-11-22T18:05:00.250000");
    EXPECT_EQ(row["k"].real(), 0.25);
    auto too_large = on.one<std::uint64_t>("select 18446744073709551615");
    EXPECT_EQ((co_await failure_of(too_large)).kind(), FailureKind::row);
    co_await on.exec("drop table if exists bits");
    co_await on.exec("create table bits(a bit(3), b bit(64), c year, d binary(3), e set('x','y'))");
    co_await on.exec("insert into bits values(b'101', $1, 2026, 'abc', 'x,y')", -1);
    const auto bits = *co_await on.one<db::Row>("select * from bits");
    EXPECT_EQ(bits["a"].integer(), 5);
    EXPECT_EQ(bits["b"].integer(), -1);
    EXPECT_EQ(bits["c"].integer(), 2026);
    EXPECT_EQ(bits["d"].blob()->size(), 3U);
    EXPECT_EQ(*bits["e"].text(), "x,y");
  }(open()));
}

TEST_F(MariadbTest, sql_means_what_it_means_to_other_databases) {
  on_loop_.run([](Database on) -> Task<> {
    EXPECT_EQ(co_await on.one<std::string>("select 'a\\' || $1", "b"), "a\\b");
    EXPECT_EQ(co_await on.one<std::string>("select '$1 ''?' || $2 || $1 || $2 -- $1 ?", "b", "c"),
              "$1 '?cbc");
    EXPECT_EQ(co_await on.one<int>("select \"a $1\" from (select 1 as \"a $1\") as x"), 1);
    EXPECT_EQ(co_await on.one<std::string>("select @@time_zone"), "+00:00");
    auto wrong = on.one<std::string>("select 'x' # $1", 1);
    EXPECT_EQ((co_await failure_of(wrong)).kind(), FailureKind::statement);
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  }(open({.connections_max = 1})));
}

TEST_F(MariadbTest, changes_are_counted_and_keys_are_told) {
  on_loop_.run([](Database on) -> Task<> {
    co_await on.exec("drop table if exists counted");
    co_await on.exec("create table counted(id int primary key auto_increment, name text)");
    const db::Changed first = co_await on.exec("insert into counted(name) values($1)", "a");
    EXPECT_EQ(first.rows, 1);
    EXPECT_EQ(first.last_insert_id, 1);
    co_await on.exec("insert into counted(name) values('b'), ('c')");
    // Matching rows count, even if they are not changed.
    EXPECT_EQ((co_await on.exec("update counted set name = 'b' where id > 1")).rows, 2);
    EXPECT_EQ((co_await on.exec("update counted set name = 'b' where id > 1")).rows, 2);
    EXPECT_EQ((co_await on.exec("delete from counted where id = 9")).rows, 0);
    if (!is_mysql()) {
      EXPECT_EQ(co_await on.one<int>("insert into counted(name) values('d') returning id"), 4);
    }
  }(open()));
}

TEST_F(MariadbTest, a_constraint_is_named_and_no_value_is) {
  on_loop_.run([](Database on) -> Task<> {
    co_await on.script(
        "drop table if exists children; drop table if exists parents; "
        "create table parents(id int primary key, email varchar(50) not null, age int, "
        "constraint parents_email_key unique(email), constraint parents_age check(age > 0)); "
        "create table children(parent int, constraint children_parent foreign key(parent) "
        "references parents(id))");
    const std::string email = "it's for key 'x'";
    co_await on.exec("insert into parents values(1, $1, 1)", email);
    auto twice = on.exec("insert into parents values(2, $1, 1)", email);
    const db::Failure unique = co_await failure_of(twice);
    EXPECT_EQ(unique.kind(), FailureKind::unique);
    EXPECT_EQ(unique.by().constraint, "parents_email_key");
    EXPECT_FALSE(std::string(unique.what()).contains("it's")) << unique.what();
    auto orphan = on.exec("insert into children values(7)");
    const db::Failure key = co_await failure_of(orphan);
    EXPECT_EQ(key.kind(), FailureKind::foreign_key);
    EXPECT_EQ(key.by().constraint, "children_parent");
    EXPECT_EQ(key.by().table, "children");
    EXPECT_EQ(key.by().column, "parent");
    co_await on.exec("insert into children values(1)");
    auto referred = on.exec("delete from parents");
    EXPECT_EQ((co_await failure_of(referred)).by().constraint, "children_parent");
    auto dropped = on.exec("drop table parents");
    EXPECT_EQ((co_await failure_of(dropped)).kind(), FailureKind::foreign_key);
    auto missing = on.exec("insert into parents(id) values(3)");
    EXPECT_EQ((co_await failure_of(missing)).by().column, "email");
    auto null = on.exec("insert into parents values(3, null, 1)");
    const db::Failure not_null = co_await failure_of(null);
    EXPECT_EQ(not_null.kind(), FailureKind::not_null);
    EXPECT_EQ(not_null.by().column, "email");
    auto young = on.exec("insert into parents values(3, 'c', 0)");
    const db::Failure check = co_await failure_of(young);
    EXPECT_EQ(check.kind(), FailureKind::check);
    EXPECT_EQ(check.by().constraint, "parents_age");
    EXPECT_EQ(check.by().table, is_mysql() ? "" : "parents");
    for (const char* value : {"secret", "99999999999"}) {
      auto no_number = on.exec("insert into parents values(4, 'd', $1)", value);
      const db::Failure refused = co_await failure_of(no_number);
      EXPECT_EQ(refused.kind(), FailureKind::values);
      EXPECT_FALSE(std::string(refused.what()).contains(value)) << refused.what();
    }
    auto long_text = on.exec("insert into parents values(4, $1, 1)", std::string(51, 'x'));
    EXPECT_EQ((co_await failure_of(long_text)).kind(), FailureKind::values);
    auto unknown = on.exec("insert into nowhere values(1)");
    EXPECT_EQ((co_await failure_of(unknown)).kind(), FailureKind::statement);
    auto infinite = on.exec("insert into parents values(4, 'd', $1)", HUGE_VAL);
    EXPECT_EQ((co_await failure_of(infinite)).kind(), FailureKind::values);
  }(open()));
}

TEST_F(MariadbTest, the_state_of_a_session_reaches_nobody_else) {
  on_loop_.run([](Database on) -> Task<> {
    constexpr const char* kId = "select connection_id()";
    for (const char* sql :
         {"set @mine = 1", "set sql_mode = ''", "select get_lock('mine', 0)",
          "create temporary table mine(x int)", "lock tables mysql.time_zone read", "use mysql",
          "lock /* all */\n  tables mysql.time_zone read", "select @mine := 3",
          "select 3 into\n  @mine", "select 3 into@mine", "select 3 into /*!50000 @mine */",
          "set transaction isolation level serializable",
          is_mysql() ? "set @@transaction_read_only = 1" : "set @@tx_read_only = 1",
          is_mysql() ? "set session max_execution_time = 0"
                     : "set session max_statement_time = 0"}) {
      const auto before = co_await on.one<std::int64_t>(kId);
      EXPECT_EQ(co_await on.one<std::int64_t>(kId), before) << sql;
      const db::RuntimeSql changing{sql};
      co_await on.exec(changing);
      EXPECT_NE(co_await on.one<std::int64_t>(kId), before) << sql;
    }
    const auto before = co_await on.one<std::int64_t>(kId);
    co_await on.script("drop table if exists plain; create table plain(x int); drop table plain");
    Transaction transaction = co_await on.begin();
    co_await transaction.exec("do 0");
    co_await transaction.commit();
    EXPECT_EQ(co_await on.one<std::int64_t>(kId), before);
  }(open({.connections_max = 1})));
}

TEST_F(MariadbTest, what_leaves_a_transaction_open_is_taken_back) {
  on_loop_.run([](Database on) -> Task<> {
    co_await on.exec("drop table if exists opened");
    co_await on.exec("create table opened(x int)");
    auto begin = on.exec("begin");
    EXPECT_EQ((co_await failure_of(begin)).kind(), FailureKind::statement);
    const auto [ahead, first, second] =
        co_await on.all(db::change("insert into opened values(1)"), db::change("start transaction"),
                        db::change("insert into opened values(2)"));
    EXPECT_TRUE(ahead.has_value());
    EXPECT_FALSE(first.has_value());
    EXPECT_FALSE(second.has_value());
    EXPECT_EQ(co_await on.one<int>("select count(*) from opened"), 1);
  }(open({.connections_max = 1})));
}

TEST_F(MariadbTest, rows_that_take_too_much_are_ended_at_the_server) {
  on_loop_.run([](Database on) -> Task<> {
    auto large = on.all<std::string>("select repeat('x', 10000) from seq_1_to_1000000");
    const db::Failure failure = co_await failure_of(large);
    EXPECT_EQ(failure.kind(), FailureKind::row) << failure.what();
    auto one_row = on.all<std::string>("select repeat('x', 3000000)");
    const db::Failure packet = co_await failure_of(one_row);
    EXPECT_EQ(packet.kind(), FailureKind::row) << packet.what();
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  }(open({.connections_max = 1, .result_bytes_max = 1000000})));
}

TEST_F(MariadbTest, a_large_result_leaves_turns_to_others) {
  on_loop_.run([](Database on) -> Task<> {
    const LoopTurns& turns = turns_of(Loop::current());
    std::uint64_t before = turns.count();
    const auto wide = co_await on.all<std::string>("select repeat('x', 1000) from seq_1_to_20000");
    EXPECT_EQ(wide.size(), 20'000U);
    EXPECT_GE(turns.count() - before, 20'000'000U / (std::size_t{512} << 10U));
    before = turns.count();
    const auto narrow = co_await on.all<int>("select seq from seq_1_to_100000");
    EXPECT_EQ(narrow.size(), 100'000U);
    EXPECT_GE(turns.count() - before, 50U);
  }(open({.connections_max = 1})));
}

Task<std::size_t> ask_much(Database on) {
  co_return (co_await on.all<std::string>("select repeat('x', 1000) from seq_1_to_30000")).size();
}

// After a client has disconnected during a result, other jobs can use the connection.
TEST_F(MariadbTest, a_large_result_that_is_given_up_frees_its_connection) {
  on_loop_.run([](Database on) -> Task<> {
    for (int round = 0; round < 5; ++round) {
      (void)co_await with_deadline(ask_much(on), std::chrono::milliseconds(1 + 10 * round));
    }
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  }(open({.connections_max = 1})));
}

TEST_F(MariadbTest, a_row_that_does_not_fit_leaves_the_connection_as_it_was) {
  on_loop_.run([](Database on) -> Task<> {
    const auto id = co_await on.one<std::int64_t>("select connection_id()");
    auto several = on.one<int>("select seq from seq_1_to_1000");
    EXPECT_EQ((co_await failure_of(several)).kind(), FailureKind::row);
    auto text = on.all<int>("select 'x'");
    EXPECT_EQ((co_await failure_of(text)).kind(), FailureKind::row);
    EXPECT_EQ(co_await on.one<std::int64_t>("select connection_id()"), id);
  }(open({.connections_max = 1})));
}

TEST_F(MariadbTest, what_a_function_may_write_is_not_written_twice_behind_another_table) {
  on_loop_.run([](Database on) -> Task<> {
    const db::RuntimeSql function{
        "drop table if exists altered; create table altered(x int); insert into altered values(1); "
        "drop table if exists taken; create table taken(x int); "
        "drop function if exists take; create function take() returns int modifies sql data "
        "begin insert into taken values(1); return 1; end"};
    co_await on.script(function);
    constexpr const char* kTake = "select take(), altered.* from altered limit 1";
    EXPECT_EQ((co_await on.all<db::Row>(kTake)).size(), 1U);
    co_await on.exec("alter table altered add y int default 2");
    auto again = on.all<db::Row>(kTake);
    EXPECT_EQ((co_await failure_of(again)).kind(), FailureKind::row);
    EXPECT_EQ(co_await on.one<int>("select count(*) from taken"), 2);
    EXPECT_EQ((co_await on.all<db::Row>(kTake)).at(0).size(), 3U);
  }(open({.connections_max = 1})));
}

TEST_F(MariadbTest, statements_that_cannot_be_prepared_leave_nothing_behind) {
  on_loop_.run([](Database on) -> Task<> {
    const auto ask = [](Database within) -> Task<> {
      for (int i = 0; i < 1000; ++i) {
        auto missing = within.exec("select 1 from a_table_that_is_missing");
        EXPECT_EQ((co_await failure_of(missing)).kind(), FailureKind::statement);
      }
    };
    co_await ask(on);
    const std::size_t before = ::mallinfo2().uordblks;
    co_await ask(on);
    EXPECT_LT(::mallinfo2().uordblks, before + 200'000);
  }(open({.connections_max = 1})));
}

TEST_F(MariadbTest, procedures_give_their_first_rows) {
  on_loop_.run([](Database on) -> Task<> {
    co_await on.exec("drop procedure if exists two_results");
    const db::RuntimeSql procedure{
        "create procedure two_results() begin select 1 as a; select 'x' as b, 'y' as c; end"};
    co_await on.script(procedure);
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ((co_await on.all<int>("call two_results()")).at(0), 1);
    }
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  }(open({.connections_max = 1})));
}

TEST_F(MariadbTest, a_password_is_percent_encoded_and_told_to_nobody) {
  const MariadbServer& server = MariadbServer::shared();
  on_loop_.run([](Database good, Database bad) -> Task<> {
    EXPECT_EQ(co_await good.one<int>("select 3"), 3);
    auto refused = bad.exec("select 1");
    const db::Failure failure = co_await failure_of(refused);
    EXPECT_EQ(failure.kind(), FailureKind::lost);
    EXPECT_FALSE(std::string(failure.what()).contains("wr0ng")) << failure.what();
  }(open_at(server.where("secret:p%40ss%2Fw%3Ard")), open_at(server.where("secret:wr0ng"),
                                                             {.wait_time_max = 1500ms})));
}

TEST_F(MariadbTest, hosts_are_tried_in_turn_and_names_are_looked_up) {
  const std::string port = std::to_string(MariadbServer::shared().port());
  on_loop_.run([](Database on) -> Task<> {
    if (!is_mysql()) {
      EXPECT_EQ(co_await on.one<int>("select 3"), 3);
      co_return;
    }
    // MySQL's users have caching_sha2_password, which requires an authenticated server.
    auto refused = on.exec("select 3");
    const db::Failure failure = co_await failure_of(refused);
    EXPECT_TRUE(std::string(failure.what()).contains("Unix socket or tls=verify"))
        << failure.what();
  }(open_at("mysql://tester@127.0.0.1:1,localhost:" + port + "/test", {.wait_time_max = 1s})));
}

}  // namespace
}  // namespace eider
