// Transactions: retries, isolation and savepoints.
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/sync.h"
#include "tests/databases/tested_database.h"

namespace eider {
namespace {

using db::FailureKind;
using db::Isolation;

/// Returns the kind of failure of a task, or nothing if it succeeded.
Task<std::optional<FailureKind>> outcome_of(Task<> task) {
  try {
    co_await std::move(task);
  } catch (const db::Failure& failure) {
    co_return failure.kind();
  }
  co_return std::nullopt;
}

Task<bool> throws(Task<> task) {
  try {
    co_await std::move(task);
  } catch (const std::runtime_error&) {
    co_return true;
  }
  co_return false;
}

Task<> commit(const Transaction& transaction) {
  co_await transaction.commit();
}

Task<> make_places(Database base) {
  co_await base.exec("drop table if exists places");
  co_await base.exec("create table places(id int primary key, n int not null)");
  co_await base.exec("insert into places values(1, 0)");
  co_await base.exec("insert into places values(2, 0)");
}

/// Returns the numbers of all places in the order of their IDs, such as "1 2".
Task<std::string> numbers_of(Database base) {
  std::string text;
  for (const int number : co_await base.all<int>("select n from places order by id")) {
    text += (text.empty() ? "" : " ") + std::to_string(number);
  }
  co_return text;
}

/// A barrier at which two tasks wait for each other, only the first time.
class Meeting {
 public:
  Task<> come() {
    if (++come_ == 2) {
      both_.set();
    }
    co_await both_.wait();
  }

 private:
  int come_ = 0;
  AsyncEvent both_;
};

Task<> run_both(Task<> one, Task<> other) {
  Scope both;
  both.start(std::move(one));
  both.start(std::move(other));
  co_await both.join();
}

class Transactions : public DatabaseTest {};

INSTANTIATE_TEST_SUITE_P(On, Transactions, each_database(), name_of_database);

// Retries.

/// Returns a body that makes a change and then fails in its first `fails` runs; counts its runs.
auto failing(int* runs, int fails, FailureKind kind) {
  return [runs, fails, kind](Transaction& all) -> Task<int> {
    ++*runs;
    co_await all.exec("update places set n = n + 1 where id = 1");
    if (*runs <= fails) {
      throw db::Failure(kind, "as the test wants it");
    }
    co_return *runs;
  };
}

Task<> ignore(Task<int> task) {
  (void)co_await std::move(task);
}

TEST_P(Transactions, what_was_rolled_back_is_tried_again_if_that_is_requested) {
  on_loop_.run([](Database base) -> Task<> {
    co_await make_places(base);
    for (const FailureKind kind : {FailureKind::serialization, FailureKind::deadlock}) {
      int runs = 0;
      const auto body = failing(&runs, 2, kind);
      EXPECT_EQ(co_await base.transaction({.tries_max = 3}, body), 3);
      runs = 0;
      EXPECT_EQ(co_await outcome_of(ignore(base.transaction({.tries_max = 2}, body))), kind);
      EXPECT_EQ(runs, 2);
    }
    EXPECT_EQ(co_await numbers_of(base), "2 0");
  }(open()));
}

TEST_P(Transactions, nothing_else_is_tried_again) {
  on_loop_.run([](Database base) -> Task<> {
    co_await make_places(base);
    for (const FailureKind kind : {FailureKind::lost, FailureKind::busy, FailureKind::expired,
                                   FailureKind::unique, FailureKind::statement}) {
      int runs = 0;
      const auto body = failing(&runs, 1, kind);
      EXPECT_EQ(co_await outcome_of(ignore(base.transaction({.tries_max = 9}, body))), kind);
      EXPECT_EQ(runs, 1);
    }
    int runs = 0;
    const auto body = failing(&runs, 1, FailureKind::serialization);
    EXPECT_EQ(co_await outcome_of(ignore(base.transaction(body))), FailureKind::serialization);
    EXPECT_EQ(runs, 1);
    runs = 0;
    EXPECT_EQ(co_await outcome_of(ignore(base.transaction(TransactionOptions(), body))),
              FailureKind::serialization);
    EXPECT_EQ(runs, 1);
    const auto refusing = [](Transaction& all) -> Task<Result<int>> {
      co_await all.exec("update places set n = 9");
      co_return fail(Error::conflict("no"));
    };
    EXPECT_FALSE(co_await base.transaction({.tries_max = 9}, refusing));
    EXPECT_EQ(co_await numbers_of(base), "0 0");
  }(open()));
}

TEST_P(Transactions, tries_end_when_the_caller_gives_up) {
  on_loop_.run([](Database base) -> Task<> {
    co_await make_places(base);
    int runs = 0;
    const auto body = failing(&runs, 1'000'000, FailureKind::deadlock);
    const auto kept = co_await with_deadline(base.transaction({.tries_max = 1'000'000}, body),
                                             std::chrono::milliseconds(200));
    EXPECT_FALSE(kept);
    EXPECT_GE(runs, 2);
    const int runs_until_then = std::exchange(runs, 0);
    EXPECT_LT(runs_until_then, 40);  // with pauses
    EXPECT_EQ(co_await numbers_of(base), "0 0");
    EXPECT_EQ(runs, 0);
  }(open()));
}

/// Reads a number and writes it increased by one, `times` times, each in its own transaction.
Task<> count_up(Database base, TransactionOptions options, int times) {
  for (int i = 0; i < times; ++i) {
    const auto body = [](Transaction& all) -> Task<> {
      const auto read = co_await all.one<int>("select n from places where id = 1");
      co_await yield_now();
      co_await all.exec("update places set n = $1 where id = 1", read.value() + 1);
    };
    co_await base.transaction(options, body);
  }
}

Task<> count_up_four_times(Database base, Isolation isolation) {
  co_await make_places(base);
  Scope tasks;
  for (int i = 0; i < 4; ++i) {
    tasks.start(count_up(base, {.isolation = isolation, .tries_max = 200}, 10));
  }
  co_await tasks.join();
  EXPECT_EQ(co_await numbers_of(base), "40 0");
}

TEST_P(Transactions, no_count_is_lost) {
  std::vector<Isolation> levels{Isolation::serializable};
  if (differs().keeps_counts_if_repeatable) {
    levels.push_back(Isolation::repeatable_read);
  }
  if (is_sqlite()) {
    levels.push_back(Isolation::read_committed);
  }
  for (const Isolation isolation : levels) {
    on_loop_.run(count_up_four_times(open(), isolation));
  }
}

TEST_P(Transactions, no_count_is_lost_if_the_server_watches_what_was_read) {
  if (number(open(), differs().can_watch) == 0) {
    GTEST_SKIP() << "this server cannot watch for changes of what was read";
  }
  script(open(), std::string(differs().watches) + "1");
  on_loop_.run(count_up_four_times(open(), Isolation::repeatable_read));
  script(open(), std::string(differs().watches) + "0");
}

/// Attempts write skew: one of two places must stay 0, but two transactions each read both and set
/// their own.
///
/// returns  the number of runs of both bodies
Task<int> set_both_places(Database base, TransactionOptions options) {
  co_await make_places(base);
  Meeting meeting;
  int runs = 0;
  const auto set = [](Database on, TransactionOptions how, int id, Meeting* at,
                      int* count) -> Task<> {
    const auto body = [id, at, count](Transaction& all) -> Task<> {
      ++*count;
      const auto sum = co_await all.all<int>("select n from places");
      co_await at->come();
      if (sum == std::vector{0, 0}) {
        co_await all.exec("update places set n = 1 where id = $1", id);
      }
    };
    co_await on.transaction(how, body);
  };
  co_await run_both(set(base, options, 1, &meeting, &runs), set(base, options, 2, &meeting, &runs));
  co_return runs;
}

TEST_P(Transactions, no_two_write_because_of_what_both_have_read) {
  if (!differs().has_deadlocks) {
    GTEST_SKIP() << "SQLite has one writer at a time";
  }
  on_loop_.run([](Database base) -> Task<> {
    EXPECT_EQ(co_await set_both_places(base, {.isolation = Isolation::repeatable_read}), 2);
    EXPECT_EQ(co_await numbers_of(base), "1 1");
    EXPECT_EQ(
        co_await set_both_places(base, {.isolation = Isolation::serializable, .tries_max = 5}), 3);
    EXPECT_EQ(co_await base.one<int>("select count(*) from places where n = 1"), 1);
  }(open()));
}

/// Updates two rows; two of these in opposite orders cause a deadlock.
Task<> cross(Database base, TransactionOptions options, int first, Meeting* meeting, int* runs) {
  const auto body = [first, meeting, runs](Transaction& all) -> Task<> {
    ++*runs;
    co_await all.exec("update places set n = n + 1 where id = $1", first);
    co_await meeting->come();
    co_await all.exec("update places set n = n + 1 where id = $1", 3 - first);
  };
  co_await base.transaction(options, body);
}

TEST_P(Transactions, deadlocks_are_overcome) {
  if (!differs().has_deadlocks) {
    GTEST_SKIP() << "SQLite has one writer at a time";
  }
  script(open(), differs().quickens_deadlocks);
  on_loop_.run([](Database base) -> Task<> {
    co_await make_places(base);
    Meeting meeting;
    int runs = 0;
    co_await run_both(cross(base, {.tries_max = 3}, 1, &meeting, &runs),
                      cross(base, {.tries_max = 3}, 2, &meeting, &runs));
    EXPECT_EQ(runs, 3);
    EXPECT_EQ(co_await numbers_of(base), "2 2");
  }(open()));
}

/// Returns whether a transaction sees changes that `other` makes meanwhile.
Task<bool> sees_change(Database base, Database other, TransactionOptions options) {
  Transaction reading = co_await base.begin(options);
  const auto first = co_await reading.one<int>("select n from places where id = 1");
  co_await other.exec("update places set n = n + 1 where id = 1");
  const auto second = co_await reading.one<int>("select n from places where id = 1");
  co_await reading.commit();
  co_return first != second;
}

TEST_P(Transactions, a_level_is_that_of_one_transaction_and_its_connection_stays) {
  if (!differs().has_deadlocks) {
    GTEST_SKIP() << "SQLite has one isolation level";
  }
  on_loop_.run([](Database base, Database other) -> Task<> {
    co_await make_places(base);
    const db::RuntimeSql own{differs().connection};
    const auto connection = co_await base.one<std::int64_t>(own);
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(co_await sees_change(base, other, {.isolation = Isolation::read_committed}));
      EXPECT_EQ(co_await sees_change(base, other, {}), differs().sees_changes);
      EXPECT_FALSE(co_await sees_change(base, other, {.isolation = Isolation::repeatable_read}));
    }
    EXPECT_EQ(co_await base.one<std::int64_t>(own), connection);
  }(open({.connections_max = 1}), open()));
}

TEST_P(Transactions, a_commit_that_is_refused_is_tried_again) {
  if (!differs().refuses_commits) {
    GTEST_SKIP() << "this database rejects a statement instead of the commit";
  }
  const int runs = on_loop_.run([](Database base) -> Task<int> {
    co_await make_places(base);
    Meeting meeting;
    int count = 0;
    const auto set = [](Database on, int id, Meeting* at, int* runs_of_both) -> Task<> {
      const auto body = [id, at, runs_of_both](Transaction& all) -> Task<> {
        ++*runs_of_both;
        const auto read = co_await all.all<int>("select n from places");
        co_await all.exec("update places set n = $1 where id = $2", read[0] + read[1] + 1, id);
        co_await at->come();  // only the commit is left
      };
      co_await on.transaction({.isolation = Isolation::serializable, .tries_max = 5}, body);
    };
    co_await run_both(set(base, 1, &meeting, &count), set(base, 2, &meeting, &count));
    const auto sum = co_await base.one<int>("select sum(n) from places");
    EXPECT_EQ(sum, 3);  // the second has read the change of the first
    co_return count;
  }(open()));
  EXPECT_EQ(runs, 3);
}

/// The body ignores the failure of a deadlock and continues.
TEST_P(Transactions, a_deadlock_that_the_program_ignores_is_reported_at_the_end) {
  if (!differs().has_deadlocks) {
    GTEST_SKIP() << "SQLite has one writer at a time";
  }
  script(open(), differs().quickens_deadlocks);
  on_loop_.run([](Database base) -> Task<> {
    co_await make_places(base);
    Meeting meeting;
    std::vector<FailureKind> failures;
    const auto quiet = [](Database on, int first, Meeting* at,
                          std::vector<FailureKind>* told) -> Task<> {
      const auto body = [first, at](Transaction& all) -> Task<> {
        co_await all.exec("update places set n = n + 1 where id = $1", first);
        co_await at->come();
        const auto [crossed, more] =
            co_await all.all(db::change("update places set n = n + 1 where id = $1", 3 - first),
                             db::change("insert into places values($1, 9)", first + 10));
        EXPECT_EQ(crossed.has_value(), more.has_value());
      };
      if (const auto kind = co_await outcome_of(on.transaction({.tries_max = 5}, body))) {
        told->push_back(*kind);
      }
    };
    co_await run_both(quiet(base, 1, &meeting, &failures), quiet(base, 2, &meeting, &failures));
    EXPECT_EQ(failures, std::vector{FailureKind::statement});
    EXPECT_EQ(co_await numbers_of(base), "1 1 9");
  }(open()));
}

// Savepoints.

TEST_P(Transactions, a_savepoint_rolls_back_its_part) {
  on_each_way([](Database base) -> Task<> {
    co_await make_places(base);
    const auto body = [](Transaction& all) -> Task<int> {
      co_await all.exec("update places set n = 1 where id = 1");
      const auto twice = [](Transaction& part) -> Task<> {
        co_await part.exec("update places set n = 5");
        co_await part.exec("insert into places values(1, 1)");
      };
      EXPECT_EQ(co_await outcome_of(all.savepoint(twice)), FailureKind::unique);
      const auto refusing = [](Transaction& part) -> Task<Result<int>> {
        co_await part.exec("update places set n = 6");
        co_return fail(Error::conflict("no"));
      };
      EXPECT_FALSE(co_await all.savepoint(refusing));
      const auto throwing = [](Transaction& part) -> Task<> {
        co_await part.exec("update places set n = 7");
        throw std::runtime_error("no");
      };
      EXPECT_TRUE(co_await throws(all.savepoint(throwing)));
      const auto kept = [](Transaction& part) -> Task<int> {
        co_await part.exec("update places set n = n + 2");
        co_return 3;
      };
      co_return co_await all.savepoint(kept);
    };
    EXPECT_EQ(co_await base.transaction(body), 3);
    EXPECT_EQ(co_await numbers_of(base), "3 2");
  });
}

TEST_P(Transactions, savepoints_nest) {
  on_each_way([](Database base) -> Task<> {
    co_await make_places(base);
    const auto body = [](Transaction& all) -> Task<> {
      const auto outer = [](Transaction& part) -> Task<> {
        co_await part.exec("update places set n = n + 1");
        for (const bool is_kept : {true, false, true}) {
          const auto inner = [is_kept](Transaction& deeper) -> Task<Result<void>> {
            co_await deeper.exec("update places set n = n + 10 where id = 1");
            co_return is_kept ? Result<void>() : fail(Error::conflict("no"));
          };
          EXPECT_EQ((co_await part.savepoint(inner)).has_value(), is_kept);
        }
      };
      co_await all.savepoint(outer);
      const auto refused = [outer](Transaction& part) -> Task<> {
        co_await part.savepoint(outer);
        throw std::runtime_error("no");
      };
      EXPECT_TRUE(co_await throws(all.savepoint(refused)));
      co_await all.exec("update places set n = n + 100 where id = 2");
    };
    co_await base.transaction(body);
    EXPECT_EQ(co_await numbers_of(base), "21 101");
  });
}

TEST_P(Transactions, a_savepoint_that_is_dropped_rolls_all_back) {
  on_each_way([](Database base) -> Task<> {
    co_await make_places(base);
    Transaction all = co_await base.begin();
    co_await all.exec("update places set n = 1");
    const auto waiting = [](Transaction& part) -> Task<> {
      co_await part.exec("update places set n = 2");
      co_await sleep_for(std::chrono::hours(1));
    };
    EXPECT_FALSE(co_await with_deadline(all.savepoint(waiting), std::chrono::milliseconds(50)));
    EXPECT_EQ(co_await outcome_of(commit(all)), FailureKind::statement);
    EXPECT_EQ(co_await numbers_of(base), "0 0");
  });
}

TEST_P(Transactions, a_savepoint_is_lost_with_its_connection) {
  if (is_sqlite()) {
    GTEST_SKIP() << "SQLite has no server";
  }
  on_loop_.run([](Database base) -> Task<> {
    co_await make_places(base);
    int runs = 0;
    const auto body = [base, &runs](Transaction& all) -> Task<> {
      ++runs;
      co_await all.exec("update places set n = 1");
      const auto losing = [base](Transaction& part) -> Task<> {
        const db::RuntimeSql ask{differs().connection};
        const auto number = co_await part.one<std::int64_t>(ask);
        const db::RuntimeSql kill{std::string(differs().ends_connection) + "(" +
                                  std::to_string(number.value()) + ")"};
        co_await base.exec(kill);
        co_await sleep_for(std::chrono::milliseconds(50));
        co_await part.exec("update places set n = 2");
      };
      EXPECT_EQ(co_await outcome_of(all.savepoint(losing)), FailureKind::lost);
      EXPECT_EQ(co_await outcome_of(all.savepoint(losing)), FailureKind::lost);
    };
    EXPECT_EQ(co_await outcome_of(base.transaction({.tries_max = 5}, body)), FailureKind::lost);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(co_await numbers_of(base), "0 0");
  }(open()));
}

}  // namespace
}  // namespace eider
