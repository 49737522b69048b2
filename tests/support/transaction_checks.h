// What transactions, their repetition and their savepoints do on every database alike.
// Must not be linked into an application.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "eider/data/db/database.h"
#include "eider/io/runtime/deadline.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/sync.h"

namespace eider {

/// How it failed; nothing where it did not.
inline Task<std::optional<db::FailureKind>> outcome_of(Task<> task) {
  try {
    co_await std::move(task);
  } catch (const db::Failure& failure) {
    co_return failure.kind();
  }
  co_return std::nullopt;
}

inline Task<bool> throws(Task<> task) {
  try {
    co_await std::move(task);
  } catch (const std::runtime_error&) {
    co_return true;
  }
  co_return false;
}

inline Task<> commit(const Transaction& transaction) {
  co_await transaction.commit();
}

inline Task<> make_places(Database base) {
  co_await base.exec("drop table if exists places");
  co_await base.exec("create table places(id int primary key, n int not null)");
  co_await base.exec("insert into places values(1, 0)");
  co_await base.exec("insert into places values(2, 0)");
}

/// "1 2", by their ids.
inline Task<std::string> numbers_of(Database base) {
  std::string text;
  for (const int number : co_await base.all<int>("select n from places order by id")) {
    text += (text.empty() ? "" : " ") + std::to_string(number);
  }
  co_return text;
}

/// Where two tasks wait for each other the first time that they come by.
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
  Event both_;
};

inline Task<> run_both(Task<> one, Task<> other) {
  Scope both;
  both.start(std::move(one));
  both.start(std::move(other));
  co_await both.join();
}

// Repetition.

/// Fails so often, behind a change; counts how often it is run.
inline auto failing(int* runs, int fails, db::FailureKind kind) {
  return [runs, fails, kind](Transaction& all) -> Task<int> {
    ++*runs;
    co_await all.exec("update places set n = n + 1 where id = 1");
    if (*runs <= fails) {
      throw db::Failure(kind, "as the test wants it");
    }
    co_return *runs;
  };
}

inline Task<> ignore(Task<int> task) {
  (void)co_await std::move(task);
}

inline Task<> check_that_what_was_taken_back_is_tried_again(Database base) {
  co_await make_places(base);
  for (const db::FailureKind kind : {db::FailureKind::serialisation, db::FailureKind::deadlock}) {
    int runs = 0;
    const auto body = failing(&runs, 2, kind);
    EXPECT_EQ(co_await base.transaction({.tries_max = 3}, body), 3);
    runs = 0;
    EXPECT_EQ(co_await outcome_of(ignore(base.transaction({.tries_max = 2}, body))), kind);
    EXPECT_EQ(runs, 2);
  }
  EXPECT_EQ(co_await numbers_of(base), "2 0");
}

inline Task<> check_that_nothing_else_is_tried_again(Database base) {
  co_await make_places(base);
  for (const db::FailureKind kind :
       {db::FailureKind::lost, db::FailureKind::busy, db::FailureKind::expired,
        db::FailureKind::unique, db::FailureKind::statement}) {
    int runs = 0;
    const auto body = failing(&runs, 1, kind);
    EXPECT_EQ(co_await outcome_of(ignore(base.transaction({.tries_max = 9}, body))), kind);
    EXPECT_EQ(runs, 1);
  }
  int runs = 0;
  const auto body = failing(&runs, 1, db::FailureKind::serialisation);
  EXPECT_EQ(co_await outcome_of(ignore(base.transaction(body))), db::FailureKind::serialisation);
  EXPECT_EQ(runs, 1);
  runs = 0;
  EXPECT_EQ(co_await outcome_of(ignore(base.transaction(TransactionOptions(), body))),
            db::FailureKind::serialisation);
  EXPECT_EQ(runs, 1);
  const auto refusing = [](Transaction& all) -> Task<Result<int>> {
    co_await all.exec("update places set n = 9");
    co_return fail(Error::conflict("no"));
  };
  EXPECT_FALSE(co_await base.transaction({.tries_max = 9}, refusing));
  EXPECT_EQ(co_await numbers_of(base), "0 0");
}

inline Task<> check_that_tries_end_with_who_waits(Database base) {
  co_await make_places(base);
  int runs = 0;
  const auto body = failing(&runs, 1'000'000, db::FailureKind::deadlock);
  const auto kept = co_await with_deadline(base.transaction({.tries_max = 1'000'000}, body),
                                           std::chrono::milliseconds(200));
  EXPECT_FALSE(kept);
  EXPECT_GE(runs, 2);
  const int runs_until_then = std::exchange(runs, 0);
  EXPECT_LT(runs_until_then, 40);  // with pauses
  EXPECT_EQ(co_await numbers_of(base), "0 0");
  EXPECT_EQ(runs, 0);
}

/// Each adds so often to what it has read.
inline Task<> count_up(Database base, TransactionOptions options, int times) {
  for (int i = 0; i < times; ++i) {
    const auto body = [](Transaction& all) -> Task<> {
      const auto read = co_await all.one<int>("select n from places where id = 1");
      co_await yield_now();
      co_await all.exec("update places set n = $1 where id = 1", read.value() + 1);
    };
    co_await base.transaction(options, body);
  }
}

inline Task<> check_that_no_count_is_lost(Database base, db::Isolation isolation) {
  co_await make_places(base);
  Scope tasks;
  for (int i = 0; i < 4; ++i) {
    tasks.start(count_up(base, {.isolation = isolation, .tries_max = 200}, 10));
  }
  co_await tasks.join();
  EXPECT_EQ(co_await numbers_of(base), "40 0");
}

/// Of the two places one is to stay 0: each of two transactions sees both, and sets its own.
///
/// returns  how often a body was run
inline Task<int> set_both_places(Database base, TransactionOptions options) {
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

inline Task<> check_that_no_two_write_by_what_both_have_read(Database base) {
  EXPECT_EQ(co_await set_both_places(base, {.isolation = db::Isolation::repeatable_read}), 2);
  EXPECT_EQ(co_await numbers_of(base), "1 1");
  EXPECT_EQ(
      co_await set_both_places(base, {.isolation = db::Isolation::serialisable, .tries_max = 5}),
      3);
  EXPECT_EQ(co_await base.one<int>("select count(*) from places where n = 1"), 1);
}

/// Two rows in opposite orders.
inline Task<> cross(Database base, TransactionOptions options, int first, Meeting* meeting,
                    int* runs) {
  const auto body = [first, meeting, runs](Transaction& all) -> Task<> {
    ++*runs;
    co_await all.exec("update places set n = n + 1 where id = $1", first);
    co_await meeting->come();
    co_await all.exec("update places set n = n + 1 where id = $1", 3 - first);
  };
  co_await base.transaction(options, body);
}

inline Task<> check_that_deadlocks_are_overcome(Database base) {
  co_await make_places(base);
  Meeting meeting;
  int runs = 0;
  co_await run_both(cross(base, {.tries_max = 3}, 1, &meeting, &runs),
                    cross(base, {.tries_max = 3}, 2, &meeting, &runs));
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(co_await numbers_of(base), "2 2");
}

/// What is read twice while another one changes it.
inline Task<int> change_seen(Database base, db::Isolation isolation) {
  co_await make_places(base);
  Transaction reading = co_await base.begin({.isolation = isolation});
  const auto first = co_await reading.one<int>("select n from places where id = 1");
  co_await base.exec("update places set n = 7 where id = 1");
  const auto second = co_await reading.one<int>("select n from places where id = 1");
  co_await reading.commit();
  co_return second.value() - first.value();
}

/// A deadlock that the body does not tell of, and goes on.
inline Task<> check_that_a_deadlock_that_is_kept_quiet_is_told(Database base) {
  co_await make_places(base);
  Meeting meeting;
  std::vector<db::FailureKind> failures;
  const auto quiet = [](Database on, int first, Meeting* at,
                        std::vector<db::FailureKind>* told) -> Task<> {
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
  EXPECT_EQ(failures, std::vector{db::FailureKind::statement});
  EXPECT_EQ(co_await numbers_of(base), "1 1 9");
}

// Savepoints.

inline Task<> check_that_a_savepoint_takes_back_its_part(Database base) {
  co_await make_places(base);
  const auto body = [](Transaction& all) -> Task<int> {
    co_await all.exec("update places set n = 1 where id = 1");
    const auto twice = [](Transaction& part) -> Task<> {
      co_await part.exec("update places set n = 5");
      co_await part.exec("insert into places values(1, 1)");
    };
    EXPECT_EQ(co_await outcome_of(all.savepoint(twice)), db::FailureKind::unique);
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
}

inline Task<> check_that_savepoints_nest(Database base) {
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
}

inline Task<> check_that_a_savepoint_that_is_left_takes_all_back(Database base) {
  co_await make_places(base);
  Transaction all = co_await base.begin();
  co_await all.exec("update places set n = 1");
  const auto waiting = [](Transaction& part) -> Task<> {
    co_await part.exec("update places set n = 2");
    co_await sleep_for(std::chrono::hours(1));
  };
  EXPECT_FALSE(co_await with_deadline(all.savepoint(waiting), std::chrono::milliseconds(50)));
  EXPECT_EQ(co_await outcome_of(commit(all)), db::FailureKind::statement);
  EXPECT_EQ(co_await numbers_of(base), "0 0");
}

/// own  asks a connection for its number
/// end  ends the one of the number behind it
inline Task<> check_that_a_savepoint_goes_with_its_connection(Database base, const char* own,
                                                              std::string end) {
  co_await make_places(base);
  int runs = 0;
  const auto body = [base, own, end, &runs](Transaction& all) -> Task<> {
    ++runs;
    co_await all.exec("update places set n = 1");
    const auto losing = [base, own, end](Transaction& part) -> Task<> {
      const db::RuntimeSql ask{own};
      const auto number = co_await part.one<std::int64_t>(ask);
      const db::RuntimeSql kill{end + "(" + std::to_string(number.value()) + ")"};
      co_await base.exec(kill);
      co_await sleep_for(std::chrono::milliseconds(50));
      co_await part.exec("update places set n = 2");
    };
    EXPECT_EQ(co_await outcome_of(all.savepoint(losing)), db::FailureKind::lost);
    EXPECT_EQ(co_await outcome_of(all.savepoint(losing)), db::FailureKind::lost);
  };
  EXPECT_EQ(co_await outcome_of(base.transaction({.tries_max = 5}, body)), db::FailureKind::lost);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(co_await numbers_of(base), "0 0");
}

}  // namespace eider
