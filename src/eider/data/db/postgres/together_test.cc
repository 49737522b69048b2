#include <chrono>
#include <set>
#include <string>

#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

struct Seen {
  int number;
  std::string begun;  // the transaction in which it was read
};

/// Reads that wait at the same time are sent to a connection together, once they are known to be
/// fast.
class PostgresTogether : public PostgresTest {
 protected:
  /// Old measurements lose weight: the first one includes the preparation.
  static constexpr int kUntilKnown = 20;
  /// On a busy machine, a read is not always measured as fast.
  static constexpr int kAttemptsMax = 50;

  /// Calls `ask(base, i)` for each i below `count` concurrently, once the statement's time is
  /// known.
  template <class Ask>
  static Task<> ask_at_once(Database base, int count, Ask ask) {
    for (int i = 0; i < kUntilKnown; ++i) {
      co_await ask(base, 1);
    }
    Scope all;
    for (int i = 0; i < count; ++i) {
      all.start(ask(base, i));
    }
    co_await all.join();
  }

  /// Returns the number of transactions for `count` reads with the same text.
  template <class Ask>
  std::size_t transactions_of(const Database& base, int count, Ask ask) {
    std::set<std::string> begun;
    on_loop_.run(ask_at_once(base, count, [&](Database on, int i) -> Task<> {
      const Seen seen = co_await ask(on, i);
      EXPECT_EQ(seen.number, i);
      begun.insert(seen.begun);
    }));
    return begun.size() - kUntilKnown;
  }

  void make_tables(const Database& base) {
    script(base,
           "drop table if exists kept, open; create table kept(n int); create table open(n "
           "int); insert into kept values(1); insert into open values(2)");
  }

  static Task<> join(Scope& all) { co_await all.join(); }
  static Task<int> read_kept(Database on) {
    const auto n = co_await on.one<int>("select n from kept");
    co_return n.value_or(0);
  }
  static Task<int> read_open(Database on) {
    const auto n = co_await on.one<int>("select n from open");
    co_return n.value_or(0);
  }
  static Task<> expect_open(Database on) { EXPECT_EQ(co_await read_open(on), 2); }
  static Task<> expect_kept(Database on) { EXPECT_EQ(co_await read_kept(on), 1); }
  static Task<Transaction> lock_kept(Database on) {
    Transaction lock = co_await on.begin();
    co_await lock.exec("lock table kept in access exclusive mode");
    co_return lock;
  }
  static Task<> get_known(Database on) {
    for (int i = 0; i < kUntilKnown; ++i) {
      co_await expect_kept(on);
      co_await expect_open(on);
    }
  }
};

TEST_F(PostgresTogether, quick_reads_share_a_transaction_and_each_has_its_own_answer) {
  const auto read = [](Database on, int i) -> Task<Seen> {
    const auto seen = co_await on.one<Seen>("select $1::int as number, now()::text as begun", i);
    co_return *seen;
  };
  const auto is_shared = [&](const PostgresOptions& options) {
    for (int attempt = 0; attempt < kAttemptsMax; ++attempt) {
      if (transactions_of(open(options), 20, read) < 5) {
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(is_shared({.connections_max = 1}));
  EXPECT_TRUE(is_shared({.connections_max = 1, .statements_max = 0}));
  EXPECT_GE(transactions_of(open({.connections_max = 1, .batch_reads = false}), 20, read), 20U);
}

TEST_F(PostgresTogether, those_that_take_a_while_are_spread_over_the_connections_that_are_free) {
  constexpr int kConnections = 4;
  const Database base = open({.connections_max = kConnections});
  script(base,
         "create or replace view a_while as select pg_backend_pid() as pid from pg_sleep(0.002)");
  std::set<int> asked;
  const auto read = [&asked](Database on, int) -> Task<> {
    asked.insert((co_await on.one<int>("select pid from a_while")).value());
  };
  on_loop_.run([](Database on, auto ask, std::set<int>& pids) -> Task<> {
    co_await ask_at_once(on, 2 * kConnections, ask);  // opens all connections
    pids.clear();
    co_await ask_at_once(on, 2 * kConnections, ask);
  }(base, read, asked));
  EXPECT_EQ(asked.size(), std::size_t{kConnections});
}

TEST_F(PostgresTogether, what_is_no_plain_read_goes_by_itself) {
  const Database base = open({.connections_max = 1});
  script(base, "drop table if exists t; create table t(n int); insert into t values(1)");
  const auto locking = [](Database on, int i) -> Task<Seen> {
    const auto seen = co_await on.one<Seen>(
        "select $1::int as number, now()::text as begun from t for update", i);
    co_return *seen;
  };
  EXPECT_GE(transactions_of(base, 10, locking), 10U);
  const auto writing = [](Database on, int i) -> Task<Seen> {
    const auto seen = co_await on.one<Seen>(
        "insert into t values($1) returning n as number, now()::text as begun", i);
    co_return *seen;
  };
  EXPECT_GE(transactions_of(base, 10, writing), 10U);
  // The statements after it would see its setting.
  const auto setting = [](Database on, int i) -> Task<Seen> {
    const auto seen = co_await on.one<Seen>(
        "select $1::int as number, now()::text || set_config('app.tenant', '7', true) as begun", i);
    co_return *seen;
  };
  EXPECT_GE(transactions_of(base, 10, setting), 10U);
}

TEST_F(PostgresTogether, one_that_fails_is_nobody_elses_failure) {
  int failed = 0;
  int right = 0;
  on_loop_.run(ask_at_once(open({.connections_max = 1}), 16, [&](Database on, int i) -> Task<> {
    try {
      const auto tenth = co_await on.one<int>("select 10 / $1::int", i);
      right += tenth == 10 / i ? 1 : 0;
    } catch (const db::Failure& failure) {
      EXPECT_NE(std::string(failure.what()).find("division by zero"), std::string::npos);
      failed += i == 0 ? 1 : 100;
    }
  }));
  EXPECT_EQ(failed, 1);
  EXPECT_EQ(right, kUntilKnown + 15);
}

TEST_F(PostgresTogether, a_row_that_does_not_fit_fails_alone) {
  int failed = 0;
  on_loop_.run(ask_at_once(open({.connections_max = 1}), 16, [&](Database on, int i) -> Task<> {
    try {
      const auto n = co_await on.one<int>("select nullif($1::int, 3) as n", i);
      EXPECT_EQ(n, i);
    } catch (const db::Failure& failure) {
      EXPECT_EQ(failure.kind(), FailureKind::row);
      failed += i == 3 ? 1 : 100;
    }
  }));
  EXPECT_EQ(failed, 1);
}

TEST_F(PostgresTogether, what_fails_with_others_is_asked_once_more_at_most) {
  constexpr int kCount = 16;
  const auto asked_of = [this](const Database& base) {
    script(base,  // not rolled back by a failure
           "drop view if exists asking; drop sequence if exists asked; create sequence asked; "
           "create view asking as select nextval('asked')::int as n");
    on_loop_.run(ask_at_once(base, kCount, [](Database on, int i) -> Task<> {
      try {
        co_await on.one<int>("select n / $1::int from asking", i == kCount - 1 ? 0 : 1);
      } catch (const db::Failure&) {
      }
    }));
    return number(base, "select last_value from asked");
  };
  auto asked = asked_of(open({.connections_max = 1}));
  for (int attempt = 1; asked == kUntilKnown + kCount && attempt < kAttemptsMax; ++attempt) {
    asked = asked_of(open({.connections_max = 1}));
  }
  EXPECT_GT(asked, kUntilKnown + kCount);  // they were sent together
  EXPECT_LE(asked, kUntilKnown + 2 * kCount);
  EXPECT_EQ(asked_of(open({.connections_max = 1, .batch_reads = false})), kUntilKnown + kCount);
}

TEST_F(PostgresTogether, quick_ones_do_not_wait_for_one_that_is_slow) {
  std::string order;
  const auto slow = [&order](Database on) -> Task<> {
    co_await on.one<int>("select n from slow");
    order += 's';
  };
  const auto quick = [&order](Database on) -> Task<> {
    co_await expect_open(on);
    order += 'q';
  };
  const Database base = open({.connections_max = 2});
  make_tables(base);
  script(base, "create or replace view slow as select 1 as n from pg_sleep(0.1)");
  on_loop_.run([](Database on, auto slow_one, auto quick_one) -> Task<> {
    co_await get_known(on);
    co_await slow_one(on);
    Scope all;
    all.start(slow_one(on));
    for (int i = 0; i < 6; ++i) {
      all.start(quick_one(on));
    }
    co_await all.join();
  }(base, slow, quick));
  EXPECT_EQ(order, "sqqqqqqs");
}

TEST_F(PostgresTogether, those_behind_one_that_is_held_up_go_on_without_it) {
  const Database base = open({.connections_max = 2});
  const Database other = open({.connections_max = 1});
  make_tables(base);
  on_loop_.run([](Database on, Database locker) -> Task<> {
    co_await get_known(on);
    Transaction lock = co_await lock_kept(locker);
    Scope held_up;
    held_up.start(expect_kept(on));
    Scope quick;
    for (int i = 0; i < 6; ++i) {
      quick.start(expect_open(on));
    }
    EXPECT_TRUE(co_await with_deadline(join(quick), 5s));
    co_await lock.commit();
    co_await held_up.join();
  }(base, other));
}

TEST_F(PostgresTogether, one_that_has_failed_is_not_asked_again_for_one_that_is_held_up) {
  const Database base = open({.connections_max = 1, .batch_reads = false});
  const Database other = open({.connections_max = 1});
  make_tables(base);
  script(base,  // not rolled back by a failure
         "drop view if exists asking; drop sequence if exists asked; create sequence asked; "
         "create view asking as select nextval('asked')::int as n");
  on_loop_.run([](Database on, Database locker) -> Task<> {
    const auto divide = [](Database by, int number) -> Task<> {
      try {
        co_await by.one<int>("select n / $1::int from asking", number);
      } catch (const db::Failure&) {
      }
    };
    for (int i = 0; i < kUntilKnown; ++i) {
      co_await divide(on, 1);
    }
    co_await get_known(on);
    Transaction lock = co_await lock_kept(locker);
    Scope asking;
    asking.start(divide(on, 0));
    asking.start(expect_kept(on));
    co_await sleep_for(400ms);  // now it is sent separately
    co_await lock.commit();
    co_await asking.join();
  }(base, other));
  EXPECT_EQ(number(base, "select last_value from asked"), kUntilKnown + 1);
}

TEST_F(PostgresTogether, one_that_leaves_takes_nothing_from_the_others_and_all_end_what_they_ask) {
  const Database base = open({.connections_max = 1});
  const Database other = open({.connections_max = 1});
  make_tables(base);
  on_loop_.run([](Database on, Database locker) -> Task<> {
    co_await get_known(on);
    Transaction lock = co_await lock_kept(locker);
    Scope staying;
    staying.start(expect_kept(on));
    EXPECT_FALSE((co_await with_deadline(read_kept(on), 100ms)).has_value());
    staying.start(expect_kept(on));
    co_await lock.commit();
    co_await staying.join();

    Transaction again = co_await lock_kept(locker);
    Scope leaving;
    for (int i = 0; i < 4; ++i) {
      leaving.start([](Database asked) -> Task<> {
        EXPECT_FALSE((co_await with_deadline(read_kept(asked), 100ms)).has_value());
      }(on));
    }
    co_await leaving.join();
    EXPECT_TRUE((co_await with_deadline(read_open(on), 5s)).has_value());  // on that connection
    co_await again.commit();
  }(base, other));
}

TEST_F(PostgresTogether, what_was_under_way_on_a_connection_that_ends_is_read_by_another) {
  const Database base = open({.connections_max = 1});
  const Database other = open({.connections_max = 1});
  make_tables(base);
  on_loop_.run([](Database on, Database locker) -> Task<> {
    co_await get_known(on);
    const auto pid = co_await on.one<int>("select pg_backend_pid()");
    Transaction lock = co_await lock_kept(locker);
    Scope asking;
    for (int i = 0; i < 4; ++i) {
      asking.start(expect_kept(on));
    }
    co_await sleep_for(50ms);
    co_await lock.exec("select pg_terminate_backend($1)", *pid);
    co_await lock.commit();
    co_await asking.join();
  }(base, other));
}

/// They are repeated with a new time limit, independent of the time that was left.
TEST_F(PostgresTogether, those_that_were_held_up_are_not_refused_for_it) {
  const Database base = open({.connections_max = 1, .wait_time_max = 1s});
  const Database other = open({.connections_max = 1});
  make_tables(base);
  on_loop_.run([](Database on, Database locker) -> Task<> {
    co_await get_known(on);
    Transaction lock = co_await lock_kept(locker);
    Scope asking;
    asking.start(expect_kept(on));
    for (int i = 0; i < 4; ++i) {
      asking.start(expect_open(on));
    }
    co_await sleep_for(1010ms);  // now they are sent one by one, with time until 1100 ms
    co_await lock.commit();
    co_await asking.join();
  }(base, other));
}

}  // namespace
}  // namespace eider
