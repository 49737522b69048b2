// Response bodies over HTTP/1.1, interim responses, and upgrades to other protocols.
#include <gtest/gtest.h>

#include <string>

#include "eider/server/connection.h"
#include "tests/sim/sim_server.h"
#include "tests/sim/streaming_service.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using StreamingServer = SimServerOf<StreamingService>;

/// Returns the body of a chunked response, or std::nullopt if it has no end.
std::optional<std::string> unchunked(std::string_view response) {
  std::string all;
  std::size_t at = response.find("\r\n\r\n") + 4;
  while (true) {
    const std::size_t line_end = response.find("\r\n", at);
    if (line_end == std::string_view::npos) {
      return std::nullopt;
    }
    const std::size_t bytes =
        std::stoul(std::string(response.substr(at, line_end - at)), nullptr, 16);
    if (bytes == 0) {
      return all;
    }
    all.append(response.substr(line_end + 2, bytes));
    at = line_end + 2 + bytes + 2;
  }
}

TEST(ProducedContent, is_chunked_when_its_length_is_not_known) {
  StreamingServer server;
  const std::string response = server.exchange(get_content("/make?2500"));
  EXPECT_NE(response.find("Transfer-Encoding: chunked\r\n"), std::string::npos) << response;
  EXPECT_EQ(unchunked(response), std::string(2500, 'p'));
  EXPECT_TRUE(response.ends_with("\r\n0\r\n\r\n"));
}

TEST(ProducedContent, has_a_length_when_that_is_announced) {
  StreamingServer server;
  const auto responses =
      read_responses(server.exchange(get_content("/sized?2500") + get_content("/plain")));
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].body, std::string(2500, 'p'));
  EXPECT_EQ(responses[1].body, "plain");
}

TEST(ProducedContent, of_nothing_is_an_empty_body) {
  StreamingServer server;
  EXPECT_EQ(unchunked(server.exchange(get_content("/make?0"))), "");
  EXPECT_EQ(read_responses(server.exchange(get_content("/sized?0") + get_content("/plain"))).size(),
            2U);
}

TEST(ProducedContent, ends_with_the_connection_for_a_client_of_http_1_0) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(get_content("/make?2500", "1.0"));
  server.kernel.run_until_idle();
  EXPECT_EQ(client.received().find("Transfer-Encoding"), std::string::npos);
  EXPECT_TRUE(client.received().ends_with("\r\n\r\n" + std::string(2500, 'p')));
  EXPECT_TRUE(client.is_closed());
}

TEST(ProducedContent, is_not_made_for_head) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send("HEAD /make?2500 HTTP/1.1\r\nHost: a\r\n\r\n" + get_content("/plain"));
  server.kernel.run_until_idle();
  EXPECT_NE(client.received().find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  EXPECT_TRUE(client.received().ends_with("\r\n\r\nplain")) << client.received();
  EXPECT_EQ(server.service.contents_ended, 1);
}

TEST(ProducedContent, may_come_from_a_handler_that_does_not_wait) {
  StreamingServer server;
  const std::string response = server.exchange(get_content("/plain-make?1500"));
  EXPECT_EQ(unchunked(response), std::string(1500, 'p'));
}

TEST(ProducedContent, brings_its_trailers_behind_the_last_chunk) {
  StreamingServer server;
  const std::string response = server.exchange(get_content("/trailer?10"));
  EXPECT_TRUE(response.ends_with("\r\n0\r\nChecksum: 42\r\n\r\n")) << response;
}

TEST(ProducedContent, keeps_the_order_of_what_is_asked_meanwhile) {
  StreamingServer server;
  const std::string response = server.exchange(get_content("/make?200000") + get_content("/plain"));
  EXPECT_TRUE(response.ends_with("plain"));
  EXPECT_EQ(unchunked(response), std::string(200000, 'p'));
}

TEST(ProducedContent, waits_for_a_client_that_does_not_read) {
  StreamingServer server;
  SimClient client = server.connect();
  client.set_window(10'000);
  client.send(get_content("/make?5000000"));
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.contents_ended, 0);
  std::string response;
  while (server.service.contents_ended == 0) {
    const std::string taken = client.take_received();
    ASSERT_FALSE(taken.empty());
    response += taken;
    server.kernel.run_until_idle();
  }
  for (std::string taken = client.take_received(); !taken.empty(); taken = client.take_received()) {
    response += taken;
    server.kernel.run_until_idle();
  }
  EXPECT_EQ(unchunked(response), std::string(5'000'000, 'p'));
}

TEST(ProducedContent, is_given_up_when_the_client_does_not_read_in_time) {
  StreamingServer server({.write = seconds(2)});
  SimClient client = server.connect();
  client.set_window(10'000);
  client.send(get_content("/make?5000000"));
  server.kernel.advance(seconds(5));
  EXPECT_EQ(server.service.contents_ended, 1);
  EXPECT_TRUE(client.is_closed());
}

TEST(ProducedContent, is_given_up_when_the_client_leaves) {
  StreamingServer server;
  {
    SimClient client = server.connect();
    client.send(get_content("/ticks"));
    server.kernel.advance(milliseconds(25));
    EXPECT_NE(client.received().find("tick\n"), std::string::npos);
    EXPECT_EQ(server.service.contents_ended, 0);
  }
  server.kernel.advance(milliseconds(25));
  EXPECT_EQ(server.service.contents_ended, 1);
}

// The connection is checked while a request waits, but not within a response.
TEST(ProducedContent, of_a_client_that_has_closed_its_half_is_nothing_but_content) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(get_content("/late-pieces"));
  client.half_close();
  server.kernel.advance(seconds(40));
  EXPECT_EQ(unchunked(client.received()), "piece\npiece\npiece\n");
  EXPECT_FALSE(client.received().contains("100 Continue")) << client.received();
  EXPECT_TRUE(client.is_closed());
}

TEST(ProducedContent, without_an_end_is_given_up_for_a_client_that_closed_its_half_before_it) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(get_content("/late-ticks"));
  client.half_close();
  server.kernel.advance(seconds(1));
  EXPECT_FALSE(client.received().contains("100 Continue")) << client.received();
  EXPECT_EQ(server.service.contents_ended, 1);
  EXPECT_TRUE(client.is_closed());
}

TEST(ProducedContent, that_fails_before_its_first_byte_is_an_error_response) {
  StreamingServer server;
  const auto responses =
      read_responses(server.exchange(get_content("/throw-first") + get_content("/plain")));
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].status, 404);
  EXPECT_EQ(responses[0].body, "not even begun");
  EXPECT_EQ(responses[1].body, "plain");
}

TEST(ProducedContent, that_fails_later_ends_the_connection_without_its_end) {
  for (const std::string_view target : {"/throw-later?3000", "/short?3000"}) {
    StreamingServer server;
    SimClient client = server.connect();
    client.send(get_content(target) + get_content("/plain"));
    server.kernel.run_until_idle();
    EXPECT_TRUE(client.is_closed()) << target;
    EXPECT_EQ(client.received().find("\r\n0\r\n"), std::string::npos) << target;
    EXPECT_FALSE(client.received().ends_with("plain")) << target;
    EXPECT_EQ(server.service.failed, 1) << target;
  }
}

// Otherwise the client would read the next response as the body.
TEST(ProducedContent, that_was_announced_and_does_not_come_at_all_is_an_error_that_can_be_told) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(get_content("/short?0") + get_content("/plain"));
  server.kernel.run_until_idle();
  EXPECT_EQ(client.received().find("Content-Length: 1\r\n"), std::string::npos);
  EXPECT_EQ(server.service.failed, 1);
}

TEST(ProducedContent, without_an_end_is_ended_when_the_server_stops) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(get_content("/ticks"));
  server.kernel.advance(milliseconds(25));
  server.drain(seconds(10));
  server.kernel.advance(milliseconds(200));
  EXPECT_TRUE(client.received().ends_with("\r\n0\r\n\r\n")) << client.received();
  EXPECT_TRUE(client.is_closed());
}

TEST(ProducedContent, that_ends_with_its_connection_is_reset_when_it_fails) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(get_content("/throw-later?3000", "1.0"));
  server.kernel.run_until_idle();
  EXPECT_TRUE(client.is_reset());
}

TEST(ProducedContent, of_a_status_without_content_leaves_the_connection_in_order) {
  for (const int status : {204, 205, 304}) {
    StreamingServer server;
    const std::string target = "/unread-make?" + std::to_string(status);
    const auto responses =
        read_responses(server.exchange(get_content(target) + get_content("/plain")));
    ASSERT_EQ(responses.size(), 2U) << status;
    EXPECT_EQ(responses[0].head.find("Content-Length: 0\r\n") != std::string::npos, status == 205);
    EXPECT_EQ(responses[1].body, "plain");
  }
}

TEST(ProducedContent, that_no_client_expects_is_not_sent) {
  for (const int status : {204, 205, 304}) {
    StreamingServer server;
    SimClient client = server.connect();
    client.send(get_content("/make-late?" + std::to_string(status)) + get_content("/plain"));
    server.kernel.run_until_idle();
    EXPECT_TRUE(client.received().starts_with("HTTP/1.1 " + std::to_string(status)));
    EXPECT_TRUE(client.received().ends_with("\r\n\r\n")) << client.received();
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(server.service.failed, 1);
  }
}

/// Returns a client with a large response that reads a thousand bytes, all that is available, in
/// each time span.
SimClient read_slowly(StreamingServer& server, Duration span, int rounds) {
  SimClient client = server.connect();
  client.set_window(1000);
  client.send("GET /make?1000000 HTTP/1.1\r\nHost: a\r\n\r\n");
  for (int round = 0; round < rounds && !client.is_reset(); ++round) {
    server.kernel.advance(span);
    (void)client.take_received();
  }
  return client;
}

TEST(ProducedContent, taken_piece_by_piece_below_the_least_rate_is_cut_off) {
  StreamingServer server({.write = std::chrono::seconds(30), .bytes_per_second_min = 512});
  EXPECT_TRUE(read_slowly(server, std::chrono::seconds(20), 10).is_reset());
  EXPECT_EQ(server.balance.count(0), 0U);
}

TEST(ProducedContent, taken_piece_by_piece_above_the_least_rate_is_sent) {
  StreamingServer server({.write = std::chrono::seconds(30), .bytes_per_second_min = 512});
  EXPECT_FALSE(read_slowly(server, std::chrono::seconds(1), 200).is_reset());
  EXPECT_EQ(server.balance.count(0), 1U);
}

// Interim responses, and other protocols.

TEST(Hints, leave_ahead_of_the_response) {
  StreamingServer server;
  const std::string response = server.exchange(get_content("/hints"));
  EXPECT_TRUE(
      response.starts_with("HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
                           "HTTP/1.1 200 OK\r\n"))
      << response;
  EXPECT_TRUE(server.exchange(get_content("/hints", "1.0")).starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST(Upgrade, hands_the_connection_over_with_what_came_behind_the_request) {
  for (const std::string_view target : {"/shout", "/wait-shout"}) {
    StreamingServer server;
    SimClient client = server.connect();
    client.send(get_content(target) + "hello ");
    server.kernel.run_until_idle();
    client.send("you");
    server.kernel.run_until_idle();
    EXPECT_TRUE(client.received().starts_with("HTTP/1.1 101 Switching Protocols\r\n"));
    EXPECT_NE(client.received().find("Connection: upgrade\r\nUpgrade: shout\r\n\r\n"),
              std::string::npos)
        << client.received();
    EXPECT_TRUE(client.received().ends_with("\r\n\r\nHELLO YOU")) << client.received();
    client.send("bye");
    server.kernel.run_until_idle();
    EXPECT_TRUE(client.received().ends_with("BYE"));
    EXPECT_TRUE(client.is_closed());
  }
}

TEST(Upgrade, has_the_timer_of_the_connection) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(get_content("/shout"));
  server.kernel.run_until_idle();
  client.send("a");
  server.kernel.advance(seconds(3));
  client.send("b");
  server.kernel.advance(seconds(4));
  EXPECT_TRUE(client.received().ends_with("AB")) << "the later time counts";
  server.kernel.advance(seconds(2));
  EXPECT_TRUE(client.received().ends_with("AB LATER"));
  server.kernel.advance(seconds(600));
  EXPECT_TRUE(client.received().ends_with("AB LATER")) << "no deadline of HTTP is left";
  EXPECT_FALSE(client.is_closed());
}

TEST(Upgrade, is_told_that_the_server_stops) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(get_content("/shout"));
  server.kernel.run_until_idle();
  server.drain(seconds(10));
  server.kernel.advance(milliseconds(200));
  EXPECT_TRUE(client.received().ends_with("STOPPING"));
  EXPECT_TRUE(client.is_closed());
}

}  // namespace
}  // namespace eider
