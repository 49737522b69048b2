// Streamed bodies over HTTP/2, in both directions, and how each of them ends.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/sim/streaming_service.h"
#include "tests/support/h2_server.h"

namespace eider::detail::http2::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using StreamingServer = H2ServerOf<StreamingService>;

std::string wide() {
  return initial_window(1 << 30) + window_update(0, 1 << 30);
}

TEST(H2Content, is_made_while_it_is_sent) {
  StreamingServer server;
  for (const std::string_view path :
       {"/make?300500", "/sized?300500", "/trailer?300500", "/plain-make?300500"}) {
    SimClient client = server.connect(wide() + get(1, path));
    server.kernel.run_until_idle();
    const Received all = received_on(client.received(), 1);
    EXPECT_EQ(all.content, std::string(300'500, 'p')) << path;
    EXPECT_TRUE(all.is_whole) << path;
    EXPECT_FALSE(all.is_reset) << path;
  }
  EXPECT_EQ(server.worker().in_flight(), 0U);
}

TEST(H2Content, of_no_bytes_is_a_response_too) {
  StreamingServer server;
  SimClient client = server.connect(get(1, "/make?0") + get(3, "/sized?0"));
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
  EXPECT_TRUE(received_on(client.received(), 3).is_whole);
}

// Each byte is read immediately, which does not restart the time limit.
TEST(H2Content, of_a_request_that_trickles_fails_the_handler) {
  StreamingServer server({.body = seconds(2)});
  SimClient client = server.connect(post(1, "/count"));
  for (int byte = 0; byte < 10; ++byte) {
    client.send(frame(Type::data, 0, 1, "x"));
    server.kernel.advance(milliseconds(500));
  }
  EXPECT_TRUE(received_on(client.received(), 1).has_head);
}

TEST(H2Content, of_a_request_has_the_fields_that_come_behind_it) {
  StreamingServer server;
  SimClient client = server.connect(
      post(1, "/count") + frame(Type::data, 0, 1, "hello") +
      frame(Type::headers, kEndHeaders | kEndStream, 1, literal("x-sum", "6") + literal("x", "")));
  server.kernel.run_until_idle();
  EXPECT_EQ(received_on(client.received(), 1).content, "5");
  EXPECT_EQ(server.service.trailers, "x-sum=6|x=|");
}

TEST(H2Content, of_a_request_has_no_more_of_them_than_fit) {
  StreamingServer server;
  std::string much;
  for (int count = 0; count < 90; ++count) {
    much += literal("x", std::string(100, 'y'));
  }
  SimClient client =
      server.connect(post(1, "/count") + frame(Type::data, 0, 1, "hello") +
                     frame(Type::headers, kEndHeaders | kEndStream, 1, much) + get(3, "/"));
  server.kernel.run_until_idle();
  EXPECT_TRUE(received_on(client.received(), 1).is_reset);
  EXPECT_TRUE(received_on(client.received(), 3).is_whole);
  EXPECT_EQ(server.service.trailers, "");
}

TEST(H2Content, has_its_trailers_behind_it) {
  StreamingServer server;
  SimClient client = server.connect(get(1, "/trailer?10"));
  const auto frames = frames_of(client.received());
  ASSERT_EQ(frames.back().type, Type::headers);
  EXPECT_EQ(frames.back().flags, kEndHeaders | kEndStream);
  EXPECT_EQ(received_on(client.received(), 1).content.size(), 10U);
}

TEST(H2Content, waits_for_the_window_and_holds_little_meanwhile) {
  StreamingServer server;
  SimClient client = server.connect(get(1, "/make?5000000"));
  EXPECT_EQ(received_on(client.received(), 1).content.size(), 65'535U);
  for (int count = 0; count < 100 && !received_on(client.received(), 1).is_whole; ++count) {
    client.send(window_update(0, 60'000) + window_update(1, 60'000));
    server.kernel.run_until_idle();
  }
  EXPECT_EQ(received_on(client.received(), 1).content.size(), 5'000'000U);
}

TEST(H2Content, that_fails_is_an_error_or_a_reset_stream) {
  StreamingServer server;
  SimClient client = server.connect(wide() + get(1, "/throw-first") + get(3, "/throw-later?3000") +
                                    get(5, "/short?3000") + get(7, "/make?5"));
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
  EXPECT_TRUE(received_on(client.received(), 3).is_reset);
  EXPECT_FALSE(received_on(client.received(), 3).is_whole);
  EXPECT_TRUE(received_on(client.received(), 5).is_reset);
  EXPECT_EQ(received_on(client.received(), 7).content, "ppppp");
  EXPECT_EQ(server.worker().in_flight(), 0U);
}

TEST(H2Content, is_not_made_for_a_client_that_has_left) {
  StreamingServer server;
  SimClient client =
      server.connect(window_update(0, 1 << 20) + get(1, "/ticks") + get(3, "/make?5000000"));
  server.kernel.advance(milliseconds(35));
  EXPECT_EQ(received_on(client.received(), 1).content, "tick\ntick\ntick\ntick\n");
  client.send(frame(Type::rst_stream, 0, 1, word(8)) + frame(Type::rst_stream, 0, 3, word(8)));
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.contents_ended, 2);
  EXPECT_EQ(server.worker().in_flight(), 0U);
}

TEST(H2Content, without_an_end_ends_when_the_server_stops) {
  StreamingServer server;
  SimClient client = server.connect(get(1, "/ticks"));
  server.drain(seconds(10));
  server.kernel.advance(seconds(3));
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
  EXPECT_TRUE(client.is_closed());
}

TEST(H2Content, without_an_end_ends_when_it_begins_while_the_server_stops) {
  StreamingServer server;
  SimClient client = server.connect();
  server.drain(seconds(10));
  server.kernel.advance(milliseconds(70));
  client.send(get(1, "/ticks"));
  server.kernel.advance(seconds(3));
  EXPECT_TRUE(received_on(client.received(), 1).content.starts_with("tick"));
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
}

TEST(H2Content, is_credited_only_when_it_is_taken) {
  StreamingServer server;
  SimClient client = server.connect(post(1, "/count-slowly?1000"));
  client.send(frame(Type::data, 0, 1, std::string(16'000, 'x')) +
              frame(Type::data, 0, 1, std::string(16'000, 'x')) +
              frame(Type::data, 0, 1, std::string(16'000, 'x')));
  server.kernel.run_until_idle();
  const auto credits = [&client] {
    return std::ranges::count_if(frames_of(client.received()), [](const Frame& one) {
      return one.type == Type::window_update && one.stream == 1;
    });
  };
  EXPECT_EQ(credits(), 0);
  server.kernel.advance(seconds(5));
  EXPECT_GT(credits(), 0);
  client.send(frame(Type::data, kEndStream, 1, "x"));
  server.kernel.advance(seconds(5));
  EXPECT_EQ(received_on(client.received(), 1).content, "48001");
}

TEST(H2Content, beyond_the_bound_is_told_to_the_handler) {
  StreamingServer server;
  SimClient client = server.connect(post(1, "/count"));
  for (int count = 0; count < 700 && !received_on(client.received(), 1).is_whole; ++count) {
    client.send(frame(Type::data, 0, 1, std::string(16'000, 'x')));
    server.kernel.run_until_idle();
  }
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
  EXPECT_NE(received_on(client.received(), 1).content.find("large"), std::string::npos);
}

TEST(H2Content, that_is_not_wanted_does_not_keep_the_response) {
  StreamingServer server;
  SimClient client = server.connect(post(1, "/refuse"));
  EXPECT_EQ(received_on(client.received(), 1).content, "no");
  client.send(frame(Type::data, 0, 1, std::string(10'000, 'x')) +
              frame(Type::data, kEndStream, 1, "x") + get(3, "/make?1"));
  server.kernel.run_until_idle();
  EXPECT_EQ(received_on(client.received(), 3).content, "p");
}

TEST(H2Content, of_another_protocol_is_not_to_be_had) {
  StreamingServer server;
  SimClient client = server.connect(get(1, "/shout") + get(3, "/wait-shout") + get(5, "/hints"));
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
  EXPECT_TRUE(received_on(client.received(), 3).is_whole);
  EXPECT_TRUE(received_on(client.received(), 5).is_whole);
}

TEST(H2Content, survives_whatever_the_kernel_does) {
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    StreamingServer server;
    server.kernel.set_faults(SimFaults::harmless(0.3));
    SimClient client = server.connect(
        wide() + get(1, "/make?200000") + get(3, "/sized?200000") + post(5, "/count") +
        frame(Type::data, 0, 5, std::string(16'000, 'x')) + frame(Type::data, kEndStream, 5));
    server.kernel.advance(milliseconds(100));
    ASSERT_EQ(received_on(client.received(), 1).content.size(), 200'000U) << seed;
    ASSERT_EQ(received_on(client.received(), 3).content.size(), 200'000U) << seed;
    ASSERT_EQ(received_on(client.received(), 5).content, "16000") << seed;
  }
}

TEST(H2Content, that_the_loop_has_no_room_for_is_refused) {
  H2Server server({.bodies_bytes_max = 60'000});
  SimClient client = server.connect(post(1, "/echo") + post(3, "/echo"));
  for (const std::uint32_t stream : {1U, 3U}) {
    for (int part = 0; part < 3; ++part) {
      client.send(frame(Type::data, 0, stream, std::string(16'000, 'x')));
    }
  }
  client.send(frame(Type::data, kEndStream, 1));
  server.kernel.run_until_idle();
  EXPECT_EQ(received_on(client.received(), 1).content.size(), 48'000U);
  EXPECT_TRUE(received_on(client.received(), 3).content.contains("busy"));
}

}  // namespace
}  // namespace eider::detail::http2::test
