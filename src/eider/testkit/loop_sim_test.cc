#include "eider/testkit/loop_sim.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/io/runtime/listener.h"
#include "eider/io/runtime/stream.h"
#include "eider/io/runtime/timer.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kSeeds = 100;

// Sends received bytes back, and ends when its peer has ended.
class Echo final : public StreamOwner {
 public:
  explicit Echo(Loop& loop) : stream(loop, *this) {}
  void on_bytes(std::string_view bytes) override {
    told += bytes;
    ++reads;
    stream.output().append(bytes);
  }
  void on_end() override {
    if (ends_with_its_peer) {
      stream.end();
    }
  }
  void on_drained() override { ++drained; }
  void on_broken(NetError error) override { broken = error; }

  bool ends_with_its_peer = true;
  std::string told;
  int reads = 0;
  int drained = 0;
  std::optional<NetError> broken;
  Stream stream;
};

class EchoServer final : public ListenerOwner {
 public:
  explicit EchoServer(Loop& loop) : listener(loop, *this) {
    const auto opened = listener.open(*SocketAddress::parse("127.0.0.1", 0));
    EXPECT_TRUE(opened.has_value());
  }
  void on_accept(Descriptor fd) override {
    if (refuses) {
      return;
    }
    connections.push_back(std::make_unique<Echo>(listener.loop()));
    connections.back()->stream.open(std::move(fd));
  }
  void on_accept_failed(NetError /*error*/) override { ++shortages; }
  std::uint16_t port() const { return listener.port(); }

  Listener listener;
  std::vector<std::unique_ptr<Echo>> connections;
  bool refuses = false;
  int shortages = 0;
};

TEST(LoopSim, a_client_gets_back_what_it_sends) {
  SimKernel kernel;
  SimLoop loop(kernel);
  EchoServer server(loop);
  SimClient client = kernel.connect(server.port());
  client.send("hello");
  kernel.run_until_idle();
  EXPECT_EQ(client.received(), "hello");
  EXPECT_EQ(client.take_received(), "hello");
  EXPECT_EQ(client.received(), "");
  EXPECT_FALSE(client.is_closed());
  EXPECT_EQ(kernel.open_connections(), 1U);
}

TEST(LoopSim, nothing_happens_before_the_kernel_runs) {
  SimKernel kernel;
  SimLoop loop(kernel);
  EchoServer server(loop);
  SimClient client = kernel.connect(server.port());
  client.send("hello");
  EXPECT_TRUE(server.connections.empty());
}

TEST(LoopSim, a_port_without_a_listener_refuses) {
  SimKernel kernel;
  SimLoop loop(kernel);
  SimClient client = kernel.connect(1);
  EXPECT_TRUE(client.is_refused());
  EXPECT_TRUE(client.is_closed());
}

TEST(LoopSim, a_closed_listener_resets_who_was_not_accepted_yet) {
  SimKernel kernel;
  SimLoop loop(kernel);
  EchoServer server(loop);
  const std::uint16_t port = server.port();
  SimClient waiting = kernel.connect(port);
  server.listener.close();
  kernel.run_until_idle();
  EXPECT_TRUE(waiting.is_reset());
  EXPECT_TRUE(kernel.connect(port).is_refused());
}

TEST(LoopSim, an_accepted_descriptor_that_nobody_opens_is_a_closed_connection) {
  SimKernel kernel;
  SimLoop loop(kernel);
  EchoServer server(loop);
  server.refuses = true;
  SimClient client = kernel.connect(server.port());
  kernel.run_until_idle();
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(kernel.open_connections(), 0U);
}

TEST(LoopSim, a_half_closed_client_is_still_answered_and_then_the_stream_is_gone) {
  SimKernel kernel;
  SimLoop loop(kernel);
  EchoServer server(loop);
  SimClient client = kernel.connect(server.port());
  client.send("last words");
  client.half_close();
  kernel.run_until_idle();
  EXPECT_EQ(client.received(), "last words");
  EXPECT_TRUE(client.is_closed());
  EXPECT_FALSE(client.is_reset());
  EXPECT_EQ(server.connections.at(0)->broken, NetError::closed);
}

TEST(LoopSim, a_stream_that_ends_long_after_its_peer_is_gone_then) {
  SimKernel kernel;
  SimLoop loop(kernel);
  Echo echo(loop);
  echo.ends_with_its_peer = false;
  SimPair pair = kernel.connect_pair();
  echo.stream.open(std::move(pair.server));
  pair.client.half_close();
  kernel.advance(seconds(1));
  EXPECT_TRUE(echo.stream.is_open());
  loop.call([&] { echo.stream.end(); });
  EXPECT_EQ(echo.broken, NetError::closed);
}

TEST(LoopSim, a_reset_by_the_client_breaks_the_stream) {
  SimKernel kernel;
  SimLoop loop(kernel);
  EchoServer server(loop);
  SimClient client = kernel.connect(server.port());
  kernel.run_until_idle();
  client.reset();
  kernel.run_until_idle();
  EXPECT_EQ(server.connections.at(0)->broken, NetError::reset);
  EXPECT_FALSE(server.connections.at(0)->stream.is_open());
}

TEST(LoopSim, a_client_that_leaves_with_bytes_untaken_resets) {
  SimKernel kernel;
  SimLoop loop(kernel);
  EchoServer server(loop);
  {
    SimClient client = kernel.connect(server.port());
    client.send("hello");
    kernel.run_until_idle();
  }
  kernel.run_until_idle();
  EXPECT_EQ(server.connections.at(0)->broken, NetError::reset);
  EXPECT_EQ(kernel.open_connections(), 0U);
}

TEST(LoopSim, writing_to_a_client_that_has_left_breaks_the_stream_a_turn_later) {
  SimKernel kernel;
  SimLoop loop(kernel);
  EchoServer server(loop);
  {
    SimClient client = kernel.connect(server.port());
    client.send("hello");
  }
  kernel.run_until_idle();
  EXPECT_EQ(server.connections.at(0)->told, "hello");
  EXPECT_EQ(server.connections.at(0)->broken, NetError::reset);
}

TEST(LoopSim, closing_with_unread_bytes_resets_the_client) {
  SimKernel kernel;
  SimLoop loop(kernel);
  EchoServer server(loop);
  SimClient client = kernel.connect(server.port());
  kernel.run_until_idle();
  client.send("never read");
  server.connections.clear();
  EXPECT_TRUE(client.is_reset());
}

TEST(LoopSim, a_full_window_holds_the_server_back_until_the_client_takes) {
  SimKernel kernel;
  SimLoop loop(kernel);
  EchoServer server(loop);
  SimClient client = kernel.connect(server.port());
  client.set_window(10);
  const std::string sent(25, 'x');
  client.send(sent);
  kernel.run_until_idle();
  EXPECT_EQ(client.received().size(), 10U);
  EXPECT_EQ(server.connections.at(0)->stream.waiting_bytes(), 15U);
  client.send("more");
  kernel.run_until_idle();
  EXPECT_EQ(server.connections.at(0)->told, sent) << "no reading while output waits";
  std::string all;
  while (!client.received().empty()) {
    all += client.take_received();
    kernel.run_until_idle();
  }
  EXPECT_EQ(all, sent + "more");
  EXPECT_EQ(server.connections.at(0)->drained, 1);
}

TEST(LoopSim, a_connection_needs_no_listener) {
  SimKernel kernel;
  SimLoop loop(kernel);
  Echo echo(loop);
  SimPair pair = kernel.connect_pair();
  echo.stream.open(std::move(pair.server));
  pair.client.send("ping");
  kernel.run_until_idle();
  EXPECT_EQ(pair.client.received(), "ping");
}

TEST(LoopSim, a_failed_accept_is_told_and_tried_again_after_a_rest) {
  SimKernel kernel;
  SimLoop loop(kernel);
  EchoServer server(loop);
  kernel.set_faults({.failed_accept = 1});
  SimClient client = kernel.connect(server.port());
  client.send("hello");
  kernel.advance(seconds(1));
  EXPECT_EQ(server.shortages, 1);
  EXPECT_EQ(client.received(), "");
  EXPECT_FALSE(client.is_closed());
  kernel.set_faults({});
  kernel.advance(seconds(1));
  EXPECT_EQ(client.received(), "hello");
}

std::string pattern(SimRandom& random, std::size_t bytes) {
  std::string text(bytes, ' ');
  for (char& byte : text) {
    byte = static_cast<char>('a' + random.below(26));
  }
  return text;
}

// Several clients send pieces at random times; each must get all its bytes back.
std::uint64_t echo_under_faults(std::uint64_t seed, const SimFaults& faults) {
  SimKernel kernel(seed);
  kernel.set_faults(faults);
  SimLoop loop(kernel);
  EchoServer server(loop);
  SimRandom random(seed + 1'000'000);
  std::vector<SimClient> clients;
  std::vector<std::string> sent(3);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    clients.push_back(kernel.connect(server.port()));
  }
  for (int round = 0; round < 20; ++round) {
    const std::size_t which = random.below(sent.size());
    const std::string piece = pattern(random, 1 + random.below(50'000));
    sent[which] += piece;
    clients[which].send(piece);
    for (std::size_t turns = random.below(5); turns > 0; --turns) {
      kernel.step();
    }
  }
  kernel.run_until_idle();
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(clients[i].received().size(), sent[i].size());
    EXPECT_TRUE(clients[i].received() == sent[i]);
  }
  return kernel.fingerprint();
}

TEST(LoopSim, every_byte_is_echoed_in_order_whatever_harmless_faults_a_seed_brings) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    echo_under_faults(seed, SimFaults::harmless(0.3));
    if (HasFailure()) {
      break;
    }
  }
}

TEST(LoopSim, the_same_seed_gives_the_same_run) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const SimFaults faults = SimFaults::harmless(0.2);
    EXPECT_EQ(echo_under_faults(seed, faults), echo_under_faults(seed, faults));
  }
}

TEST(LoopSim, another_seed_gives_another_run) {
  const SimFaults faults = SimFaults::harmless(0.2);
  EXPECT_NE(echo_under_faults(1, faults), echo_under_faults(2, faults));
}

TEST(LoopSim, a_reset_by_fault_is_seen_by_both_sides) {
  SimKernel kernel;
  SimLoop loop(kernel);
  EchoServer server(loop);
  SimClient client = kernel.connect(server.port());
  kernel.run_until_idle();
  kernel.set_faults({.reset = 1});
  client.send("hello");
  kernel.run_until_idle();
  EXPECT_EQ(server.connections.at(0)->broken, NetError::reset);
  EXPECT_TRUE(client.is_reset());
}

// Destroys another stream when it receives bytes.
class Assassin final : public StreamOwner {
 public:
  explicit Assassin(Loop& loop) : stream(loop, *this) {}
  void on_bytes(std::string_view /*bytes*/) override { victim.reset(); }
  void on_end() override { victim.reset(); }
  void on_drained() override {}
  void on_broken(NetError /*error*/) override { victim.reset(); }

  std::unique_ptr<Assassin> victim;
  Stream stream;
};

TEST(LoopSim, a_stream_may_be_destroyed_by_another_ones_callback_of_the_same_turn) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SimKernel kernel(seed);
    kernel.set_faults({.reordered = 0.5});
    SimLoop loop(kernel);
    SimPair of_killer = kernel.connect_pair();
    SimPair of_victim = kernel.connect_pair();
    Assassin killer(loop);
    killer.stream.open(std::move(of_killer.server));
    killer.victim = std::make_unique<Assassin>(loop);
    killer.victim->stream.open(std::move(of_victim.server));
    kernel.run_until_idle();
    of_victim.client.send("to the victim");
    of_killer.client.send("to the killer");
    kernel.run_until_idle();
    EXPECT_EQ(killer.victim, nullptr);
    EXPECT_TRUE(of_victim.client.is_closed());
  }
}

class NotingTimer final : public Timer {
 public:
  explicit NotingTimer(const SimKernel& kernel) : kernel_(kernel) {}
  void expire() override { expired_at = kernel_.now(); }
  std::optional<Instant> expired_at;

 private:
  const SimKernel& kernel_;
};

TEST(LoopSim, time_stands_still_until_it_is_moved_and_timers_expire_on_the_way) {
  SimKernel kernel;
  SimLoop loop(kernel);
  NotingTimer timer(kernel);
  const Instant start = kernel.now();
  loop.arm(timer, start + seconds(5));
  kernel.run_until_idle();
  EXPECT_EQ(kernel.now(), start);
  kernel.advance(milliseconds(4999));
  EXPECT_FALSE(timer.expired_at.has_value());
  kernel.advance(seconds(10));
  EXPECT_EQ(timer.expired_at, start + seconds(5));
  EXPECT_EQ(kernel.now(), start + milliseconds(14'999));
}

TEST(LoopSim, run_jumps_from_timer_to_timer_until_it_is_stopped) {
  SimKernel kernel;
  SimLoop loop(kernel);
  class Stopping final : public Timer {
   public:
    explicit Stopping(Loop& of) : loop_(of) {}
    void expire() override { loop_.stop(); }

   private:
    Loop& loop_;
  };
  Stopping timer(loop);
  const Instant start = kernel.now();
  loop.arm(timer, start + seconds(3600));
  loop.run();
  EXPECT_EQ(kernel.now(), start + seconds(3600));
}

TEST(LoopSim, the_wall_clock_moves_with_the_steady_one) {
  SimKernel kernel;
  SimLoop loop(kernel);
  const std::int64_t before = loop.wall_seconds();
  kernel.advance(seconds(90));
  loop.call([] {});
  EXPECT_EQ(loop.wall_seconds(), before + 90);
}

TEST(LoopSim, work_posted_by_one_loop_runs_on_the_other) {
  SimKernel kernel;
  SimLoop first(kernel);
  SimLoop second(kernel);
  Loop* ran_on = nullptr;
  first.call([&] { second.post([&] { ran_on = &Loop::current(); }); });
  EXPECT_EQ(ran_on, &second);
}

class NotingWatch final : public FdWatch {
 public:
  using FdWatch::FdWatch;
  void on_ready(Readiness what) override { told.push_back(what); }
  std::vector<Readiness> told;
};

TEST(LoopSim, a_watch_is_told_of_the_readiness_that_it_wants) {
  SimKernel kernel;
  SimLoop loop(kernel);
  NotingWatch watch(loop);
  watch.watch(5, Readiness::readable);
  kernel.make_ready(5, Readiness::writable);
  kernel.make_ready(6, Readiness::readable);
  kernel.run_until_idle();
  EXPECT_TRUE(watch.told.empty());
  kernel.make_ready(5, Readiness::both);
  kernel.run_until_idle();
  EXPECT_EQ(watch.told, std::vector{Readiness::readable});
  kernel.make_ready(5, Readiness::readable);
  watch.stop();
  kernel.run_until_idle();
  EXPECT_EQ(watch.told.size(), 1U);
}

}  // namespace
}  // namespace eider
