// What a command costs this process beside bare hiredis, on the same socket and in the same run:
// the ratio counts. Both take turns, so that a machine that slows down slows both.
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

#include "eider/redis/redis.h"
#include "eider/redis/redis_cache.h"
#include "eider/runtime/scope.h"
#include "tests/support/redis_server.h"
#include "tests/support/resident.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

constexpr int kRound = 3200;  // commands of each side before the other one's turn

/// What this thread has computed, in nanoseconds; the server's work is not in it.
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

  /// As many at a time as `batch`.
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

/// On one processor with this thread: where one sleeps on another, to wake it costs ten times what
/// is to be measured, and to which side that happens is chance.
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

/// What others on the machine do to single rounds does not count.
double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// range(0)  how many handlers ask at a time; the bare loop sends as many at a time
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

/// Commands of all kinds: some of 16 tasks, each on keys of its own.
class MillionCommands {
 public:
  static constexpr int kCount = 1'000'000;

  [[nodiscard]] static Task<> ask(Redis redis, RedisCache& cache, int count) {
    Scope all;
    for (int task = 0; task < kTasks; ++task) {
      all.start(ask_turns(redis, cache, task, count / kOfOneTurn / kTasks));
    }
    co_await all.join();
  }

 private:
  static constexpr int kTasks = 16;
  static constexpr int kOfOneTurn = 19;  // MULTI and EXEC among them

  struct World {
    int number = 0;
    std::string words;
  };

  static void expect(bool is_so) {
    if (!is_so) {
      throw std::runtime_error("a command has not given what it should");
    }
  }

  [[nodiscard]] static Task<> ask_turns(Redis redis, RedisCache& cache, int task, int turns) {
    const redis::Script script("return redis.call('INCR', KEYS[1])");
    for (int i = 0; i < turns; ++i) {
      const std::string key = std::to_string(task) + ":" + std::to_string(i % 60);
      const std::string words(static_cast<std::size_t>(i % 400), 'w');
      co_await one_by_one(redis, key, words);
      co_await together(redis, key, words);
      expect(co_await redis.run<std::int64_t>(script, {key + ":count"}) > 0);
      const auto kept = co_await cache.get(key);
      expect(kept == words);
    }
  }
  [[nodiscard]] static Task<> one_by_one(const Redis& redis, const std::string& key,
                                         const std::string& words) {
    co_await redis.command("SET", key, words, "EX", 600);
    const auto text = co_await redis.command<std::optional<std::string>>("GET", key);
    expect(text == words);
    co_await redis.command("HSET", key + ":hash", World{.number = 7, .words = words});
    const auto world = co_await redis.command<World>("HGETALL", key + ":hash");
    expect(world.number == 7 && world.words == words);
    bool is_refused = false;
    try {
      co_await redis.command("INCR", key + ":hash");
    } catch (const RedisFailure& failure) {
      is_refused = failure.code() == "WRONGTYPE";
    }
    expect(is_refused);
  }
  [[nodiscard]] static Task<> together(const Redis& redis, const std::string& key,
                                       const std::string& words) {
    const auto pushed = co_await redis.pipeline(
        redis::word<std::int64_t>("LPUSH", key + ":list", words),
        redis::word<std::vector<std::string>>("LRANGE", key + ":list", 0, 9),
        redis::word("LTRIM", key + ":list", 0, 9),
        redis::word<std::string>("XADD", key + ":stream", "MAXLEN", 20, "*", "words", words));
    expect(std::get<1>(pushed).front() == words && !std::get<3>(pushed).empty());
    const auto done = co_await redis.transaction(
        redis::word<std::int64_t>("INCR", key + ":number"), redis::word("SET", key, words),
        redis::word<std::int64_t>("STRLEN", key), redis::word("EXPIRE", key, 600));
    expect(std::get<2>(done) == static_cast<std::int64_t>(words.size()));
  }
};

void flat_memory(benchmark::State& state) {
  for (auto _ : state) {
    const Redis redis(server().unix_url());
    TestLoop loop;
    std::optional<RedisCache> cache;
    loop.run([](const Redis& of, std::optional<RedisCache>& made) -> Task<> {
      made.emplace(of);
      co_return;
    }(redis, cache));
    const ResidentMib resident = resident_in_tenths(
        [&] { loop.run(MillionCommands::ask(redis, *cache, MillionCommands::kCount / 10)); });
    loop.run([](std::optional<RedisCache>& made) -> Task<> {
      made.reset();
      co_return;
    }(cache));
    state.counters["mib_at_10"] = resident.at_tenth;
    state.counters["mib_at_50"] = resident.at_half;
    state.counters["mib_at_100"] = resident.at_end;
  }
}
BENCHMARK(flat_memory)->Unit(benchmark::kSecond)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace eider
