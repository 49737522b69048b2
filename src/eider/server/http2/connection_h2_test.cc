// HTTP/2 connections on a simulated loop: responses, kept connections, and closed ones.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/h2_server.h"

namespace eider::detail::http2::test {
namespace {

TEST(H2Connection, is_recognised_however_its_preface_is_cut) {
  const std::string all =
      std::string(h2::kPreface) + frame(Type::settings, 0, 0) + get(1, "/plain");
  H2Server server;
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    SimClient client = server.connect_only();
    client.send(std::string_view(all).substr(0, cut));
    server.kernel.run_until_idle();
    client.send(std::string_view(all).substr(cut));
    server.kernel.run_until_idle();
    ASSERT_EQ(received_on(client.received(), 1).content, "hello") << cut;
  }
}

TEST(H2Connection, is_not_what_begins_with_the_same_letters_however_that_is_cut) {
  const std::string_view all = "POST /echo HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx";
  H2Server server;
  for (std::size_t cut = 1; cut < all.size(); ++cut) {
    SimClient client = server.connect_only();
    client.send(all.substr(0, cut));
    server.kernel.run_until_idle();
    client.send(all.substr(cut));
    server.kernel.run_until_idle();
    ASSERT_TRUE(client.received().starts_with("HTTP/1.1 200 OK")) << cut;
  }
}

TEST(H2Connection, may_send_more_after_the_refusal_of_a_request_that_began_like_a_preface) {
  H2Server server;
  for (const std::string_view more : {"x", "GET / HTTP/1.1\r\nHost: h\r\n\r\n"}) {
    SimClient client = server.connect_only();
    client.send("P");
    server.kernel.run_until_idle();
    client.send("ATCH bad\r\n\r\n");
    server.kernel.run_until_idle();
    EXPECT_TRUE(client.received().starts_with("HTTP/1.1 400 ")) << client.received();
    client.send(more);
    server.kernel.run_until_idle();
    EXPECT_FALSE(client.is_reset());
  }
}

TEST(H2Connection, that_never_gets_to_its_prefaces_end_is_told_so_in_the_time_of_a_head) {
  H2Server server({.head = std::chrono::seconds(10)});
  SimClient slow = server.connect_only();
  slow.send(h2::kPreface.substr(0, 3));
  SimClient gone = server.connect_only();
  gone.send(h2::kPreface.substr(0, 3));
  gone.half_close();
  server.kernel.run_until_idle();
  EXPECT_TRUE(gone.is_closed());
  server.kernel.advance(std::chrono::seconds(11));
  EXPECT_TRUE(slow.received().starts_with("HTTP/1.1 408 ")) << slow.received();
}

TEST(H2Connection, is_not_what_begins_behind_a_request_of_http_1) {
  H2Server server;
  SimClient client = server.connect_only();
  client.send("GET /plain HTTP/1.1\r\nHost: h\r\n\r\n" + std::string(h2::kPreface));
  server.kernel.run_until_idle();
  EXPECT_NE(client.received().find("HTTP/1.1 501"), std::string_view::npos);
}

SimClient connect_for(H2Server& server, HttpVersions versions) {
  const auto at = server.worker().listen(*SocketAddress::parse("127.0.0.1", 0),
                                         {.sharing = PortSharing::shared}, {.versions = versions});
  return server.kernel.connect(at.value().address.port());
}

TEST(H2Connection, is_the_only_one_at_an_address_for_http_2) {
  constexpr std::string_view kRequest = "POST /echo HTTP/1.1\r\nHost: h\r\n\r\n";
  H2Server server;
  SimClient client = connect_for(server, HttpVersions::http2);
  client.send(std::string(h2::kPreface) + frame(Type::settings, 0, 0) + get(1, "/plain"));
  server.kernel.run_until_idle();
  EXPECT_EQ(received_on(client.received(), 1).content, "hello");
  for (std::size_t cut = 0; cut < kRequest.size(); ++cut) {
    SimClient other = connect_for(server, HttpVersions::http2);
    other.send(kRequest.substr(0, cut));
    server.kernel.run_until_idle();
    other.send(kRequest.substr(cut));
    other.half_close();
    server.kernel.run_until_idle();
    ASSERT_TRUE(other.received().starts_with("HTTP/1.1 505 ")) << cut << other.received();
    ASSERT_TRUE(other.is_closed()) << cut;
  }
  EXPECT_EQ(server.service.answered, 1);
  SimClient health_check = connect_for(server, HttpVersions::http2);
  health_check.half_close();
  server.kernel.run_until_idle();
  EXPECT_EQ(health_check.received(), "");
  EXPECT_TRUE(health_check.is_closed());
}

TEST(H2Connection, is_rejected_at_an_address_for_http_1) {
  H2Server server;
  SimClient client = connect_for(server, HttpVersions::http1);
  client.send("GET /plain HTTP/1.1\r\nHost: h\r\n\r\n");
  server.kernel.run_until_idle();
  EXPECT_TRUE(client.received().starts_with("HTTP/1.1 200 ")) << client.received();
  SimClient other = connect_for(server, HttpVersions::http1);
  other.send(std::string(h2::kPreface) + frame(Type::settings, 0, 0) + get(1, "/plain"));
  server.kernel.run_until_idle();
  EXPECT_TRUE(other.received().starts_with("HTTP/1.1 501 ")) << other.received();
  EXPECT_EQ(server.service.answered, 1);
}

TEST(H2Connection, answers_many_requests_of_every_kind_at_once) {
  H2Server server;
  SimClient client =
      server.connect(get(1, "/wait?50") + get(3, "/plain") + get(5, "/wait-now") +
                     post(7, "/echo") + get(9, "/status?204") + get(11, "/wait-throw") +
                     get(13, "/big?3") + frame(Type::data, kEndStream, 7, "content"));
  EXPECT_FALSE(received_on(client.received(), 1).has_head);
  server.kernel.advance(std::chrono::milliseconds(60));
  EXPECT_EQ(received_on(client.received(), 1).content, "waited");
  EXPECT_EQ(received_on(client.received(), 3).content, "hello");
  EXPECT_EQ(received_on(client.received(), 5).content, "waited");
  EXPECT_EQ(received_on(client.received(), 7).content, "content");
  EXPECT_TRUE(received_on(client.received(), 9).is_whole);
  EXPECT_EQ(received_on(client.received(), 9).content, "");
  EXPECT_TRUE(received_on(client.received(), 11).is_whole);
  EXPECT_EQ(received_on(client.received(), 13).content, "bbb");
  EXPECT_EQ(server.worker().requests(), 7U);
  EXPECT_EQ(server.worker().in_flight(), 0U);
}

TEST(H2Connection, serves_nothing_that_was_taken_back_in_the_same_breath) {
  H2Server server;
  const SimClient client =
      server.connect(get(1, "/plain") + frame(Type::rst_stream, 0, 1, word(8)) + get(3, "/plain"));
  EXPECT_EQ(server.service.answered, 1);
  EXPECT_EQ(received_on(client.received(), 3).content, "hello");
}

TEST(H2Connection, answers_a_hundred_requests_that_come_at_once) {
  constexpr std::uint32_t kLast = 199;
  H2Server server;
  std::string requests;
  for (std::uint32_t stream = 1; stream <= kLast; stream += 2) {
    requests += get(stream, stream % 10 == 5 ? "/wait-now" : stream == 7 ? "/wait?50" : "/plain");
  }
  SimClient client = server.connect(requests);
  std::uint32_t latest = 0;
  for (const Frame& one : frames_of(client.received())) {
    if (one.type == Type::data) {
      EXPECT_LT(latest, one.stream);
      latest = one.stream;
    }
  }
  EXPECT_EQ(latest, kLast);
  EXPECT_FALSE(received_on(client.received(), 7).has_head);
  server.kernel.advance(std::chrono::milliseconds(60));
  for (std::uint32_t stream = 1; stream <= kLast; stream += 2) {
    const bool waits = stream % 10 == 5 || stream == 7;
    ASSERT_EQ(received_on(client.received(), stream).content, waits ? "waited" : "hello") << stream;
  }
  EXPECT_EQ(server.worker().requests(), 100U);
  EXPECT_EQ(server.worker().in_flight(), 0U);
}

TEST(H2Connection, serves_none_of_many_that_are_taken_back_in_the_same_breath) {
  H2Server server;
  std::string requests;
  std::string resets;
  for (std::uint32_t stream = 1; stream < 80; stream += 2) {
    requests += get(stream, "/plain");
    resets += frame(Type::rst_stream, 0, stream, word(8));
  }
  const SimClient client = server.connect(requests + resets + get(81, "/plain"));
  EXPECT_EQ(server.service.answered, 1);
  EXPECT_EQ(received_on(client.received(), 81).content, "hello");
}

TEST(H2Connection, cancels_what_is_taken_back) {
  H2Server server;
  SimClient client = server.connect(get(1, "/wait?60000"));
  EXPECT_EQ(server.service.running, 1);
  client.send(frame(Type::rst_stream, 0, 1, word(8)));
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.cancelled, 1);
  EXPECT_FALSE(client.is_closed());
}

TEST(H2Connection, refuses_what_is_too_large_and_goes_on) {
  H2Server server;
  const std::string length = literal("content-length", "1000000");
  SimClient client =
      server.connect(frame(Type::headers, kEndHeaders, 1, head("POST", "/echo") + length));
  EXPECT_TRUE(received_on(client.received(), 1).is_whole);
  EXPECT_EQ(server.service.refused, 1);
  client.send(post(3, "/echo"));
  for (int count = 0; count < 40; ++count) {
    client.send(frame(Type::data, 0, 3, std::string(10'000, 'x')));
    server.kernel.run_until_idle();
  }
  EXPECT_EQ(server.service.refused, 2);
  client.send(get(5, "/plain"));
  server.kernel.run_until_idle();
  EXPECT_EQ(received_on(client.received(), 5).content, "hello");
}

TEST(H2Connection, answers_503_beyond_the_requests_in_flight) {
  H2Server server({.in_flight_max = 2});
  SimClient client = server.connect(get(1, "/wait?10") + get(3, "/wait?10") + get(5, "/wait?10") +
                                    get(7, "/plain"));
  EXPECT_TRUE(received_on(client.received(), 5).is_whole);
  EXPECT_EQ(server.service.refused, 1);
  EXPECT_EQ(received_on(client.received(), 7).content, "hello");
  server.kernel.advance(std::chrono::milliseconds(20));
  EXPECT_EQ(received_on(client.received(), 3).content, "waited");
}

TEST(H2Connection, keeps_the_bounds_of_heads_that_it_has_told_when_others_come) {
  H2Server server({.target_bytes_max = 5});
  SimClient before = server.connect();
  server.worker().take({.in_flight_max = 1});
  SimClient behind = server.connect(get(1, "/plain"));
  EXPECT_EQ(received_on(behind.received(), 1).content, "hello");
  before.send(get(1, "/plain"));
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.refused, 1);
  behind.send(get(3, "/wait?10") + get(5, "/wait?10"));
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.refused, 2) << "the bound of requests holds at once";
}

TEST(H2Connection, makes_no_response_while_too_many_wait_to_leave) {
  H2Server server({}, {.held_bytes_max = 100'000});
  std::string requests = initial_window(0);
  for (std::uint32_t stream = 1; stream < 100; stream += 2) {
    requests += get(stream, "/big?60000");
  }
  SimClient client = server.connect(requests);
  EXPECT_EQ(server.service.answered, 2);
  client.send(initial_window(1 << 30) + window_update(0, 1 << 30));
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.answered, 50);
  EXPECT_EQ(received_on(client.received(), 99).content.size(), 60'000U);
}

TEST(H2Connection, gathers_one_content_after_the_other_when_there_is_much) {
  H2Server server({}, {.gathered_bytes_max = 100'000});
  SimClient client = server.connect();
  constexpr std::uint32_t kLast = 19;
  for (std::uint32_t stream = 1; stream <= kLast; stream += 2) {
    client.send(post(stream, "/echo") + frame(Type::data, 0, stream, std::string(16'000, 'a')) +
                frame(Type::data, 0, stream, std::string(16'000, 'b')));
    server.kernel.run_until_idle();
  }
  const auto credits = [&client](std::uint32_t stream) {
    return std::ranges::count_if(frames_of(client.received()), [stream](const Frame& one) {
      return one.type == Type::window_update && one.stream == stream;
    });
  };
  EXPECT_EQ(credits(kLast), 0);
  client.send(frame(Type::data, 0, kLast, std::string(16'000, 'c')));
  for (std::uint32_t stream = 1; stream < kLast; stream += 2) {
    client.send(frame(Type::data, kEndStream, stream));
    server.kernel.run_until_idle();
  }
  EXPECT_EQ(received_on(client.received(), 1).content.size(), 32'000U);
  EXPECT_GT(credits(kLast), 0);
}

TEST(H2Connection, survives_whatever_the_kernel_does) {
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    H2Server server;
    server.kernel.set_faults(SimFaults::harmless(0.3));
    SimClient client =
        server.connect(initial_window(1 << 30) + window_update(0, 1 << 30) + get(1, "/big?300000") +
                       get(3, "/big-view?300000") + get(5, "/wait?5") + post(7, "/echo") +
                       frame(Type::data, kEndStream, 7, std::string(16'000, 'e')));
    server.kernel.advance(std::chrono::milliseconds(100));
    ASSERT_EQ(received_on(client.received(), 1).content, std::string(300'000, 'b')) << seed;
    ASSERT_EQ(received_on(client.received(), 3).content, std::string(300'000, 'v')) << seed;
    ASSERT_EQ(received_on(client.received(), 5).content, "waited") << seed;
    ASSERT_EQ(received_on(client.received(), 7).content.size(), 16'000U) << seed;
  }
}

}  // namespace
}  // namespace eider::detail::http2::test
