// For tests: the backends that one set of tests runs on.
// Layering: must not be used outside of tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "eider/io/runtime/backends.h"
#include "eider/io/runtime/loop.h"

namespace eider::testing {

/// Creates the loop of one backend, or returns the reason why it cannot.
using LoopMaker = Result<std::unique_ptr<Loop>> (*)();

inline std::string backend_name(const ::testing::TestParamInfo<LoopMaker>& info) {
  if (info.param == &make_epoll_loop) {
    return "epoll";
  }
  return info.param == &make_uring_loop ? "io_uring" : "old_io_uring";
}

inline auto all_backends() {
  return ::testing::Values(&make_epoll_loop, &make_uring_loop, &make_old_uring_loop);
}

/// A loop that the test runs itself, on its own thread. Skips the test if the kernel lacks the
/// backend.
class LoopTestBase : public ::testing::TestWithParam<LoopMaker> {
 protected:
  void SetUp() override {
    auto created = GetParam()();
    if (!created) {
      GTEST_SKIP() << created.error().detail();
    }
    loop_ = std::move(*created);
  }
  [[nodiscard]] Loop& loop() const { return *loop_; }

  std::unique_ptr<Loop> loop_;
};

}  // namespace eider::testing
