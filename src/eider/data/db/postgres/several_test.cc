#include <chrono>

#include "eider/io/runtime/sleep.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

struct Thing {
  int id;
  std::string name;
};

struct Turned {
  std::string name;
  int id;
};

struct Nameless {
  int id;
};

class SeveralInPostgres : public PostgresTest {
 protected:
  /// With prepared statements, with fewer of them than needed, and without them.
  template <class Check>
  void on_each(Check check) {
    for (const std::size_t statements : {256UL, 4UL, 0UL}) {
      on_loop_.run(check(open({.connections_max = 1, .statements_max = statements})));
    }
  }
};

TEST_F(SeveralInPostgres, a_batch_is_one_transaction_and_all_are_as_many_as_statements) {
  on_each([](Database base) -> Task<> {
    const auto [a, b] = co_await base.batch(db::row<std::int64_t>("select txid_current()"),
                                            db::row<std::int64_t>("select txid_current() + 0"));
    EXPECT_EQ(a, b);
    const auto [c, d] = co_await base.all(db::row<std::int64_t>("select txid_current()"),
                                          db::row<std::int64_t>("select txid_current() + 0"));
    EXPECT_NE(*c.value(), *d.value());
  });
}

constexpr const char* kBegun = "select now()::text";
constexpr const char* kBegunToo = "select now()::text || ''";

TEST_F(SeveralInPostgres, all_that_only_read_share_a_transaction_and_keep_errors_apart) {
  on_each([](Database base) -> Task<> {
    const auto [a, b] =
        co_await base.all(db::row<std::string>(kBegun), db::row<std::string>(kBegunToo));
    EXPECT_EQ(*a.value(), *b.value());
    for (int i = 0; i < 2; ++i) {  // prepared in the second iteration
      const auto [one, failed, unfit, four] = co_await base.all(
          db::row<int>("select $1::int", 1), db::row<int>("select 2 / $1::int", 0),
          db::row<Thing>("select 3 as id"), db::rows<int>("select $1::int union all select 5", 4));
      EXPECT_EQ(*one.value(), 1);
      EXPECT_EQ(failed.error().kind(), db::FailureKind::values);
      EXPECT_EQ(unfit.error().kind(), db::FailureKind::row);
      // Only once, although the statement was sent twice.
      EXPECT_EQ(four.value(), (std::vector{4, 5}));
    }
    const auto [unknown, seven] =
        co_await base.all(db::row<int>("select nothing"), db::row<int>("select 7"));
    EXPECT_EQ(unknown.error().kind(), db::FailureKind::statement);
    EXPECT_EQ(*seven.value(), 7);
    const auto [six, wrong] =
        co_await base.all(db::row<int>("select 6"), db::row<int>("select $1::int", "no number"));
    EXPECT_EQ(*six.value(), 6);
    EXPECT_EQ(wrong.error().kind(), db::FailureKind::values);
  });
}

TEST_F(SeveralInPostgres, all_go_apart_where_one_writes_or_the_program_says_so) {
  const auto are_apart = [](Database base) -> Task<> {
    const auto [a, n, b] =
        co_await base.all(db::row<std::string>(kBegun), db::change("select pg_sleep(0)"),
                          db::row<std::string>(kBegunToo));
    EXPECT_NE(*a.value(), *b.value());
  };
  on_loop_.run(are_apart(open({.connections_max = 1})));
  const auto go_apart = [](Database base) -> Task<> {
    const auto [a, b] =
        co_await base.all(db::row<std::string>(kBegun), db::row<std::string>(kBegunToo));
    EXPECT_NE(*a.value(), *b.value());
  };
  on_loop_.run(go_apart(open({.connections_max = 1, .batch_reads = false})));
}

TEST_F(SeveralInPostgres, all_that_have_come_in_time_are_there_where_another_one_is_late) {
  const Database base = open({.connections_max = 2,
                              // Preparing a statement would also wait for the lock.
                              .statements_max = 0,
                              .limits = {.statement_time_max = std::chrono::seconds(1)}});
  on_loop_.run([](Database on) -> Task<> {
    co_await on.exec("drop table if exists locked");
    co_await on.exec("create table locked(n int)");
    Transaction lock = co_await on.begin();
    co_await lock.exec("lock table locked in access exclusive mode");
    const auto [one, unfit, late, after] =
        co_await on.all(db::row<int>("select 1"), db::row<Thing>("select 2 as id"),
                        db::row<int>("select n from locked"), db::row<int>("select 4"));
    EXPECT_EQ(*one.value(), 1);
    EXPECT_EQ(unfit.error().kind(), db::FailureKind::row);
    EXPECT_EQ(late.error().kind(), db::FailureKind::expired);
    EXPECT_EQ(after.error().kind(), db::FailureKind::expired);
  }(base));
}

Task<> expect_both_read(Database base, std::string n) {
  const auto [named, all] = co_await base.all(db::row<db::Row>("select n from changing"),
                                              db::row<db::Row>("select * from changing"));
  EXPECT_EQ(*(*named.value())["n"].text(), n);
  EXPECT_EQ(*(*all.value())["n"].text(), n);
}

TEST_F(SeveralInPostgres, all_that_only_read_meet_a_table_that_has_changed) {
  on_each([](Database base) -> Task<> {
    co_await base.exec("drop table if exists changing");
    co_await base.exec("create table changing(n numeric)");
    co_await base.exec("insert into changing values(1.5)");
    co_await expect_both_read(base, "1.5");
    co_await expect_both_read(base, "1.5");
    co_await base.exec("alter table changing alter column n type text");
    co_await expect_both_read(base, "1.5");
    co_await base.exec("alter table changing alter column n type varchar using n || '0'");
    co_await expect_both_read(base, "1.50");
  });
}

TEST_F(SeveralInPostgres, one_text_is_read_into_each_statements_struct_with_its_own_values) {
  on_each([](Database base) -> Task<> {
    for (int i = 0; i < 2; ++i) {  // prepared in the second iteration
      const auto [thing, turned, seven, row, last] = co_await base.batch(
          db::row<Thing>("select $1::int as id, $2::text as name", 1, "one"),
          db::row<Turned>("select $1::int as id, $2::text as name", 2, "two"),
          db::row<int>("select 7"),
          db::row<db::Row>("select $1::int as id, $2::text as name", 3, nullptr),
          db::row<Thing>("select $1::int as id, $2::text as name", 4, "four"));
      EXPECT_TRUE(thing->id == 1 && thing->name == "one");
      EXPECT_TRUE(turned->id == 2 && turned->name == "two");
      EXPECT_EQ(seven, 7);
      EXPECT_TRUE((*row)["name"].is_null());
      EXPECT_TRUE(last->id == 4 && last->name == "four");
      const auto [good, nameless, also] =
          co_await base.all(db::row<Thing>("select $1::int as id, $2::text as name", 5, "five"),
                            db::row<Nameless>("select $1::int as id, $2::text as name", 6, "six"),
                            db::row<Thing>("select $1::int as id, $2::text as name", 7, "seven"));
      EXPECT_EQ(good.value()->name, "five");
      EXPECT_EQ(nameless.error().kind(), db::FailureKind::row);
      EXPECT_EQ(also.value()->name, "seven");
    }
  });
}

TEST_F(SeveralInPostgres, values_and_texts_that_do_not_fit_fail_alone_or_with_their_batch) {
  on_loop_.run([](Database base) -> Task<> {
    for (int i = 0; i < 2; ++i) {  // prepared in the second iteration
      const auto [good, large, wrong, last] = co_await base.all(
          db::row<int>("select $1::int4", 1), db::row<int>("select $1::int2::int4", 40000 + i),
          db::row<int>("selct 1"), db::row<int>("select $1::int4", 2));
      EXPECT_EQ(good.value(), 1);
      EXPECT_EQ(large.error().kind(), db::FailureKind::values);
      EXPECT_EQ(wrong.error().kind(), db::FailureKind::statement);
      EXPECT_EQ(last.value(), 2);
    }
    co_await make_things(base);
    auto batch = base.batch(db::change("insert into things values(2, 'two')"),
                            db::row<int>("select $1::int2::int4", 40000));
    EXPECT_EQ((co_await failure_of(batch)).kind(), db::FailureKind::values);
    EXPECT_EQ(co_await base.one<std::int64_t>("select count(*) from things"), 1);
  }(open({.connections_max = 1})));
}

TEST_F(SeveralInPostgres, of_a_batch_nothing_is_sent_when_one_value_of_any_kind_does_not_fit) {
  on_loop_.run([](Database base) -> Task<> {
    co_await make_things(base);
    const auto expect_refused = [&base](db::RowStatement<int> wrong) -> Task<> {
      auto batch = base.batch(db::change("insert into things values(2, 'two')"), std::move(wrong));
      const db::Failure failure = co_await failure_of(batch);
      EXPECT_EQ(failure.kind(), db::FailureKind::values);
      EXPECT_EQ(co_await base.one<std::int64_t>("select count(*) from things"), 1);
    };
    co_await expect_refused(db::row<int>("select $1::bool::int", 2));
    co_await expect_refused(db::row<int>("select $1::float4::int", (1 << 24) + 1));
    co_await expect_refused(db::row<int>("select $1::float4::int", 1e300));
    co_await expect_refused(db::row<int>("select length($1::text)", std::string(1, '\0')));
    const std::vector<std::vector<int>> nested{{1}};
    co_await expect_refused(db::row<int>("select cardinality($1::int[])", nested));
  }(open({.connections_max = 1})));
}

TEST_F(SeveralInPostgres, a_table_that_has_changed_is_read_as_it_is_then_and_nothing_runs_twice) {
  on_loop_.run([](Database base) -> Task<> {
    co_await make_things(base);
    for (int i = 0; i < 3; ++i) {
      const auto [added, row, again] =
          co_await base.all(db::change("insert into things(id, name) values($1, 'x')", 10 + i),
                            db::row<db::Row>("select * from things where id = 1"),
                            db::row<db::Row>("select * from things where id = 1"));
      EXPECT_TRUE(added.has_value());
      EXPECT_EQ(row.value()->size(), 2U + static_cast<std::size_t>(i));
      EXPECT_EQ(again.value()->size(), 2U + static_cast<std::size_t>(i));
      const db::RuntimeSql alter{"alter table things add more" + std::to_string(i) + " int"};
      co_await base.exec(alter);
    }
    EXPECT_EQ(co_await base.one<std::int64_t>("select count(*) from things"), 4);
  }(open({.connections_max = 1})));
}

TEST_F(SeveralInPostgres, a_batch_reads_a_table_that_has_changed_and_changes_it_once) {
  on_each([](Database base) -> Task<> {
    co_await make_things(base);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [row, added, rows] = co_await base.batch(
          db::row<db::Row>("select * from things where id = 1"),
          db::change("insert into things(id, name) values($1, 'x')", static_cast<int>(10 + i)),
          db::rows<db::Row>("select * from things"));
      EXPECT_EQ(row->size(), 2 + i);
      EXPECT_EQ(added.rows, 1);
      EXPECT_EQ(rows.size(), 2 + i);
      const db::RuntimeSql alter{"alter table things add more" + std::to_string(i) + " int"};
      co_await base.exec(alter);
    }
    EXPECT_EQ(co_await base.one<std::int64_t>("select count(*) from things"), 4);
  });
}

TEST_F(SeveralInPostgres, whose_client_left_are_cancelled_one_after_the_other) {
  on_loop_.run([](Database base) -> Task<> {
    auto ask = [](Database on) -> Task<> {
      (void)co_await on.all(db::change("select pg_sleep(30)"), db::change("select pg_sleep(31)"));
    };
    (void)co_await base.all(db::change("select 1"), db::change("select 2"));
    for (const Duration after : {0ms, 5ms, 100ms}) {
      Task<> leaving = ask(base);
      leaving.start();
      co_await sleep_for(after);
    }
    EXPECT_EQ(co_await base.one<int>("select 3"), 3);
  }(open({.connections_max = 1, .wait_time_max = 20s})));
}

}  // namespace
}  // namespace eider
