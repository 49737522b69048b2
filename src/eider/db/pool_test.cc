#include "eider/db/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "eider/db/database.h"
#include "eider/db/failure.h"
#include "tests/support/test_loop.h"

namespace eider::db {
namespace {

/// What a connection was asked for, in letters: b(egin), c(ommit), r(oll back), s(tatement).
struct Journal {
  std::string calls;         // of the one thread that the connection is on
  int fails_at = -1;         // the call of this number, from 0, throws
  bool is_open = false;      // a transaction
  std::atomic<int> kept{0};  // statements that were committed
};

class JournalConnection final : public Connection {
 public:
  explicit JournalConnection(Journal& journal) : journal_(journal) {}

  std::optional<Changed> run(std::string_view, std::span<const Value>, RowSink*,
                             const Limit&) override {
    note('s');
    ++pending_;
    if (!journal_.is_open) {
      keep();
    }
    return Changed{1, 0};
  }
  void script(std::string_view) override { note('s'); }
  void begin() override {
    note('b');
    journal_.is_open = true;
  }
  void commit() override {
    note('c');
    journal_.is_open = false;
    keep();
  }
  void roll_back() noexcept override {
    if (journal_.is_open) {
      journal_.calls += 'r';
      journal_.is_open = false;
    }
    pending_ = 0;
  }

 private:
  void note(char call) {
    const auto number = static_cast<int>(journal_.calls.size());
    journal_.calls += call;
    if (number == journal_.fails_at) {
      throw Failure(FailureKind::storage, "injected");
    }
  }
  void keep() {
    journal_.kept += pending_;
    pending_ = 0;
  }

  Journal& journal_;
  int pending_ = 0;
};

Database open(Journal& journal) {
  return Database(std::make_shared<ThreadedPool>(std::make_unique<JournalConnection>(journal),
                                                 std::vector<std::unique_ptr<Connection>>(),
                                                 PoolLimits()));
}

/// Two statements that count together. Whether they did.
Task<bool> write_two(Database database) {
  auto two = [](Transaction& transaction) -> Task<> {
    co_await transaction.exec("one");
    co_await transaction.exec("two");
  };
  try {
    co_await database.transaction(two);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.kind(), FailureKind::storage);
    co_return false;
  }
  co_return true;
}

TEST(Pool, a_transaction_is_begun_once_and_committed_once) {
  Journal journal;
  {
    TestLoop on_loop;
    EXPECT_TRUE(on_loop.run(write_two(open(journal))));
  }
  EXPECT_EQ(journal.calls, "bssc");
  EXPECT_EQ(journal.kept, 2);
}

TEST(Pool, whichever_call_of_a_transaction_fails_nothing_of_it_is_kept) {
  const struct {
    int fails_at;
    const char* calls;
  } kCases[] = {{0, "b"}, {1, "bsr"}, {2, "bssr"}, {3, "bsscr"}};
  for (const auto& [fails_at, calls] : kCases) {
    Journal journal;
    journal.fails_at = fails_at;
    {
      TestLoop on_loop;
      EXPECT_FALSE(on_loop.run(write_two(open(journal)))) << fails_at;
    }
    EXPECT_EQ(journal.calls, calls);
    EXPECT_EQ(journal.kept, 0);
  }
}

TEST(Pool, after_any_failure_the_next_transaction_finds_the_connection_free) {
  for (int fails_at = 0; fails_at < 4; ++fails_at) {
    Journal journal;
    journal.fails_at = fails_at;
    {
      TestLoop on_loop;
      const Database database = open(journal);
      EXPECT_FALSE(on_loop.run(write_two(database)));
      EXPECT_TRUE(on_loop.run(write_two(database)));
    }
    EXPECT_EQ(journal.kept, 2) << journal.calls;
    EXPECT_FALSE(journal.is_open);
  }
}

TEST(Pool, a_transaction_that_begins_when_nobody_waits_any_more_is_rolled_back) {
  Journal journal;
  {
    TestLoop on_loop;
    const Database database = open(journal);
    on_loop.run([](Database base) -> Task<> {
      for (int i = 0; i < 50; ++i) {
        auto begin = [](Database on) -> Task<> { Transaction dropped = co_await on.begin(); };
        Task<> task = begin(base);
        task.start();
      }
      co_await base.exec("last");
    }(database));
  }
  EXPECT_FALSE(journal.is_open);
  EXPECT_EQ(journal.kept, 1);
}

}  // namespace
}  // namespace eider::db
