// Memory limits for the waiting output of all connections of a loop.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "eider/server/test_making_server.h"

namespace eider::detail::server::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(WaitingOutput, of_slow_readers_is_bounded_whoever_owns_it) {
  for (const std::string_view path : {"/string", "/shared", "/view"}) {
    MakingServer server({.waiting_bytes_max = kBudgetBytes});
    const std::vector<SimClient> clients = server.begin(path, 50);
    EXPECT_EQ(resets_of(clients), 0) << path << ": no client has had time to read";
    for (int look = 0; look < 100; ++look) {
      EXPECT_LE(server.held(), kBudgetBytes + kBodyBytes) << path;
      server.kernel.advance(milliseconds(250));
    }
    EXPECT_GT(server.held(), kBudgetBytes / 4) << path;
    EXPECT_GE(resets_of(clients), 40) << path;
  }
}

TEST(WaitingOutput, is_given_back_when_clients_leave_or_have_read_it) {
  MakingServer server({.waiting_bytes_max = kBudgetBytes});
  {
    std::vector<SimClient> clients = server.begin("/string", 5);
    EXPECT_GE(server.held(), 5 * (kBodyBytes - 2 * kWindow));
    clients.front().set_window(kBodyBytes * 2);
    (void)clients.front().take_received();
    server.kernel.run_until_idle();
    EXPECT_LT(server.held(), 5 * kBodyBytes);
  }
  server.kernel.run_until_idle();
  EXPECT_EQ(server.held(), 0U);
}

TEST(WaitingOutput, a_client_that_reads_is_kept_when_others_are_cut_off) {
  MakingServer server({.waiting_bytes_max = kBudgetBytes});
  SimClient reader = server.begin("/string");
  std::string received;
  std::vector<SimClient> idle;
  for (int count = 0; count < 40; ++count) {
    idle.push_back(server.begin("/string"));
    server.kernel.advance(milliseconds(300));
    received += reader.take_received();
    server.kernel.run_until_idle();
    EXPECT_FALSE(reader.is_reset()) << count;
  }
  EXPECT_GE(resets_of(idle), 30);
  for (int piece = 0; piece < 200; ++piece) {
    received += reader.take_received();
    server.kernel.run_until_idle();
  }
  EXPECT_EQ(read_responses(received).at(0).body.size(), kBodyBytes);
}

TEST(WaitingOutput, one_response_may_be_larger_than_the_budget) {
  MakingServer server({.waiting_bytes_max = kBudgetBytes});
  SimClient client = server.begin("/large");
  EXPECT_FALSE(client.is_reset());
  client.set_window(10 * kBudgetBytes);
  std::string received = client.take_received();
  server.kernel.run_until_idle();
  received += client.take_received();
  EXPECT_EQ(read_responses(received).at(0).body.size(), 3 * kBudgetBytes);
}

/// Eight clients that read 600 bytes per second for a minute.
int resets_at_600_bytes_per_second(std::size_t budget_bytes) {
  MakingServer server({.waiting_bytes_max = budget_bytes});
  std::vector<SimClient> clients = server.begin("/string", 8);
  for (SimClient& client : clients) {
    client.set_window(600);
  }
  for (int second = 0; second < 60; ++second) {
    for (SimClient& client : clients) {
      (void)client.take_received();
    }
    server.kernel.advance(seconds(1));
  }
  return resets_of(clients);
}

TEST(WaitingOutput, from_half_a_budget_on_clients_have_to_read_faster) {
  EXPECT_EQ(resets_at_600_bytes_per_second(100 * kBudgetBytes), 0);
  const int resets = resets_at_600_bytes_per_second(kBudgetBytes);
  EXPECT_GE(resets, 3) << "until half of the budget is free";
  EXPECT_LT(resets, 8);
}

TEST(WaitingOutput, may_be_bounded_anew_while_the_server_runs) {
  MakingServer server({.waiting_bytes_max = 100 * kBudgetBytes});
  const std::vector<SimClient> clients = server.begin("/string", 20);
  EXPECT_EQ(resets_of(clients), 0);
  server.loop().post([&] { server.worker().take({.waiting_bytes_max = kBudgetBytes}); });
  server.kernel.run_until_idle();
  const SimClient next = server.begin("/string");
  server.kernel.advance(milliseconds(300));
  EXPECT_LE(server.held(), kBudgetBytes);
  EXPECT_GE(resets_of(clients), 10);
}

}  // namespace
}  // namespace eider::detail::server::test
