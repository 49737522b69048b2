// The event log with SQLite, in simulated time: listening, reconnecting, and the end of a stream.
#include "eider/web/eventlog/eventlog.h"

#include <eider/data/db/sqlite/sqlite.h>
#include <eider/eider.h>
#include <gtest/gtest.h>

#include "eider/io/runtime/output_budget.h"
#include "eider/io/runtime/scope.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

struct Said {
  std::int64_t id = 0;
  std::string word = {};
};

class EventLogCase : public ::testing::Test {
 protected:
  App make_app() const {
    App made;
    add_event_log(made, database, {.topic = "words", .replay_max = 3, .retention = 24h});
    made.post(
        "/say/{word}/{commits}",
        [database = database](std::string word, bool commits, State<EventLog> words) -> Task<> {
          Transaction transaction = co_await database.begin();
          co_await transaction.exec("insert into words values($1)", word);
          if (word == "again") {
            throw Failure(Error::conflict("It was said."));
          }
          if (commits) {
            co_await words->commit(std::move(transaction), "said", Said{0, word});
          }
        });
    made.post("/named", [database = database](Json<Said> said, State<EventLog> words) -> Task<> {
      Transaction transaction = co_await database.begin();
      co_await transaction.exec("insert into words values('named')");
      co_await words->commit(std::move(transaction), said->word, Said{0, "named"});
    });
    made.post("/keep/{word}", [database = database](std::string word) -> Task<> {
      const Transaction transaction = co_await database.begin();
      const auto id = co_await transaction.one<std::int64_t>(
          "update eider_event_log_head set last = last + 1 returning last");
      co_await transaction.exec(
          "insert into eider_event_log(id, name, data, added) values($1, 'said', $2, unixepoch())",
          *id, word);
      co_await transaction.commit();
    });
    made.post("/tell/{id}", [](std::string id, State<Topics> topics) {
      topics->publish("words", "told", {.name = "said", .id = id});
    });
    made.post("/remark", [](State<Topics> topics) { topics->publish("words", "remark"); });
    made.get("/words", [database = database]() -> Task<int> {
      const auto count = co_await database.one<int>("select count(*) from words");
      co_return *count;
    });
    made.get("/rows", [database = database]() -> Task<int> {
      const auto count = co_await database.one<int>("select count(*) from eider_event_log");
      co_return *count;
    });
    made.get("/events", [](EventStream events, State<EventLog> words) {
      return words->follow(std::move(events));
    });
    made.ws("/live",
            [](WebSocket socket, State<EventLog> words) { return words->push(std::move(socket)); });
    return made;
  }
  void say(const std::string& word) {
    EXPECT_EQ(client.post("/say/" + word + "/true", 0).status, 204);
  }
  /// Stores an event without publishing it, as a process that ended before it could publish.
  void keep(const std::string& word) { EXPECT_EQ(client.post("/keep/" + word, 0).status, 204); }
  /// Publishes a stored event later.
  void tell(const std::string& id) { EXPECT_EQ(client.post("/tell/" + id, 0).status, 204); }
  static std::string next_id(TestEvents& events) {
    const auto next = events.next();
    return next ? next->id : "none";
  }
  TestEvents events_since(std::string id) {
    return client.events("/events", {{"Last-Event-ID", std::move(id)}});
  }

  Database database = open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop,
                                               .schema = "create table words(word text)"});
  App app = make_app();
  TestClient client{app};
};

TEST_F(EventLogCase, tells_streams_and_sockets_what_is_committed) {
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

TEST_F(EventLogCase, numbers_without_a_gap_what_was_taken_back) {
  say("one");
  EXPECT_EQ(client.post("/say/again/true", 0).status, 409);
  say("two");
  EXPECT_EQ(events_since("1").next()->id, "2");
}

TEST_F(EventLogCase, commits_nothing_if_the_name_cannot_be_sent) {
  using namespace std::string_literals;
  for (const std::string& name : {"a\nb"s, "a\rb"s, "a\0b"s}) {
    EXPECT_EQ(client.post("/named", Said{0, name}).status, 500);
  }
  EXPECT_EQ(client.get("/words").body, "0");
  EXPECT_EQ(client.get("/rows").body, "0");
  say("one");
  EXPECT_EQ(events_since("0").next()->id, "1");
}

TEST_F(EventLogCase, tells_who_comes_back_what_he_has_missed) {
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

TEST_F(EventLogCase, tells_a_new_client_the_number_from_which_it_reconnects) {
  for (const char* const newest : {"0", "1"}) {
    TestEvents events = client.events("/events");
    EXPECT_EQ(client.post("/remark", 0).status, 204);
    const auto remark = events.next();
    ASSERT_TRUE(remark);
    EXPECT_EQ(remark->data, "remark");
    EXPECT_EQ(remark->id, newest);
    say("meanwhile");
    EXPECT_EQ(events_since(newest).next()->id, std::to_string(std::stoi(newest) + 1));
  }
}

TEST_F(EventLogCase, tells_what_was_kept_and_not_published_ahead_of_the_next) {
  TestEvents fresh = client.events("/events");
  say("one");
  EXPECT_EQ(next_id(fresh), "1");
  TestEvents back = events_since("1");
  keep("two");
  keep("three");
  say("four");
  for (TestEvents* const events : {&fresh, &back}) {
    const auto two = events->next();
    ASSERT_TRUE(two);
    EXPECT_EQ(two->id, "2");
    EXPECT_EQ(two->event, "said");
    EXPECT_EQ(two->data, "two");
    EXPECT_EQ(next_id(*events), "3");
    EXPECT_EQ(next_id(*events), "4");
    EXPECT_FALSE(events->next());
  }
}

TEST_F(EventLogCase, tells_in_their_order_and_once_what_is_published_in_another) {
  TestEvents events = client.events("/events");
  for (const char* word : {"one", "two", "three"}) {
    keep(word);
  }
  tell("3");
  tell("2");
  EXPECT_FALSE(events.next(50ms));
  tell("1");
  for (const char* id : {"1", "2", "3"}) {
    const auto next = events.next(0ms);  // as published: the table is not queried
    ASSERT_TRUE(next);
    EXPECT_EQ(next->id, id);
    EXPECT_EQ(next->data, "told");
  }
  say("four");
  EXPECT_EQ(next_id(events), "4");
  EXPECT_FALSE(events.next());
}

TEST_F(EventLogCase, tells_once_what_is_heard_behind_the_time_it_is_waited_for) {
  TestEvents events = client.events("/events");
  keep("one");
  keep("two");
  tell("2");
  EXPECT_FALSE(events.next(90ms));
  EXPECT_EQ(events.next(20ms)->data, "one");
  EXPECT_EQ(next_id(events), "2");
  tell("1");
  say("three");
  EXPECT_EQ(next_id(events), "3");
  EXPECT_FALSE(events.next());
}

TEST_F(EventLogCase, asks_in_time_for_what_is_missing_while_news_never_ceases) {
  TestEvents events = client.events("/events");
  keep("one");
  keep("two");
  tell("2");
  for (int i = 0; i < 3; ++i) {
    client.advance(40ms);
    tell("2");
  }
  EXPECT_EQ(events.next(0ms)->data, "one");
  EXPECT_EQ(next_id(events), "2");
  EXPECT_FALSE(events.next());
}

TEST_F(EventLogCase, tells_what_was_there_at_the_begin_and_is_heard_late_without_going_back) {
  for (const char* word : {"one", "two", "three"}) {
    keep(word);
  }
  TestEvents events = client.events("/events");
  tell("2");
  EXPECT_EQ(next_id(events), "3");
  say("four");
  EXPECT_EQ(next_id(events), "4");
  tell("1");
  EXPECT_EQ(next_id(events), "4");
}

TEST_F(EventLogCase, tells_of_a_gap_where_too_much_was_not_published_and_goes_on_behind_it) {
  TestEvents events = client.events("/events");
  for (const char* word : {"one", "two", "three", "four"}) {
    keep(word);
  }
  tell("4");
  EXPECT_EQ(events.next()->event, "gap");
  say("five");
  EXPECT_EQ(next_id(events), "5");
  EXPECT_FALSE(events.next());
}

TEST_F(EventLogCase, tells_a_remark_and_a_number_that_no_entry_has_and_goes_on) {
  TestEvents events = client.events("/events");
  say("one");
  EXPECT_EQ(next_id(events), "1");
  EXPECT_EQ(client.post("/remark", 0).status, 204);
  EXPECT_EQ(events.next()->data, "remark");
  tell("9");
  EXPECT_EQ(events.next()->data, "told");
  for (int i = 2; i < 11; ++i) {
    say("more");
    EXPECT_EQ(next_id(events), std::to_string(i));
  }
}

TEST_F(EventLogCase, tells_of_a_gap_what_is_too_much_or_not_known) {
  for (const char* word : {"one", "two", "three", "four"}) {
    say(word);
  }
  for (const char* seen : {"0", "5", "-1"}) {
    TestEvents back = events_since(seen);
    const auto gap = back.next();
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->event, "gap") << seen;
    EXPECT_EQ(gap->id, "4") << seen;  // otherwise there would be a gap at each reconnect
  }
  TestEvents confused = events_since("one");
  say("five");
  EXPECT_EQ(confused.next()->id, "5");
}

TEST_F(EventLogCase, forgets_what_is_old_and_says_so) {
  say("one");
  say("two");
  client.advance(23h);
  say("three");
  client.advance(2h);
  EXPECT_EQ(client.get("/rows").body, "1");
  EXPECT_EQ(events_since("1").next()->event, "gap");
  EXPECT_EQ(events_since("2").next()->id, "3");
  say("four");
  EXPECT_EQ(events_since("3").next()->id, "4");
}

TEST_F(EventLogCase, has_whoever_listens_ask_again) {
  TestWebSocket socket = client.websocket("/live");
  TestEvents events = client.events("/events");
  client.advance(11min);
  EXPECT_FALSE(events.next());
  EXPECT_FALSE(socket.receive());
}

/// A client that reads an event only when `read` is called.
class SlowClient final : public BodyWriter {
 public:
  [[nodiscard]] Response& head() noexcept override { return head_; }
  void add_trailer(std::string_view /*name*/, std::string_view /*value*/) override {}
  void put(std::string_view bytes) override {
    text.append(bytes);
    room_.reset();
  }
  [[nodiscard]] AsyncEvent& room() noexcept override { return room_; }
  void read() noexcept { room_.set(); }

  std::string text;

 private:
  Response head_;
  AsyncEvent room_;
};

class SlowEventLogClient : public ::testing::Test {
 protected:
  void SetUp() override {
    run(log_.start());
    run([](Database base) -> Task<> {
      co_await base.script(
          "with recursive ids(id) as (select 1 union all select id + 1 from ids where id < 100) "
          "insert into eider_event_log(id, name, data, added) "
          "select id, 'said', 'x', unixepoch() from ids;"
          "update eider_event_log_head set last = 100");
    }(database_));
    // A stream to a client that has seen no entry.
    loop_.call([this] { following_.emplace().start(log_.follow(EventStream(client_, "0"))); });
    kernel_.advance(1ms);
  }
  void TearDown() override {
    loop_.call([this] { following_.reset(); });
  }
  void run(Task<> task) {
    std::optional<Scope> scope;
    loop_.call([&] { scope.emplace().start(std::move(task)); });
    kernel_.advance(1ms);
    loop_.call([&] { scope.reset(); });
  }
  void read(int events) {
    for (int i = 0; i < events; ++i) {
      loop_.call([this] { client_.read(); });
      kernel_.advance(1ms);
    }
  }

  SimKernel kernel_;
  SimLoop loop_{kernel_};
  Database database_ = open_sqlite(":memory:", {.runs_on = SqliteOptions::RunsOn::loop});
  Topics topics_;
  EventLog log_{database_, topics_, {}};
  SlowClient client_;
  std::optional<Scope> following_;
};

TEST_F(SlowEventLogClient, gets_all_missed_entries_in_their_order) {
  read(200);
  std::string all;
  for (int id = 1; id <= 100; ++id) {
    all.append("id: ").append(std::to_string(id)).append("\nevent: said\ndata: x\n\n");
  }
  EXPECT_EQ(client_.text, all);
}

TEST_F(SlowEventLogClient, leaves_waiting_events_in_memory_that_all_clients_share) {
  constexpr std::size_t kEventBytes = 1000;
  loop_.call([this] {
    for (int id = 101; id <= 200; ++id) {
      topics_.publish("event-log", std::string(kEventBytes, 'y'),
                      {.name = "said", .id = std::to_string(id)});
    }
  });
  const auto waiting = [this] {
    std::size_t bytes = 0;
    loop_.call([&] { bytes = detail::runtime::output_budget_of(loop_).held(); });
    return bytes;
  };
  EXPECT_GT(waiting(), 100 * kEventBytes);
  read(100);
  EXPECT_TRUE(client_.text.contains("id: 101\n"));
  EXPECT_FALSE(client_.text.contains("id: 102\n"));
  EXPECT_GT(waiting(), 75 * kEventBytes);
  read(100);
  EXPECT_TRUE(client_.text.contains("id: 200\n"));
}

TEST_F(SlowEventLogClient, does_not_keep_all_missed_entries_in_memory) {
  run([](Database base) -> Task<> {
    co_await base.script(
        "update eider_event_log_head set deleted = 100; delete from eider_event_log");
  }(database_));
  read(200);
  EXPECT_TRUE(client_.text.contains("id: 32\n"));
  EXPECT_FALSE(client_.text.contains("id: 33\n"));
  EXPECT_TRUE(client_.text.contains("event: gap\n"));
}

}  // namespace
}  // namespace eider
