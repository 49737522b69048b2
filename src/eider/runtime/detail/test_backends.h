// For tests: the backends that one set of tests runs on.
// Must not be used outside of tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "eider/runtime/loop.h"

namespace eider::testing {

inline std::string backend_name(const ::testing::TestParamInfo<Backend>& info) {
  return info.param == Backend::epoll ? "epoll" : "io_uring";
}

inline auto both_backends() {
  return ::testing::Values(Backend::epoll, Backend::io_uring);
}

/// A loop that the test runs itself, on its own thread. Skips where the kernel lacks the backend.
class LoopTestBase : public ::testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    auto created = Loop::create(GetParam());
    if (!created) {
      GTEST_SKIP() << created.error().detail();
    }
    loop_ = std::move(*created);
  }
  [[nodiscard]] Loop& loop() const { return *loop_; }

  std::unique_ptr<Loop> loop_;
};

}  // namespace eider::testing
