#include <memory>
#include <thread>
#include <vector>

#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

class PostgresOnSeveralLoops : public PostgresTest {};

TEST_F(PostgresOnSeveralLoops, a_transaction_is_refused_on_another_and_may_be_left_anywhere) {
  const Database base = open({.connections_max = 1});
  script(base, "drop table if exists carried; create table carried(n int)");
  on_loop_.run([](Database on) -> Task<> {
    auto transaction = std::make_unique<Transaction>(co_await on.begin());
    co_await transaction->exec("insert into carried values(1)");
    std::thread([&transaction] {
      TestLoop other;
      other.run([](Transaction* used) -> Task<> {
        auto pending = used->exec("insert into carried values(2)");
        EXPECT_EQ((co_await failure_of(pending)).kind(), db::FailureKind::statement);
      }(transaction.get()));
    }).join();
    co_await transaction->exec("insert into carried values(3)");
    std::thread([&transaction] { transaction.reset(); }).join();
    EXPECT_EQ(co_await on.one<std::int64_t>("select count(*) from carried"), 0);
    // Also while its event loop continues: each waits for the connection that the previous one has
    // released.
    std::vector<std::thread> threads;
    for (int i = 0; i < 100; ++i) {
      auto next = std::make_unique<Transaction>(co_await on.begin());
      threads.emplace_back([left = std::move(next)]() mutable { left.reset(); });
    }
    EXPECT_EQ(co_await on.one<std::int64_t>("select count(*) from carried"), 0);
    for (std::thread& thread : threads) {
      thread.join();
    }
  }(base));
}

}  // namespace
}  // namespace eider
