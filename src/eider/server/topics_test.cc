#include "eider/server/topics.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "eider/io/runtime/test_peer.h"
#include "eider/io/ws/ws_session.h"
#include "eider/server/test_ws_line.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::close_frame;
using testing::TestSocket;
using testing::text_frame;
using testing::told;
using testing::WsWorld;
using ws::detail::WsPurpose;
using Words = std::vector<std::string>;

// Subscribes to "room", and publishes its messages there.
Task<> chat(WebSocket ws) {
  ws.subscribe("room");
  while (auto message = co_await ws.receive()) {
    ws.publish("room", *message);
  }
}

// Subscribes to the received topics; "-topic" unsubscribes.
Task<> listen(WebSocket ws) {
  while (auto message = co_await ws.receive()) {
    if (message->bytes.starts_with('-')) {
      ws.unsubscribe(message->bytes.substr(1));
    } else {
      ws.subscribe(message->bytes);
    }
  }
}

TEST(Topics, a_message_reaches_all_subscribers_and_its_sender) {
  WsWorld world;
  TestSocket first = world.connect(chat);
  TestSocket second = world.connect(chat);
  TestSocket stranger = world.connect(listen);
  EXPECT_EQ(world.exchange(first, text_frame("hi")), Words{"text:hi"});
  EXPECT_EQ(world.take(second), Words{"text:hi"});
  EXPECT_EQ(world.take(stranger), Words{});
  EXPECT_EQ(world.topics.subscribers("room"), 2U);
}

TEST(Topics, others_hear_what_is_published_to_others) {
  WsWorld world;
  const auto shy = [](WebSocket ws) -> Task<> {
    ws.subscribe("room");
    while (auto message = co_await ws.receive()) {
      ws.publish_to_others("room", *message);
    }
  };
  TestSocket first = world.connect(shy);
  TestSocket second = world.connect(shy);
  EXPECT_EQ(world.exchange(first, text_frame("hi")), Words{});
  EXPECT_EQ(world.take(second), Words{"text:hi"});
}

TEST(Topics, messages_keep_their_order_also_between_topics) {
  WsWorld world;
  TestSocket listener = world.connect(listen);
  world.exchange(listener, text_frame("a") + text_frame("b") + text_frame("a"));
  TestSocket talker = world.connect([](WebSocket ws) -> Task<> {
    for (int round = 0; round < 3; ++round) {
      ws.publish("a", "a" + std::to_string(round));
      ws.publish("b", "b" + std::to_string(round));
      ws.publish("b", "again");
    }
    co_await ws.receive();
  });
  EXPECT_EQ(world.take(listener), (Words{"text:a0", "text:b0", "text:again", "text:a1", "text:b1",
                                         "text:again", "text:a2", "text:b2", "text:again"}));
}

TEST(Topics, who_subscribes_later_does_not_hear_what_was_before) {
  WsWorld world;
  TestSocket socket = world.connect([](WebSocket ws) -> Task<> {
    ws.subscribe("anchor");
    ws.publish("room", "nobody is there");
    ws.subscribe("room");
    ws.publish("room", "one");
    ws.unsubscribe("room");
    ws.publish("room", "two");
    ws.subscribe("room");
    ws.publish("room", "three");
    co_await ws.receive();
  });
  // A message that is published directly before an unsubscribe in the same turn is not sent.
  EXPECT_EQ(world.take(socket), Words{"text:three"});
}

TEST(Topics, an_ended_socket_is_subscribed_to_nothing) {
  for (int way = 0; way < 4; ++way) {
    WsWorld world;
    TestSocket stays = world.connect(chat);
    TestSocket leaves = world.connect(chat);
    EXPECT_EQ(world.topics.subscribers("room"), 2U);
    switch (way) {
      case 0:
        leaves.client.reset();
        break;
      case 1:
        world.exchange(leaves, close_frame(1000));
        break;
      case 2:
        leaves.client.half_close();
        break;
      default:
        world.loop().call([&] { leaves.line->drop(); });
        break;
    }
    world.kernel.run_until_idle();
    EXPECT_EQ(world.topics.subscribers("room"), 1U) << way;
    EXPECT_EQ(world.exchange(stays, text_frame("alone")), Words{"text:alone"});
    stays.client.reset();
    world.kernel.run_until_idle();
    EXPECT_EQ(world.topics.subscribers("room"), 0U);
    EXPECT_EQ(world.topics.size(), 0U);
  }
}

TEST(Topics, a_message_reaches_other_loops_and_comes_from_outside) {
  WsWorld world({}, 3);
  std::vector<TestSocket> sockets;
  for (std::size_t loop = 0; loop < 3; ++loop) {
    sockets.push_back(world.connect(chat, loop));
    sockets.push_back(world.connect(chat, loop));
  }
  EXPECT_EQ(world.topics.subscribers("room"), 6U);
  EXPECT_EQ(world.exchange(sockets[0], text_frame("from within")), Words{"text:from within"});
  world.topics.publish("room", "from outside");
  world.topics.publish("elsewhere", "not heard");
  world.kernel.run_until_idle();
  EXPECT_EQ(world.take(sockets[0]), Words{"text:from outside"});
  for (std::size_t index = 1; index < 6; ++index) {
    EXPECT_EQ(world.take(sockets[index]), (Words{"text:from within", "text:from outside"}));
  }
}

TEST(Topics, a_slow_subscriber_is_disconnected_and_delays_nobody) {
  WsWorld world({.backpressure_bytes_max = 50'000});
  TestSocket fast = world.connect(chat);
  TestSocket slow = world.connect(chat, 0, 20'000);
  const std::string text(10'000, 'x');
  for (int index = 0; index < 30; ++index) {
    EXPECT_EQ(world.exchange(fast, text_frame(text)), Words{"text:" + text}) << index;
  }
  EXPECT_EQ(world.topics.subscribers("room"), 1U);
  Words heard;
  for (int step = 0; step < 20; ++step) {
    const Words more = told(slow.client.take_received());
    heard.insert(heard.end(), more.begin(), more.end());
    world.kernel.run_until_idle();
  }
  world.kernel.advance(seconds(11));
  EXPECT_TRUE(slow.line->is_over());
}

TEST(Topics, messages_for_a_slow_subscriber_are_dropped_where_that_is_wanted) {
  WsWorld world({.backpressure_bytes_max = 50'000, .slow_consumer = SlowConsumer::drop});
  std::size_t dropped = 0;
  const WebSocketHandlers handlers{
      .opened = [](WebSocketRef& socket) { socket.subscribe("room"); },
      .message = {},
      .closed = [&](WebSocketRef& socket) { dropped = socket.dropped(); }};
  TestSocket slow = world.connect(WsPurpose(&handlers), 0, {}, 20'000);
  const std::string text(10'000, 'x');
  for (int index = 0; index < 30; ++index) {
    world.topics.publish("room", text);
    world.kernel.run_until_idle();
  }
  std::string all;
  for (int step = 0; step < 20; ++step) {
    all += slow.client.take_received();
    world.kernel.run_until_idle();
  }
  const Words heard = told(all);
  EXPECT_FALSE(slow.line->is_over());
  EXPECT_GE(heard.size(), 5U);
  EXPECT_LT(heard.size(), 12U);
  slow.client.send(close_frame(1000));
  world.kernel.run_until_idle();
  EXPECT_EQ(dropped + heard.size(), 30U);
}

TEST(Topics, many_subscribers_and_topics_are_left_in_any_order) {
  WsWorld world;
  std::vector<TestSocket> sockets;
  for (int index = 0; index < 20; ++index) {
    sockets.push_back(world.connect(listen));
    for (int topic = 0; topic <= index % 7; ++topic) {
      world.exchange(sockets.back(), text_frame("t" + std::to_string(topic)));
    }
  }
  EXPECT_EQ(world.topics.size(), 7U);
  EXPECT_EQ(world.topics.subscribers("t0"), 20U);
  for (std::size_t index = 0; index < 20; index += 3) {
    world.exchange(sockets[index], text_frame("-t0"));
  }
  EXPECT_EQ(world.topics.subscribers("t0"), 13U);
  world.topics.publish("t0", "x");
  world.kernel.run_until_idle();
  for (std::size_t index = 0; index < 20; ++index) {
    EXPECT_EQ(world.take(sockets[index]), index % 3 == 0 ? Words{} : Words{"text:x"}) << index;
  }
  sockets.clear();
  world.kernel.run_until_idle();
  EXPECT_EQ(world.topics.size(), 0U);
}

TEST(Topics, threads_may_publish_while_subscribers_come_and_go) {
  // Real loops, for ThreadSanitizer.
  Topics topics;
  const auto make = [] { return Loop::create(Backend::epoll); };
  testing::LoopThread first(make);
  testing::LoopThread second(make);
  const auto visit = [&topics](testing::LoopThread& thread) {
    thread.call([&] {
      class Line final : public detail::runtime::UpgradedStream, private StreamOwner {
       public:
        explicit Line(Loop& loop) : stream_(loop, *this) {}
        Stream& stream() noexcept override { return stream_; }
        const Stream& stream() const noexcept override { return stream_; }
        std::string address() const override { return {}; }
        void close() noexcept override {}

       private:
        void on_bytes(std::string_view) override {}
        void on_end() override {}
        void on_drained() override {}
        void on_broken(NetError) override {}
        Stream stream_;
      } line(thread.loop());
      const ws::detail::WsRoute route({}, "/test");
      ws::detail::WsSession session(topics.hub(thread.loop()), route, line, {});
      session.subscribe("room");
      session.unsubscribe("room");
      session.subscribe("room");
    });
  };
  std::thread publisher([&] {
    for (int index = 0; index < 2000; ++index) {
      topics.publish("room", "news");
      (void)topics.subscribers("room");
    }
  });
  for (int index = 0; index < 200; ++index) {
    visit(first);
    visit(second);
  }
  publisher.join();
  EXPECT_EQ(topics.subscribers("room"), 0U);
}

TEST(Topics, are_carried_by_one_relay_alone) {
  Topics topics;
  const CarryTopic carry = [](std::string_view, const WsMessage&, const TopicEvent&) {};
  auto first = std::make_shared<int>();
  const auto second = std::make_shared<int>();
  topics.carry_by(carry, first);
  EXPECT_THROW(topics.carry_by(carry, second), std::logic_error);
  first.reset();
  topics.carry_by(carry, second);
}

}  // namespace
}  // namespace eider
