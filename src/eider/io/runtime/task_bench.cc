#include <benchmark/benchmark.h>

#include <string_view>
#include <utility>

#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/task.h"
#include "eider/testkit/loop_sim.h"

namespace eider {
namespace {

[[gnu::noinline]] Task<int> response(int value) {
  co_return value;
}

Task<> await_for_ever(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(co_await response(1));
  }
}

// A frame from the pool, a call, a result: the cost of a task for a handler that never waits.
void BM_ready_await(benchmark::State& state) {
  Task<> task = await_for_ever(state);
  task.start();
}
BENCHMARK(BM_ready_await);

void BM_start_and_take(benchmark::State& state) {
  for (auto _ : state) {
    Task<int> task = response(1);
    task.start();
    benchmark::DoNotOptimize(task.take());
  }
}
BENCHMARK(BM_start_and_take);

Task<> yield_for_ever(bool& is_over) {
  while (!is_over) {
    co_await yield_now();
  }
}

// One suspension, one turn of the simulated loop, one resumption.
void BM_yield(benchmark::State& state) {
  SimKernel kernel;
  SimLoop loop(kernel);
  bool is_over = false;
  Task<> task = yield_for_ever(is_over);
  loop.post([&] { task.start(); });
  for (auto _ : state) {
    kernel.step();
  }
  is_over = true;
  kernel.run_until_idle();
}
BENCHMARK(BM_yield);

class Echo final : public StreamOwner {
 public:
  explicit Echo(Loop& loop) : stream(loop, *this) {}
  void on_bytes(std::string_view bytes) override { stream.output().append(bytes); }
  void on_end() override {}
  void on_drained() override {}
  void on_broken(NetError /*error*/) override {}

  Stream stream;
};

// The overhead of the simulator for a request of a test.
void BM_simulated_exchange(benchmark::State& state) {
  SimKernel kernel;
  SimLoop loop(kernel);
  Echo echo(loop);
  SimPair pair = kernel.connect_pair();
  echo.stream.open(std::move(pair.server));
  for (auto _ : state) {
    pair.client.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n");
    kernel.run_until_idle();
    benchmark::DoNotOptimize(pair.client.take_received());
  }
}
BENCHMARK(BM_simulated_exchange);

}  // namespace
}  // namespace eider
