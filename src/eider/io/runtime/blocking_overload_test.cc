// Blocking work in an overload: more calls than the threads can process.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <latch>
#include <ranges>
#include <thread>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/processors.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/test_blocking.h"

namespace eider {
namespace {

using testing::BlockingOnThreads;

/// A millisecond of work, and a count.
void work(std::atomic<int>& done) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  while (std::chrono::steady_clock::now() < until) {
  }
  ++done;
}

Task<> work_or_be_late(std::atomic<int>& done, int& refusals) {
  try {
    auto working = run_blocking([&done] { work(done); });
    working.allow_load_shedding();
    co_await working;
  } catch (const Failure& failure) {
    refusals += failure.error().status() == 503 ? 1 : 0;
  }
}

Task<> work_however_late(std::atomic<int>& done) {
  co_await run_blocking([&done] { work(done); });
}

class BlockingOnLateThread : public BlockingOnThreads {
 protected:
  BlockingOnLateThread()
      : BlockingOnThreads({.threads_max = 1, .queue_time = std::chrono::milliseconds(1)}) {}
};

TEST_F(BlockingOnLateThread, what_has_waited_too_long_is_refused_where_it_may_be) {
  constexpr int kEach = 300;
  std::atomic<int> done = 0;
  std::atomic<int> done_however_late = 0;
  int refusals = 0;
  std::vector<Task<>> tasks;
  for (int i = 0; i < kEach; ++i) {
    tasks.push_back(work_or_be_late(done, refusals));
    tasks.push_back(work_however_late(done_however_late));
  }
  run(tasks);
  EXPECT_EQ(done_however_late, kEach);
  EXPECT_EQ(done + refusals, kEach);
  EXPECT_GT(refusals, kEach / 10);
  EXPECT_GT(done, 0);
  EXPECT_EQ(pool_.refused(), static_cast<std::uint64_t>(refusals));
}

class BlockingOnLateThreads : public BlockingOnThreads {
 protected:
  BlockingOnLateThreads()
      : BlockingOnThreads({.threads_max = 8, .queue_time = std::chrono::milliseconds(1)}) {}
};

/// Returns how often the threads of this process wait in 50 ms.
long waits_in_a_moment() {
  const auto waits = [] {
    rusage used{};
    (void)::getrusage(RUSAGE_SELF, &used);
    return used.ru_nvcsw;
  };
  const long before = waits();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return waits() - before;
}

TEST_F(BlockingOnLateThreads, sleep_when_nobody_asks_behind_more_than_they_could_do) {
  std::atomic<int> done = 0;
  std::vector<Task<>> tasks;
  for (int i = 0; i < 600; ++i) {
    tasks.push_back(work_however_late(done));
  }
  run(tasks);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  bool do_they_sleep = false;
  while (!do_they_sleep && std::chrono::steady_clock::now() < until) {
    do_they_sleep = waits_in_a_moment() <= 5;
  }
  EXPECT_TRUE(do_they_sleep);
}

TEST_F(BlockingOnLateThreads, tell_ahead_of_it_what_they_would_refuse) {
  bool is_overloaded = false;
  bool is_refused = false;
  std::atomic<int> done = 0;
  std::vector<Task<>> tasks;
  for (int i = 0; i < 600; ++i) {
    tasks.push_back(
        [](BlockingPool& pool, int index, std::atomic<int>& of, bool& on, bool& refused) -> Task<> {
          co_await run_blocking([&pool, index, &of, &on, &refused] {
            work(of);
            if (index == 450) {
              on = pool.is_overloaded();
              refused = pool.refuses_next();
            }
          });
        }(pool_, i, done, is_overloaded, is_refused));
  }
  EXPECT_FALSE(pool_.is_overloaded());
  EXPECT_FALSE(pool_.refuses_next());
  run(tasks);
  EXPECT_TRUE(is_overloaded);
  EXPECT_TRUE(is_refused);
  EXPECT_EQ(pool_.refused(), 1U);
  EXPECT_EQ(done, 600);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (pool_.is_overloaded() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(pool_.is_overloaded());
}

/// Limits the first thread, and all pools that are created meanwhile, to a number of processors.
class OnProcessors {
 public:
  explicit OnProcessors(std::size_t most) {
    (void)::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t some;
    CPU_ZERO(&some);
    for (const int each : detail::runtime::usable_processors() | std::views::take(most)) {
      CPU_SET(each, &some);
    }
    (void)::sched_setaffinity(0, sizeof some, &some);
  }
  ~OnProcessors() { (void)::sched_setaffinity(0, sizeof before_, &before_); }
  OnProcessors(const OnProcessors&) = delete;
  OnProcessors& operator=(const OnProcessors&) = delete;

 private:
  cpu_set_t before_{};
};

template <std::size_t kProcessors>
class BlockingOnProcessors : OnProcessors, public BlockingOnThreads {
 protected:
  static constexpr int kThreads = 8;
  static constexpr int kJobs = 600;

  BlockingOnProcessors()
      : OnProcessors(kProcessors),
        BlockingOnThreads({.threads_max = kThreads, .queue_time = std::chrono::milliseconds(1)}) {}

  /// Returns how many calls are running when a call of the last third starts, on average.
  double at_work(const std::function<void(int index)>& work) {
    std::atomic<int> now = 0;
    std::atomic<int> sum = 0;
    auto job = [&](int index) -> Task<> {
      co_await run_blocking([&, index] {
        const int with_this = ++now;
        sum += index >= kJobs * 2 / 3 ? with_this : 0;
        work(index);
        --now;
      });
    };
    std::vector<Task<>> tasks;
    for (int i = 0; i < kJobs; ++i) {
      tasks.push_back(job(i));
    }
    run(tasks);
    return sum / (kJobs / 3.0);
  }

  /// Expects the average of one run between the limits. Other processes may take the processors for
  /// some runs: threads that compute seem to wait then, and more are started.
  void expect_at_work(double min, double max, const std::function<double()>& average) {
    constexpr int kRuns = 50;
    double last = 0;
    for (int i = 0; i < kRuns; ++i) {
      last = average();
      if (last > min && last < max) {
        return;
      }
    }
    ADD_FAILURE() << last << " calls were running on average, not " << min << " to " << max;
  }
};

using BlockingOnOneProcessor = BlockingOnProcessors<1>;
using BlockingOnTwoProcessors = BlockingOnProcessors<2>;

/// Uses the thread's own processor time, so that it takes longer if threads share a processor.
void compute() {
  const auto used = [] {
    timespec time{};
    (void)::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1'000'000'000 + time.tv_nsec;
  };
  for (const auto until = used() + 1'000'000; used() < until;) {
  }
}

TEST_F(BlockingOnOneProcessor, jobs_that_compute_do_not_share_it_where_more_come_than_it_can_do) {
  expect_at_work(0, kThreads / 2.0, [&] { return at_work([](int) { compute(); }); });
}

TEST_F(BlockingOnOneProcessor, jobs_that_wait_have_all_threads) {
  const auto wait = [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(4)); };
  EXPECT_GT(at_work(wait), kThreads / 2.0);
}

TEST_F(BlockingOnOneProcessor, one_that_waits_among_those_that_compute_holds_them_up_for_a_moment) {
  std::latch last(1);
  (void)at_work([&](int index) {
    if (index == kJobs / 2) {
      last.wait();
    } else if (index == kJobs - 1) {
      last.count_down();
    } else {
      compute();
    }
  });
}

TEST_F(BlockingOnOneProcessor, nor_does_one_that_computes_until_all_others_are_done) {
  std::atomic<bool> is_last_done = false;
  (void)at_work([&](int index) {
    while (index == kJobs / 2 && !is_last_done) {
    }
    compute();
    if (index == kJobs - 1) {
      is_last_done = true;
    }
  });
}

TEST_F(BlockingOnTwoProcessors, one_that_waits_leaves_its_own_to_another) {
  if (detail::runtime::usable_processors().size() != 2) {
    GTEST_SKIP() << "this machine has one processor, so that two cannot be shared";
  }
  const auto one_waits_and_others_compute = [&] {
    std::latch last(1);
    return at_work([&](int index) {
      if (index == kJobs / 2) {
        last.wait();
      } else {
        compute();
      }
      if (index == kJobs - 1) {
        last.count_down();
      }
    });
  };
  // One waits, and two compute.
  expect_at_work(2.5, kThreads / 2.0, one_waits_and_others_compute);
}

}  // namespace
}  // namespace eider
