// Connections that wait at sockets without a process that accepts, with real sockets.
#include "eider/server/process/held_sockets.h"

#include <gtest/gtest.h>

#include <memory>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/test_peer.h"

namespace eider::detail::server {
namespace {

using eider::testing::local;

/// With an event loop like that of a supervisor.
class HeldSocketsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int count = 0; count < 2; ++count) {
      last_ = held_.listen(local(), {}, {})->address;
    }
  }

  void await_first() {
    held_.await_first([this] { ++told_; });
  }
  /// Each turn handles all events that are ready; tasks posted by posted tasks run in the next one.
  void run_turns() {
    for (int count = 0; count < 3; ++count) {
      loop_->post([this] { loop_->post([this] { loop_->stop(); }); });
      loop_->run();
    }
  }

  std::unique_ptr<Loop> loop_ = *Loop::create(Backend::epoll);
  HeldSockets held_{*loop_};
  SocketAddress last_ = local();
  int told_ = 0;
};

TEST_F(HeldSocketsTest, tell_once_of_who_comes_at_any_of_them) {
  await_first();
  run_turns();
  EXPECT_EQ(told_, 0);
  const testing::Peer first(last_);
  const testing::Peer second(last_);
  run_turns();
  EXPECT_EQ(told_, 1);
}

TEST_F(HeldSocketsTest, tell_of_who_has_waited_already) {
  const testing::Peer peer(last_);
  await_first();
  run_turns();
  EXPECT_EQ(told_, 1);
}

}  // namespace
}  // namespace eider::detail::server
