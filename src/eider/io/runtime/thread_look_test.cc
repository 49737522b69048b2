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
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    return 0;
  });
  Standing standing([] { return 0; });
  EXPECT_FALSE(look_at_thread(deaf.handle(), milliseconds(20)));
  EXPECT_TRUE(look_at_thread(standing.handle(), seconds(60)));
}

}  // namespace
}  // namespace eider
