#include "eider/data/db/threaded_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <semaphore>
#include <set>
#include <string>
#include <utility>

#include "eider/data/db/database.h"
#include "eider/data/db/failure.h"
#include "eider/io/runtime/scope.h"
#include "tests/support/test_loop.h"

namespace eider::db {
namespace {

/// The calls of a connection, as letters: b(egin), c(ommit), r(oll back), s(tatement).
struct Journal {
  std::string calls;         // written by the connection's thread
  int fails_at = -1;         // the call with this number, starting at 0, throws
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

/// Runs two statements in a transaction. Returns whether it was committed.
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

/// A table with one unique column, for statements that share a commit.
struct Shelf {
  std::set<std::string> kept;
  std::counting_semaphore<> is_reached{0};
  std::counting_semaphore<> goes_on{0};
  int full_count = 0;          // number of "insert full" statements
  std::size_t lost_count = 0;  // number of rows that "insert late" has lost
};

/// Its statements: "insert NAME"; "insert late" waits for the test, and loses the transaction;
/// "insert full" also inserts `ann`, and fails with a full disk from the second time on.
class ShelfConnection final : public Connection {
 public:
  explicit ShelfConnection(Shelf& shelf) : shelf_(shelf) {}

  std::optional<Changed> run(std::string_view sql, std::span<const Value>, RowSink*,
                             const Limit&) override {
    if (sql == "insert late") {
      shelf_.is_reached.release();
      shelf_.goes_on.acquire();
      shelf_.lost_count = begun_.size();
      roll_back();
      throw Failure(FailureKind::expired, "late");
    }
    if (sql == "insert full" && shelf_.full_count++ > 0) {
      throw Failure(FailureKind::storage, "full");
    }
    const std::string name(sql == "insert full" ? "insert ann" : sql);
    if (shelf_.kept.contains(name) || !begun_.insert(name).second) {
      throw Failure(FailureKind::unique, "there already");
    }
    if (!is_open_) {
      commit();
    }
    return Changed{1, 0};
  }
  void script(std::string_view) override {}
  void begin() override { is_open_ = true; }
  void commit() override {
    shelf_.kept.merge(begun_);
    roll_back();
  }
  void roll_back() noexcept override {
    begun_.clear();
    is_open_ = false;
  }
  [[nodiscard]] bool can_share() const noexcept override { return true; }
  [[nodiscard]] bool may_commit() const noexcept override { return is_open_; }

 private:
  Shelf& shelf_;
  std::set<std::string> begun_;
  bool is_open_ = false;
};

Task<> put(Database on, RuntimeSql sql, std::optional<FailureKind>* outcome) {
  try {
    co_await on.exec(sql);
    outcome->reset();
  } catch (const Failure& failure) {
    *outcome = failure.kind();
  }
}

/// `first`, "insert ann" and "insert late" share the transaction that the last one loses. Returns
/// the result of "insert ann".
Task<std::optional<FailureKind>> lose(Database on, Shelf* shelf, RuntimeSql first, bool is_left) {
  std::optional<FailureKind> outcomes[3];
  Scope scope;
  std::optional<Scope> leaving(std::in_place);
  Transaction transaction = co_await on.begin();
  leaving->start(put(on, std::move(first), &outcomes[0]));
  scope.start(put(on, RuntimeSql{"insert ann"}, &outcomes[1]));
  scope.start(put(on, RuntimeSql{"insert late"}, &outcomes[2]));
  co_await transaction.commit();
  shelf->is_reached.acquire();
  if (is_left) {
    leaving.reset();
  }
  shelf->goes_on.release();
  co_await scope.join();
  if (!is_left) {
    co_await leaving->join();
  }
  EXPECT_EQ(outcomes[2], FailureKind::expired);
  co_return outcomes[1];
}

Database open(Shelf& shelf) {
  return Database(std::make_shared<ThreadedPool>(std::make_unique<ShelfConnection>(shelf),
                                                 std::vector<std::unique_ptr<Connection>>(),
                                                 PoolLimits()));
}

struct Loss {
  std::optional<FailureKind> second;
  std::set<std::string> kept;
};

/// Repeats the test if the three were delayed so long that they did not share a commit.
Loss lose_together(const char* first, bool is_left) {
  for (int tries = 0; tries < 1000; ++tries) {
    Shelf shelf;
    TestLoop on_loop;
    const auto second = on_loop.run(lose(open(shelf), &shelf, RuntimeSql{first}, is_left));
    if (shelf.lost_count > 0) {
      return {second, shelf.kept};
    }
  }
  ADD_FAILURE() << "they never shared a commit";
  return {};
}

TEST(Pool, what_was_done_once_is_done_again_though_nobody_waits_for_it_any_more) {
  const Loss loss = lose_together("insert ann", true);
  EXPECT_EQ(loss.second, FailureKind::unique);
  EXPECT_EQ(loss.kept, std::set<std::string>{"insert ann"}) << "taken by nobody";
}

TEST(Pool, nobody_is_refused_for_a_row_that_was_not_kept) {
  const Loss loss = lose_together("insert full", false);
  EXPECT_EQ(loss.second, std::nullopt);
  EXPECT_EQ(loss.kept, std::set<std::string>{"insert ann"});
}

}  // namespace
}  // namespace eider::db
