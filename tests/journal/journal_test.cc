// The journal over SQLite, in simulated time: who listens, who comes back, the end of a stream.
#include "eider/journal/journal.h"

#include <eider/db/sqlite/sqlite.h>
#include <eider/eider.h>
#include <gtest/gtest.h>

#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

struct Said {
  std::int64_t id = 0;
  std::string word = {};
};

struct Rows {
  std::int64_t waiting = 0;
  std::int64_t all = 0;
};

class JournalCase : public ::testing::Test {
 protected:
  App make_app() const {
    App made;
    journal(made, database, {.topic = "words", .missed_max = 3, .kept_for = 24h});
    made.post(
        "/say/{word}/{commits}",
        [database = database](std::string word, bool commits, State<Journal> words) -> Task<> {
          Transaction transaction = co_await database.begin();
          co_await transaction.exec("insert into words values($1)", word);
          if (word == "again") {
            throw Failure(Error::conflict("It was said."));
          }
          if (commits) {
            auto ending = words->commit(std::move(transaction), "said", Said{0, word});
            co_await std::move(ending);
          }
        });
    made.get("/words", [database = database]() -> Task<int> {
      const auto count = co_await database.one<int>("select count(*) from words");
      co_return *count;
    });
    made.get("/rows", [database = database]() -> Task<Rows> {
      const auto rows = co_await database.one<Rows>(
          "select count(due) as waiting, count(*) as \"all\" from eider_journal");
      co_return *rows;
    });
    made.get("/events", [](EventStream events, State<Journal> words) {
      return words->follow(std::move(events));
    });
    made.ws("/live",
            [](WebSocket socket, State<Journal> words) { return words->push(std::move(socket)); });
    return made;
  }
  void say(const std::string& word) {
    EXPECT_EQ(client.post("/say/" + word + "/true", 0).status, 204);
  }
  TestEvents events_since(std::string id) {
    return client.events("/events", {{"Last-Event-ID", std::move(id)}});
  }

  Database database = open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop,
                                               .schema = "create table words(word text)"});
  App app = make_app();
  TestClient client{app};
};

TEST_F(JournalCase, tells_streams_and_sockets_what_is_committed) {
  TestWebSocket socket = client.websocket("/live");
  TestEvents events = client.events("/events");
  EXPECT_EQ(client.post("/say/quiet/false", 0).status, 204);
  say("hello");
  const auto told = events.next();
  EXPECT_EQ(told->event, "said");
  EXPECT_EQ(told->id, "1");
  EXPECT_EQ(told->data, R"({"id":1,"word":"hello"})");
  EXPECT_EQ(socket.receive()->bytes, told->data);
  EXPECT_EQ(client.get("/words").body, "1");
}

TEST_F(JournalCase, numbers_without_a_gap_what_was_taken_back) {
  say("one");
  EXPECT_EQ(client.post("/say/again/true", 0).status, 409);
  say("two");
  EXPECT_EQ(events_since("1").next()->id, "2");
}

TEST_F(JournalCase, tells_who_comes_back_what_he_has_missed) {
  for (const char* word : {"one", "two", "three", "four"}) {
    say(word);
  }
  TestEvents back = events_since("1");
  EXPECT_EQ(back.next()->id, "2");
  EXPECT_EQ(back.next()->id, "3");
  EXPECT_EQ(back.next()->id, "4");
  say("five");
  EXPECT_EQ(back.next()->id, "5");
}

TEST_F(JournalCase, tells_of_a_gap_what_is_too_much_or_not_known) {
  for (const char* word : {"one", "two", "three", "four"}) {
    say(word);
  }
  for (const char* seen : {"0", "5", "-1"}) {
    TestEvents back = events_since(seen);
    EXPECT_EQ(back.next()->event, "gap") << seen;
  }
  TestEvents confused = events_since("one");
  say("five");
  EXPECT_EQ(confused.next()->id, "5");
}

TEST_F(JournalCase, forgets_what_is_old_and_says_so) {
  say("one");
  say("two");
  client.advance(23h);
  say("three");
  client.advance(2h);
  EXPECT_EQ(client.get("/rows").json<Rows>().all, 1);
  EXPECT_EQ(events_since("1").next()->event, "gap");
  EXPECT_EQ(events_since("2").next()->id, "3");
  say("four");
  EXPECT_EQ(events_since("3").next()->id, "4");
}

TEST_F(JournalCase, keeps_nothing_for_a_webhook_that_is_set_later) {
  say("one");
  EXPECT_EQ(client.get("/rows").json<Rows>().waiting, 0);
}

TEST_F(JournalCase, has_whoever_listens_ask_again) {
  TestWebSocket socket = client.websocket("/live");
  TestEvents events = client.events("/events");
  client.advance(11min);
  EXPECT_FALSE(events.next());
  EXPECT_FALSE(socket.receive());
}

}  // namespace
}  // namespace eider
