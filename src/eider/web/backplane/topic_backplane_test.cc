#include "eider/web/backplane/topic_backplane.h"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/loop_sim.h"
#include "eider/web/backplane/topic_batch.h"
#include "tests/support/relayed_process.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

/// A channel in memory: all adapters receive each payload.
class Bus {
 public:
  [[nodiscard]] MakeTopicAdapter maker() {
    return [this] { return std::make_unique<Carrier>(*this); };
  }
  void tell(const std::optional<std::string>& payload) {
    for (Carrier* const each : all_) {
      each->heard.push_back(payload);
      each->arrived.set();
    }
  }

  bool is_away = false;
  std::size_t bytes_max = 1'000'000;
  std::vector<std::string> sent;

 private:
  struct Carrier final : TopicAdapter {
    explicit Carrier(Bus& its_bus) : bus(its_bus) { bus.all_.push_back(this); }
    ~Carrier() override { std::erase(bus.all_, this); }
    Task<> send(std::string payload) override {
      co_await sleep_for(1ms);
      if (bus.is_away) {
        throw std::runtime_error("away");
      }
      bus.sent.push_back(payload);
      bus.tell(std::move(payload));
    }
    std::size_t bytes_max() const noexcept override { return bus.bytes_max; }
    Task<std::optional<std::string>> receive() override {
      while (heard.empty()) {
        arrived.reset();
        co_await arrived.wait();
      }
      auto first = std::move(heard.front());
      heard.pop_front();
      co_return first;
    }

    Bus& bus;
    std::deque<std::optional<std::string>> heard{std::nullopt};
    AsyncEvent arrived;
  };

  std::vector<Carrier*> all_;
};

using Texts = std::vector<std::string>;

class TopicRelayTest : public ::testing::Test {
 protected:
  ~TopicRelayTest() override {
    loop_.call([&] { processes_.clear(); });
  }
  RelayedProcess& add(TopicBackplaneOptions options = {}) {
    loop_.call(
        [&] { processes_.push_back(std::make_unique<RelayedProcess>(bus_.maker(), options)); });
    return *processes_.back();
  }
  void publish(RelayedProcess& from, const std::string& text, const TopicEvent& event = {}) {
    loop_.call([&] { from.topics.publish("room", text, event); });
  }
  void stop(RelayedProcess& process) {
    bool is_done = false;
    Scope ending;
    loop_.call([&] {
      ending.start([](TopicBackplane* relay, bool* done) -> Task<> {
        co_await relay->stop();
        *done = true;
      }(&process.relay, &is_done));
    });
    kernel_.advance(1s);
    EXPECT_TRUE(is_done);
  }
  static std::string event_of(std::string_view text) {
    return "data: " + std::string(text) + "\n\n";
  }

  SimKernel kernel_;
  SimLoop loop_{kernel_};
  Bus bus_;
  std::vector<std::unique_ptr<RelayedProcess>> processes_;
};

TEST_F(TopicRelayTest, what_one_publishes_all_hear_once) {
  RelayedProcess& a = add();
  RelayedProcess& b = add();
  publish(a, "hello");
  publish(b, "hi");
  kernel_.advance(10ms);
  const Texts all{event_of("hello"), event_of("hi")};
  EXPECT_EQ(a.listener.events, all);
  EXPECT_EQ(b.listener.events, (Texts{event_of("hi"), event_of("hello")}));
  EXPECT_EQ(a.relay.counts().received, 1U);
  EXPECT_EQ(a.relay.counts().lost, 0U);
}

TEST_F(TopicRelayTest, events_keep_their_names_and_binary_messages_their_kind) {
  RelayedProcess& a = add();
  RelayedProcess& b = add();
  publish(a, "x", {.name = "said", .id = "7"});
  loop_.call([&] { a.topics.publish("room", {ws::MessageType::binary, "\x00\xff"}); });
  kernel_.advance(10ms);
  EXPECT_EQ(b.listener.events, a.listener.events);
  EXPECT_EQ(b.listener.events.size(), 1U);
  EXPECT_EQ(b.relay.counts().received, 2U);
}

TEST_F(TopicRelayTest, what_waits_goes_together_and_in_order) {
  RelayedProcess& a = add();
  RelayedProcess& b = add();
  loop_.call([&] {
    for (int i = 0; i < 100; ++i) {
      a.topics.publish("room", std::to_string(i));
    }
  });
  kernel_.advance(10ms);
  EXPECT_EQ(bus_.sent.size(), 1U);
  EXPECT_EQ(b.listener.events, a.listener.events);
  EXPECT_EQ(b.listener.events.size(), 100U);
}

TEST_F(TopicRelayTest, each_payload_fits_the_carrier) {
  bus_.bytes_max = 100;
  RelayedProcess& a = add();
  RelayedProcess& b = add();
  loop_.call([&] {
    for (int i = 0; i < 9; ++i) {
      a.topics.publish("room", std::string(20, 'x'));
    }
    a.topics.publish("room", std::string(101, 'y'));  // too large: not sent to other processes
    a.topics.publish("room", "last");
  });
  kernel_.advance(100ms);
  for (const std::string& payload : bus_.sent) {
    EXPECT_LE(payload.size(), 100U);
  }
  EXPECT_EQ(b.listener.events.size(), 10U);
  EXPECT_EQ(b.listener.events.back(), event_of("last"));
  EXPECT_EQ(a.relay.counts().lost, 1U);
  EXPECT_EQ(b.missed, 2);  // at the start, and for the message that was too large
}

TEST_F(TopicRelayTest, what_is_lost_while_the_carrier_is_away_is_told) {
  RelayedProcess& a = add();
  RelayedProcess& b = add();
  EXPECT_EQ(b.missed, 1);
  bus_.is_away = true;
  publish(a, "lost");
  kernel_.advance(2s);
  EXPECT_EQ(a.relay.counts().lost, 1U);
  EXPECT_EQ(b.missed, 1);
  bus_.is_away = false;
  kernel_.advance(1s);
  EXPECT_EQ(b.missed, 2);  // although `a` has published nothing since
  EXPECT_EQ(a.missed, 1);
  publish(a, "again");
  kernel_.advance(10ms);
  EXPECT_EQ(b.listener.events, Texts{event_of("again")});
  EXPECT_EQ(b.missed, 2);
}

TEST_F(TopicRelayTest, a_loss_of_the_way_in_is_told_by_the_one_that_did_not_hear) {
  RelayedProcess& a = add();
  RelayedProcess& b = add();
  loop_.call([&] { bus_.tell(std::nullopt); });
  EXPECT_EQ(a.missed, 2);
  EXPECT_EQ(b.missed, 2);
}

TEST_F(TopicRelayTest, what_waits_is_bounded_and_what_goes_beyond_is_told) {
  for (const TopicBackplaneOptions& options :
       {TopicBackplaneOptions{.messages_max = 3}, TopicBackplaneOptions{.bytes_max = 110}}) {
    RelayedProcess& a = add(options);
    RelayedProcess& b = add();
    loop_.call([&] {
      for (int i = 0; i < 10; ++i) {
        a.topics.publish("room", std::string(10, 'x'));
      }
    });
    kernel_.advance(1s);
    EXPECT_EQ(b.listener.events.size(), 3U);
    EXPECT_EQ(a.relay.counts().lost, 7U);
    EXPECT_EQ(b.missed, 2);
  }
}

TEST_F(TopicRelayTest, what_is_published_ahead_of_the_end_is_sent_by_stop) {
  RelayedProcess& a = add();
  RelayedProcess& b = add();
  loop_.call([&] {
    a.scope.cancel();
    a.topics.publish("room", "bye");
  });
  stop(a);
  EXPECT_EQ(b.listener.events, Texts{event_of("bye")});
}

TEST_F(TopicRelayTest, what_the_end_cuts_on_its_way_is_told_as_a_gap_by_stop) {
  RelayedProcess& a = add();
  RelayedProcess& b = add();
  loop_.call([&] {
    a.topics.publish("room", "one");
    a.topics.publish("room", "two");
  });
  ASSERT_TRUE(bus_.sent.empty());  // both are being sent
  loop_.call([&] { a.scope.cancel(); });
  EXPECT_EQ(a.relay.counts().lost, 2U);
  EXPECT_EQ(b.missed, 1);
  publish(a, "bye");
  stop(a);
  EXPECT_EQ(b.missed, 2);
  EXPECT_EQ(b.listener.events, Texts{event_of("bye")});
  EXPECT_EQ(a.relay.counts().lost, 2U);
  EXPECT_EQ(bus_.sent.size(), 1U);
}

TEST_F(TopicRelayTest, stop_tells_of_a_gap_where_nothing_else_is_to_be_said) {
  RelayedProcess& a = add();
  RelayedProcess& b = add();
  publish(a, "one");
  loop_.call([&] { a.scope.cancel(); });
  stop(a);
  EXPECT_EQ(b.missed, 2);
  EXPECT_EQ(b.listener.events, Texts{});
  stop(a);
  EXPECT_EQ(b.missed, 2);
}

TEST_F(TopicRelayTest, foreign_payloads_are_counted_and_told_to_nobody) {
  RelayedProcess& a = add();
  const std::string origin(detail::backplane::kOriginBytes, 'o');
  const std::string whole =
      detail::backplane::batch_head(origin, false) +
      detail::backplane::batch_message({"room", {ws::MessageType::text, "t"}, {"name", "id"}});
  loop_.call([&] {
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
      bus_.tell(whole.substr(0, bytes));
    }
    bus_.tell(origin + "?");
    bus_.tell(detail::backplane::batch_head(origin, false) + "t\xff\xff\xff\xff");
    bus_.tell(
        detail::backplane::batch_head(origin, false) +
        detail::backplane::batch_message({"room", {ws::MessageType::text, "t"}, {"a\nb", ""}}));
  });
  EXPECT_EQ(a.listener.events, Texts{});
  EXPECT_EQ(a.relay.counts().invalid, whole.size() - 1 + 3);  // a head is an empty batch
  loop_.call([&] { bus_.tell(whole); });
  EXPECT_EQ(a.relay.counts().received, 1U);
}

TEST_F(TopicRelayTest, topics_and_their_relay_may_end_in_either_order) {
  loop_.call([&] {
    auto topics = std::make_unique<Topics>();
    auto relay = std::make_unique<TopicBackplane>(*topics, bus_.maker());
    relay.reset();
    topics->publish("room", "to nobody");
    relay = std::make_unique<TopicBackplane>(*topics, bus_.maker());
    topics.reset();
  });
}

class Lines final : public LogSink {
 public:
  void write(LogLevel /*level*/, std::string_view line) noexcept override {
    lines.emplace_back(line);
  }
  std::vector<std::string> lines;
};

TEST_F(TopicRelayTest, the_log_is_told_once_that_a_way_is_lost_and_once_that_it_is_back) {
  const auto log = std::make_shared<Lines>();
  RelayedProcess& a = add({.log = log});
  bus_.is_away = true;
  publish(a, "lost");
  kernel_.advance(5s);
  bus_.is_away = false;
  kernel_.advance(1s);
  EXPECT_EQ(log->lines, (Texts{"topics: the connection to other processes is lost: away",
                               "topics: the connection to other processes is restored"}));
}

}  // namespace
}  // namespace eider
