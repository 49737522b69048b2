#include "eider/io/runtime/fd_watch.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "eider/io/runtime/descriptor.h"
#include "eider/io/runtime/test_backends.h"
#include "eider/io/runtime/turn_watch.h"

namespace eider {
namespace {

class FdWatchTest : public testing::LoopTestBase {};
INSTANTIATE_TEST_SUITE_P(Backends, FdWatchTest, testing::all_backends(), testing::backend_name);

class CalledWatch final : public FdWatch {
 public:
  using FdWatch::FdWatch;
  void on_ready(Readiness what) override {
    ++calls;
    last = what;
    if (called) {
      called();
    }
  }

  int calls = 0;
  Readiness last = Readiness::none;
  std::function<void()> called;
};

class AllWatch final : public TurnWatch {
 public:
  using TurnWatch::TurnWatch;
  void on_turn_done() noexcept override { had_all = has_all(); }

  bool had_all = false;
};

void add(int fd) {
  const std::uint64_t one = 1;
  ASSERT_EQ(::write(fd, &one, sizeof(one)), 8);
}

TEST_P(FdWatchTest, tells_again_for_as_long_as_the_descriptor_is_ready) {
  const Descriptor fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  CalledWatch watch(loop());
  watch.called = [&] {
    if (watch.calls == 3) {
      loop().stop();
    }
  };
  watch.watch(fd.get(), Readiness::readable);
  add(fd.get());
  loop().run();
  EXPECT_EQ(watch.calls, 3);
  EXPECT_EQ(watch.last, Readiness::readable);
}

TEST_P(FdWatchTest, tells_in_one_turn_or_its_loop_says_that_it_has_not_all) {
  constexpr std::size_t kMany = 600;  // more than a backend returns at once
  std::vector<Descriptor> fds;
  std::vector<std::unique_ptr<CalledWatch>> watches;
  std::size_t told = 0;
  for (std::size_t i = 0; i < kMany; ++i) {
    const Descriptor& fd = fds.emplace_back(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    CalledWatch& watch = *watches.emplace_back(std::make_unique<CalledWatch>(loop()));
    watch.watch(fd.get(), Readiness::readable);
    watch.called = [this, &told, &watch] {
      ++told;
      watch.stop();
      loop().stop();  // each run is one turn
    };
  }
  AllWatch all(loop());
  add(fds.front().get());
  loop().run();
  EXPECT_TRUE(all.had_all);
  std::ranges::for_each(fds, [](const Descriptor& fd) { add(fd.get()); });
  while (told < kMany) {
    loop().run();
    EXPECT_EQ(all.had_all, told == kMany) << told;
  }
}

TEST_P(FdWatchTest, tells_only_what_is_watched_and_that_can_change) {
  const Descriptor fd(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
  CalledWatch watch(loop());
  watch.called = [&] {
    if (watch.calls == 1) {
      EXPECT_EQ(watch.last, Readiness::writable);
      watch.watch(fd.get(), Readiness::both);
      return;
    }
    EXPECT_EQ(watch.last, Readiness::both);
    loop().stop();
  };
  watch.watch(fd.get(), Readiness::writable);
  loop().run();
  EXPECT_EQ(watch.calls, 2);
}

TEST_P(FdWatchTest, a_hang_up_counts_as_ready) {
  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
  const Descriptor one(pair[0]);
  Descriptor other(pair[1]);
  CalledWatch watch(loop());
  watch.called = [&] { loop().stop(); };
  watch.watch(one.get(), Readiness::readable);
  other.close();
  loop().run();
  EXPECT_EQ(watch.last, Readiness::readable);
}

TEST_P(FdWatchTest, a_stopped_watch_is_told_nothing_and_can_watch_another) {
  const Descriptor first(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
  const Descriptor second(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
  CalledWatch watch(loop());
  watch.watch(first.get(), Readiness::readable);
  watch.stop();
  watch.called = [&] {
    EXPECT_EQ(watch.fd(), second.get());
    watch.stop();
    loop().stop();
  };
  watch.watch(second.get(), Readiness::readable);
  loop().run();
  EXPECT_EQ(watch.calls, 1);
}

TEST_P(FdWatchTest, a_callback_may_destroy_another_watch_of_the_same_batch) {
  const Descriptor fd(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
  const Descriptor same(::dup(fd.get()));
  auto first = std::make_unique<CalledWatch>(loop());
  auto second = std::make_unique<CalledWatch>(loop());
  int calls = 0;
  const auto end_both = [&] {
    ++calls;
    loop().stop();
    // Not the watch whose function is running.
    (first->calls != 0 ? second : first).reset();
  };
  first->called = end_both;
  second->called = end_both;
  first->watch(fd.get(), Readiness::readable);
  second->watch(same.get(), Readiness::readable);
  loop().run();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace eider
