#include "eider/web/middleware/rate_limit.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/identity.h"
#include "eider/web/middleware/rate_table.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using detail::middleware::RateTable;

constexpr Instant kStart{1h};

std::string network_of(std::string_view address, unsigned ipv6_prefix_bits) {
  return detail::middleware::network_of(IpAddress::parse(address), ipv6_prefix_bits);
}

int admitted(RateTable& table, std::string_view key, Instant at, int asked) {
  int count = 0;
  for (int index = 0; index < asked; ++index) {
    count += table.take(key, at).is_admitted ? 1 : 0;
  }
  return count;
}

TEST(RateTable, a_bucket_gives_all_at_once_and_then_as_it_fills) {
  RateTable table({RateAlgorithm::token_bucket, 10, 10s}, 64);
  EXPECT_EQ(admitted(table, "a", kStart, 15), 10);
  EXPECT_EQ(admitted(table, "a", kStart + 999ms, 5), 0);
  EXPECT_EQ(table.take("a", kStart + 999ms).wait, 1ms);
  EXPECT_EQ(admitted(table, "a", kStart + 1s, 5), 1);
  EXPECT_EQ(admitted(table, "a", kStart + 4s, 5), 3);
  EXPECT_EQ(admitted(table, "a", kStart + 1h, 50), 10);
}

TEST(RateTable, a_window_gives_no_more_within_any_of_its_length) {
  RateTable table({RateAlgorithm::sliding_window, 10, 10s}, 64);
  EXPECT_EQ(admitted(table, "a", kStart, 1), 1);
  EXPECT_EQ(admitted(table, "a", kStart + 9s, 15), 9);
  EXPECT_EQ(admitted(table, "a", kStart + 10s, 15), 0);
  EXPECT_EQ(admitted(table, "a", kStart + 15s, 15), 5);  // half of the previous window counts
  EXPECT_EQ(admitted(table, "a", kStart + 19s, 15), 4);
  EXPECT_EQ(admitted(table, "a", kStart + 100s, 15), 10);
}

TEST(RateTable, says_how_long_to_wait_and_the_next_one_is_admitted_then) {
  for (const RateAlgorithm rule : {RateAlgorithm::token_bucket, RateAlgorithm::sliding_window}) {
    RateTable table({rule, 7, 10s}, 64);
    Instant now = kStart;
    EXPECT_EQ(admitted(table, "a", now, 7), 7);
    for (int round = 0; round < 30; ++round) {
      const auto response = table.take("a", now);
      ASSERT_FALSE(response.is_admitted) << round;
      ASSERT_GT(response.wait, 0s);
      now += response.wait + 1us;
      ASSERT_TRUE(table.take("a", now).is_admitted) << round;
    }
  }
}

TEST(RateTable, counts_each_key_by_itself) {
  for (const RateAlgorithm rule : {RateAlgorithm::token_bucket, RateAlgorithm::sliding_window}) {
    RateTable table({rule, 3, 10s}, 64);
    EXPECT_EQ(admitted(table, "a", kStart, 5), 3);
    EXPECT_EQ(admitted(table, "b", kStart, 5), 3);
    EXPECT_EQ(admitted(table, std::string_view("a\0", 2), kStart, 5), 3);
    EXPECT_EQ(admitted(table, "", kStart, 5), 3);
  }
}

std::size_t resident_pages() {
  std::size_t all = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident;
}

TEST(RateTable, takes_memory_as_it_is_used) {
  const std::size_t before = resident_pages();
  RateTable table({RateAlgorithm::token_bucket, 10, 10s}, std::size_t{1} << 22U);
  EXPECT_TRUE(table.take("a", kStart).is_admitted);
  const std::size_t taken = resident_pages() - before;
  constexpr std::size_t kPageBytesMin = 4096;
  EXPECT_LT(taken * kPageBytesMin, table.bytes() / 4) << "of " << table.bytes() << " bytes";
}

TEST(RateTable, does_not_grow_with_many_addresses_and_keeps_busy_clients) {
  for (const RateAlgorithm rule : {RateAlgorithm::token_bucket, RateAlgorithm::sliding_window}) {
    RateTable table({rule, 10, 3600s}, 1024);
    const std::size_t bytes = table.bytes();
    EXPECT_EQ(admitted(table, "busy", kStart, 20), 10);
    for (int index = 0; index < 100'000; ++index) {
      const std::string key = "2001:db8:" + std::to_string(index);
      ASSERT_TRUE(table.take(key, kStart + 1ms * (index / 100)).is_admitted);
    }
    EXPECT_EQ(table.bytes(), bytes);
    EXPECT_LE(bytes, 64U * 1024);
    EXPECT_EQ(admitted(table, "busy", kStart + 2s, 20), 0);
  }
}

TEST(RateTable, counts_right_from_several_threads) {
  for (const RateAlgorithm rule : {RateAlgorithm::token_bucket, RateAlgorithm::sliding_window}) {
    RateTable table({rule, 5000, 3600s}, 8);  // one set, which all threads use
    std::atomic<int> count = 0;
    {
      std::vector<std::jthread> threads;
      for (int index = 0; index < 4; ++index) {
        threads.emplace_back([&table, &count, index] {
          const std::string own = std::to_string(index);
          for (int round = 0; round < 2500; ++round) {
            count += table.take("shared", kStart).is_admitted ? 1 : 0;
            (void)table.take(own, kStart);
          }
        });
      }
    }
    EXPECT_EQ(count, 5000);
  }
}

TEST(ClientNetwork, is_an_ipv4_address_and_the_64_bits_of_an_ipv6_one) {
  EXPECT_EQ(network_of("192.0.2.1", 64).size(), 4U);
  EXPECT_NE(network_of("192.0.2.1", 64), network_of("192.0.2.2", 64));
  EXPECT_EQ(network_of("2001:db8::1", 64), network_of("2001:db8::ffff:0:0:2", 64));
  EXPECT_NE(network_of("2001:db8::1", 64), network_of("2001:db8:0:1::1", 64));
  EXPECT_EQ(network_of("2001:db8:0:ff::", 57), network_of("2001:db8:0:80::", 57));
  EXPECT_NE(network_of("2001:db8:0:7f::", 57), network_of("2001:db8:0:80::", 57));
  EXPECT_EQ(network_of("::ffff:192.0.2.1", 64), network_of("192.0.2.1", 64));
  EXPECT_EQ(network_of("", 64), "unknown");
  EXPECT_EQ(network_of("unix:/run/x", 64), "unknown");
}

TEST(RateLimit, refuses_what_is_too_much_and_says_how_things_stand) {
  App app;
  app.use(rate_limit({.requests = 2, .per = 60s, .name = "few"}));
  app.get("/x", [] { return "x"; });
  TestClient client(app);
  const TestResponse first = client.get("/x");
  EXPECT_EQ(first.status, 200);
  EXPECT_EQ(first.header("RateLimit-Policy"), "\"few\";q=2;w=60");
  EXPECT_EQ(first.header("RateLimit"), "\"few\";r=1;t=0");
  EXPECT_EQ(client.get("/nowhere").status, 404);  // a 404 counts, too
  const TestResponse refused = client.get("/x");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.header("Retry-After"), "30");
  EXPECT_EQ(refused.header("RateLimit"), "\"few\";r=0;t=30");
  EXPECT_EQ(refused.header("RateLimit-Policy"), "\"few\";q=2;w=60");
  EXPECT_EQ(refused.problem().detail, "Too many requests. Try again later.");
  client.advance(30s);
  EXPECT_EQ(client.get("/x").status, 200);
  EXPECT_EQ(client.get("/x").status, 429);
}

TEST(RateLimit, of_a_route_counts_that_alone) {
  App app;
  app.get("/one", [] { return "x"; }).use(rate_limit({.requests = 1, .per = 60s}));
  app.get("/other", [] { return "x"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/one").status, 200);
  EXPECT_EQ(client.get("/one").status, 429);
  EXPECT_EQ(client.get("/other").status, 200);
  EXPECT_FALSE(client.get("/other").header("RateLimit"));
}

TEST(RateLimit, counts_routes_by_themselves_or_what_it_is_told) {
  App app;
  app.use(rate_limit({.requests = 1, .per = 60s, .by = RateLimitBy::address_and_route}));
  Routes keyed = app.group("/keyed");
  keyed.use(rate_limit({.requests = 1, .per = 60s, .key = [](const Request& request) {
                          return std::string(request.header("Key").value_or(""));
                        }}));
  app.get("/notes/{id}", [](int id) { return id; });
  app.get("/other", [] { return "x"; });
  for (const char* path : {"/a", "/b", "/c", "/d"}) {
    keyed.get(RuntimePattern{path}, [] { return "x"; });
  }
  TestClient client(app);
  EXPECT_EQ(client.get("/notes/1").status, 200);
  EXPECT_EQ(client.get("/notes/2").status, 429);
  EXPECT_EQ(client.get("/other").status, 200);
  const auto keyed_status = [&client](std::string path, std::string_view key) {
    return client.send({.target = std::move(path), .headers = {{"Key", key}}}).status;
  };
  EXPECT_EQ(keyed_status("/keyed/a", "k"), 200);
  EXPECT_EQ(keyed_status("/keyed/b", "k"), 429);
  EXPECT_EQ(keyed_status("/keyed/c", ""), 200);
  EXPECT_EQ(keyed_status("/keyed/d", ""), 200);
}

TEST(RateLimit, of_a_route_counts_its_heads_and_no_other_host) {
  App app;
  app.use(rate_limit({.requests = 2, .per = 60s, .by = RateLimitBy::route}));
  app.get("/x", [] { return "app"; });
  app.post("/x", [] { return "posted"; });
  app.host("*.example").get("/x", [] { return "host"; });
  TestClient client(app);
  const auto status = [&client](const std::string& host, Method method) {
    return client.send({.method = method, .target = "http://" + host + "/x"}).status;
  };
  EXPECT_EQ(status("a.example", Method::get), 200);
  EXPECT_EQ(status("b.example", Method::head), 200);
  EXPECT_EQ(status("c.example", Method::get), 429);  // one route, with any host
  EXPECT_EQ(status("c.example", Method::head), 429);
  EXPECT_EQ(status("other", Method::get), 200);
  EXPECT_EQ(status("other", Method::post), 200);
}

TEST(RateLimit, of_users_stands_behind_the_guard_that_knows_them) {
  App app;
  app.guard([](Header<"who", std::string> who) -> Identity { return {*who}; });
  app.guard(RateLimitOf<Identity>({.requests = 1, .per = 60s},
                                  [](const Identity& caller) { return caller.name; }));
  app.get("/x", [] { return "x"; });
  TestClient client(app);
  const auto ask = [&client](std::string_view who) {
    return client.send({.target = "/x", .headers = {{"Who", who}}});
  };
  EXPECT_EQ(ask("ann").status, 200);
  EXPECT_EQ(ask("bob").status, 200);
  const TestResponse refused = ask("ann");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.header("Retry-After"), "60");
  EXPECT_TRUE(app.list_routes().contains("guard of eider::Identity > rate_limit 1/1m > handler"))
      << app.list_routes();
  EXPECT_NE(app.operations()[0].find_response(429), nullptr);
}

TEST(RateLimit, that_cannot_hold_is_told_at_once) {
  EXPECT_THROW((void)rate_limit({.requests = 0}), Failure);
  EXPECT_THROW((void)rate_limit({.per = 0s}), Failure);
  EXPECT_THROW((void)rate_limit({.name = "two words"}), Failure);
  EXPECT_THROW((void)rate_limit({.ipv6_prefix_bits = 129}), Failure);
}

/// A store that returns the decision that the test sets.
class ToldStore final : public RateStore {
 public:
  Task<std::optional<RateDecision>> take(std::string key, RateTerms /*terms*/) override {
    keys.push_back(std::move(key));
    co_return response;
  }
  std::optional<RateDecision> response;
  std::vector<std::string> keys;
};

TEST(RateLimit, with_a_store_processes_count_together) {
  const auto store = std::make_shared<ToldStore>();
  store->response = RateDecision{.is_admitted = true, .remaining = 7, .wait = {}};
  App app;
  app.use(rate_limit({.requests = 9, .by = RateLimitBy::route, .name = "all"}, store));
  app.get("/a/{id}", [](int id) { return id; });
  TestClient client(app);
  const TestResponse admitted = client.get("/a/1");
  EXPECT_EQ(admitted.status, 200);
  EXPECT_EQ(admitted.header("RateLimit"), R"("all";r=7;t=0)");
  (void)client.head("/a/2");
  const std::string key = "all bucket 9/60000000000ns - GET /a/{id}";
  EXPECT_EQ(store->keys, (std::vector<std::string>{key, key}));
  store->response = RateDecision{.is_admitted = false, .remaining = 0, .wait = 1500ms};
  const TestResponse refused = client.get("/a/1");
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.header("Retry-After"), "2");
  EXPECT_EQ(refused.header("RateLimit"), R"("all";r=0;t=2)");
}

TEST(RateLimit, limits_of_one_name_that_count_differently_share_no_counter) {
  const auto store = std::make_shared<ToldStore>();
  store->response = RateDecision{.is_admitted = true, .remaining = 7, .wait = {}};
  App app;
  app.use(rate_limit({.requests = 9}, store));
  app.use(rate_limit({.requests = 8}, store));
  app.use(rate_limit({.requests = 9, .per = 1h}, store));
  app.use(rate_limit({.requests = 9, .algorithm = RateAlgorithm::sliding_window}, store));
  app.get("/", [] { return "hi"; });
  EXPECT_EQ(TestClient(app).get("/").status, 200);
  EXPECT_EQ(std::set<std::string>(store->keys.begin(), store->keys.end()).size(), 4U);
}

TEST(RateLimit, where_the_store_does_not_know_the_process_counts) {
  App app;
  app.use(rate_limit({.requests = 2}, std::make_shared<ToldStore>()));
  app.get("/", [] { return "hi"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/").status, 200);
  EXPECT_EQ(client.get("/").status, 200);
  EXPECT_EQ(client.get("/").status, 429);
}

TEST(RateLimit, an_empty_key_is_not_asked_for) {
  const auto store = std::make_shared<ToldStore>();
  App app;
  app.use(rate_limit({.key = [](const Request& /*any*/) { return std::string(); }}, store));
  app.get("/", [] { return "hi"; });
  EXPECT_EQ(TestClient(app).get("/").status, 200);
  EXPECT_TRUE(store->keys.empty());
}

}  // namespace
}  // namespace eider
