// Limits for the output of HTTP/2 responses while their clients do not read.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "eider/io/runtime/output_budget.h"
#include "tests/support/h2_server.h"

namespace eider::detail::http2::test {
namespace {

using std::chrono::seconds;

/// Returns the error code of a GOAWAY; -1: there is none.
int goaway_of(std::string_view bytes) {
  for (const Frame& one : frames_of(bytes)) {
    if (one.type == Type::goaway) {
      return static_cast<unsigned char>(one.payload.at(7));
    }
  }
  return -1;
}

constexpr int kEnhanceYourCalm = 11;

std::string gets(std::string_view path, std::uint32_t count) {
  std::string all;
  for (std::uint32_t index = 0; index < count; ++index) {
    all += get(1 + 2 * index, path);
  }
  return all;
}

TEST(H2WaitingOutput, a_second_stream_without_a_window_ends_the_connection) {
  H2Server server({.write = seconds(30)});
  SimClient client = server.connect(initial_window(0) + gets("/big?2000", 2));
  server.kernel.advance(seconds(25));
  EXPECT_EQ(goaway_of(client.received()), -1);
  server.kernel.advance(seconds(40));
  EXPECT_EQ(goaway_of(client.received()), kEnhanceYourCalm);
  server.kernel.advance(seconds(10));
  EXPECT_TRUE(client.is_closed());
}

TEST(H2WaitingOutput, one_that_is_missed_after_another_ends_it_too) {
  H2Server server({.write = seconds(30)});
  SimClient client = server.connect(initial_window(0) + get(1, "/big?2000"));
  server.kernel.advance(seconds(65));
  EXPECT_TRUE(received_on(client.received(), 1).is_reset);
  EXPECT_EQ(goaway_of(client.received()), -1) << "the first one is no reason yet";
  client.send(get(3, "/big?2000"));
  server.kernel.advance(seconds(65));
  EXPECT_EQ(goaway_of(client.received()), kEnhanceYourCalm);
}

TEST(H2WaitingOutput, the_window_of_the_connection_counts_like_that_of_a_stream) {
  H2Server server({.write = seconds(30)});
  SimClient client = server.connect(initial_window(1 << 30) + gets("/big?60000", 3));
  server.kernel.advance(seconds(65));
  EXPECT_EQ(goaway_of(client.received()), kEnhanceYourCalm);
}

TEST(H2WaitingOutput, a_hundred_streams_without_a_window_have_one_span) {
  H2Server server({.write = seconds(30)});
  SimClient client = server.connect(initial_window(0) + gets("/big?65536", 100));
  server.kernel.advance(seconds(35));
  EXPECT_EQ(goaway_of(client.received()), kEnhanceYourCalm);
  server.kernel.advance(seconds(10));
  EXPECT_TRUE(client.is_closed());
}

TEST(H2WaitingOutput, a_slow_reader_of_many_streams_is_served) {
  H2Server server({.write = seconds(30), .bytes_per_second_min = 512});
  SimClient client = server.connect(initial_window(0) + gets("/big?60000", 3));
  for (int second = 0; second < 70; ++second) {
    client.send(window_update(1, 1000) + window_update(3, 1000) + window_update(5, 1000) +
                window_update(0, 3000));
    server.kernel.advance(seconds(1));
  }
  EXPECT_EQ(goaway_of(client.received()), -1);
  for (const std::uint32_t stream : {1U, 3U, 5U}) {
    EXPECT_EQ(received_on(client.received(), stream).content.size(), 60'000U);
  }
}

TEST(H2WaitingOutput, of_all_connections_is_bounded) {
  constexpr std::size_t kBudgetBytes = 1'000'000;
  for (const char* path : {"/big?65536", "/big?200000"}) {
    H2Server server({.waiting_bytes_max = kBudgetBytes});
    std::vector<SimClient> clients;
    for (int count = 0; count < 30; ++count) {
      clients.push_back(server.connect(initial_window(0) + gets(path, 100)));
    }
    server.kernel.run_until_idle();
    EXPECT_LE(server.held(), 2 * kBudgetBytes) << path << ": the clients have had no time to read";
    server.kernel.advance(std::chrono::milliseconds(300));
    EXPECT_LE(server.held(), kBudgetBytes) << path;
    // Connections that were cut off use no memory; each other one continues with at least one
    // response.
    const auto gone =
        std::ranges::count_if(clients, [](const SimClient& client) { return client.is_closed(); });
    EXPECT_GE(gone, 10) << path;
    EXPECT_LT(gone, 30) << path;
  }
}

TEST(H2WaitingOutput, a_body_of_which_one_byte_waits_counts_whole) {
  H2Server server;
  SimClient client = server.connect(initial_window(0) + get(1, "/big?60000"));
  EXPECT_GE(server.held(), 60'000U);
  client.send(window_update(1, 59'999));
  server.kernel.run_until_idle();
  EXPECT_EQ(received_on(client.received(), 1).content.size(), 59'999U);
  EXPECT_GE(server.held(), 60'000U);
  client.send(window_update(1, 1));
  server.kernel.run_until_idle();
  EXPECT_EQ(server.held(), 0U);
}

}  // namespace
}  // namespace eider::detail::http2::test
