// Runs one task on its own event loop.
// Layering: must not be called on a thread that already runs an event loop.
#pragma once

#include <memory>
#include <stdexcept>

#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/task.h"

namespace eider::bench {

/// Runs `make_task()` on a new loop of this thread until it ends. Rethrows its exception; throws
/// std::runtime_error if the backend is not available.
template <class MakeTask>
void run_on_loop(Backend backend, MakeTask make_task) {
  auto loop = Loop::create(backend);
  if (!loop) {
    throw std::runtime_error(loop.error().cause().empty() ? loop.error().detail()
                                                          : loop.error().cause());
  }
  std::exception_ptr failure;
  std::unique_ptr<Scope> scope = std::make_unique<Scope>();
  const auto run = [&]() -> Task<> {
    try {
      co_await make_task();
    } catch (...) {
      failure = std::current_exception();
    }
    (*loop)->stop();
  };
  (*loop)->post([&] { scope->start(run()); });
  (*loop)->run();
  scope.reset();
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace eider::bench
