#include "eider/io/runtime/sleep.h"

#include <gtest/gtest.h>

#include <vector>

#include "eider/io/runtime/task.h"
#include "eider/testkit/loop_sim.h"

namespace eider {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

class Sleep : public ::testing::Test {
 protected:
  SimKernel kernel;
  SimLoop loop{kernel};
};

Task<> doze(Duration duration, int& naps) {
  co_await sleep_for(duration);
  ++naps;
}

TEST_F(Sleep, goes_on_when_its_time_has_passed_and_not_before) {
  int naps = 0;
  Task<> task = doze(milliseconds(200), naps);
  loop.call([&] { task.start(); });
  kernel.advance(milliseconds(199));
  EXPECT_EQ(naps, 0);
  kernel.advance(milliseconds(1));
  EXPECT_EQ(naps, 1);
}

TEST_F(Sleep, is_rounded_up_to_a_millisecond) {
  int naps = 0;
  Task<> task = doze(microseconds(1500), naps);
  loop.call([&] { task.start(); });
  kernel.advance(microseconds(1999));
  EXPECT_EQ(naps, 0);
  kernel.advance(microseconds(1));
  EXPECT_EQ(naps, 1);
}

TEST_F(Sleep, for_no_time_or_less_goes_on_at_this_instant) {
  int naps = 0;
  Task<> none = doze(Duration::zero(), naps);
  Task<> less = doze(seconds(-5), naps);
  loop.call([&] {
    none.start();
    less.start();
    EXPECT_EQ(naps, 0) << "but not at once";
  });
  EXPECT_EQ(naps, 2);
}

TEST_F(Sleep, a_thousand_sleep_side_by_side) {
  int naps = 0;
  std::vector<Task<>> tasks;
  loop.call([&] {
    for (int i = 0; i < 1000; ++i) {
      tasks.push_back(doze(milliseconds(200), naps));
      tasks.back().start();
    }
  });
  kernel.advance(milliseconds(200));
  EXPECT_EQ(naps, 1000);
}

TEST_F(Sleep, a_destroyed_sleeper_is_not_woken) {
  int naps = 0;
  Task<> task = doze(milliseconds(10), naps);
  loop.call([&] { task.start(); });
  task = Task<>();
  kernel.advance(seconds(1));
  EXPECT_EQ(naps, 0);
}

Task<> record(int which, std::vector<int>& order) {
  for (int i = 0; i < 3; ++i) {
    order.push_back(which);
    co_await yield_now();
  }
}

TEST_F(Sleep, yielding_tasks_take_turns) {
  std::vector<int> order;
  Task<> one = record(1, order);
  Task<> two = record(2, order);
  loop.call([&] {
    one.start();
    two.start();
  });
  EXPECT_EQ(order, (std::vector{1, 2, 1, 2, 1, 2}));
}

}  // namespace
}  // namespace eider
