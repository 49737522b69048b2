#include <string>
#include <thread>

#include "tests/support/mariadb_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

using FailingMariadb = MariadbTest;

TEST_F(FailingMariadb, a_statement_whose_time_is_over_is_ended_at_the_server) {
  script(open(), "drop table if exists numbers; create table numbers(n int)");
  // If the statement itself sets another time limit, the kill ends it. The same applies to
  // statements that write in MySQL.
  const std::string slow =
      "select count(*) from seq_1_to_100000 a, seq_1_to_100000 b where a.seq + b.seq = 1";
  const std::string without_limit =
      is_mysql() ? "select /*+ max_execution_time(3600000) */" + slow.substr(6)
                 : "set statement max_statement_time = 0 for " + slow;
  for (const std::string& sql : {slow, without_limit, "insert into numbers " + slow}) {
    const Database base = open({.connections_max = 1, .limits = {.statement_time_max = 1s}});
    on_loop_.run([](Database on, db::RuntimeSql text) -> Task<> {
      auto late = on.exec(text);
      const db::Failure failure = co_await failure_of(late);
      EXPECT_EQ(failure.kind(), FailureKind::expired) << failure.what();
      EXPECT_EQ(co_await on.one<int>("select 3"), 3);
    }(base, db::RuntimeSql{sql}));
    EXPECT_EQ(number(open(),
                     "select count(*) from information_schema.processlist where info like "
                     "'%seq_1_to_100000%' and id <> connection_id()"),
              0);
  }
}

TEST_F(FailingMariadb, the_last_word_of_a_connection_is_heard_ahead_of_the_next_statement) {
  on_loop_.run([](Database on) -> Task<> {
    const auto id = *co_await on.one<std::int64_t>("select connection_id()");
    // The event loop is blocked in the meantime, so it has not received the bytes yet.
    std::thread([id] {
      TestLoop beside;
      beside.run([](Database other, std::int64_t killed) -> Task<> {
        const db::RuntimeSql kill{"kill " + std::to_string(killed)};
        co_await other.exec(kill);
        while (*co_await other.one<int>(
                   "select count(*) from information_schema.processlist where id = $1", killed) !=
               0) {
        }
      }(open(), id));
    }).join();
    EXPECT_EQ(co_await on.one<int>("select 3"), 3);
  }(open({.connections_max = 1})));
}

}  // namespace
}  // namespace eider
