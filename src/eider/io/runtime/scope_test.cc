#include "eider/io/runtime/scope.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>

#include "eider/io/runtime/frame_pool.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/loop_sim.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class ScopeTest : public ::testing::Test {
 protected:
  SimKernel kernel;
  SimLoop loop{kernel};
};

Task<> nap(Duration duration, int& naps) {
  co_await sleep_for(duration);
  ++naps;
}

Task<> fail_behind(Duration duration) {
  co_await sleep_for(duration);
  throw std::runtime_error("failed");
}

Task<> join(Scope& scope, int& joins) {
  co_await scope.join();
  ++joins;
}

TEST_F(ScopeTest, runs_its_tasks_side_by_side) {
  Scope scope;
  int naps = 0;
  loop.call([&] {
    scope.start(nap(milliseconds(10), naps));
    scope.start(nap(milliseconds(10), naps));
  });
  EXPECT_EQ(scope.size(), 2U);
  kernel.advance(milliseconds(10));
  EXPECT_EQ(naps, 2);
  EXPECT_EQ(scope.size(), 0U);
}

TEST_F(ScopeTest, keeps_nothing_of_a_task_that_has_come_to_its_end) {
  Scope scope;
  int naps = 0;
  const auto before = frames_in_use();
  loop.call([&] { scope.start(nap(milliseconds(10), naps)); });
  EXPECT_GT(frames_in_use(), before);
  kernel.advance(milliseconds(10));
  EXPECT_EQ(frames_in_use(), before);
}

TEST_F(ScopeTest, a_task_that_does_not_wait_is_gone_at_once) {
  Scope scope;
  auto body = [](int& runs) -> Task<> {
    ++runs;
    co_return;
  };
  int runs = 0;
  loop.call([&] {
    scope.start(body(runs));
    EXPECT_EQ(scope.size(), 0U);
  });
  EXPECT_EQ(runs, 1);
}

TEST_F(ScopeTest, join_waits_for_the_last) {
  Scope scope;
  int naps = 0;
  int joins = 0;
  Task<> joining = join(scope, joins);
  loop.call([&] {
    scope.start(nap(milliseconds(10), naps));
    scope.start(nap(milliseconds(20), naps));
    joining.start();
  });
  kernel.advance(milliseconds(10));
  EXPECT_EQ(joins, 0);
  kernel.advance(milliseconds(10));
  EXPECT_EQ(joins, 1);
}

TEST_F(ScopeTest, join_of_an_empty_scope_does_not_wait) {
  Scope scope;
  int joins = 0;
  Task<> joining = join(scope, joins);
  loop.call([&] { EXPECT_TRUE(joining.start()); });
}

TEST_F(ScopeTest, join_throws_the_first_failure_after_all_have_ended) {
  Scope scope;
  int naps = 0;
  int joins = 0;
  Task<> joining = join(scope, joins);
  loop.call([&] {
    scope.start(fail_behind(milliseconds(10)));
    scope.start(nap(milliseconds(20), naps));
    joining.start();
  });
  kernel.advance(milliseconds(10));
  EXPECT_FALSE(joining.is_done());
  kernel.advance(milliseconds(10));
  ASSERT_TRUE(joining.is_done());
  EXPECT_EQ(naps, 1);
  EXPECT_THROW(joining.take(), std::runtime_error);
}

TEST_F(ScopeTest, its_end_destroys_what_still_waits) {
  const auto before = frames_in_use();
  int naps = 0;
  {
    Scope scope;
    loop.call([&] {
      scope.start(nap(seconds(1), naps));
      scope.start(nap(seconds(2), naps));
    });
  }
  EXPECT_EQ(frames_in_use(), before);
  kernel.advance(seconds(5));
  EXPECT_EQ(naps, 0);
}

TEST_F(ScopeTest, cancel_destroys_all_and_lets_who_joins_go_on) {
  Scope scope;
  int naps = 0;
  int joins = 0;
  Task<> joining = join(scope, joins);
  loop.call([&] {
    scope.start(nap(seconds(1), naps));
    joining.start();
    scope.cancel();
    EXPECT_EQ(scope.size(), 1U) << "not inside the call";
  });
  EXPECT_EQ(scope.size(), 0U);
  EXPECT_EQ(joins, 1);
  EXPECT_EQ(naps, 0);
}

TEST_F(ScopeTest, a_cancelled_scope_starts_nothing) {
  Scope scope;
  int naps = 0;
  loop.call([&] {
    scope.cancel();
    scope.start(nap(Duration::zero(), naps));
  });
  EXPECT_EQ(scope.size(), 0U);
  EXPECT_EQ(naps, 0);
}

TEST_F(ScopeTest, a_task_may_cancel_the_scope_that_it_runs_in) {
  Scope scope;
  int naps = 0;
  auto body = [](Scope& around, Duration before) -> Task<> {
    co_await sleep_for(before);
    around.cancel();
    co_await sleep_for(seconds(1));
  };
  auto at_once = [](Scope& around) -> Task<> {
    around.cancel();
    co_await sleep_for(seconds(1));
  };
  loop.call([&] {
    scope.start(nap(seconds(1), naps));
    scope.start(body(scope, milliseconds(1)));
  });
  kernel.advance(milliseconds(1));
  EXPECT_EQ(scope.size(), 0U);
  Scope second;
  loop.call([&] { second.start(at_once(second)); });
  EXPECT_EQ(second.size(), 0U);
}

TEST_F(ScopeTest, a_task_may_start_others_in_its_scope) {
  Scope scope;
  int naps = 0;
  auto body = [](Scope& around, int& count) -> Task<> {
    around.start(nap(milliseconds(5), count));
    co_await sleep_for(milliseconds(1));
    around.start(nap(milliseconds(5), count));
  };
  loop.call([&] { scope.start(body(scope, naps)); });
  kernel.advance(milliseconds(6));
  EXPECT_EQ(naps, 2);
}

TEST_F(ScopeTest, may_be_destroyed_by_who_joins_it) {
  auto body = [](std::optional<Scope>& scope) -> Task<> {
    co_await scope->join();
    scope.reset();
  };
  std::optional<Scope> scope(std::in_place);
  int naps = 0;
  Task<> task = body(scope);
  loop.call([&] {
    scope->start(nap(milliseconds(5), naps));
    task.start();
  });
  kernel.advance(milliseconds(5));
  EXPECT_TRUE(task.is_done());
  EXPECT_FALSE(scope.has_value());
}

TEST_F(ScopeTest, who_joins_may_outlive_it_and_is_never_resumed) {
  std::optional<Scope> scope(std::in_place);
  int naps = 0;
  int joins = 0;
  Task<> joining = join(*scope, joins);
  loop.call([&] {
    scope->start(nap(milliseconds(5), naps));
    joining.start();
    scope.reset();
  });
  kernel.advance(milliseconds(5));
  joining = Task<>();
  EXPECT_EQ(joins, 0);
}

TEST_F(ScopeTest, a_destroyed_joiner_is_not_resumed) {
  Scope scope;
  int naps = 0;
  int joins = 0;
  Task<> joining = join(scope, joins);
  loop.call([&] {
    scope.start(nap(milliseconds(5), naps));
    joining.start();
  });
  joining = Task<>();
  kernel.advance(milliseconds(5));
  EXPECT_EQ(joins, 0);
  EXPECT_EQ(naps, 1);
}

}  // namespace
}  // namespace eider
