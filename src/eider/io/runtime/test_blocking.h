// For tests: a pool of threads, and a loop that runs until all tasks have ended.
// Layering: must not be used if the simulated loop is sufficient: real threads take real time.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/task.h"

namespace eider::testing {

class BlockingOnThreads : public ::testing::Test {
 protected:
  explicit BlockingOnThreads(BlockingLimits limits = {}) : pool_(limits) {
    loop_ = std::move(*Loop::create(Backend::epoll));
    loop_->set_blocking_pool(&pool_);
  }
  ~BlockingOnThreads() override { pool_.stop(); }

  void run(std::vector<Task<>>& tasks) {
    Scope scope;
    auto join = [](Scope& of, Loop& loop) -> Task<> {
      co_await of.join();
      loop.stop();
    };
    Task<> joining = join(scope, *loop_);
    loop_->post([&] {
      for (Task<>& task : tasks) {
        scope.start(std::move(task));
      }
      joining.start();
    });
    loop_->run();
  }

  BlockingPool pool_;
  std::unique_ptr<Loop> loop_;
};

}  // namespace eider::testing
