#include "eider/data/cache/cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "eider/core/base/failure.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/loop_sim.h"
#include "tests/support/test_loop.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

class CacheTest : public ::testing::Test {
 protected:
  /// The results of several concurrent calls, in the order of completion.
  struct Asked {
    std::vector<std::string> got;
    std::unique_ptr<Scope> scope = std::make_unique<Scope>();
  };

  Cache::Make maker() {
    return [this]() -> Task<std::string> {
      const int number = ++begun_;
      co_await sleep_for(takes_);
      if (fails_) {
        throw std::runtime_error("no value");
      }
      co_return "v" + std::to_string(number);
    };
  }
  std::unique_ptr<Asked> ask(const Cache& cache, int count = 1) {
    auto asked = std::make_unique<Asked>();
    loop_.call([&] {
      for (int i = 0; i < count; ++i) {
        asked->scope->start(ask_once(cache, maker(), asked.get()));
      }
    });
    return asked;
  }
  static Task<> ask_once(Cache cache, Cache::Make make, Asked* to) {
    try {
      const CachedBytes got = co_await cache.get_bytes("k", std::move(make));
      to->got.push_back(*got);
    } catch (const std::exception& failure) {
      to->got.emplace_back(failure.what());
    }
  }
  std::string get(const Cache& cache) {
    const auto asked = ask(cache);
    kernel_.advance(takes_);
    return asked->got.empty() ? "" : asked->got.front();
  }
  void end(std::unique_ptr<Asked>& asked) {
    loop_.call([&] { asked->scope.reset(); });
  }

  SimKernel kernel_;
  SimLoop loop_{kernel_};
  Duration takes_ = 10ms;
  bool fails_ = false;
  int begun_ = 0;
};

using Texts = std::vector<std::string>;

TEST_F(CacheTest, a_value_is_made_once_and_given_while_it_is_fresh) {
  const Cache cache(memory_cache(), {.ttl = 1s});
  EXPECT_EQ(get(cache), "v1");
  kernel_.advance(900ms);
  EXPECT_EQ(get(cache), "v1");
  kernel_.advance(100ms);
  EXPECT_EQ(get(cache), "v2");
  EXPECT_EQ(cache.counts().fresh, 1U);
  EXPECT_EQ(cache.counts().loaded, 2U);
}

TEST_F(CacheTest, of_many_that_ask_at_once_one_makes_it) {
  const Cache cache(memory_cache());
  const auto asked = ask(cache, 100);
  kernel_.advance(10ms);
  EXPECT_EQ(begun_, 1);
  EXPECT_EQ(asked->got, Texts(100, "v1"));
}

TEST_F(CacheTest, a_failure_is_told_to_all_and_not_kept) {
  const Cache cache(memory_cache());
  fails_ = true;
  const auto asked = ask(cache, 3);
  kernel_.advance(10ms);
  EXPECT_EQ(asked->got, Texts(3, "no value"));
  EXPECT_EQ(begun_, 1);
  fails_ = false;
  EXPECT_EQ(get(cache), "v2");
}

TEST_F(CacheTest, where_the_one_that_makes_it_is_cancelled_another_goes_on) {
  const Cache cache(memory_cache());
  auto first = ask(cache);
  auto second = ask(cache);
  const auto others = ask(cache, 2);
  end(second);  // one that only waits
  kernel_.advance(5ms);
  end(first);
  kernel_.advance(10ms);
  EXPECT_EQ(others->got, Texts(2, "v2"));
  EXPECT_EQ(begun_, 2);
}

TEST_F(CacheTest, a_stale_value_is_given_while_a_new_one_is_made) {
  const Cache cache(memory_cache(), {.ttl = 1s, .stale_while_revalidate = 10s});
  EXPECT_EQ(get(cache), "v1");
  kernel_.advance(1s);
  takes_ = 500ms;
  const auto asked = ask(cache, 5);
  EXPECT_EQ(asked->got, Texts(5, "v1"));  // immediately
  EXPECT_EQ(begun_, 2);
  kernel_.advance(500ms);
  EXPECT_EQ(get(cache), "v2");
  EXPECT_EQ(begun_, 2);
}

TEST_F(CacheTest, where_no_new_one_can_be_made_the_stale_one_lasts_until_its_time_is_over) {
  const Cache cache(memory_cache(), {.ttl = 1s, .stale_while_revalidate = 10s});
  EXPECT_EQ(get(cache), "v1");
  fails_ = true;
  kernel_.advance(2s);
  EXPECT_EQ(get(cache), "v1");
  kernel_.advance(8s);
  EXPECT_EQ(get(cache), "v1");
  EXPECT_GE(cache.counts().failed, 1U);
  kernel_.advance(1s);
  EXPECT_EQ(get(cache), "no value");
}

TEST_F(CacheTest, what_is_erased_while_it_is_made_is_not_kept) {
  const Cache cache(memory_cache());
  const auto asked = ask(cache);
  loop_.call([&] { asked->scope->start(cache.erase("k")); });
  const auto later = ask(cache);  // does not get the value for the old state
  kernel_.advance(10ms);
  EXPECT_EQ(asked->got, Texts{"v1"});
  EXPECT_EQ(later->got, Texts{"v2"});
  EXPECT_EQ(get(cache), "v2");
}

TEST_F(CacheTest, making_has_a_time) {
  const Cache cache(memory_cache(), {.load_timeout = 1s});
  takes_ = 2s;
  const auto asked = ask(cache, 2);
  kernel_.advance(1s);
  EXPECT_EQ(asked->got, Texts(2, "The request timed out. Try again."));
  const Cache patient(memory_cache(), {.ttl = Duration::max(),
                                       .stale_while_revalidate = Duration::max(),
                                       .load_timeout = Duration::max()});
  EXPECT_EQ(get(patient), "v2");
}

TEST_F(CacheTest, a_value_that_is_made_of_itself_ends_by_its_time) {
  const Cache cache(memory_cache(), {.load_timeout = 1s});
  std::string said;
  Scope scope;
  loop_.call([&] {
    scope.start([](Cache of, std::string* to) -> Task<> {
      try {
        (void)co_await of.get_bytes("k", [of]() -> Task<std::string> {
          const CachedBytes value =
              co_await of.get_bytes("k", [] -> Task<std::string> { co_return ""; });
          co_return *value;
        });
      } catch (const Failure& failure) {
        *to = std::to_string(failure.error().status());
      }
    }(cache, &said));
  });
  kernel_.advance(1s);
  EXPECT_EQ(said, "503");
}

TEST_F(CacheTest, a_refresh_may_outlive_the_cache) {
  std::optional<Cache> cache(std::in_place, memory_cache(),
                             CacheOptions{.ttl = 1ms, .stale_while_revalidate = 1h});
  EXPECT_EQ(get(*cache), "v1");
  kernel_.advance(1s);
  const auto asked = ask(*cache);
  EXPECT_EQ(asked->got, Texts{"v1"});
  cache.reset();
  kernel_.advance(1s);
  EXPECT_EQ(begun_, 2);
}

/// A value that is put is visible a while later, even if the caller is canceled, like a request in
/// progress; an erased value is removed immediately. Another process puts a value with the next
/// call.
class SlowStore final : public CacheStore {
 public:
  [[nodiscard]] Task<std::optional<CachedValue>> find(std::string key) override {
    auto found = co_await kept_->find(key);
    if (const Duration keep = std::exchange(others_keep_, Duration::zero());
        keep > Duration::zero()) {
      co_await kept_->put(key, std::make_shared<const std::string>("other"), keep);
    }
    co_return found;
  }
  [[nodiscard]] Task<> put(std::string key, CachedBytes bytes, Duration keep) override {
    ++puts_;
    under_way_.start(
        [](CacheStore* to, std::string its_key, CachedBytes value, Duration lasting) -> Task<> {
          co_await sleep_for(kTakes);
          co_await to->put(std::move(its_key), std::move(value), lasting);
        }(kept_.get(), std::move(key), std::move(bytes), keep));
    co_await sleep_for(kTakes);
  }
  [[nodiscard]] Task<> erase(std::string key) override { return kept_->erase(std::move(key)); }

  static constexpr Duration kTakes = 10ms;
  Duration others_keep_ = Duration::zero();
  int puts_ = 0;

 private:
  std::shared_ptr<CacheStore> kept_ = memory_cache();
  Scope under_way_;
};

TEST_F(CacheTest, what_another_one_has_put_meanwhile_keeps_its_time_and_is_not_counted_as_made) {
  const auto store = std::make_shared<SlowStore>();
  const Cache cache(store, {.ttl = 1s, .stale_while_revalidate = 10s});
  store->others_keep_ = 10s + 100ms;
  EXPECT_EQ(get(cache), "other");
  kernel_.advance(50ms);
  EXPECT_EQ(get(cache), "other");
  EXPECT_EQ(cache.counts().fresh, 1U);
  EXPECT_EQ(cache.counts().loaded, 0U);
  EXPECT_EQ(store->puts_, 0);
  kernel_.advance(100ms);
  EXPECT_EQ(get(cache), "other");  // stale now
  EXPECT_EQ(cache.counts().stale, 1U);
}

TEST_F(CacheTest, what_is_erased_while_it_is_put_is_not_kept_though_its_maker_leaves) {
  const auto store = std::make_shared<SlowStore>();
  const Cache cache(store);
  auto asked = ask(cache);
  kernel_.advance(takes_);
  ASSERT_EQ(store->puts_, 1);
  end(asked);
  Scope erasing;
  loop_.call([&] { erasing.start(cache.erase("k")); });
  kernel_.advance(SlowStore::kTakes);
  const auto later = ask(cache);
  kernel_.advance(takes_ + SlowStore::kTakes);
  EXPECT_EQ(later->got, Texts{"v2"});
}

TEST_F(CacheTest, the_one_that_makes_it_goes_on_once_it_is_put_and_others_ahead_of_that) {
  const Cache cache(std::make_shared<SlowStore>());
  const auto first = ask(cache);
  const auto second = ask(cache);
  kernel_.advance(takes_);
  EXPECT_EQ(first->got, Texts{});
  EXPECT_EQ(second->got, Texts{"v1"});
  kernel_.advance(SlowStore::kTakes);
  EXPECT_EQ(first->got, Texts{"v1"});
}

struct Price {
  std::string name;
  int cents = 0;
};

TEST_F(CacheTest, structs_are_kept_as_json_and_others_are_made_anew) {
  const auto store = memory_cache();
  const Cache cache(store);
  int made = 0;
  std::vector<int> cents;
  Scope scope;
  const auto ask_price = [&] {
    loop_.call([&] {
      scope.start([](Cache of, int* count, std::vector<int>* to) -> Task<> {
        const Price price = co_await of.get<Price>("p", [count]() -> Task<Price> {
          co_return Price{.name = "tea", .cents = 100 + ++*count};
        });
        to->push_back(price.cents);
      }(cache, &made, &cents));
    });
  };
  ask_price();
  ask_price();
  loop_.call([&] {
    scope.start(store->put("p", std::make_shared<const std::string>("[of another release"), 1h));
  });
  ask_price();
  EXPECT_EQ(cents, (std::vector<int>{101, 101, 102}));
}

Task<Price> price_of_tea() {
  co_return Price{.name = "tea", .cents = 100};
}

/// g++ 14 crashes on some coroutines over pointers to functions of anonymous types: see InFrame.
TEST_F(CacheTest, a_function_makes_a_value) {
  const Cache cache(memory_cache());
  int cents = 0;
  Scope scope;
  loop_.call([&] {
    scope.start([](Cache of, int* to) -> Task<> {
      const Price price = co_await of.get<Price>("p", &price_of_tea);
      *to = price.cents;
    }(cache, &cents));
  });
  EXPECT_EQ(cents, 100);
}

TEST_F(CacheTest, a_value_that_does_not_read_back_is_told_by_its_key_and_made_once) {
  const Cache cache(memory_cache());
  int made = 0;
  std::vector<std::string> told;
  Scope scope;
  loop_.call([&] {
    scope.start([](Cache of, int* count, std::vector<std::string>* to) -> Task<> {
      try {
        (void)co_await of.get<double>("the rate", [count]() -> Task<double> {
          ++*count;
          co_return std::numeric_limits<double>::quiet_NaN();
        });
      } catch (const Failure& failure) {
        to->emplace_back(failure.what());
      }
    }(cache, &made, &told));
  });
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].contains("the rate")) << told[0];
  EXPECT_EQ(made, 1);
  EXPECT_EQ(cache.counts().loaded, 0U);
}

TEST_F(CacheTest, memory_is_bounded_and_what_was_used_longest_ago_goes) {
  const auto store = memory_cache({.bytes_max = 4000, .value_bytes_max = 1000});
  std::string there;
  Scope scope;
  loop_.call([&] {
    scope.start([](CacheStore* of, std::string* to) -> Task<> {
      for (const char* name : {"a", "b", "c"}) {
        co_await of->put(name, std::make_shared<const std::string>(900, 'x'), 1h);
      }
      (void)co_await of->find("a");
      co_await of->put("d", std::make_shared<const std::string>(900, 'x'), 1h);
      // Removes the old value even so.
      co_await of->put("a", std::make_shared<const std::string>(1001, 'x'), 1h);
      for (const char* name : {"a", "b", "c", "d"}) {
        const auto found = co_await of->find(name);
        *to += found ? name : "-";
      }
    }(store.get(), &there));
  });
  EXPECT_EQ(there, "--cd");
}

TEST(CacheOfSeveralLoops, one_makes_it_for_all) {
  const Cache cache(memory_cache());
  std::atomic<int> made = 0;
  std::atomic<int> waiting = 0;
  constexpr int kThreads = 4;
  constexpr int kEach = 50;
  std::vector<std::thread> threads;
  std::atomic<int> got = 0;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      TestLoop loop;
      loop.run([](Cache of, std::atomic<int>* count, std::atomic<int>* asking,
                  std::atomic<int>* right) -> Task<> {
        Scope scope;
        for (int each = 0; each < kEach; ++each) {
          scope.start([](Cache its, std::atomic<int>* times, std::atomic<int>* askers,
                         std::atomic<int>* responses) -> Task<> {
            ++*askers;
            const CachedBytes value =
                co_await its.get_bytes("k", [times, askers]() -> Task<std::string> {
                  // All calls of all loops run at the same time.
                  while (*askers < kThreads * kEach) {
                    co_await sleep_for(1ms);
                  }
                  co_return std::to_string(++*times);
                });
            *responses += *value == "1" ? 1 : 0;
          }(of, count, asking, right));
        }
        co_await scope.join();
      }(cache, &made, &waiting, &got));
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(got, kThreads * kEach);
}

}  // namespace
}  // namespace eider
