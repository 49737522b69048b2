#include "eider/protocols/http/ws/mask.h"

#include <benchmark/benchmark.h>

#include <string>

namespace eider::ws {
namespace {

constexpr MaskKey kKey{0x37, 0xFA, 0x21, 0x3D};

void in_place(benchmark::State& state) {
  std::string bytes(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state) {
    mask(bytes, kKey);
    benchmark::DoNotOptimize(bytes.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void copied(benchmark::State& state) {
  const std::string from(static_cast<std::size_t>(state.range(0)), 'x');
  std::string to(from.size(), '.');
  for (auto _ : state) {
    mask_copy(to.data(), from, kKey);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

BENCHMARK(in_place)->Arg(16)->Arg(125)->Arg(1024)->Arg(16384)->Arg(1 << 20);
BENCHMARK(copied)->Arg(16)->Arg(125)->Arg(1024)->Arg(16384)->Arg(1 << 20);

}  // namespace
}  // namespace eider::ws
