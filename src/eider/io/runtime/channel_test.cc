#include "eider/io/runtime/channel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/task.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_random.h"

namespace eider {
namespace {

class ChannelTest : public ::testing::Test {
 protected:
  SimKernel kernel;
  SimLoop loop{kernel};
};

Task<> send_all(Channel<int>& channel, int first, int last, int& sent) {
  for (int value = first; value <= last; ++value) {
    if (!co_await channel.send(value)) {
      co_return;
    }
    ++sent;
  }
}

Task<> receive_all(Channel<int>& channel, std::vector<int>& values) {
  while (std::optional<int> value = co_await channel.receive()) {
    values.push_back(*value);
  }
  values.push_back(-1);
}

TEST_F(ChannelTest, values_arrive_in_order_and_then_its_end) {
  Channel<int> channel(2);
  Scope scope;
  std::vector<int> values;
  int sent = 0;
  loop.call([&] {
    scope.start(receive_all(channel, values));
    scope.start(send_all(channel, 1, 5, sent));
  });
  EXPECT_EQ(values, (std::vector{1, 2, 3, 4, 5}));
  loop.call([&] { channel.close(); });
  EXPECT_EQ(values, (std::vector{1, 2, 3, 4, 5, -1}));
}

TEST_F(ChannelTest, a_full_channel_makes_the_sender_wait) {
  Channel<int> channel(2);
  Scope scope;
  int sent = 0;
  loop.call([&] { scope.start(send_all(channel, 1, 5, sent)); });
  EXPECT_EQ(sent, 2);
  loop.call([&] { EXPECT_EQ(channel.try_receive(), 1); });
  EXPECT_EQ(sent, 3);
  EXPECT_EQ(channel.size(), 2U);
}

TEST_F(ChannelTest, try_send_declines_when_full_and_leaves_the_value) {
  Channel<std::string> channel(1);
  EXPECT_TRUE(channel.try_send("one"));
  std::string two = "two";
  EXPECT_FALSE(channel.try_send(std::move(two)));
  EXPECT_EQ(two, "two");  // NOLINT(bugprone-use-after-move): this is the subject of the test
  EXPECT_EQ(channel.try_receive(), "one");
  EXPECT_EQ(channel.try_receive(), std::nullopt);
}

TEST_F(ChannelTest, a_closed_channel_takes_nothing_and_still_gives_what_it_has) {
  Channel<int> channel(4);
  EXPECT_TRUE(channel.try_send(1));
  channel.close();
  EXPECT_FALSE(channel.try_send(2));
  Scope scope;
  std::vector<int> values;
  int sent = 0;
  loop.call([&] {
    scope.start(send_all(channel, 3, 4, sent));
    scope.start(receive_all(channel, values));
  });
  EXPECT_EQ(sent, 0);
  EXPECT_EQ(values, (std::vector{1, -1}));
}

TEST_F(ChannelTest, closing_wakes_senders_and_receivers) {
  Channel<int> full(1);
  Channel<int> empty(1);
  Scope scope;
  int sent = 0;
  std::vector<int> values;
  loop.call([&] {
    scope.start(send_all(full, 1, 9, sent));
    scope.start(receive_all(empty, values));
  });
  EXPECT_EQ(scope.size(), 2U);
  loop.call([&] {
    full.close();
    empty.close();
  });
  EXPECT_EQ(scope.size(), 0U);
  EXPECT_EQ(sent, 1);
  EXPECT_EQ(values, std::vector{-1});
}

TEST_F(ChannelTest, its_end_is_a_close_also_for_receivers_already_woken) {
  auto channel = std::make_unique<Channel<int>>(1);
  Scope scope;
  std::vector<int> values;
  loop.call([&] {
    scope.start(receive_all(*channel, values));
    EXPECT_TRUE(channel->try_send(7));
    channel.reset();
  });
  // After the end, the coroutine no longer uses the channel.
  EXPECT_EQ(values, std::vector{-1});
}

TEST_F(ChannelTest, a_value_promised_to_a_destroyed_receiver_goes_to_the_next) {
  Channel<int> channel(1);
  std::vector<int> of_first;
  std::vector<int> of_second;
  Task<> first = receive_all(channel, of_first);
  Task<> second = receive_all(channel, of_second);
  loop.call([&] {
    first.start();
    second.start();
    EXPECT_TRUE(channel.try_send(7));
    EXPECT_EQ(channel.try_receive(), std::nullopt) << "it is promised";
    first = Task<>();
  });
  EXPECT_TRUE(of_first.empty());
  EXPECT_EQ(of_second, std::vector{7});
}

TEST_F(ChannelTest, a_value_promised_ahead_of_the_close_goes_to_the_next_too) {
  Channel<int> channel(1);
  std::vector<std::vector<int>> values(3);
  std::vector<Task<>> tasks;
  for (std::vector<int>& of_one : values) {
    tasks.push_back(receive_all(channel, of_one));
  }
  loop.call([&] {
    for (Task<>& task : tasks) {
      task.start();
    }
    EXPECT_TRUE(channel.try_send(7));
    channel.close();
    tasks[0] = Task<>();
  });
  EXPECT_EQ(values, (std::vector<std::vector<int>>{{}, {7, -1}, {-1}}));
  EXPECT_EQ(channel.size(), 0U);
}

TEST_F(ChannelTest, receivers_learn_of_its_end_behind_a_promise) {
  for (const bool is_taken : {false, true}) {
    auto channel = std::make_unique<Channel<int>>(1);
    Scope scope;
    std::vector<int> values;
    loop.call([&] {
      scope.start(receive_all(*channel, values));
      scope.start(receive_all(*channel, values));
      EXPECT_TRUE(channel->try_send(7));
      channel->close();
      if (!is_taken) {
        channel.reset();
      }
    });
    EXPECT_EQ(values, is_taken ? (std::vector{7, -1, -1}) : (std::vector{-1, -1}));
    EXPECT_EQ(scope.size(), 0U);
  }
}

TEST_F(ChannelTest, a_destroyed_sender_takes_its_value_along) {
  Channel<int> channel(1);
  int sent = 0;
  Task<> sender = send_all(channel, 1, 2, sent);
  loop.call([&] { sender.start(); });
  sender = Task<>();
  EXPECT_EQ(channel.try_receive(), 1);
  EXPECT_EQ(channel.try_receive(), std::nullopt);
}

TEST_F(ChannelTest, carries_what_can_only_be_moved) {
  Channel<std::unique_ptr<int>> channel(1);
  Scope scope;
  int received = 0;
  auto send = [](Channel<std::unique_ptr<int>>& to) -> Task<> {
    co_await to.send(std::make_unique<int>(1));
    co_await to.send(std::make_unique<int>(2));
  };
  auto receive = [](Channel<std::unique_ptr<int>>& from, int& sum) -> Task<> {
    while (auto value = co_await from.receive()) {
      sum += **value;
    }
  };
  loop.call([&] {
    scope.start(send(channel));
    scope.start(receive(channel, received));
  });
  EXPECT_EQ(received, 3);
}

struct Message {
  std::string text;
  std::vector<int> numbers;
};

TEST_F(ChannelTest, carries_structs_whole) {
  Channel<Message> channel(1);
  Scope scope;
  std::vector<std::string> texts;
  auto send = [](Channel<Message>& to) -> Task<> {
    for (int i = 0; i < 3; ++i) {
      co_await to.send({std::string(40, static_cast<char>('a' + i)), {1, 2, 3}});
    }
  };
  auto receive = [](Channel<Message>& from, std::vector<std::string>& to) -> Task<> {
    while (auto message = co_await from.receive()) {
      to.push_back(message->text);
    }
  };
  loop.call([&] {
    scope.start(send(channel));
    scope.start(receive(channel, texts));
  });
  EXPECT_EQ(texts, (std::vector{std::string(40, 'a'), std::string(40, 'b'), std::string(40, 'c')}));
}

struct Traffic {
  SimRandom random;
  std::vector<int> sent;  // and reported as sent
  std::vector<int> received;
  int next = 0;
};

Task<> send_with_pauses(Channel<int>& channel, Traffic& traffic) {
  for (int i = 0; i < 50; ++i) {
    if (traffic.random.happens(0.3)) {
      co_await yield_now();
    }
    const int value = traffic.next++;
    if (!co_await channel.send(value)) {
      co_return;
    }
    traffic.sent.push_back(value);
  }
}

Task<> receive_with_pauses(Channel<int>& channel, Traffic& traffic) {
  while (std::optional<int> value = co_await channel.receive()) {
    traffic.received.push_back(*value);
    if (traffic.random.happens(0.3)) {
      co_await yield_now();
    }
  }
}

TEST_F(ChannelTest, nothing_sent_is_lost_or_doubled_among_many_that_come_and_go) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Traffic traffic{SimRandom(seed), {}, {}};
    Channel<int> channel(1 + traffic.random.below(4));
    std::vector<Task<>> tasks;
    for (int i = 0; i < 4; ++i) {
      tasks.push_back(send_with_pauses(channel, traffic));
      tasks.push_back(receive_with_pauses(channel, traffic));
    }
    loop.post([&] {
      for (Task<>& task : tasks) {
        task.start();
      }
    });
    for (int turn = 0; turn < 20; ++turn) {
      kernel.step();
      // Between two turns all tasks wait, so each may be destroyed; the first two stay.
      tasks[2 + traffic.random.below(tasks.size() - 2)] = Task<>();
    }
    loop.call([&] { channel.close(); });
    // A sender that was destroyed after its value was sent, but before it was resumed, was not
    // informed.
    std::ranges::sort(traffic.sent);
    std::ranges::sort(traffic.received);
    EXPECT_TRUE(std::ranges::includes(traffic.received, traffic.sent));
    EXPECT_TRUE(std::ranges::adjacent_find(traffic.received) == traffic.received.end());
    EXPECT_EQ(channel.size(), 0U);
  }
}

}  // namespace
}  // namespace eider
