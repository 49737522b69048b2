#include "eider/runtime/fd_watch.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <utility>

#include "eider/runtime/descriptor.h"
#include "eider/runtime/test_backends.h"

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
    // Not the one that runs this, whose function it is.
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
