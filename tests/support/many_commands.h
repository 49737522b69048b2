// Sends commands of all kinds to one Redis, and measures the memory of this process meanwhile.
// Layering: must not be linked into an application.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "eider/data/redis/redis.h"
#include "eider/data/redis/redis_cache.h"
#include "eider/io/runtime/scope.h"
#include "tests/support/resident.h"
#include "tests/support/test_loop.h"

namespace eider {

/// Commands of all kinds from 16 tasks, each with its own keys.
class ManyCommands {
 public:
  [[nodiscard]] static Task<> ask(Redis redis, RedisCache& cache, int count) {
    Scope all;
    for (int task = 0; task < kTasks; ++task) {
      all.start(ask_turns(redis, cache, task, count / kOfOneTurn / kTasks));
    }
    co_await all.join();
  }

 private:
  static constexpr int kTasks = 16;
  static constexpr int kOfOneTurn = 19;  // including MULTI and EXEC

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
    const World sent{.number = 7, .words = words};
    co_await redis.command("HSET", key + ":hash", sent);
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

inline ResidentMib resident_in_commands(const Redis& redis, int count) {
  TestLoop loop;
  std::optional<RedisCache> cache;
  loop.run([](const Redis& of, std::optional<RedisCache>& made) -> Task<> {
    made.emplace(of);
    co_return;
  }(redis, cache));
  const ResidentMib resident =
      resident_in_tenths([&] { loop.run(ManyCommands::ask(redis, *cache, count / 10)); });
  loop.run([](std::optional<RedisCache>& made) -> Task<> {
    made.reset();
    co_return;
  }(cache));
  return resident;
}

}  // namespace eider
