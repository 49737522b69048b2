#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "eider/io/runtime/sleep.h"
#include "tests/support/mariadb_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

class SeveralInMariadb : public MariadbTest {};

TEST_F(SeveralInMariadb, a_batch_whose_row_does_not_fit_keeps_nothing) {
  on_loop_.run([](Database base) -> Task<> {
    co_await make_things(base);
    auto batch = base.batch(db::change("insert into things values(2, 'two')"),
                            db::row<int>("select name from things where id = 1"));
    EXPECT_EQ((co_await failure_of(batch)).kind(), FailureKind::row);
    EXPECT_EQ(co_await base.one<int>("select count(*) from things"), 1);
  }(open({.connections_max = 1})));
}

TEST_F(SeveralInMariadb, a_script_keeps_nothing_of_rows_when_one_of_its_statements_fails) {
  on_loop_.run([](Database base) -> Task<> {
    co_await make_things(base);
    auto failing = base.script(
        "insert into things values(2, 'two'); insert into things values(1, "
        "'again'); insert into things values(3, 'three')");
    EXPECT_EQ((co_await failure_of(failing)).kind(), FailureKind::unique);
    EXPECT_EQ(co_await base.one<int>("select count(*) from things"), 1);
    co_await base.script(
        "insert into things values(2, 'two'); select * from things; insert into "
        "things values(3, 'three')");
    EXPECT_EQ(co_await base.one<int>("select count(*) from things"), 3);
    // Several statements in one text are only for scripts.
    const db::RuntimeSql two{"delete from things where id = $1 -- \r;delete from things"};
    auto smuggled = base.exec(two, 1);
    (void)co_await failure_of(smuggled);
    EXPECT_GE(co_await base.one<int>("select count(*) from things"), 2);
  }(open({.connections_max = 1})));
}

TEST_F(SeveralInMariadb, a_transaction_that_a_deadlock_has_ended_is_over) {
  on_loop_.run([](Database base) -> Task<> {
    co_await base.script(
        "drop table if exists locked; create table locked(id int primary key, n int); "
        "insert into locked values(1, 0), (2, 0)");
    Transaction one = co_await base.begin();
    Transaction two = co_await base.begin();
    co_await one.exec("update locked set n = 1 where id = 1");
    co_await two.exec("update locked set n = 2 where id = 2");
    auto waits = [](Transaction& within, int id) -> Task<std::optional<FailureKind>> {
      auto pending = within.exec("update locked set n = n + 10 where id = $1", id);
      const db::Failure failure = co_await failure_of(pending);
      co_return failure.kind() == FailureKind::open ? std::nullopt : std::optional(failure.kind());
    };
    Task<std::optional<FailureKind>> first = waits(one, 2);
    first.start();
    const auto second = co_await waits(two, 1);
    const auto of_first = co_await std::move(first);
    EXPECT_NE(of_first.has_value(), second.has_value());
    EXPECT_EQ(of_first.value_or(FailureKind::deadlock), FailureKind::deadlock);
    EXPECT_EQ(second.value_or(FailureKind::deadlock), FailureKind::deadlock);
    Transaction& lost = second ? two : one;
    Transaction& kept = second ? one : two;
    // No statement is repeated separately if all of them were rolled back.
    auto outside = lost.exec("insert into locked values(3, 0)");
    EXPECT_EQ((co_await failure_of(outside)).kind(), FailureKind::statement);
    auto commit = lost.commit();
    EXPECT_EQ((co_await failure_of(commit)).kind(), FailureKind::statement);
    co_await kept.commit();
    EXPECT_EQ(co_await base.one<int>("select count(*) from locked"), 2);
    EXPECT_EQ(co_await base.one<int>("select count(*) from locked where n >= 10"), 1);
  }(open({.connections_max = 3})));
}

TEST_F(SeveralInMariadb, what_holds_several_statements_is_not_done_again_behind_a_deadlock) {
  on_loop_.run([](Database base) -> Task<> {
    const db::RuntimeSql pay{
        "drop table if exists ledger; create table ledger(n int); drop procedure if exists pay; "
        "create procedure pay() begin insert into ledger values(1); "
        "signal sqlstate '40001' set mysql_errno = 1213; end"};
    co_await base.script(pay);
    auto failing = base.exec("call pay()");
    EXPECT_EQ((co_await failure_of(failing)).kind(), FailureKind::deadlock);
    EXPECT_EQ(co_await base.one<int>("select count(*) from ledger"), 1);
  }(open({.connections_max = 1})));
}

TEST_F(SeveralInMariadb, the_end_of_one_part_meets_no_other_one) {
  on_loop_.run([](Database base) -> Task<> {
    for (int i = 0; i < 3; ++i) {
      const auto [large, slept] =
          co_await base.all(db::rows<std::string>("select repeat('x', 10000) from seq_1_to_150"),
                            db::row<int>("select sleep(0.2)"));
      EXPECT_EQ(large.error().kind(), FailureKind::row);
      EXPECT_TRUE(slept.has_value() && slept.value() == 0);
    }
  }(open({.connections_max = 1, .result_bytes_max = 1000000})));
}

TEST_F(SeveralInMariadb, a_lock_that_is_waited_for_too_long_takes_back_its_statement_alone) {
  on_loop_.run([](Database base) -> Task<> {
    co_await base.script(
        "drop table if exists locked; create table locked(id int primary key, n int); "
        "insert into locked values(1, 0), (2, 0)");
    Transaction one = co_await base.begin();
    Transaction two = co_await base.begin();
    co_await one.exec("update locked set n = 1 where id = 1");
    co_await two.exec("savepoint ahead");
    co_await two.exec("update locked set n = 2 where id = 2");
    auto waiting = two.one<int>("select n from locked where id = 1 for update nowait");
    EXPECT_EQ((co_await failure_of(waiting)).kind(), FailureKind::busy);
    EXPECT_EQ(co_await two.one<int>("select n from locked where id = 2"), 2);
    co_await two.exec("rollback to savepoint ahead");
    co_await two.commit();
    EXPECT_EQ(co_await base.one<int>("select n from locked where id = 2"), 0);
    co_await one.roll_back();
  }(open({.connections_max = 3})));
}

TEST_F(SeveralInMariadb, what_ends_a_transaction_by_itself_ends_it) {
  on_loop_.run([](Database base) -> Task<> {
    co_await make_things(base);
    Transaction transaction = co_await base.begin();
    co_await transaction.exec("drop table if exists others");
    auto next = transaction.exec("insert into things values(2, 'two')");
    EXPECT_EQ((co_await failure_of(next)).kind(), FailureKind::statement);
    EXPECT_EQ(co_await base.one<int>("select count(*) from things"), 1);
  }(open({.connections_max = 1})));
}

TEST_F(SeveralInMariadb, what_ends_a_transaction_by_itself_lets_none_of_several_be_kept) {
  on_loop_.run([](Database base) -> Task<> {
    co_await make_things(base);
    Transaction all = co_await base.begin();
    const auto [ended, added] = co_await all.all(db::change("drop table if exists others"),
                                                 db::change("insert into things values(2, 'two')"));
    EXPECT_TRUE(ended.has_value());
    EXPECT_EQ(added.error().kind(), FailureKind::statement);
    Transaction next = co_await base.begin();
    auto batch = next.batch(db::change("drop table if exists others"),
                            db::change("insert into things values(3, 'three')"));
    EXPECT_EQ((co_await failure_of(batch)).kind(), FailureKind::statement);
    EXPECT_EQ(co_await base.one<int>("select count(*) from things"), 1);
  }(open()));
}

TEST_F(SeveralInMariadb, isolation_is_that_of_the_options) {
  for (const auto& [isolation, name] :
       {std::pair(MariadbIsolation::serializable, "SERIALIZABLE"),
        std::pair(MariadbIsolation::read_committed, "READ-COMMITTED"),
        std::pair(MariadbIsolation::server, "REPEATABLE-READ")}) {
    on_loop_.run([](Database base, std::string wanted) -> Task<> {
      const db::RuntimeSql level{is_mysql() ? "select @@transaction_isolation"
                                            : "select @@tx_isolation"};
      EXPECT_EQ(co_await base.one<std::string>(level), wanted);
    }(open({.isolation = isolation}), name));
  }
}

TEST_F(SeveralInMariadb, a_transaction_may_be_left_on_any_thread) {
  const Database base = open({.connections_max = 1});
  script(base, "drop table if exists carried; create table carried(n int)");
  on_loop_.run([](Database on) -> Task<> {
    // Each waits for the connection that the previous one has released.
    std::vector<std::thread> threads;
    for (int i = 0; i < 50; ++i) {
      auto transaction = std::make_unique<Transaction>(co_await on.begin());
      co_await transaction->exec("insert into carried values(1)");
      threads.emplace_back([left = std::move(transaction)]() mutable { left.reset(); });
    }
    EXPECT_EQ(co_await on.one<std::int64_t>("select count(*) from carried"), 0);
    for (std::thread& thread : threads) {
      thread.join();
    }
  }(base));
}

}  // namespace
}  // namespace eider
