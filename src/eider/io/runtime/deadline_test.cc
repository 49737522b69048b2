#include "eider/io/runtime/deadline.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "eider/io/runtime/frame_pool.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/loop_sim.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class Deadline : public ::testing::Test {
 protected:
  // Runs `task` on the loop for `time`; returns nothing if it has not ended by then.
  template <class T>
  std::optional<T> run(Task<T>& task, Duration time) {
    loop.call([&] { task.start(); });
    kernel.advance(time);
    return task.is_done() ? std::optional<T>(task.take()) : std::nullopt;
  }

  SimKernel kernel;
  SimLoop loop{kernel};
};

Task<std::string> text_after(Duration duration) {
  co_await sleep_for(duration);
  co_return "text";
}

Task<std::string> text_now() {
  co_return "now";
}

Task<std::string> fail_after(Duration duration) {
  co_await sleep_for(duration);
  throw std::runtime_error("failed");
}

Task<> nothing_after(Duration duration) {
  co_await sleep_for(duration);
}

TEST_F(Deadline, a_task_in_time_gives_its_value) {
  auto task = with_deadline(text_after(milliseconds(10)), milliseconds(20));
  const auto result = run(task, milliseconds(10));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(*result, "text");
}

TEST_F(Deadline, a_task_that_does_not_wait_gives_its_value_at_once) {
  auto task = with_deadline(text_now(), milliseconds(20));
  const auto result = run(task, Duration::zero());
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(*result, "now");
}

TEST_F(Deadline, a_late_task_gives_nothing_at_the_deadline) {
  auto task = with_deadline(text_after(milliseconds(30)), milliseconds(20));
  const auto result = run(task, milliseconds(20));
  ASSERT_TRUE(result.has_value()) << "it has come to its end";
  EXPECT_FALSE(result->has_value());
}

TEST_F(Deadline, a_late_task_is_destroyed_before_its_awaiter_goes_on) {
  struct Alive {
    explicit Alive(int& count) : count_(count) { ++count_; }
    Alive(const Alive&) = delete;
    Alive& operator=(const Alive&) = delete;
    ~Alive() { --count_; }
    int& count_;
  };
  int alive = 0;
  auto body = [](int& count) -> Task<> {
    const Alive here(count);
    co_await sleep_for(seconds(1));
  };
  auto outer = [](Task<> inner, int& count) -> Task<int> {
    const bool in_time = co_await with_deadline(std::move(inner), milliseconds(20));
    co_return in_time ? -1 : count;
  };
  auto task = outer(body(alive), alive);
  EXPECT_EQ(run(task, milliseconds(20)), 0);
}

TEST_F(Deadline, what_the_task_throws_comes_through) {
  auto task = with_deadline(fail_after(milliseconds(5)), milliseconds(20));
  EXPECT_THROW(run(task, milliseconds(5)), std::runtime_error);
}

TEST_F(Deadline, a_task_without_a_value_tells_whether_it_was_in_time) {
  auto in_time = with_deadline(nothing_after(milliseconds(5)), milliseconds(20));
  EXPECT_EQ(run(in_time, milliseconds(5)), true);
  auto late = with_deadline(nothing_after(milliseconds(50)), milliseconds(20));
  EXPECT_EQ(run(late, milliseconds(20)), false);
}

TEST_F(Deadline, an_event_tells_whether_it_was_set_in_time) {
  AsyncEvent event;
  auto late = with_deadline(event, milliseconds(20));
  EXPECT_EQ(run(late, milliseconds(20)), false);
  event.set();
  auto in_time = with_deadline(event, milliseconds(20));
  EXPECT_EQ(run(in_time, milliseconds(0)), true);
}

TEST_F(Deadline, the_inner_of_two_deadlines_comes_first) {
  auto inner = with_deadline(nothing_after(seconds(9)), milliseconds(10));
  auto task = with_deadline(std::move(inner), milliseconds(20));
  const auto result = run(task, milliseconds(10));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(*result, false);
}

TEST_F(Deadline, the_outer_of_two_deadlines_destroys_the_inner) {
  const auto before = frames_in_use();
  {
    auto inner = with_deadline(nothing_after(seconds(9)), seconds(5));
    auto task = with_deadline(std::move(inner), milliseconds(20));
    const auto result = run(task, milliseconds(20));
    ASSERT_TRUE(result.has_value());
    EXPECT_FALSE(result->has_value());
  }
  EXPECT_EQ(frames_in_use(), before);
}

}  // namespace
}  // namespace eider
