#include "eider/io/runtime/loop.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "eider/io/runtime/deferred.h"
#include "eider/io/runtime/loop_local.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sync.h"
#include "eider/io/runtime/test_backends.h"
#include "eider/io/runtime/timer.h"

namespace eider {
namespace {

using std::chrono::milliseconds;

class LoopTest : public testing::LoopTestBase {};
INSTANTIATE_TEST_SUITE_P(Backends, LoopTest, testing::all_backends(), testing::backend_name);

/// Records when it expired, and ends the loop with the last of its kind.
class OrderedTimer final : public Timer {
 public:
  OrderedTimer(Loop& loop, int& left) : loop_(loop), left_(left) {}
  void expire() override {
    expired_at = std::chrono::steady_clock::now();
    turn_began_at = loop_.now();
    if (--left_ == 0) {
      loop_.stop();
    }
  }

  Instant due;
  Instant expired_at;
  Instant turn_began_at;

 private:
  Loop& loop_;
  int& left_;
};

template <class Work>
class DeferredCall final : public Deferred {
 public:
  explicit DeferredCall(Work work) : work_(std::move(work)) {}
  void run() override { work_(); }

 private:
  Work work_;
};

TEST(Loop, is_chosen_by_name) {
  const auto epoll = Loop::create(Backend::epoll);
  ASSERT_TRUE(epoll);
  EXPECT_EQ((*epoll)->name(), "epoll");
  const auto automatic = Loop::create(Backend::automatic);
  ASSERT_TRUE(automatic);
  const auto uring = Loop::create(Backend::io_uring);
  EXPECT_EQ((*automatic)->name(), uring ? "io_uring" : "epoll");
  if (!uring) {
    EXPECT_NE(uring.error().detail().find("use the epoll backend"), std::string::npos);
  }
}

TEST_P(LoopTest, timers_are_never_early_and_none_is_forgotten) {
  constexpr int kTimers = 200;
  int left = kTimers;
  std::vector<std::unique_ptr<OrderedTimer>> timers;
  for (int index = 0; index < kTimers; ++index) {
    timers.push_back(std::make_unique<OrderedTimer>(loop(), left));
    timers.back()->due = loop().now() + std::chrono::microseconds(index * 577);
    loop().arm(*timers.back(), timers.back()->due);
  }
  loop().run();
  EXPECT_EQ(left, 0);
  for (const auto& timer : timers) {
    EXPECT_GE(timer->turn_began_at, timer->due);
    EXPECT_GE(timer->expired_at, timer->due);
  }
}

TEST_P(LoopTest, a_timer_that_is_armed_again_is_moved) {
  int left = 1;
  OrderedTimer timer(loop(), left);
  loop().arm(timer, loop().now() + std::chrono::hours(1));
  loop().arm(timer, loop().now() + milliseconds(2));
  loop().run();
  EXPECT_EQ(left, 0);
  EXPECT_FALSE(timer.is_armed());
}

TEST_P(LoopTest, a_disarmed_or_destroyed_timer_does_not_expire) {
  int left = 1;
  int never = 100;
  OrderedTimer disarmed(loop(), never);
  auto destroyed = std::make_unique<OrderedTimer>(loop(), never);
  OrderedTimer last(loop(), left);
  const Instant soon = loop().now() + milliseconds(1);
  loop().arm(disarmed, soon);
  loop().arm(*destroyed, soon);
  loop().arm(last, soon + milliseconds(2));
  disarmed.disarm();
  destroyed.reset();
  loop().run();
  EXPECT_EQ(never, 100);
}

TEST_P(LoopTest, a_timer_may_destroy_one_that_is_due_in_the_same_turn) {
  struct Killer final : Timer {
    void expire() override { victim.reset(); }
    std::unique_ptr<OrderedTimer> victim;
  };
  int left = 1;
  int never = 100;
  Killer killer;
  killer.victim = std::make_unique<OrderedTimer>(loop(), never);
  OrderedTimer last(loop(), left);
  const Instant due = loop().now() + milliseconds(1);
  loop().arm(killer, due);
  loop().arm(*killer.victim, due);
  loop().arm(last, due);
  loop().run();
  EXPECT_EQ(never, 100);
}

TEST_P(LoopTest, deferred_work_runs_once_per_queueing_and_in_order) {
  std::string order;
  DeferredCall first([&] { order += "1"; });
  DeferredCall second([&] { order += "2"; });
  DeferredCall withdrawn([&] { order += "never"; });
  loop().defer(first);
  loop().defer(second);
  loop().defer(first);
  loop().defer(withdrawn);
  withdrawn.withdraw();
  DeferredCall last([&] { loop().stop(); });
  loop().defer(last);
  loop().run();
  EXPECT_EQ(order, "12");
}

TEST_P(LoopTest, deferred_work_that_queues_itself_does_not_starve_timers) {
  int left = 1;
  int rounds = 0;
  OrderedTimer timer(loop(), left);
  Deferred* self = nullptr;
  DeferredCall again([&] {
    ++rounds;
    loop().defer(*self);
  });
  self = &again;
  loop().defer(again);
  loop().arm(timer, loop().now() + milliseconds(2));
  loop().run();
  EXPECT_GE(rounds, 1);
  EXPECT_EQ(left, 0);
}

TEST_P(LoopTest, work_posted_by_many_threads_all_runs_and_in_each_threads_order) {
  constexpr int kThreads = 8;
  constexpr int kPosts = 2000;
  std::vector<int> last(kThreads, -1);
  int total = 0;
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number) {
    threads.emplace_back([&, number] {
      for (int index = 0; index < kPosts; ++index) {
        loop().post([&, number, index] {
          EXPECT_EQ(last[static_cast<std::size_t>(number)], index - 1);
          last[static_cast<std::size_t>(number)] = index;
          if (++total == kThreads * kPosts) {
            loop().stop();
          }
        });
      }
    });
  }
  loop().run();
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(total, kThreads * kPosts);
}

TEST_P(LoopTest, a_post_wakes_a_loop_that_sleeps) {
  for (int round = 0; round < 200; ++round) {
    std::thread poster([&] { loop().post([&] { loop().stop(); }); });
    loop().run();
    poster.join();
  }
}

TEST_P(LoopTest, two_loops_can_post_to_each_other) {
  auto other = GetParam()();
  ASSERT_TRUE(other);
  int hops = 0;
  std::function<void()> hop = [&] {
    Loop& here = Loop::current();
    Loop& there = &here == &loop() ? **other : loop();
    if (++hops == 1000) {
      loop().stop();
      (*other)->stop();
    } else {
      there.post([&] { hop(); });
    }
  };
  std::thread thread([&] { (*other)->run(); });
  loop().post([&] { hop(); });
  loop().run();
  thread.join();
  EXPECT_EQ(hops, 1000);
}

TEST_P(LoopTest, posted_work_is_destroyed_with_the_loop_when_it_never_ran) {
  const auto token = std::make_shared<int>(1);
  loop().post([token] {});
  EXPECT_EQ(token.use_count(), 2);
  loop_.reset();
  EXPECT_EQ(token.use_count(), 1);
}

TEST_P(LoopTest, stop_before_run_ends_it_at_once_and_it_can_run_again) {
  loop().stop();
  loop().run();
  bool ran = false;
  loop().post([&] {
    ran = true;
    loop().stop();
  });
  loop().run();
  EXPECT_TRUE(ran);
}

TEST_P(LoopTest, is_current_where_it_runs) {
  Loop* current = nullptr;
  loop().post([&] {
    current = &Loop::current();
    loop().stop();
  });
  loop().run();
  EXPECT_EQ(current, &loop());
}

/// An object of a loop that tasks use, such as a client with its connections.
struct UsedObject {
  explicit UsedObject(bool& exists) : exists_(exists) { exists_ = true; }
  UsedObject(const UsedObject&) = delete;
  UsedObject& operator=(const UsedObject&) = delete;
  ~UsedObject() { exists_ = false; }
  AsyncEvent never;

 private:
  bool& exists_;
};

/// The end of a task that was canceled while it used the object.
struct EndOfUse {
  EndOfUse(const bool& its_object, bool& its_had_object, Loop*& its_ran_on)
      : object_exists(its_object), had_object(its_had_object), ran_on(its_ran_on) {}
  EndOfUse(const EndOfUse&) = delete;
  EndOfUse& operator=(const EndOfUse&) = delete;
  ~EndOfUse() {
    had_object = object_exists;
    ran_on = &Loop::current();
  }
  const bool& object_exists;
  bool& had_object;
  Loop*& ran_on;
};

TEST_P(LoopTest, tasks_end_ahead_of_the_objects_that_they_use) {
  bool object_exists = false;
  bool had_object = false;
  Loop* ended_on = nullptr;
  const LoopLocal<UsedObject> objects(
      [&object_exists] { return std::make_unique<UsedObject>(object_exists); });
  const LoopLocal<Scope> scopes([] { return std::make_unique<Scope>(); });
  const auto use = [&]() -> Task<> {
    const EndOfUse end(object_exists, had_object, ended_on);
    co_await objects.here().never.wait();
  };
  loop().post([&] {
    (void)objects.here();  // created before the scope
    scopes.here().start(use());
    loop().stop();
  });
  loop().run();
  Loop* const ended = &loop();
  loop_.reset();
  EXPECT_TRUE(had_object);
  EXPECT_FALSE(object_exists);
  EXPECT_EQ(ended_on, ended);
}

TEST_P(LoopTest, what_begins_with_a_run_counts_from_then) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const Instant begun = std::chrono::steady_clock::now();
  Instant known;
  loop().post([&] {
    known = loop().now();
    loop().stop();
  });
  loop().run();
  EXPECT_GE(known, begun);
}

TEST_P(LoopTest, knows_the_date) {
  EXPECT_NEAR(static_cast<double>(loop().wall_seconds()), static_cast<double>(std::time(nullptr)),
              2);
}

}  // namespace
}  // namespace eider
