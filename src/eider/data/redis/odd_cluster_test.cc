// Nodes of a cluster that are inconsistent, invalid or hostile.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "eider/io/runtime/scope.h"
#include "tests/support/redis_script.h"
#include "tests/support/redis_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using redis::word;
using Peer = RedisScript::Peer;

std::string place_of(const RedisScript& server) {
  return server.url().substr(std::string("redis://").size());
}

Redis cluster_of(const RedisScript& server, Duration time) {
  return Redis("redis+cluster://" + place_of(server),
               {.command_time_max = time, .connect_time_max = 1s});
}

/// Does not know the map of slots; other commands are passed to `answer`.
class OddNode {
 public:
  using Answer = std::function<std::string(const std::string& asked)>;
  explicit OddNode(Answer answer)
      : answer_(std::move(answer)), script_([this](Peer& peer) { serve(peer); }) {}

  [[nodiscard]] const RedisScript& script() const noexcept { return script_; }
  [[nodiscard]] int asked() const noexcept { return asked_; }

 private:
  void serve(Peer& peer) {
    peer.greet();
    for (std::string asked = peer.hear(); !asked.empty(); asked = peer.hear()) {
      const bool is_map = asked == "CLUSTER SLOTS";
      asked_ += is_map ? 0 : 1;
      const std::string answer = answer_(asked);
      peer.say(is_map && answer.starts_with("-MOVED") ? "-ERR no\r\n" : answer);
    }
  }

  Answer answer_;
  std::atomic<int> asked_ = 0;
  RedisScript script_;
};

class OddCluster : public ::testing::Test {
 protected:
  RedisFailure failure_of_get(const Redis& redis) {
    return on_loop_.run([](Redis of) -> Task<RedisFailure> {
      auto command = of.command("GET", "k");
      co_return co_await failure_of(command);
    }(redis));
  }

  TestLoop on_loop_;
};

TEST_F(OddCluster, nodes_that_send_a_command_in_a_circle_end_it_as_busy) {
  std::string other;
  OddNode first([&other](const std::string&) { return "-MOVED 1 " + other + "\r\n"; });
  OddNode second([place = place_of(first.script())](const std::string&) {
    return "-MOVED 1 " + place + "\r\n";
  });
  other = place_of(second.script());
  const RedisFailure failure = failure_of_get(cluster_of(first.script(), 10s));
  EXPECT_EQ(failure.fault(), RedisFault::busy) << failure.what();
  EXPECT_FALSE(failure.may_be_done());
  EXPECT_LE(first.asked() + second.asked(), 21);
  EXPECT_LE(first.script().connections() + second.script().connections(), 3);
}

TEST_F(OddCluster, a_redirect_to_no_address_is_followed_nowhere) {
  for (const std::string place :
       {"1 unix:/tmp/s:1", "1 127.0.0.1:0", "1 127.0.0.1:70000", "1 127.0.0.1", "1 127.0.0.1:", "1",
        "", "1 :", "1 a/b:1", "1 ?:6379"}) {
    OddNode node([&place](const std::string&) { return "-MOVED " + place + "\r\n"; });
    const RedisFailure failure = failure_of_get(cluster_of(node.script(), 5s));
    EXPECT_EQ(failure.fault(), RedisFault::refused) << place;
    EXPECT_EQ(failure.code(), "MOVED");
    EXPECT_EQ(node.asked(), 1) << place;
  }
}

TEST_F(OddCluster, a_node_that_names_ever_new_places_has_few_of_them_dialled) {
  std::vector<std::unique_ptr<RedisScript>> places;
  for (int i = 0; i < 40; ++i) {
    places.push_back(std::make_unique<RedisScript>([](Peer& peer) {
      while (!peer.hear().empty()) {
        // No response.
      }
    }));
  }
  std::atomic<std::size_t> next = 0;
  OddNode node([&](const std::string&) {
    return "-MOVED 1 " + place_of(*places[next++ % places.size()]) + "\r\n";
  });
  on_loop_.run([](Redis redis) -> Task<> {
    Scope all;
    for (int i = 0; i < 200; ++i) {
      all.start([](Redis of, int number) -> Task<> {
        auto command = of.command("GET", "key:" + std::to_string(number));
        EXPECT_FALSE((co_await failure_of(command)).may_be_done());
      }(redis, i));
    }
    co_await all.join();
  }(cluster_of(node.script(), 700ms)));
  const auto dialled =
      std::ranges::count_if(places, [](const auto& place) { return place->connections() != 0; });
  EXPECT_GT(dialled, 4);
  EXPECT_LE(dialled, 16);
}

TEST_F(OddCluster, a_map_that_is_none_changes_nothing) {
  const std::string host = "$9\r\n127.0.0.1\r\n";
  for (const std::string& map :
       std::vector<std::string>{"_\r\n",
                                "*0\r\n",
                                "+OK\r\n",
                                "%1\r\n+a\r\n:1\r\n",
                                "*1\r\n:1\r\n",
                                "*1\r\n*0\r\n",
                                "*1\r\n*3\r\n:0\r\n:1\r\n:2\r\n",
                                "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n" + host + ":1\r\n",
                                "*1\r\n*3\r\n:-1\r\n:1\r\n*2\r\n" + host + ":1\r\n",
                                "*1\r\n*3\r\n:2\r\n:1\r\n*2\r\n" + host + ":1\r\n",
                                "*1\r\n*3\r\n*1\r\n:0\r\n:1\r\n*2\r\n" + host + ":1\r\n",
                                "*1\r\n*3\r\n*2\r\n+h\r\n:1\r\n:1\r\n:1\r\n",
                                "*1\r\n*3\r\n:0\r\n*2\r\n+h\r\n:1\r\n:1\r\n",
                                "*1\r\n*3\r\n:0\r\n*1\r\n:1\r\n*2\r\n" + host + ":1\r\n",
                                "*1\r\n*3\r\n:0\r\n:16383\r\n*1\r\n" + host,
                                "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n" + host + ":0\r\n",
                                "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n" + host + host,
                                "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n*1\r\n:1\r\n:1\r\n",
                                "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$11\r\nunix:/tmp/s\r\n:1\r\n",
                                "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$1\r\n?\r\n:1\r\n"}) {
    std::atomic<int> maps = 0;
    OddNode node([&](const std::string& asked) {
      maps += asked == "CLUSTER SLOTS" ? 1 : 0;
      return asked == "CLUSTER SLOTS" ? map : "+OK\r\n";
    });
    on_loop_.run([](Redis redis, std::atomic<int>* asked) -> Task<> {
      while (*asked == 0) {
        co_await redis.command("SET", "k", "v");
      }
      EXPECT_TRUE(co_await redis.command<bool>("SET", "k", "v"));
    }(cluster_of(node.script(), 2s), &maps));
  }
}

TEST_F(OddCluster, a_map_without_a_host_is_of_the_node_that_says_it) {
  std::string port;
  OddNode node([&port](const std::string& asked) {
    return asked == "CLUSTER SLOTS"
               ? "*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n$0\r\n\r\n:" + port + "\r\n+id\r\n"
               : "+OK\r\n";
  });
  port = place_of(node.script()).substr(place_of(node.script()).rfind(':') + 1);
  on_loop_.run([](Redis redis, const RedisScript* of) -> Task<> {
    while (of->connections() != 2) {  // one for the URL, one for the map
      co_await redis.command("SET", "k", "v");
    }
  }(cluster_of(node.script(), 2s), &node.script()));
}

TEST_F(OddCluster, what_was_done_in_part_is_not_sent_again) {
  OddNode second([](const std::string&) { return "+OK\r\n"; });
  OddNode first([place = place_of(second.script())](const std::string& asked) -> std::string {
    if (asked.starts_with("SET {k}1")) {
      return "+OK\r\n";  // it was not in a transaction
    }
    return asked.starts_with("SET") ? "-MOVED 1 " + place + "\r\n" : "-ERR no\r\n";
  });
  on_loop_.run([](Redis redis) -> Task<> {
    auto transaction = redis.transaction(word("SET", "{k}1", 1), word("SET", "{k}2", 2));
    EXPECT_TRUE((co_await failure_of(transaction)).may_be_done());
  }(cluster_of(first.script(), 2s)));
  EXPECT_EQ(second.asked(), 0);
}

TEST_F(OddCluster, what_no_node_answers_for_is_asked_again_within_its_time) {
  std::atomic<int> asked = 0;
  OddNode node([&asked](const std::string& command) -> std::string {
    if (command == "CLUSTER SLOTS") {
      return "-ERR no\r\n";
    }
    const int number = ++asked;
    return number == 1   ? "-TRYAGAIN Multiple keys request during rehashing of slot\r\n"
           : number == 2 ? "-CLUSTERDOWN The cluster is down\r\n"
                         : "+OK\r\n";
  });
  on_loop_.run([](Redis redis) -> Task<> {
    EXPECT_TRUE(co_await redis.command<bool>("SET", "k", "v"));
  }(cluster_of(node.script(), 5s)));
  EXPECT_EQ(asked, 3);
  OddNode down([](const std::string&) { return "-CLUSTERDOWN The cluster is down\r\n"; });
  EXPECT_EQ(failure_of_get(cluster_of(down.script(), 300ms)).fault(), RedisFault::expired);
  EXPECT_LE(down.asked(), 8);  // there is a pause between attempts
}

}  // namespace
}  // namespace eider
