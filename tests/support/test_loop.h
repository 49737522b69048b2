// Runs a task on a real loop to its end: for tests of what is awaited across threads.
// Must not be used where the simulated loop will do.
#pragma once

#include <memory>
#include <utility>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/task.h"

namespace eider {

/// A loop on the calling thread.
class TestLoop {
 public:
  /// Pre: this kernel has the back end.
  explicit TestLoop(Backend backend = Backend::epoll)
      : loop_(std::move(Loop::create(backend).value())) {}

  /// Runs the loop until `task` is done. Gives its result, or throws what it threw.
  template <class T>
  T run(Task<T> task) {
    StopWhenDone owner(*loop_);
    loop_->post([&] {
      if (task.start()) {
        loop_->stop();
      } else {
        task.tell(owner);
      }
    });
    loop_->run();
    return task.take();
  }

  [[nodiscard]] Loop& loop() noexcept { return *loop_; }

 private:
  class StopWhenDone final : public TaskOwner {
   public:
    explicit StopWhenDone(Loop& loop) noexcept : loop_(loop) {}
    void on_task_done() noexcept override { loop_.stop(); }

   private:
    Loop& loop_;
  };

  std::unique_ptr<Loop> loop_;
};

}  // namespace eider
