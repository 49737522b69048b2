#include "eider/io/runtime/signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "eider/io/runtime/test_backends.h"
#include "eider/io/runtime/timer.h"

namespace eider {
namespace {

class SignalsTest : public testing::LoopTestBase {};
INSTANTIATE_TEST_SUITE_P(Backends, SignalsTest, testing::all_backends(), testing::backend_name);

class NotingSignals final : public SignalWatch {
 public:
  NotingSignals(Loop& loop, std::initializer_list<int> numbers, std::size_t until)
      : SignalWatch(loop, numbers), loop_(loop), until_(until) {}
  void on_signal(int number) override {
    told.push_back(number);
    values.push_back(attached());
    if (told.size() == until_) {
      loop_.stop();
    }
  }

  std::vector<int> told;
  std::vector<std::uintptr_t> values;

 private:
  Loop& loop_;
  std::size_t until_;
};

TEST_P(SignalsTest, arrive_on_the_loop_in_order) {
  NotingSignals watch(loop(), {SIGTERM, SIGINT}, 3);
  ::raise(SIGINT);
  ::raise(SIGTERM);
  ::raise(SIGTERM);
  loop().run();
  EXPECT_EQ(watch.told, (std::vector{SIGINT, SIGTERM, SIGTERM}));
}

TEST_P(SignalsTest, carry_the_value_that_the_sender_has_attached) {
  NotingSignals watch(loop(), {SIGUSR1}, 3);
  const auto attach = [](std::uintptr_t value) {
    sigval attached{};
    attached.sival_ptr = reinterpret_cast<void*>(value);
    EXPECT_EQ(::sigqueue(::getpid(), SIGUSR1, attached), 0);
  };
  attach(7);
  ::raise(SIGUSR1);
  attach(UINTPTR_MAX);
  loop().run();
  EXPECT_EQ(watch.values, (std::vector<std::uintptr_t>{7, 0, UINTPTR_MAX}));
}

/// ThreadSanitizer delays a signal until the thread makes a system call that it intercepts, which
/// liburing's unlimited wait is not. With this timer a wait ends now and then.
class Ticking final : public Timer {
 public:
  explicit Ticking(Loop& loop) : loop_(loop) { expire(); }
  void expire() override { loop_.arm(*this, loop_.now() + std::chrono::milliseconds(20)); }

 private:
  Loop& loop_;
};

TEST_P(SignalsTest, wake_a_loop_that_sleeps) {
  NotingSignals watch(loop(), {SIGUSR1}, 1);
  Ticking ticking(loop());
  std::thread sender([] { ::kill(::getpid(), SIGUSR1); });
  loop().run();
  sender.join();
  EXPECT_EQ(watch.told, std::vector{SIGUSR1});
}

TEST_P(SignalsTest, have_their_former_effect_when_the_watch_is_gone) {
  static volatile sig_atomic_t former_calls = 0;
  struct sigaction former{};
  struct sigaction before{};
  former.sa_handler = [](int) { former_calls = former_calls + 1; };
  ASSERT_EQ(::sigaction(SIGUSR2, &former, &before), 0);
  former_calls = 0;
  {
    const NotingSignals watch(loop(), {SIGUSR2}, 1);
    ::raise(SIGUSR2);
    EXPECT_EQ(former_calls, 0);
  }
  ::raise(SIGUSR2);
  EXPECT_EQ(former_calls, 1);
  ::sigaction(SIGUSR2, &before, nullptr);
}

}  // namespace
}  // namespace eider
