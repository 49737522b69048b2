#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "eider/data/redis/redis_subscriber.h"
#include "eider/io/runtime/sleep.h"
#include "tests/support/redis_load.h"
#include "tests/support/redis_script.h"
#include "tests/support/redis_tests.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using Peer = RedisScript::Peer;

std::string port_of(const RedisServer& server) {
  return std::to_string(server.port());
}

/// A master and a replica with a password, and three sentinels with another password.
class Guarded {
 public:
  Guarded() {
    const std::vector<std::string> monitor{
        "requirepass watch",
        "sentinel sentinel-pass watch",
        "sentinel monitor main 127.0.0.1 " + port_of(master_) + " 2",
        "sentinel auth-pass main secret",
        "sentinel down-after-milliseconds main 300",
        "sentinel failover-timeout main 2000",
    };
    for (int i = 0; i < 3; ++i) {
      sentinels_.push_back(std::make_unique<RedisServer>(monitor, RedisKind::sentinel));
    }
  }

  [[nodiscard]] RedisServer& master() noexcept { return master_; }
  [[nodiscard]] RedisServer& sentinel(std::size_t index) { return *sentinels_[index]; }
  [[nodiscard]] std::string url() const {
    std::string url = "redis+sentinel://:secret@";
    for (const auto& sentinel : sentinels_) {
      url += "127.0.0.1:" + port_of(*sentinel) + ",";
    }
    url.back() = '/';
    return url + "main";
  }

  /// Waits until the sentinels know each other and the replica, and the replica has all data.
  void settle(TestLoop& loop) {
    for (const auto& sentinel : sentinels_) {
      loop.run([](Redis redis) -> Task<> {
        using Known = std::vector<std::map<std::string, std::string>>;
        for (int i = 0; i < 1000; ++i) {
          const auto masters = co_await redis.command<Known>("SENTINEL", "MASTERS");
          if (masters[0].at("num-other-sentinels") == "2" && masters[0].at("num-slaves") == "1") {
            co_return;
          }
          co_await sleep_for(20ms);
        }
        ADD_FAILURE() << "the sentinels do not find each other";
      }(Redis(sentinel->url("default:watch@"))));
    }
  }

 private:
  RedisServer master_{{"requirepass secret", "masterauth secret", "repl-diskless-sync-delay 0",
                       "repl-ping-replica-period 1"}};
  RedisServer replica_{{"requirepass secret", "masterauth secret",
                        "replicaof 127.0.0.1 " + port_of(master_), "repl-diskless-sync-delay 0"}};
  std::vector<std::unique_ptr<RedisServer>> sentinels_;
};

class SentinelTest : public ::testing::Test {
 protected:
  TestLoop on_loop_;
};

TEST_F(SentinelTest, behind_the_death_of_a_master_commands_go_to_the_next_one) {
  Guarded guarded;
  guarded.settle(on_loop_);
  const RedisOptions options{
      .command_time_max = 1s, .connect_time_max = 900ms, .sentinel_password = "watch"};
  const Redis redis(guarded.url(), options);
  on_loop_.run([](Redis of) -> Task<> {
    co_await of.command("RPUSH", "confirmed", 1, 2, 3);
    RedisSession session = of.session();
    co_await session.command("RPUSH", "confirmed", 4);
    EXPECT_EQ(co_await session.within(10s).command<int>("WAIT", 1, 9000), 1);
  }(redis));
  RedisTally tally;
  const std::jthread beside([&guarded] {
    std::this_thread::sleep_for(300ms);
    guarded.sentinel(0).signal(SIGSTOP);  // the first sentinel hangs
    guarded.master().kill();
  });
  on_loop_.run([](Redis of, RedisTally* noted) -> Task<> {
    RedisSubscriber news(of);
    co_await news.subscribe("news");
    co_await write_side_by_side(of, 9s, noted);
    int hearers = 0;
    for (int i = 0; i < 1000 && hearers == 0; ++i) {  // it subscribes with a separate connection
      hearers = co_await of.within(20s).command<int>("PUBLISH", "news", "again");
      co_await sleep_for(10ms);
    }
    EXPECT_EQ(hearers, 1);
  }(redis, &tally));
  const RedisCount count = count_numbers(on_loop_, redis.within(20s), tally);
  EXPECT_EQ(count.doubled, 0);
  EXPECT_GT(tally.undone + tally.unknown(), 0);
  EXPECT_LT(tally.longest, 2s);
  EXPECT_GT(count.there, 0);
  on_loop_.run([](Redis of) -> Task<> {
    EXPECT_EQ(co_await of.command<int>("LLEN", "confirmed"), 4);  // a replica has confirmed these
    EXPECT_TRUE(co_await of.command<bool>("SET", "goes", "on"));
  }(redis.within(20s)));
}

TEST_F(SentinelTest, a_login_that_sentinels_want_is_told_by_name) {
  RedisServer sentinel({"requirepass watch", "sentinel monitor main 127.0.0.1 1 1"},
                       RedisKind::sentinel);
  const std::string url = "redis+sentinel://127.0.0.1:" + port_of(sentinel) + "/";
  for (const bool is_named : {true, false}) {
    on_loop_.run([](Redis redis, bool knows_name) -> Task<> {
      auto command = redis.command("PING");
      const RedisFailure failure = co_await failure_of(command);
      EXPECT_FALSE(failure.may_be_done());
      EXPECT_EQ(failure.fault(), knows_name ? RedisFault::login : RedisFault::expired);
      EXPECT_TRUE(
          std::string(failure.what()).contains(knows_name ? "NOAUTH" : "does not know a primary"))
          << failure.what();
    }(Redis(url + (is_named ? "main" : "other"), {.command_time_max = 500ms,
                                                  .sentinel_password = is_named ? "" : "watch"}),
                                                  is_named));
  }
}

/// A server that reports this role, and counts other commands.
class Roled {
 public:
  explicit Roled(std::string role)
      : script_([this, hello = "%1\r\n$4\r\nrole\r\n$" + std::to_string(role.size()) + "\r\n" +
                               role + "\r\n"](Peer& peer) {
          (void)peer.hear();
          peer.say(hello);
          for (std::string asked = peer.hear(); !asked.empty(); asked = peer.hear()) {
            ++asked_;
            peer.say(asked == "SET k v" && is_demoted_ ? "-READONLY You can't write\r\n"
                                                       : "+OK\r\n");
          }
        }) {}
  [[nodiscard]] std::string port() const {
    const std::string url = script_.url();
    return url.substr(url.rfind(':') + 1);
  }
  [[nodiscard]] int asked() const noexcept { return asked_; }
  [[nodiscard]] int connections() const noexcept { return script_.connections(); }
  void demote() { is_demoted_ = true; }

 private:
  std::atomic<int> asked_ = 0;
  std::atomic<bool> is_demoted_ = false;
  RedisScript script_;
};

std::string answer_of(const std::string& host, const std::string& port) {
  return "*2\r\n$" + std::to_string(host.size()) + "\r\n" + host + "\r\n$" +
         std::to_string(port.size()) + "\r\n" + port + "\r\n";
}

/// Always sends the same response; nothing if it is empty.
std::function<void(Peer&)> saying(std::string answer) {
  return [answer = std::move(answer)](Peer& peer) {
    while (!peer.hear().empty()) {
      peer.say(answer);
    }
  };
}

std::string list_of(const std::vector<const RedisScript*>& sentinels) {
  std::string url = "redis+sentinel://";
  for (const RedisScript* sentinel : sentinels) {
    url += sentinel->url().substr(std::string("redis://").size()) + ",";
  }
  url.back() = '/';
  return url + "main";
}

TEST_F(SentinelTest, one_that_lies_hangs_or_talks_nonsense_is_passed_over) {
  Roled replica("replica");
  Roled master("master");
  RedisScript hangs(saying(""));
  RedisScript lies(saying(answer_of("127.0.0.1", replica.port())));
  RedisScript odd(saying(answer_of("unix:/tmp/s", "1")));
  RedisScript odder(saying(answer_of("127.0.0.1", "70000")));
  RedisScript cut(saying("*1\r\n$9\r\n127.0.0.1\r\n"));
  RedisScript none(saying("*-1\r\n"));
  RedisScript right(saying(answer_of("127.0.0.1", master.port())));
  const Redis redis(list_of({&hangs, &lies, &odd, &odder, &cut, &none, &right}),
                    {.command_time_max = 5s, .connect_time_max = 2s});
  on_loop_.run(
      [](Redis of) -> Task<> { EXPECT_TRUE(co_await of.command<bool>("SET", "k", "v")); }(redis));
  EXPECT_EQ(replica.asked(), 0);
  EXPECT_EQ(master.asked(), 1);
}

TEST_F(SentinelTest, a_master_that_was_demoted_is_left_where_it_says_so) {
  Roled first("master");
  Roled second("master");
  std::atomic<bool> is_over = false;
  RedisScript sentinel([&](Peer& peer) {
    while (!peer.hear().empty()) {
      peer.say(answer_of("127.0.0.1", is_over ? second.port() : first.port()));
    }
  });
  on_loop_.run([](Redis redis, Roled* demoted, std::atomic<bool>* over) -> Task<> {
    EXPECT_TRUE(co_await redis.command<bool>("SET", "k", "v"));
    demoted->demote();
    *over = true;
    auto refused = redis.command("SET", "k", "v");
    const RedisFailure failure = co_await failure_of(refused);
    EXPECT_EQ(failure.fault(), RedisFault::busy);
    EXPECT_FALSE(failure.may_be_done());
    EXPECT_TRUE(co_await redis.command<bool>("SET", "k", "v"));
  }(Redis(list_of({&sentinel})), &first, &is_over));
  EXPECT_EQ(second.asked(), 1);
}

}  // namespace
}  // namespace eider
