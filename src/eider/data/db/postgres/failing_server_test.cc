#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/postgres_tests.h"

namespace eider {
namespace {

using db::FailureKind;
using namespace std::chrono_literals;

class FailingServer : public PostgresTest {
 protected:
  static PostgresServer& server() { return PostgresServer::shared(); }
  void TearDown() override { server().signal_all(SIGCONT); }
};

TEST_F(FailingServer, a_request_to_cancel_that_may_still_come_is_met_by_nobody) {
  on_loop_.run([](Database on) -> Task<> {
    const auto process = *co_await on.one<int>("select pg_backend_pid()");
    server().signal_first(SIGSTOP);
    auto slow = on.exec("select pg_sleep(2)");
    (void)co_await failure_of(slow);
    co_await sleep_for(5500ms);  // the cancel request times out, and the connection is closed
    server().signal_first(SIGCONT);
    EXPECT_NE(co_await on.one<int>("select pg_backend_pid()"), process);
  }(open({.connections_max = 1, .statements_max = 0, .limits = {.statement_time_max = 1s}})));
}

TEST_F(FailingServer, a_statement_that_was_only_being_prepared_is_done_by_another_connection) {
  script(open(), "drop table if exists locked; create table locked(n int)");
  on_loop_.run([](Database on, Database other) -> Task<> {
    // Both connections are opened, and then one of them waits for the lock to read the columns.
    auto sleep = [](Database within) -> Task<> { co_await within.exec("select pg_sleep(0.05)"); };
    Scope both;
    both.start(sleep(on));
    both.start(sleep(on));
    co_await both.join();
    Transaction lock = co_await other.begin();
    co_await lock.exec("lock table locked");
    std::int64_t rows = -1;
    auto read = [](Database within, std::int64_t* into) -> Task<> {
      *into = *co_await within.one<std::int64_t>("select count(*) from locked");
    };
    Scope reading;
    reading.start(read(on, &rows));
    const db::RuntimeSql end{
        "select pg_terminate_backend(pid)::int from pg_stat_activity where wait_event_type = "
        "'Lock'"};
    while ((co_await lock.all<int>(end)).empty()) {
      co_await sleep_for(5ms);
      // Within a transaction, the server caches its first view of the activity.
      co_await lock.exec("select pg_stat_clear_snapshot()");
    }
    co_await lock.roll_back();
    co_await reading.join();
    EXPECT_EQ(rows, 0);
  }(open({.connections_max = 2}), open()));
}

TEST_F(FailingServer, what_waits_behind_a_last_answer_is_done_by_another_connection) {
  script(open(), "drop table if exists numbers; create table numbers(n int)");
  on_loop_.run([](Database on) -> Task<> {
    const auto process = *co_await on.one<int>("select pg_backend_pid()");
    auto write = [](Database within, int number) -> Task<> {
      co_await within.exec("insert into numbers values($1)", number);
    };
    for (int i = 0; i < 3; ++i) {  // prepared then, so that there is only one round
      Scope both;
      both.start(write(on, 1));
      both.start(write(on, 2));
      // The event loop is blocked while the response and the end of the connection arrive.
      if (i == 2) {
        co_await yield_now();  // until the first statement has been sent
        std::thread([process] {
          TestLoop other;
          other.run([](Database beside, int ended) -> Task<> {
            while (*co_await beside.one<std::int64_t>("select count(*) from numbers") < 5) {
              co_await sleep_for(1ms);
            }
            co_await beside.exec("select pg_terminate_backend($1, 5000)", ended);
          }(open(), process));
        }).join();
      }
      co_await both.join();
    }
    EXPECT_EQ(co_await on.one<std::int64_t>("select count(*) from numbers"), 6);
    EXPECT_NE(co_await on.one<int>("select pg_backend_pid()"), process);
  }(open({.connections_max = 1})));
}

TEST_F(FailingServer, notices_and_notifications_in_the_middle_are_passed_over) {
  on_loop_.run([](Database on) -> Task<> {
    co_await on.exec("do 'begin listen something; end'");
    for (int i = 0; i < 3; ++i) {
      co_await on.exec("do 'begin raise notice ''a notice''; end'");
      co_await on.exec("notify something, 'payload'");
      EXPECT_EQ(co_await on.one<int>("select 3"), 3);
    }
  }(open({.connections_max = 1})));
}

}  // namespace
}  // namespace eider
