// Runs one task to its end on an event loop of this thread.
// Layering: must not be called on a thread that already runs an event loop.
#pragma once

#include <memory>
#include <stdexcept>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/task.h"

namespace eider::bench {

/// Throws std::runtime_error if the backend is not available.
[[nodiscard]] inline std::unique_ptr<Loop> make_loop(Backend backend) {
  auto loop = Loop::create(backend);
  if (!loop) {
    throw std::runtime_error(loop.error().cause().empty() ? loop.error().detail()
                                                          : loop.error().cause());
  }
  return std::move(*loop);
}

/// Runs `make_task()` on the loop until it ends. Rethrows its exception.
template <class MakeTask>
void run_on(Loop& loop, MakeTask make_task) {
  std::exception_ptr failure;
  std::unique_ptr<Scope> scope = std::make_unique<Scope>();
  const auto run = [&]() -> Task<> {
    try {
      co_await make_task();
    } catch (...) {
      failure = std::current_exception();
    }
    loop.stop();
  };
  loop.post([&] { scope->start(run()); });
  loop.run();
  scope.reset();
  if (failure) {
    std::rethrow_exception(failure);
  }
}

/// Runs `make_task()` on a new loop until it ends. Throws what the two functions above throw.
template <class MakeTask>
void run_on_loop(Backend backend, MakeTask make_task) {
  const std::unique_ptr<Loop> loop = make_loop(backend);
  run_on(*loop, std::move(make_task));
}

}  // namespace eider::bench
