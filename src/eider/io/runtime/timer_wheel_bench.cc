// The cost of a deadline for a request: arming, moving and expiring timers among many others.
#include "eider/io/runtime/timer_wheel.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

namespace eider {
namespace {

struct EmptyTimer final : Timer {
  void expire() override {}
};

/// As if each connection had a timer whose deadline moves with each request.
void move_a_deadline(benchmark::State& state) {
  TimerWheel wheel;
  std::vector<EmptyTimer> timers(static_cast<std::size_t>(state.range(0)));
  IntrusiveList<Timer> due;
  std::uint64_t now = 1;
  std::size_t index = 0;
  for (auto _ : state) {
    index = (index + 7919) % timers.size();
    wheel.arm(timers[index], now + 5000);
    if (index % 64 == 0) {
      wheel.advance(++now, due);
    }
  }
}
BENCHMARK(move_a_deadline)->Arg(64)->Arg(10000);

void arm_and_expire(benchmark::State& state) {
  TimerWheel wheel;
  EmptyTimer timer;
  IntrusiveList<Timer> due;
  std::uint64_t now = 1;
  for (auto _ : state) {
    wheel.arm(timer, now + 200);
    now += 200;
    wheel.advance(now, due);
    benchmark::DoNotOptimize(due.pop_front());
  }
}
BENCHMARK(arm_and_expire);

}  // namespace
}  // namespace eider
