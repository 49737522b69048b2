// Compares the CPU time per command of this process with hiredis, on the same socket and in the
// same run. Only the ratio matters. Both take turns, so that a slower machine affects both.
#include <benchmark/benchmark.h>
#include <hiredis/hiredis.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "eider/data/redis/redis.h"
#include "eider/io/runtime/scope.h"
#include "tests/support/many_commands.h"
#include "tests/support/redis_server.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

constexpr int kRound = 3200;  // commands of each variant before the other one's turn

/// Returns the CPU time of this thread in nanoseconds; the server's time is not included.
double cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

class BareLoop {
 public:
  explicit BareLoop(const std::string& path) : context_(redisConnectUnix(path.c_str())) {
    freeReplyObject(
        redisCommand(context_, "SET %s %s", "key:000000000001", "a value of some size"));
  }
  ~BareLoop() { redisFree(context_); }
  BareLoop(const BareLoop&) = delete;
  BareLoop& operator=(const BareLoop&) = delete;

  /// Sends `batch` commands at a time.
  void read(int count, int batch) {
    for (int i = 0; i < count; i += batch) {
      for (int sent = 0; sent < batch; ++sent) {
        const char* words[] = {"GET", "key:000000000001"};
        const std::size_t bytes[] = {3, 16};
        redisAppendCommandArgv(context_, 2, words, bytes);
      }
      for (int taken = 0; taken < batch; ++taken) {
        void* reply = nullptr;
        redisGetReply(context_, &reply);
        const std::string text(static_cast<redisReply*>(reply)->str,
                               static_cast<std::size_t>(static_cast<redisReply*>(reply)->len));
        benchmark::DoNotOptimize(text.size());
        freeReplyObject(reply);
      }
    }
  }

 private:
  redisContext* context_;
};

Task<> read_some(Redis redis, int count) {
  for (int i = 0; i < count; ++i) {
    const auto text = co_await redis.command<std::optional<std::string>>("GET", "key:000000000001");
    benchmark::DoNotOptimize(text->size());
  }
}

Task<> read_side_by_side(Redis redis, int tasks) {
  Scope all;
  for (int i = 0; i < tasks; ++i) {
    all.start(read_some(redis, kRound / tasks));
  }
  co_await all.join();
}

/// The server runs on the same CPU as this thread: waking a thread on another CPU would cost ten
/// times the measured time, and would affect the variants randomly.
RedisServer& server() {
  static const bool is_pinned = [] {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(::sched_getcpu(), &here);
    return ::sched_setaffinity(0, sizeof here, &here) == 0;
  }();
  benchmark::DoNotOptimize(is_pinned);
  return RedisServer::shared();
}

/// The median ignores rounds that other processes of the machine disturb.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// range(0)  number of concurrent handlers; the bare loop sends the same number at a time
void gets(benchmark::State& state) {
  const int tasks = static_cast<int>(state.range(0));
  BareLoop bare(server().socket());
  const Redis redis(server().unix_url());
  TestLoop loop;
  std::vector<double> bare_us;
  std::vector<double> eider_us;
  std::vector<double> ratios;
  loop.run(read_side_by_side(redis, tasks));  // connects
  for (auto _ : state) {
    const double begun = cpu_ns();
    bare.read(kRound, tasks);
    const double between = cpu_ns();
    loop.run(read_side_by_side(redis, tasks));
    bare_us.push_back((between - begun) / kRound / 1000);
    eider_us.push_back((cpu_ns() - between) / kRound / 1000);
    ratios.push_back(eider_us.back() / bare_us.back());
  }
  state.counters["bare_us"] = median(std::move(bare_us));
  state.counters["eider_us"] = median(std::move(eider_us));
  state.counters["ratio"] = median(std::move(ratios));
}
BENCHMARK(gets)->Arg(1)->Arg(16)->Arg(64)->UseRealTime()->Unit(benchmark::kMillisecond);

/// A million commands of all kinds: measures the resident memory after a tenth, half and all of
/// them.
void flat_memory(benchmark::State& state) {
  for (auto _ : state) {
    const ResidentMib resident = resident_in_commands(Redis(server().unix_url()), 1'000'000);
    state.counters["mib_at_10"] = resident.at_tenth;
    state.counters["mib_at_50"] = resident.at_half;
    state.counters["mib_at_100"] = resident.at_end;
  }
}
BENCHMARK(flat_memory)->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace eider
