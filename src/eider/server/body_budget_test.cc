// The memory limit for all bodies that one event loop collects.
#include <gtest/gtest.h>

#include <string>

#include "tests/sim/sim_server.h"

namespace eider {
namespace {

constexpr std::size_t kBudgetBytes = 100'000;

std::string post_of(std::size_t length) {
  return "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
}

TEST(BodyBudget, refuses_what_there_is_no_room_for_and_takes_it_later) {
  SimServer server({.bodies_bytes_max = kBudgetBytes});
  SimClient first = server.connect();
  first.send(post_of(80'000) + std::string(60'000, 'x'));
  server.kernel.run_until_idle();
  const std::string refused = server.exchange(post_of(80'000) + std::string(60'000, 'y'));
  EXPECT_EQ(read_responses(refused).at(0).status, 503);
  first.send(std::string(20'000, 'x'));
  server.kernel.run_until_idle();
  EXPECT_EQ(read_responses(first.received()).at(0).body, std::string(80'000, 'x'));
  SimClient later = server.connect();
  later.send(post_of(80'000) + std::string(60'000, 'z'));
  server.kernel.run_until_idle();
  later.send(std::string(20'000, 'z'));
  server.kernel.run_until_idle();
  EXPECT_EQ(read_responses(later.received()).at(0).body, std::string(80'000, 'z'));
}

TEST(BodyBudget, counts_chunked_bodies) {
  SimServer server({.bodies_bytes_max = kBudgetBytes});
  const std::string begun =
      "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nEA60\r\n" +
      std::string(60'000, 'x');
  SimClient first = server.connect();
  first.send(begun);
  server.kernel.run_until_idle();
  EXPECT_EQ(read_responses(server.exchange(begun)).at(0).status, 503);
  first.send("\r\n0\r\n\r\n");
  server.kernel.run_until_idle();
  EXPECT_EQ(read_responses(first.received()).at(0).status, 200);
}

TEST(BodyBudget, has_all_of_it_back_when_clients_leave) {
  SimServer server({.bodies_bytes_max = kBudgetBytes});
  for (int round = 0; round < 20; ++round) {
    SimClient client = server.connect();
    client.send(post_of(90'000) + std::string(80'000, 'x'));
    server.kernel.run_until_idle();
    EXPECT_EQ(client.received(), "") << "it is waited for";
    client.reset();
    server.kernel.run_until_idle();
  }
}

}  // namespace
}  // namespace eider
