// Each deadline of an HTTP/2 connection and of its streams ends what it is for, and nothing before.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/support/h2_server.h"

namespace eider::detail::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(H2Time, an_idle_connection_is_told_and_closed) {
  H2Server server({.idle = seconds(75)});
  SimClient client = server.connect(get(1, "/plain"));
  server.kernel.advance(seconds(74));
  EXPECT_FALSE(has_goaway(client.received()));
  server.kernel.advance(seconds(3));
  EXPECT_TRUE(has_goaway(client.received()));
  EXPECT_TRUE(client.is_closed());
}

TEST(H2Time, a_connection_that_waits_for_its_answer_is_not_idle) {
  H2Server server({.idle = seconds(5)});
  SimClient client = server.connect(get(1, "/wait?20000"));
  server.kernel.advance(seconds(21));
  EXPECT_EQ(received_on(client.received(), 1).content, "waited");
  EXPECT_FALSE(client.is_closed());
  server.kernel.advance(seconds(8));
  EXPECT_TRUE(client.is_closed());
}

TEST(H2Time, a_preface_that_stops_is_a_slow_head) {
  H2Server server({.head = seconds(10)});
  SimClient client = server.connect_only();
  client.send(h2::kPreface.substr(0, 20));
  server.kernel.advance(seconds(11));
  EXPECT_TRUE(client.is_closed());
}

TEST(H2Time, a_head_that_stops_ends_the_connection) {
  H2Server server({.head = seconds(10)});
  SimClient client = server.connect(frame(Type::headers, 0, 1, head("GET", "/plain")));
  server.kernel.advance(seconds(9));
  EXPECT_FALSE(has_goaway(client.received()));
  server.kernel.advance(seconds(5));
  EXPECT_TRUE(has_goaway(client.received()));
}

TEST(H2Time, content_that_stops_is_a_408_and_others_go_on) {
  H2Server server({.body = seconds(30), .linger = seconds(5)});
  SimClient client = server.connect(post(1, "/echo") + frame(Type::data, 0, 1, "x"));
  server.kernel.advance(seconds(29));
  EXPECT_FALSE(received_on(client.received(), 1).has_head);
  server.kernel.advance(seconds(3));
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
  EXPECT_FALSE(received_on(client.received(), 1).is_reset);
  server.kernel.advance(seconds(7));
  EXPECT_TRUE(received_on(client.received(), 1).is_reset);
  client.send(get(3, "/plain"));
  server.kernel.run_until_idle();
  EXPECT_EQ(received_on(client.received(), 3).content, "hello");
}

TEST(H2Time, content_above_the_least_rate_is_waited_for) {
  H2Server server({.body = seconds(30), .bytes_per_second_min = 512});
  SimClient client = server.connect(post(1, "/echo"));
  for (int second = 0; second < 100; ++second) {
    client.send(frame(Type::data, 0, 1, std::string(600, 'x')));
    server.kernel.advance(seconds(1));
  }
  client.send(frame(Type::data, kEndStream, 1));
  server.kernel.run_until_idle();
  EXPECT_EQ(received_on(client.received(), 1).content.size(), 60'000U);
}

TEST(H2Time, a_stream_without_a_window_is_reset_and_others_go_on) {
  H2Server server({.write = seconds(30)});
  SimClient client = server.connect(get(1, "/big?200000"));
  server.kernel.advance(seconds(25));
  EXPECT_EQ(received_on(client.received(), 1).content.size(), 65'535U);
  EXPECT_FALSE(received_on(client.received(), 1).is_reset);
  server.kernel.advance(seconds(40));
  EXPECT_TRUE(received_on(client.received(), 1).is_reset);
  client.send(window_update(0, 100'000) + get(3, "/plain"));
  server.kernel.run_until_idle();
  EXPECT_EQ(received_on(client.received(), 3).content, "hello");
}

TEST(H2Time, a_window_that_opens_byte_by_byte_is_no_window) {
  H2Server server({.write = seconds(30), .bytes_per_second_min = 512});
  SimClient client = server.connect(get(1, "/big?200000"));
  for (int second = 0; second < 70; ++second) {
    client.send(window_update(1, 1) + window_update(0, 1));
    server.kernel.advance(seconds(1));
  }
  EXPECT_TRUE(received_on(client.received(), 1).is_reset);
}

TEST(H2Time, a_slow_reader_above_the_least_rate_is_served) {
  H2Server server({.write = seconds(30), .bytes_per_second_min = 512});
  SimClient client = server.connect(get(1, "/big?200000"));
  for (int second = 0; second < 150; ++second) {
    client.send(window_update(1, 1000) + window_update(0, 1000));
    server.kernel.advance(seconds(1));
  }
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
  EXPECT_EQ(received_on(client.received(), 1).content.size(), 200'000U);
}

TEST(H2Time, a_socket_that_takes_nothing_is_reset) {
  H2Server server({.write = seconds(30)});
  SimClient client = server.connect(initial_window(1 << 30) + window_update(0, 1 << 30));
  client.set_window(1000);
  client.send(get(1, "/big?2000000"));
  server.kernel.advance(seconds(25));
  EXPECT_FALSE(client.is_reset());
  server.kernel.advance(seconds(60));
  EXPECT_TRUE(client.is_reset());
}

TEST(H2Time, a_drained_connection_ends_when_its_requests_have) {
  H2Server server;
  SimClient client = server.connect(get(1, "/wait?3000"));
  server.drain(seconds(10));
  server.kernel.advance(seconds(2));
  EXPECT_TRUE(has_goaway(client.received()));
  EXPECT_FALSE(client.is_closed());
  server.kernel.advance(milliseconds(1500));
  EXPECT_EQ(received_on(client.received(), 1).content, "waited");
  EXPECT_TRUE(client.is_closed());
}

TEST(H2Time, who_leaves_has_its_requests_cancelled) {
  H2Server server;
  {
    const SimClient client = server.connect(get(1, "/wait?60000") + get(3, "/wait?60000"));
    EXPECT_EQ(server.service.running, 2);
  }
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.cancelled, 2);
  EXPECT_EQ(server.worker().in_flight(), 0U);
}

}  // namespace
}  // namespace eider::detail::test
