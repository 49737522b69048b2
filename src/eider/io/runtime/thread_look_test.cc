#include "eider/io/runtime/thread_look.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <thread>

#include "eider/core/base/work.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A thread that stays in a function until the test ends.
class Standing {
 public:
  template <class Before>
  explicit Standing(Before before)
      : thread_([this, before] {
          [[maybe_unused]] const auto kept = before();
          is_there_ = true;
          while (!may_end_) {
          }
        }) {
    while (!is_there_) {
      std::this_thread::yield();
    }
  }
  ~Standing() {
    may_end_ = true;
    thread_.join();
  }
  [[nodiscard]] pthread_t handle() { return thread_.native_handle(); }

 private:
  std::atomic<bool> is_there_ = false;
  std::atomic<bool> may_end_ = false;
  std::thread thread_;
};

void block_all_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

TEST(ThreadLook, tells_where_a_thread_is_that_never_waits) {
  prepare_thread_looks();
  Standing standing([] { return 0; });
  for (int round = 0; round < 100; ++round) {
    const auto look = look_at_thread(standing.handle(), seconds(60));
    ASSERT_TRUE(look);
    ASSERT_FALSE(look->stack.empty());
    EXPECT_TRUE(look->stack.front().contains("+0x")) << look->stack.front();
    EXPECT_TRUE(look->route.empty());
  }
}

TEST(ThreadLook, tells_the_request_that_is_followed) {
  prepare_thread_looks();
  Standing standing([] {
    auto* const work = new Work;
    work->method = "GET";
    work->route = "/report/{id}";
    work->set_request_id("mine-7");
    return std::make_unique<Within>(WorkRef(work));
  });
  const auto look = look_at_thread(standing.handle(), seconds(60));
  ASSERT_TRUE(look);
  EXPECT_EQ(look->method, "GET");
  EXPECT_EQ(look->route, "/report/{id}");
  EXPECT_EQ(look->id, "mine-7");
}

TEST(ThreadLook, gives_up_one_that_blocks_signals_and_goes_on_to_look_at_others) {
  prepare_thread_looks();
  Standing deaf([] {
    block_all_signals();
    return 0;
  });
  Standing standing([] { return 0; });
  EXPECT_FALSE(look_at_thread(deaf.handle(), milliseconds(20)));
  EXPECT_TRUE(look_at_thread(standing.handle(), seconds(60)));
}

TEST(ThreadLook, of_a_thread_is_not_that_of_another_that_reacts_late) {
  prepare_thread_looks();
  std::atomic<bool> is_ready = false;
  std::thread late([&is_ready] {
    block_all_signals();
    is_ready.store(true);
    is_ready.notify_all();
    is_ready.wait(true);
    // The look at the other thread has begun by now, except on a very slow machine.
    std::this_thread::sleep_for(milliseconds(50));
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
  });
  Standing blocked([] {
    block_all_signals();
    return 0;
  });
  is_ready.wait(false);
  EXPECT_FALSE(look_at_thread(late.native_handle(), milliseconds(1)));
  is_ready.store(false);
  is_ready.notify_all();
  EXPECT_FALSE(look_at_thread(blocked.handle(), milliseconds(300)));
  late.join();
}

}  // namespace
}  // namespace eider
