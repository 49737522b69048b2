#include "eider/io/runtime/blocking.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/test_blocking.h"
#include "eider/testkit/loop_sim.h"

namespace eider {
namespace {

using testing::BlockingOnThreads;

Task<int> add_elsewhere(int a, int b) {
  co_return co_await run_blocking([a, b] { return a + b; });
}

// On the simulated loop, where blocking work runs in its own turn.

TEST(Blocking, runs_in_the_simulation_without_a_thread_and_later) {
  SimKernel kernel;
  SimLoop loop(kernel);
  Task<int> task = add_elsewhere(40, 2);
  loop.call([&] { EXPECT_FALSE(task.start()); });
  ASSERT_TRUE(task.is_done());
  EXPECT_EQ(task.take(), 42);
}

TEST(Blocking, carries_what_the_work_throws) {
  SimKernel kernel;
  SimLoop loop(kernel);
  auto body = []() -> Task<> { co_await run_blocking([] { throw std::runtime_error("no"); }); };
  Task<> task = body();
  loop.call([&] { task.start(); });
  ASSERT_TRUE(task.is_done());
  EXPECT_THROW(task.take(), std::runtime_error);
}

TEST(Blocking, returns_what_can_only_be_moved_and_results_that_are_results) {
  SimKernel kernel;
  SimLoop loop(kernel);
  auto body = []() -> Task<int> {
    auto number = co_await run_blocking([] { return std::make_unique<int>(5); });
    auto result = co_await run_blocking([]() -> Result<int> { return fail(Error::not_found()); });
    co_return *number + (result.has_value() ? 0 : result.error().status());
  };
  Task<int> task = body();
  loop.call([&] { task.start(); });
  EXPECT_EQ(task.take(), 409);
}

TEST(Blocking, without_a_pool_is_refused) {
  SimKernel kernel;
  SimLoop loop(kernel);
  loop.set_blocking_pool(nullptr);
  Task<int> task = add_elsewhere(1, 2);
  loop.call([&] { EXPECT_TRUE(task.start()); });
  EXPECT_THROW(task.take(), Failure);
}

TEST(Blocking, work_that_nobody_waits_for_any_more_is_not_begun) {
  SimKernel kernel;
  SimLoop loop(kernel);
  bool has_run = false;
  auto body = [](bool& runs) -> Task<> { co_await run_blocking([&runs] { runs = true; }); };
  Task<> task = body(has_run);
  loop.call([&] {
    task.start();
    task = Task<>();
  });
  EXPECT_FALSE(has_run);
}

TEST(Blocking, a_waiter_may_outlive_the_loop_that_its_work_was_going_to) {
  SimKernel kernel;
  Task<int> task = add_elsewhere(1, 2);
  {
    SimLoop loop(kernel);
    loop.call([&] {
      // Posted after the work of this turn, so the loop is destroyed before it runs.
      loop.post([&] { task.start(); });
    });
    EXPECT_TRUE(task.is_done());
    task = add_elsewhere(1, 2);
    loop.post([&] { task.start(); });
    kernel.step();
  }
  EXPECT_FALSE(task.is_done());
}

// On real threads. The loop runs until all tasks of a scope have ended.

Task<> note_thread(std::thread::id& there, std::thread::id& back) {
  there = co_await run_blocking([] { return std::this_thread::get_id(); });
  back = std::this_thread::get_id();
}

TEST_F(BlockingOnThreads, runs_on_another_thread_and_comes_back) {
  std::thread::id there;
  std::thread::id back;
  std::vector<Task<>> tasks;
  tasks.push_back(note_thread(there, back));
  EXPECT_EQ(pool_.threads(), 0U) << "before it is needed";
  run(tasks);
  EXPECT_EQ(pool_.threads(), 1U);
  EXPECT_NE(there, std::this_thread::get_id());
  EXPECT_EQ(back, std::this_thread::get_id());
}

Task<> meet(std::latch& all) {
  co_await run_blocking([&all] { all.arrive_and_wait(); });
}

/// Work that would never end with fewer than four threads.
std::vector<Task<>> four_that_meet(std::latch& all) {
  std::vector<Task<>> tasks;
  for (int i = 0; i < 4; ++i) {
    tasks.push_back(meet(all));
  }
  return tasks;
}

TEST_F(BlockingOnThreads, as_many_as_wait_run_at_once) {
  std::latch all(4);
  auto tasks = four_that_meet(all);
  run(tasks);
  EXPECT_EQ(pool_.threads(), 4U);
}

Task<> count(std::atomic<int>& calls, int& ends) {
  co_await run_blocking([&calls] { ++calls; });
  ++ends;
}

TEST_F(BlockingOnThreads, a_thousand_calls_each_come_back_once) {
  std::atomic<int> calls = 0;
  int ends = 0;
  std::vector<Task<>> tasks;
  for (int i = 0; i < 1000; ++i) {
    tasks.push_back(count(calls, ends));
  }
  run(tasks);
  EXPECT_EQ(calls, 1000);
  EXPECT_EQ(ends, 1000);
  EXPECT_LE(pool_.threads(), 16U);
}

class BlockingOnOneThread : public BlockingOnThreads {
 protected:
  BlockingOnOneThread() : BlockingOnThreads({.threads_max = 1, .queue_max = 2}) {}
};

TEST_F(BlockingOnOneThread, has_more_threads_once_it_is_told_so) {
  pool_.set_limits({.threads_max = 4, .queue_max = 2});
  std::latch all(4);
  auto tasks = four_that_meet(all);
  run(tasks);
  EXPECT_EQ(pool_.threads(), 4U);
}

TEST_F(BlockingOnOneThread, has_fewer_threads_once_it_is_told_so_and_more_again) {
  for (int round = 0; round < 3; ++round) {
    pool_.set_limits({.threads_max = 4, .queue_max = 2});
    std::latch all(4);
    auto tasks = four_that_meet(all);
    run(tasks);
    pool_.set_limits({.threads_max = 1, .queue_max = 2});
    while (pool_.threads() != 1) {
      std::this_thread::yield();
    }
    std::atomic<int> calls = 0;
    int ends = 0;
    std::vector<Task<>> behind;
    behind.push_back(count(calls, ends));
    run(behind);
    EXPECT_EQ(ends, 1);
  }
}

Task<> expect_busy(std::atomic<int>& calls, int& refusals) {
  try {
    co_await run_blocking([&calls] { ++calls; });
  } catch (const Failure& failure) {
    refusals += failure.error().status() == 503 ? 1 : 0;
  }
}

// Blocks the only thread from `begun` until `release`.
struct Hold {
  std::latch begun{1};
  std::latch release{1};
};

Task<> keep_busy(Hold& hold) {
  co_await run_blocking([&hold] {
    hold.begun.count_down();
    hold.release.wait();
  });
}

Task<> let_go(Hold& hold) {
  hold.release.count_down();
  co_return;
}

Task<> wait_until_busy(Hold& hold) {
  hold.begun.wait();
  co_return;
}

Task<> stop_while_busy(BlockingPool& pool, Hold& hold) {
  std::thread helper([&] { hold.release.count_down(); });
  pool.stop();
  helper.join();
  co_return;
}

TEST_F(BlockingOnOneThread, what_exceeds_the_queue_is_refused) {
  Hold hold;
  std::atomic<int> calls = 0;
  int refusals = 0;
  std::vector<Task<>> tasks;
  tasks.push_back(keep_busy(hold));
  tasks.push_back(wait_until_busy(hold));
  for (int i = 0; i < 5; ++i) {
    tasks.push_back(expect_busy(calls, refusals));
  }
  tasks.push_back(let_go(hold));
  run(tasks);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(refusals, 3);
}

TEST_F(BlockingOnOneThread, stopping_refuses_what_is_queued_and_what_comes_later) {
  Hold hold;
  std::atomic<int> calls = 0;
  int refusals = 0;
  std::vector<Task<>> tasks;
  tasks.push_back(keep_busy(hold));
  tasks.push_back(wait_until_busy(hold));
  tasks.push_back(expect_busy(calls, refusals));
  tasks.push_back(stop_while_busy(pool_, hold));
  tasks.push_back(expect_busy(calls, refusals));
  run(tasks);
  EXPECT_LE(calls, 1) << "the thread may have taken it between being let go and being stopped";
  EXPECT_EQ(calls + refusals, 2);
}

TEST_F(BlockingOnThreads, a_result_that_nobody_waits_for_is_dropped) {
  auto dropped = std::make_shared<int>(1);
  std::latch begun(1);
  std::latch release(1);
  auto body = [](std::shared_ptr<int> value, std::latch& begin, std::latch& end) -> Task<> {
    auto back = co_await run_blocking([value = std::move(value), &begin, &end] {
      begin.count_down();
      end.wait();
      return value;
    });
    ADD_FAILURE() << "resumed after its end " << *back;
  };
  Task<> task = body(dropped, begun, release);
  loop_->post([&] {
    task.start();
    begun.wait();
    task = Task<>();
    release.count_down();
    loop_->stop();
  });
  loop_->run();
  pool_.stop();  // the job was posted back before this returns
  loop_->post([&] { loop_->stop(); });
  loop_->run();
  EXPECT_EQ(dropped.use_count(), 1);
}

}  // namespace
}  // namespace eider
