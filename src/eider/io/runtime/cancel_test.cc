#include "eider/io/runtime/cancel.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "eider/io/runtime/sleep.h"
#include "eider/testkit/loop_sim.h"

namespace eider {
namespace {

using std::chrono::seconds;

class CancelTest : public ::testing::Test {
 protected:
  SimKernel kernel;
  SimLoop loop{kernel};
};

class NotingListener final : public CancelListener {
 public:
  NotingListener(const Cancel& cancel, Loop& loop) { listen(cancel, loop); }
  void on_cancel() override { ++calls; }
  int calls = 0;
};

TEST_F(CancelTest, a_token_made_alone_is_never_cancelled) {
  const Cancel token;
  EXPECT_FALSE(token.is_cancelled());
  NotingListener listener(token, loop);
  kernel.run_until_idle();
  EXPECT_EQ(listener.calls, 0);
}

TEST_F(CancelTest, every_token_of_a_source_reads_cancelled_before_and_after) {
  CancelSource source;
  const Cancel before = source.token();
  const Cancel copy = before;
  EXPECT_FALSE(copy.is_cancelled());
  loop.call([&] { source.cancel(); });
  EXPECT_TRUE(source.is_cancelled());
  EXPECT_TRUE(before.is_cancelled());
  EXPECT_TRUE(copy.is_cancelled());
  EXPECT_TRUE(source.token().is_cancelled());
}

TEST_F(CancelTest, a_source_without_tokens_can_be_cancelled_and_asked_later) {
  CancelSource source;
  source.cancel();
  EXPECT_TRUE(source.token().is_cancelled());
}

TEST_F(CancelTest, a_token_outlives_its_source_unchanged) {
  std::optional<CancelSource> source(std::in_place);
  const Cancel token = source->token();
  source.reset();
  EXPECT_FALSE(token.is_cancelled());
}

TEST_F(CancelTest, a_listener_is_called_once_and_not_inside_cancel) {
  CancelSource source;
  NotingListener listener(source.token(), loop);
  loop.call([&] {
    source.cancel();
    source.cancel();
    EXPECT_EQ(listener.calls, 0);
  });
  EXPECT_EQ(listener.calls, 1);
}

TEST_F(CancelTest, listening_to_a_cancelled_token_calls_back) {
  CancelSource source;
  source.cancel();
  std::optional<NotingListener> listener;
  loop.call([&] { listener.emplace(source.token(), loop); });
  EXPECT_EQ(listener->calls, 1);
}

TEST_F(CancelTest, a_destroyed_listener_is_not_called) {
  CancelSource source;
  auto first = std::make_unique<NotingListener>(source.token(), loop);
  auto second = std::make_unique<NotingListener>(source.token(), loop);
  first.reset();
  loop.call([&] {
    source.cancel();
    second.reset();  // already queued
  });
  SUCCEED();
}

TEST_F(CancelTest, another_thread_sees_it) {
  CancelSource source;
  std::thread worker([token = source.token()] {
    while (!token.is_cancelled()) {
      std::this_thread::yield();
    }
  });
  loop.call([&] { source.cancel(); });
  worker.join();
}

Task<int> sleep_and_respond() {
  co_await sleep_for(seconds(1));
  co_return 42;
}

TEST_F(CancelTest, a_task_is_destroyed_when_its_token_is_cancelled) {
  CancelSource source;
  auto task = with_cancel(sleep_and_respond(), source.token());
  loop.call([&] { task.start(); });
  EXPECT_FALSE(task.is_done());
  loop.call([&] { source.cancel(); });
  ASSERT_TRUE(task.is_done());
  EXPECT_EQ(task.take(), std::nullopt);
}

TEST_F(CancelTest, a_task_that_is_not_cancelled_gives_its_value) {
  CancelSource source;
  auto task = with_cancel(sleep_and_respond(), source.token());
  loop.call([&] { task.start(); });
  kernel.advance(seconds(1));
  ASSERT_TRUE(task.is_done());
  EXPECT_EQ(task.take(), 42);
}

TEST_F(CancelTest, a_task_without_a_value_tells_whether_it_came_to_its_end) {
  auto body = []() -> Task<> { co_await sleep_for(seconds(1)); };
  CancelSource source;
  auto ended = with_cancel(body(), source.token());
  loop.call([&] { ended.start(); });
  kernel.advance(seconds(1));
  EXPECT_TRUE(ended.take());
  auto cancelled = with_cancel(body(), source.token());
  loop.call([&] {
    cancelled.start();
    source.cancel();
  });
  EXPECT_FALSE(cancelled.take());
}

}  // namespace
}  // namespace eider
