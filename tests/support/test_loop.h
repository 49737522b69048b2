// Runs a task on a real loop to its end, for tests with several threads.
// Layering: must not be used if the simulated loop is sufficient.
#pragma once

#include <memory>
#include <utility>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/task.h"

namespace eider {

/// A loop on the calling thread.
class TestLoop {
 public:
  /// Pre: the kernel supports the backend.
  explicit TestLoop(Backend backend = Backend::epoll)
      : loop_(std::move(Loop::create(backend).value())) {}

  /// Runs the loop until `task` is done. Returns its result, or throws its exception.
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
