// Many handlers that write numbers to Redis during a fault, and a check of the stored numbers.
// Layering: must not be linked into an application.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "eider/data/redis/redis.h"
#include "eider/io/runtime/loop.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/machine_lateness.h"
#include "tests/support/test_loop.h"

namespace eider {

/// Results of the commands of a load.
struct RedisTally {
  int asked = 0;
  int done = 0;
  int undone = 0;         // failed, and certainly not executed
  int lost = 0;           // the connection broke before the response
  int expired = 0;        // sent, but without a response in time
  Duration longest{0};    // without the time for which the machine was too busy
  std::vector<int> kept;  // acknowledged numbers

  [[nodiscard]] int unknown() const noexcept { return lost + expired; }
};

inline void note(const RedisFailure& failure, RedisTally& tally) {
  const RedisFault fault = failure.fault();
  if (!failure.may_be_done()) {
    EXPECT_TRUE(fault == RedisFault::expired || fault == RedisFault::busy) << failure.what();
    ++tally.undone;
  } else if (fault == RedisFault::lost) {
    ++tally.lost;
  } else {
    EXPECT_EQ(fault, RedisFault::expired) << failure.what();
    ++tally.expired;
  }
}

constexpr int kWritesMin = 101;

/// Writes numbers one after the other until `until`, or longer if there are too few.
inline Task<> write_numbers(Redis redis, int first, Instant until, const MachineLateness* machine,
                            RedisTally* tally) {
  const auto goes_on = [&] {
    const Duration more = tally->done < kWritesMin ? std::chrono::minutes(1) : Duration(0);
    return Loop::current().now() < until + more;
  };
  for (int number = first; goes_on(); number += 100) {
    const Instant begun = Loop::current().read_now();
    const Duration late = machine->total();
    ++tally->asked;
    try {
      co_await redis.command<int>("RPUSH", "numbers", number);
      ++tally->done;
      tally->kept.push_back(number);
    } catch (const RedisFailure& failure) {
      note(failure, *tally);
    }
    const Duration took = Loop::current().read_now() - begun - (machine->total() - late);
    tally->longest = std::max(tally->longest, took);
    if (tally->asked % 4 == 0) {
      co_await sleep_for(
          std::chrono::milliseconds(1));  // limits the list to the size of a response
    }
  }
}

inline Task<> write_side_by_side(Redis redis, Duration length, RedisTally* tally) {
  const MachineLateness machine;
  Scope writers;
  for (int i = 0; i < 32; ++i) {
    writers.start(write_numbers(redis, i, Loop::current().now() + length, &machine, tally));
  }
  co_await writers.join();
}

/// missing  acknowledged numbers that are not stored
struct RedisCount {
  int there = 0;
  int missing = 0;
  int doubled = 0;
};

/// Checks the list with the written numbers.
inline RedisCount count_numbers(TestLoop& loop, const Redis& redis, const RedisTally& tally) {
  auto there = loop.run([](Redis of) -> Task<std::vector<int>> {
    co_return co_await of.command<std::vector<int>>("LRANGE", "numbers", 0, -1);
  }(redis));
  RedisCount count;
  std::ranges::sort(there);
  count.doubled = static_cast<int>(std::ranges::unique(there).size());
  there.resize(there.size() - static_cast<std::size_t>(count.doubled));
  count.there = static_cast<int>(there.size());
  count.missing = static_cast<int>(std::ranges::count_if(
      tally.kept, [&](int number) { return !std::ranges::binary_search(there, number); }));
  EXPECT_EQ(tally.asked, tally.done + tally.undone + tally.unknown());
  std::printf(
      "asked %d, answered %d, undone %d, lost %d, expired %d; there %d, acknowledged and missing "
      "%d, doubled %d, longest %d ms\n",
      tally.asked, tally.done, tally.undone, tally.lost, tally.expired, count.there, count.missing,
      count.doubled,
      static_cast<int>(
          std::chrono::duration_cast<std::chrono::milliseconds>(tally.longest).count()));
  return count;
}

}  // namespace eider
