#include "eider/web/backplane/postgres/postgres_topics.h"

#include <string>

#include "eider/data/db/postgres/postgres_subscriber.h"
#include "tests/support/postgres_tests.h"
#include "tests/support/relayed_process.h"

namespace eider {
namespace {

TEST_F(PostgresTest, topics_reach_the_other_processes_once) {
  on_loop_.run([](Database database) -> Task<> {
    RelayedProcess a(postgres_topics(database));
    RelayedProcess b(postgres_topics(database));
    co_await until([&] { return a.missed == 1 && b.missed == 1; });
    for (int i = 0; i < 1000; ++i) {
      a.topics.publish("room", std::to_string(i));
    }
    a.topics.publish("room", "last");
    co_await until([&] { return b.listener.events.size() == 1001; });
    b.topics.publish("room", std::string("\u00eb'"));
    co_await until([&] { return a.listener.events.size() == 1002; });
    EXPECT_EQ(b.listener.events[999], "data: 999\n\n");
    EXPECT_EQ(a.listener.events[1001], "data: \u00eb'\n\n");
    EXPECT_EQ(a.missed + b.missed, 2);
  }(open()));
}

TEST_F(PostgresTest, a_message_that_notify_does_not_take_is_told_as_missed) {
  on_loop_.run([](Database database) -> Task<> {
    RelayedProcess a(postgres_topics(database, "Other topics"));
    RelayedProcess b(postgres_topics(database, "Other topics"));
    co_await until([&] { return a.missed == 1 && b.missed == 1; });
    a.topics.publish("room", std::string(5900, 'x'));
    a.topics.publish("room", std::string(6000, 'x'));
    co_await until([&] { return b.missed == 2 && b.listener.events.size() == 1; });
    EXPECT_EQ(a.relay.counts().lost, 1U);
    co_await notify(database, "Other topics", "no base64");
    co_await until([&] { return b.relay.counts().invalid == 1; });
  }(open()));
}

TEST_F(PostgresTest, a_connection_that_is_lost_is_told_as_missed_and_comes_back) {
  on_loop_.run([](Database database) -> Task<> {
    RelayedProcess a(postgres_topics(database, "third"));
    co_await until([&] { return a.missed == 1; });
    co_await database.exec(
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()");
    co_await until([&] { return a.missed >= 2; });
    RelayedProcess b(postgres_topics(database, "third"));
    co_await until([&] { return b.missed == 1; });
    for (int i = 0; a.listener.events.empty() && i < 1000; ++i) {
      b.topics.publish("room", "again");
      co_await sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_EQ(a.listener.events.front(), "data: again\n\n");
  }(open()));
}

}  // namespace
}  // namespace eider
