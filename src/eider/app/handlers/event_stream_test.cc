#include "eider/app/handlers/event_stream.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "eider/io/runtime/sleep.h"
#include "eider/server/topics.h"
#include "eider/testkit/loop_sim.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Stores the written bytes; the test sets the speed of the client.
class KeepingWriter final : public BodyWriter {
 public:
  KeepingWriter() { room_.set(); }
  Response& head() noexcept override { return head_; }
  void add_trailer(std::string_view, std::string_view) override {}
  void put(std::string_view bytes) override { bytes_.append(bytes); }
  void flush() override { flushed_bytes_ = bytes_.size(); }
  AsyncEvent& room() noexcept override { return room_; }
  void note_ending(Ending ending) noexcept override { ending_ = ending; }

  [[nodiscard]] Ending ending() const noexcept { return ending_; }
  /// Returns the bytes since the last call, which must be flushed.
  std::string take() {
    EXPECT_EQ(flushed_bytes_, bytes_.size());
    flushed_bytes_ = 0;
    return std::exchange(bytes_, {});
  }

 private:
  Response head_;
  AsyncEvent room_;
  std::string bytes_;
  std::size_t flushed_bytes_ = 0;
  Ending ending_ = Ending::whole;
};

class EventStreamTest : public ::testing::Test {
 protected:
  /// Runs the handler until it waits.
  template <class Handler>
  void start(Handler handler) {
    loop.call([&] {
      task = handler(EventStream(out, "41"));
      task.start();
    });
  }

  SimKernel kernel;
  SimLoop loop{kernel};
  KeepingWriter out;
  Task<> task;
};

TEST_F(EventStreamTest, sends_events_and_comments_as_they_are_made) {
  start([](EventStream events) -> Task<> {
    co_await events.send({.event = "tick", .data = "a\nb", .id = "42"});
    co_await events.comment("still here");
    co_await events.send({.retry = milliseconds(500)});
  });
  EXPECT_TRUE(task.is_done());
  EXPECT_EQ(out.take(), "id: 42\nevent: tick\ndata: a\ndata: b\n\n: still here\nretry: 500\n\n");
}

TEST_F(EventStreamTest, knows_what_a_client_has_seen_that_comes_back) {
  start(
      [](EventStream events) -> Task<> { co_await events.send({.data = events.last_event_id()}); });
  EXPECT_EQ(out.take(), "data: 41\n\n");
}

TEST_F(EventStreamTest, waits_while_the_client_is_slow) {
  out.room().reset();
  start([](EventStream events) -> Task<> {
    co_await events.send({.data = "1"});
    co_await events.send({.data = "2"});
  });
  EXPECT_EQ(out.take(), "data: 1\n\n");
  loop.call([&] { out.room().set(); });
  EXPECT_EQ(out.take(), "data: 2\n\n");
  EXPECT_TRUE(task.is_done());
}

Task<> stay_silent(EventStream events) {
  co_await sleep_for(std::chrono::hours(1));
  co_await events.send({.data = "late"});
}

TEST_F(EventStreamTest, tells_a_client_soon_that_it_is_connected) {
  start(stay_silent);
  EXPECT_EQ(out.take(), "");
  kernel.advance(milliseconds(99));
  EXPECT_EQ(out.take(), "");
  kernel.advance(milliseconds(2));
  EXPECT_EQ(out.take(), ":\n");
}

TEST_F(EventStreamTest, breaks_a_long_silence) {
  start([](EventStream events) -> Task<> {
    co_await events.send({.data = "1"});
    co_await sleep_for(seconds(10));
    co_await events.send({.data = "2"});
    co_await sleep_for(std::chrono::hours(1));
  });
  EXPECT_EQ(out.take(), "data: 1\n\n");
  kernel.advance(milliseconds(10'100));
  EXPECT_EQ(out.take(), "data: 2\n\n");
  kernel.advance(milliseconds(14'800));
  EXPECT_EQ(out.take(), "") << "not 15 s after the second event yet";
  kernel.advance(milliseconds(200));
  EXPECT_EQ(out.take(), ":\n");
  kernel.advance(seconds(30));
  EXPECT_EQ(out.take(), ":\n:\n");
}

TEST_F(EventStreamTest, leaves_a_slow_client_in_peace) {
  start(stay_silent);
  kernel.advance(milliseconds(101));
  EXPECT_EQ(out.take(), ":\n");
  out.room().reset();
  kernel.advance(seconds(100));
  EXPECT_EQ(out.take(), "");
  loop.call([&] { out.room().set(); });
  kernel.advance(seconds(16));
  EXPECT_EQ(out.take(), ":\n");
}

TEST_F(EventStreamTest, can_do_without_heartbeats_or_with_quicker_ones) {
  start([](EventStream events) -> Task<> {
    co_await events.send({.data = "1"});
    events.set_heartbeat(seconds(1));
    co_await sleep_for(milliseconds(2500));
    events.set_heartbeat(Duration::zero());
    co_await sleep_for(std::chrono::hours(1));
  });
  kernel.advance(milliseconds(2600));
  EXPECT_EQ(out.take(), "data: 1\n\n:\n:\n");
  kernel.advance(seconds(100));
  EXPECT_EQ(out.take(), "");
}

TEST_F(EventStreamTest, says_nothing_more_once_its_handler_is_gone) {
  start(stay_silent);
  loop.call([&] { task = Task<>(); });
  kernel.advance(seconds(100));
  EXPECT_EQ(out.take(), "");
}

TEST_F(EventStreamTest, refuses_names_that_would_say_something_else) {
  start([](EventStream events) -> Task<> { co_await events.send({.event = "a\nb"}); });
  ASSERT_TRUE(task.is_done());
  EXPECT_THROW(task.take(), std::invalid_argument);
  EXPECT_EQ(out.take(), "");
}

struct Row {
  int id;
  std::string text;
};

TEST_F(EventStreamTest, json_lines_are_one_value_each) {
  auto handler = [](JsonLines<Row> lines) -> Task<> {
    const Row one{1, "a\nb"};
    co_await lines.send(one);
    const Row two{2, ""};
    co_await lines.send(two);
  };
  loop.call([&] {
    task = handler(JsonLines<Row>(out));
    task.start();
  });
  EXPECT_TRUE(task.is_done());
  EXPECT_EQ(out.take(), "{\"id\":1,\"text\":\"a\\nb\"}\n{\"id\":2,\"text\":\"\"}\n");
}

TEST_F(EventStreamTest, json_events_hold_one_value_each) {
  auto handler = [](JsonEvents<Row> events) -> Task<> {
    const Row one{1, "a\nb"};
    const SseEvent about{.event = "row", .data = "passed over", .id = "7"};
    co_await events.send(one, about);
    co_await events.comment("between");
    const Row two{2, events.last_event_id()};
    co_await events.send(two);
  };
  loop.call([&] {
    task = handler(JsonEvents<Row>(out, "41"));
    task.start();
  });
  EXPECT_TRUE(task.is_done());
  EXPECT_EQ(out.take(),
            "id: 7\nevent: row\ndata: {\"id\":1,\"text\":\"a\\nb\"}\n\n: between\n"
            "data: {\"id\":2,\"text\":\"41\"}\n\n");
}

class FollowTest : public EventStreamTest {
 protected:
  /// Subscribes to "room", at the speed of the client.
  void follow(SubscribeOptions options = {}) {
    start([&](EventStream events) { return events.subscribe(topics, "room", options); });
    (void)out.take();
  }
  void publish(std::string_view text, const TopicEvent& event = {}) {
    topics.publish("room", text, event);
    kernel.run_until_idle();
  }
  ~FollowTest() override {
    loop.call([&] { task = Task<>(); });
  }

  Topics topics;
};

TEST_F(FollowTest, sends_what_is_published_with_name_and_id) {
  follow();
  EXPECT_EQ(topics.subscribers("room"), 1U);
  publish("a\nb", {.name = "tick", .id = "7"});
  EXPECT_EQ(out.take(), "id: 7\nevent: tick\ndata: a\ndata: b\n\n");
  publish("plain");
  EXPECT_EQ(out.take(), "data: plain\n\n");
  topics.publish("another", "x");
  kernel.run_until_idle();
  EXPECT_EQ(out.take(), "");
}

TEST_F(FollowTest, tells_nothing_of_binary_messages) {
  follow();
  topics.publish("room", {ws::MessageType::binary, "\xff"});
  kernel.run_until_idle();
  EXPECT_EQ(out.take(), "");
}

TEST_F(FollowTest, refuses_names_and_ids_that_would_break_the_stream) {
  follow();
  EXPECT_THROW(topics.publish("room", "x", {.name = "a\nb"}), std::invalid_argument);
  EXPECT_THROW(topics.publish("room", "x", {.id = std::string_view("a\0b", 3)}),
               std::invalid_argument);
  kernel.run_until_idle();
  EXPECT_EQ(out.take(), "");
}

TEST_F(FollowTest, subscribes_for_as_long_as_its_task_lives) {
  follow();
  loop.call([&] { task = Task<>(); });
  EXPECT_EQ(topics.subscribers("room"), 0U);
  EXPECT_EQ(topics.size(), 0U);
  publish("x");
  EXPECT_EQ(out.take(), "");
}

TEST_F(FollowTest, gathers_for_a_slow_client_and_sends_that_at_once) {
  follow();
  out.room().reset();
  publish("1");
  EXPECT_EQ(out.take(), "data: 1\n\n");  // written; the subscriber now waits for room
  publish("2");
  publish("3");
  EXPECT_EQ(out.take(), "");
  loop.call([&] { out.room().set(); });
  kernel.run_until_idle();
  EXPECT_EQ(out.take(), "data: 2\n\ndata: 3\n\n");
  EXPECT_FALSE(task.is_done());
}

TEST_F(FollowTest, ends_behind_what_waits_when_a_client_misses_an_event) {
  follow({.backpressure_bytes_max = 20});
  out.room().reset();
  publish("1");
  publish("2");
  publish("3");  // both are 18 bytes
  publish("4");
  publish("5");
  EXPECT_EQ(out.take(), "data: 1\n\n");
  loop.call([&] { out.room().set(); });
  kernel.run_until_idle();
  EXPECT_EQ(out.take(), "data: 2\n\ndata: 3\n\n");
  EXPECT_TRUE(task.is_done());
}

TEST_F(FollowTest, leaves_events_out_where_that_is_wanted) {
  follow({.backpressure_bytes_max = 20, .slow_consumer = SlowConsumer::drop});
  out.room().reset();
  for (const char* text : {"1", "2", "3", "4"}) {
    publish(text);
  }
  loop.call([&] { out.room().set(); });
  kernel.run_until_idle();
  publish("5");
  EXPECT_EQ(out.take(), "data: 1\n\ndata: 2\n\ndata: 3\n\ndata: 5\n\n");
  EXPECT_FALSE(task.is_done());
}

TEST_F(FollowTest, ends_behind_what_waits_when_the_server_drains) {
  follow();
  out.room().reset();
  publish("1");
  publish("2");
  loop.call([&] { topics.drain(loop); });
  publish("3");
  EXPECT_FALSE(task.is_done());
  EXPECT_EQ(out.take(), "data: 1\n\n");
  loop.call([&] { out.room().set(); });
  kernel.run_until_idle();
  EXPECT_EQ(out.take(), "data: 2\n\n");
  EXPECT_TRUE(task.is_done());
}

TEST_F(FollowTest, ends_at_once_while_the_server_drains_and_goes_on_in_its_next_run) {
  loop.call([&] { topics.drain(loop); });
  follow();
  kernel.run_until_idle();
  EXPECT_TRUE(task.is_done());
  (void)out.take();
  loop.call([&] { topics.begin(loop); });
  follow();
  publish("1");
  EXPECT_EQ(out.take(), "data: 1\n\n");
  EXPECT_FALSE(task.is_done());
}

TEST_F(FollowTest, lets_an_event_wait_that_is_larger_than_all_that_may) {
  follow({.backpressure_bytes_max = 20});
  publish(std::string(100, 'x'));
  EXPECT_EQ(out.take(), "data: " + std::string(100, 'x') + "\n\n");
}

TEST_F(FollowTest, notes_that_an_event_is_cut_until_its_rest_is_written) {
  follow();
  out.room().reset();
  publish(std::string(20'000, 'x'));
  EXPECT_EQ(out.take().size(), 16U * 1024);
  EXPECT_EQ(out.ending(), BodyWriter::Ending::cut);
  loop.call([&] { out.room().set(); });
  kernel.run_until_idle();
  EXPECT_TRUE(out.take().ends_with("x\n\n"));
  EXPECT_EQ(out.ending(), BodyWriter::Ending::whole);
}

Task<> catch_up(EventStream events, Topics& topics) {
  TopicSubscription news(topics);
  news.listen("a");
  news.listen("b");
  news.listen("a");
  co_await events.send({.data = "what was missed"});
  co_await sleep_for(seconds(1));
  co_await events.subscribe(news);
}

TEST_F(FollowTest, hears_several_topics_and_loses_nothing_before_it_follows) {
  start([&](EventStream events) { return catch_up(std::move(events), topics); });
  EXPECT_EQ(topics.subscribers("a"), 1U);
  topics.publish("a", "1");
  topics.publish("b", "2");
  kernel.advance(seconds(1));
  EXPECT_EQ(out.take(), "data: what was missed\n\ndata: 1\n\ndata: 2\n\n");
}

}  // namespace
}  // namespace eider
