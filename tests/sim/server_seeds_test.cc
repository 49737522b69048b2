// Random clients and the server on a kernel that injects faults. Each request gets one response, in
// order, or the connection breaks. No connection or task remains.
//
// EIDER_SIM_SEED=N runs only seed N; EIDER_SIM_SEEDS=N runs N seeds.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "eider/testkit/sim_random.h"
#include "tests/sim/sim_server.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

struct Script {
  std::string bytes;
  std::vector<std::string> responses;
};

std::string chunked(std::string_view body, SimRandom& random) {
  std::string out;
  while (!body.empty()) {
    const std::string_view chunk = body.substr(0, 1 + random.below(body.size()));
    body.remove_prefix(chunk.size());
    char size[20];
    out.append(size, std::to_chars(size, size + sizeof(size), chunk.size(), 16).ptr);
    out.append("\r\n").append(chunk).append("\r\n");
  }
  return out + "0\r\n\r\n";
}

void add_post(Script& script, SimRandom& random, std::string_view target, bool is_waiting) {
  const std::string body(1 + random.below(random.happens(0.1) ? 100'000 : 200),
                         static_cast<char>('a' + random.below(26)));
  script.bytes.append("POST ").append(target).append(" HTTP/1.1\r\nHost: a\r\n");
  if (random.happens(0.3)) {
    script.bytes.append("Transfer-Encoding: chunked\r\n\r\n").append(chunked(body, random));
  } else {
    script.bytes.append("Content-Length: ").append(std::to_string(body.size()));
    script.bytes.append("\r\n\r\n").append(body);
  }
  const std::string_view path = target.substr(1, target.find('?') - 1);
  script.responses.push_back(
      is_waiting ? std::string(target).append(" ").append(path).append(" a ").append(body) : body);
}

void add_get(Script& script, std::string_view target, std::string response) {
  script.bytes.append("GET ").append(target).append(" HTTP/1.1\r\nHost: a\r\n\r\n");
  script.responses.push_back(std::move(response));
}

void add_request(Script& script, SimRandom& random) {
  switch (random.below(6)) {
    case 0:
      add_post(script, random, "/echo", false);
      return;
    case 1:
      add_post(script, random, "/wait-echo?" + std::to_string(random.below(50)), true);
      return;
    case 2: {
      const std::size_t bytes = random.below(300'000);
      add_get(script, "/big?" + std::to_string(bytes), std::string(bytes, 'b'));
      return;
    }
    case 3:
      add_get(script, "/wait-now", "waited");
      return;
    case 4:
      add_get(script, "/block", "blocked ");
      return;
    default:
      add_get(script, "/plain", "hello");
  }
}

/// How a client closes its side after it has sent everything or gives up.
enum class End : std::uint8_t { stays, half_closes, leaves_early, resets_early };

class RandomClient {
 public:
  RandomClient(SimServer& server, SimRandom& random)
      : random_(random), client_(server.connect()), end_(static_cast<End>(random.below(4))) {
    const std::uint64_t requests = 1 + random.below(12);
    for (std::uint64_t index = 0; index < requests; ++index) {
      add_request(script_, random);
    }
    if (random.happens(0.3)) {
      client_.set_window(1 + random.below(5000));
    }
    gives_up_at_ = random.below(script_.bytes.size());
  }

  void act() {
    if (is_gone_) {
      return;
    }
    const std::size_t bytes = 1 + random_.below(random_.happens(0.5) ? 20 : 50'000);
    if (!has_sent_all()) {
      client_.send(std::string_view(script_.bytes).substr(sent_, bytes));
    }
    sent_ = std::min(sent_ + bytes, script_.bytes.size());
    received_ += client_.take_received();
    if (sent_ >= gives_up_at_ && end_ == End::leaves_early) {
      leave();
    } else if (sent_ >= gives_up_at_ && end_ == End::resets_early) {
      client_.reset();
      leave();
    } else if (has_sent_all() && end_ == End::half_closes && !has_half_closed_) {
      has_half_closed_ = true;
      client_.half_close();
    }
  }

  /// Reads at full speed from now on.
  void hurry() {
    if (!is_gone_) {
      client_.set_window(1UL << 30U);
    }
  }
  [[nodiscard]] bool has_sent_all() const { return is_gone_ || sent_ == script_.bytes.size(); }

  /// Checks that all responses arrived in order; some may be missing if the connection broke.
  void check(bool may_be_reset) {
    if (is_gone_) {
      return;
    }
    received_ += client_.take_received();
    const auto responses = read_responses(received_);
    ASSERT_LE(responses.size(), script_.responses.size());
    for (std::size_t index = 0; index < responses.size(); ++index) {
      ASSERT_EQ(responses[index].status, 200) << "answer " << index;
      ASSERT_EQ(responses[index].body, script_.responses[index]) << "answer " << index;
    }
    if (!client_.is_reset()) {
      ASSERT_EQ(responses.size(), script_.responses.size());
    } else {
      ASSERT_TRUE(may_be_reset);
    }
  }
  void leave() {
    client_ = SimClient();
    is_gone_ = true;
  }

 private:
  SimRandom& random_;
  SimClient client_;
  Script script_;
  End end_;
  std::size_t sent_ = 0;
  std::size_t gives_up_at_ = 0;
  std::string received_;
  bool has_half_closed_ = false;
  bool is_gone_ = false;
};

SimFaults faults_of(SimRandom& random, bool resets) {
  SimFaults faults = SimFaults::harmless(random.happens(0.2) ? 0 : 0.5);
  faults.failed_accept = random.happens(0.3) ? 0.5 : 0;
  faults.reset = resets ? 0.01 : 0;
  return faults;
}

void run(SimServer& server, std::vector<RandomClient>& clients, int turns) {
  for (int turn = 0; turn < turns; ++turn) {
    for (RandomClient& client : clients) {
      client.act();
    }
    server.kernel.advance(milliseconds(2));
  }
}

void run_seed(std::uint64_t seed) {
  SCOPED_TRACE("EIDER_SIM_SEED=" + std::to_string(seed));
  SimRandom random(seed);
  SimServer server({}, 1 + random.below(3), seed);
  const bool resets = random.happens(0.3);
  server.kernel.set_faults(faults_of(random, resets));
  std::vector<RandomClient> clients;
  const std::uint64_t count = 1 + random.below(6);
  for (std::uint64_t index = 0; index < count; ++index) {
    clients.emplace_back(server, random);
  }
  for (bool is_sending = true; is_sending;) {
    is_sending = false;
    for (RandomClient& client : clients) {
      client.act();
      is_sending |= !client.has_sent_all();
    }
    server.kernel.advance(milliseconds(random.below(20)));
  }
  run(server, clients, 500);
  for (RandomClient& client : clients) {
    client.hurry();
  }
  run(server, clients, 500);
  for (RandomClient& client : clients) {
    client.check(resets);
    client.leave();
  }
  server.kernel.advance(minutes(10));
  EXPECT_EQ(server.service.running, 0);
  EXPECT_EQ(server.kernel.open_connections(), 0U);
  for (std::size_t loop = 0; loop < server.loop_count(); ++loop) {
    EXPECT_EQ(server.balance.count(loop), 0U);
    EXPECT_EQ(server.worker(loop).in_flight(), 0U);
  }
}

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(ServerSeeds, answer_every_request_once_and_in_order_or_break_the_connection) {
  if (const std::uint64_t one = number_of("EIDER_SIM_SEED", 0); one != 0) {
    run_seed(one);
    return;
  }
  const std::uint64_t seeds = number_of("EIDER_SIM_SEEDS", 300);
  for (std::uint64_t seed = 1; seed <= seeds && !HasFailure(); ++seed) {
    run_seed(seed);
  }
}

TEST(ServerSeeds, repeat_themselves) {
  const auto fingerprint = [] {
    SimServer server({}, 2, 7);
    server.kernel.set_faults(SimFaults::harmless(0.5));
    SimRandom random(7);
    RandomClient client(server, random);
    for (int turn = 0; turn < 100; ++turn) {
      client.act();
      server.kernel.advance(milliseconds(5));
    }
    return server.kernel.fingerprint();
  };
  EXPECT_EQ(fingerprint(), fingerprint());
}

}  // namespace
}  // namespace eider
