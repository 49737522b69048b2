#include "eider/web/proxy/tunnel.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "eider/server/test_ws_line.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/sim_kernel.h"

namespace eider::detail::proxy {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kSmallWindow = 100;

/// A client, a tunnel and an upstream; the test controls both ends.
class TunnelTest : public ::testing::Test {
 protected:
  /// early  bytes that arrived from the upstream immediately after its 101
  explicit TunnelTest(std::string_view early = {}) {
    SimPair near = kernel_.connect_pair();
    SimPair far = kernel_.connect_pair();
    client_ = std::move(near.client);
    upstream_ = std::move(far.client);
    loop_.call([&] {
      auto end = std::make_unique<TcpStream>(loop_, std::move(far.server));
      end->unread(early);
      TunnelUpgrade upgrade(std::move(end), Load(busy_),
                            {.idle = minutes(10), .patience = seconds(30)});
      line_ = std::make_unique<testing::TestLine>(loop_, std::move(near.server), upgrade);
    });
    kernel_.run_until_idle();
  }
  void client_says(std::string_view bytes) {
    client_.send(bytes);
    kernel_.run_until_idle();
  }
  void upstream_says(std::string_view bytes) {
    upstream_.send(bytes);
    kernel_.run_until_idle();
  }
  [[nodiscard]] bool is_open() const { return !line_->is_over() && busy_ == 1; }
  /// Returns whether the tunnel is destroyed, and both ends are closed.
  [[nodiscard]] bool is_gone() const {
    return line_->is_over() && busy_ == 0 && client_.is_closed() && upstream_.is_closed();
  }

  SimKernel kernel_;
  SimLoop loop_{kernel_};
  unsigned busy_ = 0;
  SimClient client_;
  SimClient upstream_;
  std::unique_ptr<testing::TestLine> line_;
};

TEST_F(TunnelTest, bytes_go_both_ways) {
  client_says("ping");
  EXPECT_EQ(upstream_.take_received(), "ping");
  upstream_says("pong");
  EXPECT_EQ(client_.take_received(), "pong");
}

TEST_F(TunnelTest, one_on_which_nobody_speaks_ends) {
  kernel_.advance(minutes(10) - seconds(1));
  EXPECT_TRUE(is_open());
  kernel_.advance(seconds(2));
  EXPECT_TRUE(is_gone());
  EXPECT_FALSE(client_.is_reset());
}

TEST_F(TunnelTest, either_side_keeps_it_open_by_speaking) {
  for (int round = 0; round < 3; ++round) {
    kernel_.advance(minutes(9));
    client_says("a");
    kernel_.advance(minutes(9));
    upstream_says("b");
  }
  EXPECT_TRUE(is_open());
  kernel_.advance(minutes(10) + seconds(1));
  EXPECT_TRUE(is_gone());
}

TEST_F(TunnelTest, a_client_that_does_not_read_is_cut_off) {
  client_.set_window(kSmallWindow);
  upstream_says(std::string(100'000, 'x'));
  kernel_.advance(seconds(29));
  EXPECT_TRUE(is_open());
  kernel_.advance(seconds(2));
  EXPECT_TRUE(is_gone());
  EXPECT_TRUE(client_.is_reset());
}

TEST_F(TunnelTest, an_upstream_that_does_not_read_is_cut_off) {
  upstream_.set_window(kSmallWindow);
  client_says(std::string(100'000, 'x'));
  kernel_.advance(seconds(29));
  EXPECT_TRUE(is_open());
  kernel_.advance(seconds(2));
  EXPECT_TRUE(is_gone());
  EXPECT_TRUE(upstream_.is_reset());
}

TEST_F(TunnelTest, a_client_that_trickles_is_cut_off) {
  client_.set_window(kSmallWindow);
  upstream_says(std::string(100'000, 'x'));
  for (int second = 0; second < 40; ++second) {
    kernel_.advance(seconds(1));
    (void)client_.take_received();
  }
  EXPECT_TRUE(line_->is_over());
}

TEST_F(TunnelTest, a_slow_client_is_waited_for_as_long_as_it_takes_enough) {
  client_.set_window(1000);
  const std::string much(100'000, 'x');
  upstream_says(much);
  std::string got;
  for (int second = 0; second < 150 && got.size() < much.size(); ++second) {
    kernel_.advance(seconds(1));
    got += client_.take_received();
  }
  EXPECT_EQ(got, much);
  EXPECT_TRUE(is_open());
}

TEST_F(TunnelTest, a_client_that_has_caught_up_with_enough_begins_anew) {
  client_.set_window(kSmallWindow);
  upstream_says(std::string(20'000, 'x'));
  kernel_.advance(seconds(29));
  while (!client_.take_received().empty()) {
    kernel_.run_until_idle();
  }
  upstream_says(std::string(200, 'y'));
  kernel_.advance(seconds(29));
  EXPECT_TRUE(is_open());
  kernel_.advance(seconds(2));
  EXPECT_TRUE(line_->is_over());
}

TEST_F(TunnelTest, an_upstream_that_goes_on_behind_the_clients_end_is_not_waited_for) {
  client_.half_close();
  kernel_.run_until_idle();
  EXPECT_TRUE(upstream_.is_closed());
  for (int second = 0; second < 29; ++second) {
    kernel_.advance(seconds(1));
    upstream_says("x");
  }
  EXPECT_TRUE(is_open());
  EXPECT_EQ(client_.received().size(), 29U);
  kernel_.advance(seconds(2));
  EXPECT_TRUE(is_gone());
}

TEST_F(TunnelTest, the_last_words_of_an_upstream_reach_a_slow_client) {
  client_.set_window(kSmallWindow);
  upstream_.send(std::string(1000, 'x'));
  upstream_.half_close();
  std::string got;
  for (int turn = 0; turn < 20; ++turn) {
    kernel_.run_until_idle();
    got += client_.take_received();
  }
  EXPECT_EQ(got, std::string(1000, 'x'));
  EXPECT_TRUE(is_gone());
  EXPECT_FALSE(client_.is_reset());
}

TEST_F(TunnelTest, a_client_that_does_not_read_the_last_words_is_not_waited_for) {
  client_.set_window(kSmallWindow);
  upstream_says(std::string(1000, 'x'));
  upstream_.half_close();
  kernel_.advance(seconds(31));
  EXPECT_TRUE(line_->is_over());
  EXPECT_EQ(busy_, 0U);
}

TEST_F(TunnelTest, a_server_that_stops_ends_it) {
  loop_.call([&] { line_->stop(); });
  kernel_.run_until_idle();
  EXPECT_TRUE(upstream_.is_closed());
  upstream_.half_close();
  kernel_.run_until_idle();
  EXPECT_TRUE(is_gone());
}

class EarlyTunnelTest : public TunnelTest {
 protected:
  EarlyTunnelTest() : TunnelTest("hello") {}
};

TEST_F(EarlyTunnelTest, what_came_behind_the_head_comes_first) {
  upstream_says(" world");
  EXPECT_EQ(client_.take_received(), "hello world");
}

}  // namespace
}  // namespace eider::detail::proxy
