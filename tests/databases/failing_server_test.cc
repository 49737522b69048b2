// Servers that fail, statements that the server ends, and more work than connections.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/databases/tested_database.h"
#include "tests/support/own_network.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

class BusyDatabase : public DatabaseTest {
 protected:
  static constexpr const char* kMakeNumbers =
      "drop table if exists numbers; create table numbers(n int)";
};

INSTANTIATE_TEST_SUITE_P(On, BusyDatabase, each_database(), name_of_database);

TEST_P(BusyDatabase, ends_a_statement_whose_task_was_dropped) {
  on_loop_.run([](Database on) -> Task<> {
    const auto ask = [](Database within) -> Task<> {
      const db::RuntimeSql text{differs().waits};
      (void)co_await within.all<std::int64_t>(text);
    };
    for (int i = 0; i < 6; ++i) {
      Task<> leaving = ask(on);
      leaving.start();
      co_await sleep_for(20ms);
    }
    // Both connections were in use.
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  }(open({.connections_max = 2})));
  EXPECT_TRUE(gets_quiet());
}

TEST_P(BusyDatabase, ends_no_other_statement_than_that_of_the_dropped_task) {
  on_loop_.run([](Database on) -> Task<> {
    const auto ask = [](Database within) -> Task<> { co_await within.exec("select 1"); };
    for (int i = 0; i < 100; ++i) {
      {
        Task<> leaving = ask(on);
        leaving.start();
        if (i % 2 == 0) {
          co_await sleep_for(std::chrono::microseconds(50 * i));
        }
      }
      EXPECT_EQ(co_await on.one<int>("select 1 + $1", i), 1 + i);
    }
  }(open({.connections_max = 1})));
}

TEST_P(BusyDatabase, refuses_at_once_what_exceeds_the_queue) {
  const Database base = open({.connections_max = 1, .limits = {.queue_max = 10}});
  script(base, kMakeNumbers);
  const int busy = on_loop_.run([](Database on) -> Task<int> {
    int refused = 0;
    const auto add = [](Database within, int* count) -> Task<> {
      auto pending = within.exec("insert into numbers values(1)");
      *count += (co_await failure_of(pending)).kind() == FailureKind::busy ? 1 : 0;
    };
    Scope all;
    {
      const Transaction holding = co_await on.begin();  // occupies the connection
      for (int i = 0; i < 30; ++i) {
        all.start(add(on, &refused));
      }
    }
    co_await all.join();
    co_return refused;
  }(base));
  EXPECT_EQ(busy, 20);
  EXPECT_EQ(number(base, "select count(*) from numbers"), 10);
}

TEST_P(BusyDatabase, does_not_count_dropped_statements_in_the_queue) {
  const Database base = open({.connections_max = 1, .limits = {.queue_max = 10}});
  script(base, kMakeNumbers);
  on_loop_.run([](Database on) -> Task<> {
    const auto add = [](Database within, int n) -> Task<> {
      co_await within.exec("insert into numbers values($1)", n);
    };
    Transaction holding = co_await on.begin();
    for (int i = 0; i < 30; ++i) {
      Task<> leaving = add(on, i);
      leaving.start();
    }
    Scope beside;
    beside.start(add(on, 99));
    co_await holding.commit();
    co_await beside.join();
    const std::vector<int> all = co_await on.all<int>("select n from numbers");
    EXPECT_EQ(all, std::vector{99});
  }(base));
}

TEST_P(BusyDatabase, outlives_a_loop_that_ends_with_statements_on_their_way) {
  const Database base = open();
  script(base, kMakeNumbers);
  for (const Duration after : {0ms, 1ms, 3ms, 20ms}) {
    const auto add = [](Database on, int n) -> Task<> {
      co_await on.exec("insert into numbers values($1)", n);
    };
    std::vector<Task<>> adding;
    for (int i = 0; i < 8; ++i) {
      adding.push_back(add(base, i));
    }
    TestLoop short_lived;  // ends before the tasks
    short_lived.run([](std::vector<Task<>>* all, Duration length) -> Task<> {
      for (Task<>& one : *all) {
        one.start();
      }
      co_await sleep_for(length);
    }(&adding, after));
  }
  EXPECT_EQ(number(base, "select 3"), 3);
}

TEST_P(BusyDatabase, is_used_by_several_loops) {
  const Database base = open();
  script(base, kMakeNumbers);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([base, i] {
      TestLoop loop;
      loop.run([](Database on, int first) -> Task<> {
        for (int k = 0; k < 50; ++k) {
          co_await on.exec("insert into numbers values($1)", first + k * 4);
          EXPECT_EQ(co_await on.one<int>("select n from numbers where n = $1", first + k * 4),
                    first + k * 4);
        }
      }(base, i));
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(number(base, "select count(distinct n) from numbers"), 200);
}

class FailingServers : public BusyDatabase {
 protected:
  void SetUp() override {
    if (is_sqlite()) {
      GTEST_SKIP() << "SQLite has no server";
    }
  }

  static constexpr Duration kWaitMax = 1s;
  static constexpr Duration kStatementMax = 400ms;
  /// Includes half a second for the server to report that the statement has ended.
  static constexpr Duration kLongest = kWaitMax + kStatementMax + 500ms;

  void restart() {
    opener_->stop();
    opener_->start();
  }
  /// Writes while another thread harms the server. Checks that no acknowledged row is lost, no row
  /// is duplicated, and no statement hangs.
  template <class Harm>
  Tally write_while(Harm harm, bool by_tcp = false) {
    script(open(), kMakeNumbers);
    Tally tally;
    const OpenWith with{.connect_time_max = 500ms,
                        .wait_time_max = kWaitMax,
                        .limits = {.statement_time_max = kStatementMax}};
    const Database base = by_tcp ? opener_->open_by_tcp(with) : open(with);
    std::thread beside([&] {
      std::this_thread::sleep_for(200ms);
      harm();
    });
    on_loop_.run(write_side_by_side(base, 3s, &tally));
    beside.join();
    EXPECT_TRUE(on_loop_.run(heals(base)));
    check(tally);
    return tally;
  }
  void check(const Tally& tally) {
    const std::vector<int> all = on_loop_.run([](Database on) -> Task<std::vector<int>> {
      co_return co_await on.all<int>("select n from numbers");
    }(open()));
    const std::set<int> there(all.begin(), all.end());
    EXPECT_EQ(there.size(), all.size());
    EXPECT_TRUE(std::ranges::all_of(tally.kept, [&](int n) { return there.contains(n); }));
    const auto count = static_cast<int>(all.size());
    EXPECT_LE(count, tally.done + tally.unknown);
    EXPECT_EQ(tally.asked, tally.done + tally.undone + tally.unknown);
    EXPECT_LT(tally.longest, kLongest + 1s);  // one more second for a busy machine
    EXPECT_GT(tally.done, 0);
    std::printf("asked %d, done %d, undone %d, unknown %d (of them there: %d), longest %d ms\n",
                tally.asked, tally.done, tally.undone, tally.unknown, count - tally.done,
                static_cast<int>(
                    std::chrono::duration_cast<std::chrono::milliseconds>(tally.longest).count()));
  }
};

INSTANTIATE_TEST_SUITE_P(On, FailingServers, each_database(), name_of_database);

TEST_P(FailingServers, that_are_killed_and_started_again_lose_and_double_nothing) {
  (void)write_while([this] {
    opener_->kill();
    opener_->start();
  });
}

TEST_P(FailingServers, that_are_stopped_by_an_administrator_lose_and_double_nothing) {
  (void)write_while([this] { restart(); });
}

TEST_P(FailingServers, that_are_suspended_for_a_while_lose_and_double_nothing) {
  const Tally tally = write_while([this] {
    opener_->signal(SIGSTOP);
    std::this_thread::sleep_for(1500ms);
    opener_->signal(SIGCONT);
  });
  EXPECT_GT(tally.undone + tally.unknown, 0);
}

TEST_P(FailingServers, whose_network_is_cut_lose_and_double_nothing) {
  {
    OwnNetwork network;
    if (!network.why_not().empty()) {
      GTEST_SKIP() << network.why_not();
    }
    restart();  // starts the server in this thread's network namespace
    const Tally tally = write_while(
        [&network] {
          network.cut();
          std::this_thread::sleep_for(1500ms);
          network.mend();
        },
        true);
    EXPECT_GT(tally.unknown, 0);
  }
  restart();
}

TEST_P(FailingServers, whose_connections_are_ended_by_others_lose_and_double_nothing) {
  (void)write_while([this] {
    TestLoop other;
    other.run([](Database on) -> Task<> {
      const db::RuntimeSql others{differs().other_connections};
      for (int i = 0; i < 50; ++i) {
        for (const std::int64_t id : co_await on.all<std::int64_t>(others)) {
          auto ending = on.exec(end_of(id));
          (void)co_await failure_of(ending);
        }
        co_await sleep_for(10ms);
      }
    }(open()));
  });
}

TEST_P(FailingServers, that_end_a_connection_within_a_transaction_end_that) {
  on_loop_.run([](Database on, Database other) -> Task<> {
    Transaction transaction = co_await on.begin();
    const db::RuntimeSql own{differs().connection};
    const auto id = *co_await transaction.one<std::int64_t>(own);
    co_await other.exec(end_of(id));
    co_await sleep_for(50ms);
    auto next = transaction.exec("select 1");
    EXPECT_EQ((co_await failure_of(next)).kind(), FailureKind::lost);
    auto commit = transaction.commit();
    EXPECT_EQ((co_await failure_of(commit)).kind(), FailureKind::lost);
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  }(open({.connections_max = 1}), open()));
}

TEST_P(FailingServers, that_were_started_again_get_the_next_statement) {
  on_loop_.run([this](Database on) -> Task<> {
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(co_await on.one<int>("select 1"), 1);
      restart();
      if (i == 0) {
        co_await sleep_for(1ms);  // the loop sees the end of the old connection
      }
      EXPECT_EQ(co_await on.one<int>("select 1"), 1);
    }
  }(open()));
}

}  // namespace
}  // namespace eider
