// Memory limits of topics: for subscribers that do not read, and for loops that are too slow.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/shared_log.h"
#include "eider/server/test_ws_line.h"
#include "eider/server/topics.h"
#include "eider/server/ws_hub.h"

namespace eider {
namespace {

using detail::server::HubInbox;
using detail::server::Published;
using std::chrono::milliseconds;
using testing::TestSocket;
using testing::text_frame;
using testing::told;
using testing::WsWorld;
using Words = std::vector<std::string>;

constexpr std::size_t kWindow = 1000;

Task<> listens(WebSocket ws) {
  ws.subscribe("room");
  while (co_await ws.receive()) {
  }
}

/// Publishes each received message, this number of times.
auto repeats(int count) {
  return [count](WebSocket ws) -> Task<> {
    while (auto message = co_await ws.receive()) {
      const std::string text(message->bytes);
      for (int time = 0; time < count; ++time) {
        ws.publish("room", text);
      }
      ws.try_send("done");
    }
  };
}

std::size_t held(WsWorld& world) {
  return detail::runtime::output_budget_of(world.loop()).held();
}

// Slow subscribers.

struct SharedCase {
  std::size_t message_bytes;
  int messages;
};

class SharedFrames : public ::testing::TestWithParam<SharedCase> {};

TEST_P(SharedFrames, are_in_memory_once_for_all_slow_subscribers) {
  constexpr int kSubscribers = 50;
  const auto [message_bytes, messages] = GetParam();
  WsWorld world;
  std::vector<TestSocket> subscribers;
  for (int count = 0; count < kSubscribers; ++count) {
    subscribers.push_back(world.connect(listens, 0, kWindow));
  }
  TestSocket publisher = world.connect(repeats(1));
  const std::string text(message_bytes, 'x');
  for (int message = 0; message < messages; ++message) {
    EXPECT_EQ(world.exchange(publisher, text_frame(text)), Words{"text:done"});
  }
  const std::size_t published = message_bytes * static_cast<std::size_t>(messages);
  // The first message may be copied for each, and each list of references needs some memory.
  EXPECT_GE(held(world), published - kWindow);
  EXPECT_LE(held(world), 2 * published + kSubscribers * 20'000UL);
  EXPECT_LT(held(world), published * kSubscribers / 4);
  // A subscriber that reads later receives the shared messages completely and in order.
  std::string received;
  for (TestSocket* const reader : {&subscribers.front(), &subscribers.back()}) {
    received.clear();
    reader->client.set_window(WsWorld::kWide);
    received += reader->client.take_received();
    world.kernel.run_until_idle();
    received += reader->client.take_received();
    EXPECT_EQ(told(received), Words(static_cast<std::size_t>(messages), "text:" + text));
  }
  subscribers.clear();
  world.kernel.run_until_idle();
  EXPECT_EQ(held(world), 0U);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SharedFrames,
                         ::testing::Values(SharedCase{100, 8000}, SharedCase{5000, 150},
                                           SharedCase{100'000, 9}, SharedCase{900'000, 1}));

TEST(SlowSubscribers, are_cut_off_when_many_topics_hold_too_much) {
  WsWorld world;
  detail::runtime::output_budget_of(world.loop()).set_limits({.bytes_max = 1'000'000});
  std::vector<TestSocket> subscribers;
  for (int count = 0; count < 30; ++count) {
    const std::string topic = "room" + std::to_string(count);
    subscribers.push_back(world.connect(
        [topic](WebSocket ws) -> Task<> {
          ws.subscribe(topic);
          while (co_await ws.receive()) {
          }
        },
        0, kWindow));
    world.topics.publish(topic, std::string(200'000, 'x'));
    world.kernel.run_until_idle();
    EXPECT_LE(held(world), 2'000'000U);
    world.kernel.advance(std::chrono::milliseconds(300));
    EXPECT_LE(held(world), 1'000'000U);
  }
  EXPECT_TRUE(subscribers.front().client.is_reset());
  EXPECT_FALSE(subscribers.back().client.is_reset());
}

TEST(SlowSubscribers, one_connection_has_only_so_many_topics) {
  WsWorld world({.topics_max = 3});
  TestSocket socket = world.connect([](WebSocket ws) -> Task<> {
    while (auto message = co_await ws.receive()) {
      ws.subscribe(message->bytes);
      ws.try_send(ws.is_open() ? "yes" : "no");
    }
  });
  const std::string three = text_frame("a") + text_frame("b") + text_frame("c");
  EXPECT_EQ(world.exchange(socket, three), Words(3, "text:yes"));
  EXPECT_EQ(world.exchange(socket, text_frame("a")), Words{"text:yes"}) << "it is subscribed";
  EXPECT_EQ(world.exchange(socket, text_frame("d")), Words{"close:1008:too many topics"});
  EXPECT_EQ(world.topics.size(), 0U);
}

TEST(SlowSubscribers, long_names_of_topics_count_several_times) {
  WsWorld world({.topics_max = 8});
  const auto subscribes = [](WebSocket ws) -> Task<> {
    while (auto message = co_await ws.receive()) {
      ws.subscribe(message->bytes);
      ws.try_send(ws.is_open() ? "yes" : "no");
    }
  };
  const auto name = [](std::size_t bytes, char last) {
    return text_frame(std::string(bytes - 1, 'x') + last);
  };
  TestSocket socket = world.connect(subscribes);
  const std::string fits = name(1, 'a') + name(256, 'b') + name(257, 'c') + name(1024, 'd');
  EXPECT_EQ(world.exchange(socket, fits), Words(4, "text:yes"));
  EXPECT_EQ(world.exchange(socket, name(1024, 'd')), Words{"text:yes"}) << "it is subscribed";
  EXPECT_EQ(world.exchange(socket, name(1, 'e')), Words{"close:1008:too many topics"});
  TestSocket greedy = world.connect(subscribes);
  EXPECT_EQ(world.exchange(greedy, name(500'000, 'a')), Words{"close:1008:too many topics"});
  EXPECT_EQ(world.topics.size(), 0U);
}

// Loops that are too slow.

TEST(HubInbox, is_bounded_and_remembers_which_topics_have_a_gap) {
  HubInbox inbox;
  const auto message = [](std::string_view topic, std::size_t bytes) {
    return std::make_shared<const Published>(
        topic, WsMessage{ws::MessageType::binary, std::string(bytes, 'x')}, TopicEvent());
  };
  EXPECT_TRUE(inbox.put(message("a", 100))) << "the first one wakes the loop";
  std::size_t taken = 1;
  while (!inbox.is_full()) {
    EXPECT_FALSE(inbox.put(message("a", 100)));
    ++taken;
  }
  EXPECT_LT(taken, HubInbox::kFullBytes / 100) << "small ones count for what they take";
  for (int count = 0; count < 20; ++count) {
    EXPECT_FALSE(inbox.put(message("b", 1'000'000)));
    ++taken;
  }
  EXPECT_FALSE(inbox.put(message("c", HubInbox::kBytesMax)));
  const HubInbox::Content content = inbox.take();
  EXPECT_LT(content.messages.size(), taken);
  EXPECT_EQ(content.gaps, (Words{"b", "c"})) << "once each";
  EXPECT_FALSE(inbox.is_full());
  EXPECT_TRUE(inbox.put(message("c", 2 * HubInbox::kBytesMax))) << "a single one always fits";
  EXPECT_EQ(inbox.take().messages.size(), 1U);
}

constexpr std::size_t kMessageBytes = 100'000;

TEST(BusyLoops, hold_back_connections_that_publish_until_they_keep_up) {
  WsWorld world({.backpressure_bytes_max = 100'000'000}, 2);
  TestSocket subscriber = world.connect(listens, 1);
  TestSocket publisher = world.connect(repeats(40), 0);
  const std::string message = text_frame(std::string(kMessageBytes, 'x'));
  // 4 MB each: the loop of the subscriber has no turn in between.
  publisher.client.send(message + message + message + message);
  world.kernel.run_until_idle();
  world.kernel.advance(milliseconds(50));
  EXPECT_EQ(world.take(publisher), Words(4, "text:done"));
  const Words heard = world.take(subscriber);
  EXPECT_EQ(heard.size(), 160U) << "nothing is lost";
}

TEST(BusyLoops, subscribers_of_what_was_lost_are_disconnected) {
  WsWorld world({.backpressure_bytes_max = 100'000'000}, 2);
  TestSocket subscriber = world.connect(listens, 1);
  TestSocket publisher = world.connect(repeats(200), 0);
  EXPECT_EQ(world.exchange(publisher, text_frame(std::string(kMessageBytes, 'x'))),
            Words{"text:done"});
  const Words heard = world.take(subscriber);
  ASSERT_GT(heard.size(), 50U);
  EXPECT_LT(heard.size(), 200U);
  EXPECT_EQ(heard.back(), "close:1013:messages were lost");
}

TEST(BusyLoops, subscribers_that_may_miss_messages_stay) {
  WsWorld world({.backpressure_bytes_max = 100'000'000, .slow_consumer = SlowConsumer::drop}, 2);
  std::size_t dropped = 0;
  TestSocket subscriber = world.connect(
      [&dropped](WebSocket ws) -> Task<> {
        ws.subscribe("room");
        while (co_await ws.receive()) {
          dropped = ws.dropped();
        }
      },
      1);
  for (int count = 0; count < 200; ++count) {
    world.topics.publish("room", std::string(kMessageBytes, 'x'));
  }
  world.kernel.run_until_idle();
  EXPECT_LT(world.take(subscriber).size(), 200U);
  world.topics.publish("room", "again");
  EXPECT_EQ(world.exchange(subscriber, text_frame("?")), Words{"text:again"});
  EXPECT_EQ(dropped, 1U);
}

TEST(SharedLog, keeps_no_memory_that_is_not_referred_to) {
  detail::base::SharedLog log;
  auto first = log.append("one");
  auto second = log.append("two");
  EXPECT_EQ(first.owner, second.owner);
  EXPECT_TRUE(first.try_extend(second));
  EXPECT_EQ(first.bytes, "onetwo");
  const std::weak_ptr<const void> memory = first.owner;
  first = {};
  second = {};
  EXPECT_TRUE(memory.expired());
  const auto large = log.append(std::string(1'000'000, 'x'));
  auto next = log.append("next");
  EXPECT_NE(large.owner, next.owner);
  EXPECT_EQ(large.bytes.size(), 1'000'000U);
  auto apart = log.append("third");
  EXPECT_FALSE(apart.try_extend(next)) << "it comes before";
}

}  // namespace
}  // namespace eider
