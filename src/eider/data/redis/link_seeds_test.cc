// A link on the simulated kernel, with a seed: bytes arrive in pieces and late, writes fail and
// connections break. The result of each command is compared with the commands that the server has
// run.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eider/data/redis/link.h"
#include "eider/data/redis/redis.h"
#include "eider/data/redis/resp.h"
#include "eider/data/redis/target.h"
#include "eider/io/net/dialler.h"
#include "eider/io/net/net.h"
#include "eider/io/runtime/scope.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"
#include "eider/testkit/sim_random.h"

namespace eider::redis::detail {
namespace {

constexpr int kSeeds = 200;
constexpr int kTasks = 8;
constexpr int kOfTask = 40;
constexpr Duration kTimeMax = std::chrono::seconds(2);

/// A server that counts. After a command it sometimes closes, waits, or ends.
class CountingServer {
 public:
  CountingServer(SimKernel& kernel, std::uint64_t seed) : kernel_(kernel), random_(seed) {}

  [[nodiscard]] Descriptor accept() {
    SimPair pair = kernel_.connect_pair();
    lines_.push_back({.client = std::move(pair.client)});
    return std::move(pair.server);
  }
  /// returns  whether it had work to do
  bool act() {
    bool has_acted = false;
    for (Line& line : lines_) {
      has_acted = act(line) || has_acted;
    }
    return has_acted;
  }
  [[nodiscard]] std::int64_t number(const std::string& key) const { return numbers_.at(key); }

 private:
  struct Line {
    SimClient client;
    std::string heard{};
    std::string unsaid{};
  };

  bool act(Line& line) {
    line.heard += line.client.take_received();
    bool has_acted = false;
    while (const std::size_t bytes = RespReader().read(line.heard).value_or(0)) {
      line.unsaid += answer_to(line.heard.substr(0, bytes));
      line.heard.erase(0, bytes);
      has_acted = true;
    }
    if (has_acted && random_.happens(0.01)) {
      line.unsaid.clear();  // the command was run, but its response is lost
      line.client.reset();
    } else if (!line.unsaid.empty() && random_.happens(0.8)) {
      const std::size_t bytes = 1 + random_.below(line.unsaid.size());
      line.client.send(line.unsaid.substr(0, bytes));
      line.unsaid.erase(0, bytes);
      has_acted = true;
    }
    return has_acted;
  }

  std::string answer_to(const std::string& asked) {
    RespCursor words(asked);
    (void)words.next();  // the array
    const std::string_view name = words.next().text;
    if (name == "INCR") {
      return ":" + std::to_string(++numbers_[std::string(words.next().text)]) + "\r\n";
    }
    return name == "HELLO" ? "%1\r\n+role\r\n+master\r\n" : "+PONG\r\n";
  }

  SimKernel& kernel_;
  SimRandom random_;
  std::vector<Line> lines_;
  std::map<std::string, std::int64_t> numbers_;
};

class ToCountingServer final : public net::Dialler {
 public:
  explicit ToCountingServer(CountingServer& server) : server_(server) {}
  Task<Result<Descriptor, net::ConnectError>> dial(const net::Route& /*route*/,
                                                   Instant /*due*/) override {
    co_return server_.accept();
  }

 private:
  CountingServer& server_;
};

struct Counts {
  int answered = 0;
  int lost = 0;     // sent, but it is unknown whether they were run
  int expired = 0;  // the same, or not sent
  int left = kTasks;
};

/// Counts with a key that only this task uses: each response contains the number of executed
/// commands.
Task<> count_up(Link& link, const CountingServer& server, std::string key, Counts& counts) {
  std::int64_t last = 0;
  std::int64_t unknown = 0;  // since the last response
  for (int i = 0; i < kOfTask; ++i) {
    const Instant begun = link.loop().now();
    try {
      RedisCommand<std::int64_t> asking(link, kTimeMax, "INCR", key);
      const std::int64_t number = co_await asking;
      ++counts.answered;
      EXPECT_GT(number, last);
      EXPECT_LE(number, last + 1 + unknown);
      last = number;
      unknown = 0;
    } catch (const RedisFailure& failure) {
      EXPECT_TRUE(failure.fault() == RedisFault::lost || failure.fault() == RedisFault::expired)
          << to_text(failure.fault());
      ++(failure.fault() == RedisFault::lost ? counts.lost : counts.expired);
      unknown += failure.may_be_done() ? 1 : 0;
    }
    EXPECT_LE(link.loop().now() - begun, kTimeMax + std::chrono::milliseconds(10));
  }
  const std::int64_t done = last + unknown == 0 ? 0 : server.number(key);
  EXPECT_GE(done, last);
  EXPECT_LE(done, last + unknown);
  --counts.left;
}

Counts run(std::uint64_t seed) {
  SimKernel kernel(seed);
  SimFaults faults = SimFaults::harmless(0.2);
  faults.reset = 0.01;
  kernel.set_faults(faults);
  CountingServer server(kernel, seed + 1);
  SimLoop loop(kernel);
  net::Net net({}, std::make_unique<ToCountingServer>(server));
  auto settings = std::make_shared<Settings>();
  settings->target = read_target("redis://counting").value();
  Counts counts;
  Link link(loop, net, settings);
  Scope all;
  loop.post([&] {
    for (int i = 0; i < kTasks; ++i) {
      all.start(count_up(link, server, std::to_string(i), counts));
    }
  });
  while (counts.left != 0 && (kernel.step() || server.act())) {
    server.act();
  }
  EXPECT_EQ(counts.left, 0) << "it hangs";
  EXPECT_EQ(counts.answered + counts.lost + counts.expired, kTasks * kOfTask);
  return counts;
}

TEST(LinkSeeds, no_command_hangs_is_lost_in_silence_or_done_twice) {
  Counts sum;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(seed);
    const Counts counts = run(seed);
    sum.answered += counts.answered;
    sum.lost += counts.lost;
    sum.expired += counts.expired;
    if (::testing::Test::HasFailure()) {
      return;  // the trace contains the seed
    }
  }
  RecordProperty("answered", sum.answered);
  RecordProperty("lost", sum.lost);
  RecordProperty("expired", sum.expired);
  EXPECT_GT(sum.answered, kSeeds * kTasks * kOfTask / 2);
  EXPECT_GT(sum.lost, kSeeds);
}

}  // namespace
}  // namespace eider::redis::detail
