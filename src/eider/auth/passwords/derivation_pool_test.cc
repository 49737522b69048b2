#include "eider/auth/passwords/derivation_pool.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/task.h"

namespace eider::detail::passwords {
namespace {

/// Replaces argon2: each run waits until it is released.
class Gate {
 public:
  void operator()(Derivation& work) {
    {
      std::unique_lock lock(mutex_);
      ++waiting_;
      most_ = std::max(most_, waiting_);
      changed_.notify_all();
      changed_.wait(lock, [this] { return is_open_; });
      --waiting_;
    }
    work.execute();
  }
  void open() {
    const std::unique_lock lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  void await_waiting(unsigned number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_ == number; });
  }
  unsigned most() {
    const std::unique_lock lock(mutex_);
    return most_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  unsigned waiting_ = 0;
  unsigned most_ = 0;
  bool is_open_ = false;
};

constexpr rlim_t kStackBytes = rlim_t{256} << 20U;

/// While it exists, threads have stacks of kStackBytes, and only that much more memory can be
/// mapped.
class MappedBytesMax {
 public:
  explicit MappedBytesMax(rlim_t bytes) {
    pthread_getattr_default_np(&stack_before_);
    pthread_attr_t stack = stack_before_;
    pthread_attr_setstacksize(&stack, kStackBytes);
    pthread_setattr_default_np(&stack);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    const rlimit limit{.rlim_cur = pages * static_cast<rlim_t>(::getpagesize()) + bytes,
                       .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
  }
  ~MappedBytesMax() {
    setrlimit(RLIMIT_AS, &before_);
    pthread_setattr_default_np(&stack_before_);
  }
  MappedBytesMax(const MappedBytesMax&) = delete;
  MappedBytesMax& operator=(const MappedBytesMax&) = delete;

 private:
  rlimit before_{};
  pthread_attr_t stack_before_{};
};

std::unique_ptr<Derivation> cheap_work() {
  return std::make_unique<Derivation>("secret",
                                      Argon2Hash{.variant = Argon2Variant::argon2id,
                                                 .cost = {.memory_kib = 8, .passes = 1, .lanes = 1},
                                                 .salt = "somesalt",
                                                 .tag = std::string(32, '\0')});
}

Task<bool> is_derived(DerivationPool& pool) {
  DerivationAwaiter derived(pool, cheap_work());
  const std::optional<std::string> tag = co_await derived;
  co_return tag.has_value();
}

/// A real loop on this thread, and a pool of two threads with a queue of three.
class Pool : public ::testing::Test {
 protected:
  using Tasks = std::vector<std::unique_ptr<Task<bool>>>;

  Pool() {
    pool_ = std::make_unique<DerivationPool>(PoolLimits{.threads = 2, .queue_max = 3},
                                             [this](Derivation& work) { gate_(work); });
  }
  ~Pool() override { gate_.open(); }

  /// Starts tasks one by one; the first two reach the threads.
  void begin(Tasks& tasks, std::size_t number) {
    for (std::size_t index = 0; index < number; ++index) {
      tasks.push_back(std::make_unique<Task<bool>>(is_derived(*pool_)));
      (void)tasks.back()->start();
      if (tasks.size() <= 2) {
        gate_.await_waiting(static_cast<unsigned>(tasks.size()));
      }
    }
  }
  template <class Work>
  void on_loop(Work work) {
    loop_->post([this, &work] {
      work();
      loop_->stop();
    });
    loop_->run();
  }
  /// Runs the loop until all are done.
  void finish(const Tasks& tasks) {
    const auto are_done = [&] {
      return std::ranges::all_of(tasks, [](const auto& task) { return task->is_done(); });
    };
    while (!are_done()) {
      on_loop([] {});
    }
  }

  Gate gate_;
  std::unique_ptr<Loop> loop_ = std::move(Loop::create(Backend::epoll).value());
  std::unique_ptr<DerivationPool> pool_;
};

TEST_F(Pool, so_many_run_at_once_and_so_many_wait_and_the_rest_is_refused) {
  Tasks tasks;
  on_loop([&] { begin(tasks, 7); });
  EXPECT_TRUE(tasks[5]->is_done());
  EXPECT_TRUE(tasks[6]->is_done());
  EXPECT_FALSE(tasks[5]->take());
  EXPECT_FALSE(tasks[6]->take());
  EXPECT_EQ(pool_->counts().queued, 3U);
  EXPECT_EQ(pool_->counts().rejected, 2U);
  gate_.open();
  finish(tasks);
  for (std::size_t index = 0; index < 5; ++index) {
    EXPECT_TRUE(tasks[index]->take()) << index;
  }
  EXPECT_EQ(gate_.most(), 2U);
  EXPECT_EQ(pool_->counts().started, 5U);
}

TEST_F(Pool, who_leaves_takes_its_work_out_and_makes_room) {
  Tasks tasks;
  on_loop([&] {
    begin(tasks, 5);
    tasks[3].reset();
    tasks[2].reset();
  });
  EXPECT_EQ(pool_->counts().queued, 1U);
  EXPECT_EQ(pool_->counts().abandoned, 2U);
  on_loop([&] { begin(tasks, 2); });
  EXPECT_EQ(pool_->counts().queued, 3U);
  EXPECT_EQ(pool_->counts().rejected, 0U);
  gate_.open();
  std::erase(tasks, nullptr);
  finish(tasks);
  EXPECT_EQ(pool_->counts().started, 5U) << "what was taken out is never run";
}

TEST_F(Pool, who_leaves_while_its_work_runs_is_not_reached_for) {
  Tasks tasks;
  on_loop([&] {
    begin(tasks, 3);
    tasks[0].reset();
  });
  tasks.erase(tasks.begin());
  gate_.open();
  finish(tasks);
  EXPECT_TRUE(tasks[0]->take());
  EXPECT_TRUE(tasks[1]->take());
}

TEST_F(Pool, a_loop_may_go_while_work_that_nobody_awaits_runs) {
  Tasks tasks;
  on_loop([&] {
    begin(tasks, 4);
    tasks.clear();
  });
  loop_.reset();
  gate_.open();
  pool_.reset();  // joins its threads: one of them would post to the loop otherwise
}

TEST_F(Pool, tasks_and_their_loop_may_go_while_results_are_on_their_way) {
  Tasks tasks;
  on_loop([&] { begin(tasks, 5); });
  gate_.open();
  while (pool_->counts().started < 4) {
    on_loop([] {});
  }
  tasks.clear();  // of five tasks: some done, some posted to the loop, some on a thread
  loop_.reset();
  pool_.reset();
}

/// Sanitizers need memory that the limit does not include.
bool is_sanitized() {
  return mallinfo2().uordblks == 0;  // the heap is not glibc's
}

TEST_F(Pool, goes_on_with_the_threads_that_there_are) {
  if (is_sanitized()) {
    GTEST_SKIP() << "a sanitizer maps memory of its own";
  }
  gate_.open();
  const MappedBytesMax room(kStackBytes + kStackBytes / 2);
  DerivationPool pool({.threads = 4, .queue_max = 3}, &Derivation::execute);
  Tasks tasks;
  on_loop([&] {
    for (int index = 0; index < 3; ++index) {
      tasks.push_back(std::make_unique<Task<bool>>(is_derived(pool)));
      (void)tasks.back()->start();
    }
  });
  finish(tasks);
  EXPECT_TRUE(std::ranges::all_of(tasks, [](auto& task) { return task->take(); }));
}

TEST(DerivationPool, without_any_thread_fails_to_begin_and_leaves_signals_as_they_were) {
  if (is_sanitized()) {
    GTEST_SKIP() << "a sanitizer maps memory of its own";
  }
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  {
    const MappedBytesMax room(kStackBytes / 2);
    EXPECT_THROW(DerivationPool({.threads = 4, .queue_max = 3}), Failure);
  }
  sigset_t behind;
  pthread_sigmask(SIG_SETMASK, nullptr, &behind);
  for (int number = 1; number < 32; ++number) {
    EXPECT_EQ(sigismember(&before, number), sigismember(&behind, number)) << number;
  }
}

TEST(DerivationPool, has_a_thread_for_each_core_up_to_what_a_container_may_use) {
  EXPECT_EQ(threads_for(0), 1U);
  EXPECT_EQ(threads_for(4), 4U);
  EXPECT_EQ(threads_for(256), 8U);
}

/// Returns whether `memory` contains the bytes.
bool holds(std::span<const std::byte> memory, std::string_view text) {
  return !std::ranges::search(memory, std::as_bytes(std::span(text))).empty();
}

TEST(Derivation, leaves_nothing_of_a_short_password_where_it_was) {
  const Argon2Hash like{.variant = Argon2Variant::argon2id,
                        .cost = {.memory_kib = 8, .passes = 1, .lanes = 1},
                        .salt = "somesalt",
                        .tag = std::string(32, '\0')};
  alignas(Derivation) std::array<std::byte, sizeof(Derivation)> memory{};
  auto* work = new (memory.data()) Derivation("pa55word", like);
  EXPECT_TRUE(holds(memory, "pa55word"));
  work->~Derivation();
  EXPECT_FALSE(holds(memory, "pa55word"));
}

}  // namespace
}  // namespace eider::detail::passwords
