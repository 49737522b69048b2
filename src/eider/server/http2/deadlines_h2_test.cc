// Each deadline of an HTTP/2 connection and its streams ends only what it applies to.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/h2_server.h"

namespace eider::detail::http2::test {
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

TEST(H2Time, a_connection_that_waits_for_its_response_is_not_idle) {
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

// Everything that has begun must end. Each of these frames is cut at every byte.

struct BegunCase {
  std::string_view what;
  std::string before;
  std::string frame;
};

std::vector<BegunCase> begun_cases() {
  const std::string fields = head("GET", "/plain");
  const auto type = [](int value) { return static_cast<Type>(value); };
  return {
      {"SETTINGS", "", frame(Type::settings, 0, 0, std::string("\0\4", 2) + word(1000))},
      {"PING", "", frame(Type::ping, 0, 0, "12345678")},
      {"PRIORITY", "", frame(Type::priority, 0, 1, word(3) + "w")},
      {"PRIORITY_UPDATE", "", frame(type(0x10), 0, 0, word(1) + "u=1")},
      {"WINDOW_UPDATE", "", window_update(0, 1)},
      {"GOAWAY", "", frame(Type::goaway, 0, 0, word(0) + word(0) + "bye")},
      {"a frame that nobody knows", "", frame(type(0x70), 0, 0, "unknown")},
      {"HEADERS", "", get(1, "/plain")},
      {"HEADERS that go on", "", frame(Type::headers, 0, 1, fields)},
      {"CONTINUATION", frame(Type::headers, 0, 1, fields),
       frame(Type::continuation, 0, 1, literal("x-more", "1"))},
      {"the last CONTINUATION", frame(Type::headers, 0, 1, fields),
       frame(Type::continuation, kEndHeaders, 1, literal("x-more", "1"))},
      {"RST_STREAM", get(1, "/wait?900000"), frame(Type::rst_stream, 0, 1, word(8))},
      {"HEADERS beside a stream", get(1, "/wait?900000"), get(3, "/plain")},
      {"trailers", post(1, "/echo") + frame(Type::data, 0, 1, "x"),
       frame(Type::headers, kEndHeaders | kEndStream, 1, literal("x-more", "1"))},
  };
}

TEST(H2Time, each_frame_that_stops_ends_the_connection_in_the_time_of_a_head) {
  for (const BegunCase& each : begun_cases()) {
    for (std::size_t cut = 1; cut < each.frame.size(); ++cut) {
      H2Server server({.head = seconds(10)});
      SimClient client = server.connect(each.before + each.frame.substr(0, cut));
      server.kernel.advance(seconds(9));
      ASSERT_FALSE(has_goaway(client.received())) << each.what << " cut at " << cut;
      server.kernel.advance(seconds(4));
      ASSERT_TRUE(has_goaway(client.received())) << each.what << " cut at " << cut;
      server.kernel.advance(seconds(6));
      ASSERT_TRUE(client.is_closed()) << each.what << " cut at " << cut;
    }
  }
}

TEST(H2Time, a_frame_that_trickles_is_one_that_stops) {
  for (const BegunCase& each : begun_cases()) {
    H2Server server({.head = seconds(10)});
    SimClient client = server.connect(each.before);
    for (std::size_t at = 0; at + 1 < std::min<std::size_t>(each.frame.size(), 13); ++at) {
      client.send(each.frame.substr(at, 1));
      server.kernel.advance(seconds(1));
    }
    server.kernel.advance(seconds(10));
    EXPECT_TRUE(has_goaway(client.received())) << each.what;
  }
}

TEST(H2Time, frames_of_which_one_is_always_half_there_are_waited_for) {
  H2Server server({.head = seconds(10), .idle = seconds(75)});
  const std::string update = window_update(0, 1);
  SimClient client = server.connect(update.substr(0, 5));
  for (int second = 0; second < 60; ++second) {
    client.send(update.substr(5) + update.substr(0, 5));
    server.kernel.advance(seconds(1));
  }
  EXPECT_FALSE(has_goaway(client.received()));
  client.send(update.substr(5) + get(1, "/plain"));
  server.kernel.run_until_idle();
  EXPECT_EQ(received_on(client.received(), 1).content, "hello");
}

TEST(H2Time, a_frame_of_content_that_stops_ends_the_connection_behind_its_408) {
  const std::string data = frame(Type::data, 0, 1, std::string(10'000, 'x'));
  for (const std::size_t cut : {std::size_t{9}, std::size_t{10}, data.size() - 1}) {
    H2Server server({.head = seconds(10), .body = seconds(30)});
    SimClient client = server.connect(post(1, "/echo") + data.substr(0, cut));
    server.kernel.advance(seconds(29));
    EXPECT_FALSE(has_goaway(client.received())) << cut;
    server.kernel.advance(seconds(40));
    EXPECT_TRUE(received_on(client.received(), 1).is_whole) << cut;
    EXPECT_TRUE(has_goaway(client.received())) << cut;
    EXPECT_TRUE(client.is_closed()) << cut;
  }
}

TEST(H2Time, a_frame_of_content_that_nobody_waits_for_has_to_end_too) {
  for (const std::string& before : {get(1, "/wait?900000"), post(1, "/wait?900000")}) {
    H2Server server({.body = seconds(30)});
    const std::string data = frame(Type::data, 0, 1, std::string(10'000, 'x'));
    SimClient client = server.connect(before + data.substr(0, 5000));
    server.kernel.advance(seconds(70));
    EXPECT_TRUE(client.is_closed());
  }
}

TEST(H2Time, a_frame_of_content_may_take_as_long_as_its_bytes_at_the_least_rate) {
  H2Server server({.head = seconds(10), .body = seconds(5), .bytes_per_second_min = 512});
  SimClient client = server.connect(post(1, "/echo"));
  const std::string data = frame(Type::data, kEndStream, 1, std::string(16'000, 'x'));
  for (std::size_t at = 0; at < data.size(); at += 600) {
    client.send(std::string_view(data).substr(at, 600));
    server.kernel.advance(seconds(1));
  }
  EXPECT_FALSE(has_goaway(client.received()));
  EXPECT_EQ(received_on(client.received(), 1).content.size(), 16'000U);
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

TEST(H2Time, content_that_stops_delays_the_end_of_the_server_only_briefly) {
  H2Server server;
  SimClient client = server.connect(post(1, "/echo") + frame(Type::data, 0, 1, "x"));
  server.drain(seconds(30));
  server.kernel.advance(milliseconds(1500));
  EXPECT_FALSE(received_on(client.received(), 1).has_head);
  server.kernel.advance(milliseconds(4500));  // the byte counts as progress once
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
  server.kernel.advance(seconds(3));
  EXPECT_TRUE(client.is_closed());
}

TEST(H2Time, a_connection_that_has_asked_nothing_may_ask_once_while_the_server_stops) {
  H2Server server;
  SimClient client = server.connect();
  server.drain(seconds(10));
  server.kernel.advance(milliseconds(900));
  EXPECT_FALSE(has_goaway(client.received()));
  client.send(get(1, "/plain"));
  server.kernel.advance(milliseconds(100));
  EXPECT_TRUE(has_goaway(client.received()));
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
}

TEST(H2Time, a_connection_that_asks_nothing_is_told_to_go_all_the_same) {
  H2Server server;
  SimClient client = server.connect();
  server.drain(seconds(10));
  server.kernel.advance(seconds(2));
  EXPECT_TRUE(has_goaway(client.received()));
  server.kernel.advance(seconds(2));
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
}  // namespace eider::detail::http2::test
