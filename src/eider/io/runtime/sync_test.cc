#include "eider/io/runtime/sync.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/task.h"
#include "eider/testkit/loop_sim.h"

namespace eider {
namespace {

using std::chrono::milliseconds;

class Sync : public ::testing::Test {
 protected:
  SimKernel kernel;
  SimLoop loop{kernel};
};

Task<> wait_for(AsyncEvent& event, int which, std::vector<int>& order) {
  co_await event.wait();
  order.push_back(which);
}

TEST_F(Sync, an_event_lets_all_who_wait_go_on_in_their_order) {
  AsyncEvent event;
  std::vector<int> order;
  Task<> one = wait_for(event, 1, order);
  Task<> two = wait_for(event, 2, order);
  loop.call([&] {
    one.start();
    two.start();
  });
  EXPECT_TRUE(order.empty());
  loop.call([&] {
    event.set();
    EXPECT_TRUE(order.empty()) << "not inside the call";
  });
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST_F(Sync, nobody_waits_for_an_event_that_has_happened_until_it_is_reset) {
  AsyncEvent event;
  std::vector<int> order;
  loop.call([&] { event.set(); });
  Task<> one = wait_for(event, 1, order);
  EXPECT_TRUE(one.start());
  event.reset();
  Task<> two = wait_for(event, 2, order);
  loop.call([&] { EXPECT_FALSE(two.start()); });
}

TEST_F(Sync, a_waiter_destroyed_before_or_after_the_event_is_not_resumed) {
  AsyncEvent event;
  std::vector<int> order;
  Task<> one = wait_for(event, 1, order);
  Task<> two = wait_for(event, 2, order);
  Task<> three = wait_for(event, 3, order);
  loop.call([&] {
    one.start();
    two.start();
    three.start();
    one = Task<>();
    event.set();
    two = Task<>();
  });
  EXPECT_EQ(order, std::vector{3});
}

Task<> work(Semaphore& semaphore, int which, std::vector<int>& order) {
  Semaphore::Permit permit = co_await semaphore.acquire();
  order.push_back(which);
  co_await sleep_for(milliseconds(10));
}

TEST_F(Sync, a_semaphore_lets_in_as_many_as_it_has_permits) {
  Semaphore semaphore(2);
  std::vector<int> order;
  std::vector<Task<>> tasks;
  for (int i = 0; i < 5; ++i) {
    tasks.push_back(work(semaphore, i, order));
  }
  loop.call([&] {
    for (Task<>& task : tasks) {
      task.start();
    }
  });
  EXPECT_EQ(order, (std::vector{0, 1}));
  kernel.advance(milliseconds(10));
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
  kernel.advance(milliseconds(10));
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
}

TEST_F(Sync, a_permit_goes_to_who_waits_and_not_to_who_comes_just_then) {
  Semaphore semaphore(1);
  std::vector<int> order;
  Task<> waiting = work(semaphore, 1, order);
  loop.call([&] {
    Semaphore::Permit held = semaphore.try_acquire();
    ASSERT_TRUE(held.is_held());
    waiting.start();
    held.release();
    EXPECT_EQ(semaphore.available(), 0U);
    EXPECT_FALSE(semaphore.try_acquire().is_held());
  });
  EXPECT_EQ(order, std::vector{1});
}

TEST_F(Sync, a_permit_granted_to_a_task_destroyed_before_it_goes_on_is_not_lost) {
  Semaphore semaphore(1);
  std::vector<int> order;
  Task<> first = work(semaphore, 1, order);
  Task<> second = work(semaphore, 2, order);
  loop.call([&] {
    Semaphore::Permit held = semaphore.try_acquire();
    first.start();
    second.start();
    held.release();
    first = Task<>();
  });
  EXPECT_EQ(order, std::vector{2});
  second = Task<>();
  EXPECT_EQ(semaphore.available(), 1U);
}

TEST_F(Sync, a_moved_permit_is_given_back_once) {
  Semaphore semaphore(1);
  {
    Semaphore::Permit permit = semaphore.try_acquire();
    Semaphore::Permit other = std::move(permit);
    EXPECT_FALSE(permit.is_held());  // NOLINT(bugprone-use-after-move): tested here
    EXPECT_TRUE(other.is_held());
  }
  EXPECT_EQ(semaphore.available(), 1U);
}

}  // namespace
}  // namespace eider
