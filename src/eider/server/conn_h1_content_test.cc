#include <gtest/gtest.h>

#include <string>

#include "eider/server/detail/conn_h1.h"
#include "tests/sim/sim_server.h"
#include "tests/sim/streaming_service.h"

namespace eider {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using StreamingServer = SimServerOf<StreamingService>;

std::string get(std::string_view target, std::string_view version = "1.1") {
  std::string request("GET ");
  request.append(target).append(" HTTP/").append(version).append("\r\nHost: a\r\n\r\n");
  return request;
}

std::string post_head(std::string_view target, std::size_t bytes, std::string_view fields = {}) {
  std::string request("POST ");
  request.append(target).append(" HTTP/1.1\r\nHost: a\r\nContent-Length: ");
  request.append(std::to_string(bytes)).append("\r\n").append(fields).append("\r\n");
  return request;
}

/// The content of a chunked answer, and nothing when it has no end.
std::optional<std::string> unchunked(std::string_view answer) {
  std::string all;
  std::size_t at = answer.find("\r\n\r\n") + 4;
  while (true) {
    const std::size_t line_end = answer.find("\r\n", at);
    if (line_end == std::string_view::npos) {
      return std::nullopt;
    }
    const std::size_t bytes =
        std::stoul(std::string(answer.substr(at, line_end - at)), nullptr, 16);
    if (bytes == 0) {
      return all;
    }
    all.append(answer.substr(line_end + 2, bytes));
    at = line_end + 2 + bytes + 2;
  }
}

// Content of answers.

TEST(ProducedContent, is_chunked_when_its_length_is_not_known) {
  StreamingServer server;
  const std::string answer = server.exchange(get("/make?2500"));
  EXPECT_NE(answer.find("Transfer-Encoding: chunked\r\n"), std::string::npos) << answer;
  EXPECT_EQ(unchunked(answer), std::string(2500, 'p'));
  EXPECT_TRUE(answer.ends_with("\r\n0\r\n\r\n"));
}

TEST(ProducedContent, has_a_length_when_that_is_announced) {
  StreamingServer server;
  const auto responses = read_responses(server.exchange(get("/sized?2500") + get("/plain")));
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].body, std::string(2500, 'p'));
  EXPECT_EQ(responses[1].body, "plain");
}

TEST(ProducedContent, of_nothing_is_an_empty_body) {
  StreamingServer server;
  EXPECT_EQ(unchunked(server.exchange(get("/make?0"))), "");
  EXPECT_EQ(read_responses(server.exchange(get("/sized?0") + get("/plain"))).size(), 2U);
}

TEST(ProducedContent, ends_with_the_connection_for_a_client_of_http_1_0) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(get("/make?2500", "1.0"));
  server.kernel.run_until_idle();
  EXPECT_EQ(client.received().find("Transfer-Encoding"), std::string::npos);
  EXPECT_TRUE(client.received().ends_with("\r\n\r\n" + std::string(2500, 'p')));
  EXPECT_TRUE(client.is_closed());
}

TEST(ProducedContent, is_not_made_for_head) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send("HEAD /make?2500 HTTP/1.1\r\nHost: a\r\n\r\n" + get("/plain"));
  server.kernel.run_until_idle();
  EXPECT_NE(client.received().find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  EXPECT_TRUE(client.received().ends_with("\r\n\r\nplain")) << client.received();
  EXPECT_EQ(server.service.contents_ended, 1);
}

TEST(ProducedContent, may_come_from_a_handler_that_does_not_wait) {
  StreamingServer server;
  const std::string answer = server.exchange(get("/plain-make?1500"));
  EXPECT_EQ(unchunked(answer), std::string(1500, 'p'));
}

TEST(ProducedContent, brings_its_trailers_behind_the_last_chunk) {
  StreamingServer server;
  const std::string answer = server.exchange(get("/trailer?10"));
  EXPECT_TRUE(answer.ends_with("\r\n0\r\nChecksum: 42\r\n\r\n")) << answer;
}

TEST(ProducedContent, keeps_the_order_of_what_is_asked_meanwhile) {
  StreamingServer server;
  const std::string answer = server.exchange(get("/make?200000") + get("/plain"));
  EXPECT_TRUE(answer.ends_with("plain"));
  EXPECT_EQ(unchunked(answer), std::string(200000, 'p'));
}

TEST(ProducedContent, waits_for_a_client_that_does_not_read) {
  StreamingServer server;
  SimClient client = server.connect();
  client.set_window(10'000);
  client.send(get("/make?5000000"));
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.contents_ended, 0);
  std::string answer;
  while (server.service.contents_ended == 0) {
    const std::string taken = client.take_received();
    ASSERT_FALSE(taken.empty());
    answer += taken;
    server.kernel.run_until_idle();
  }
  for (std::string taken = client.take_received(); !taken.empty(); taken = client.take_received()) {
    answer += taken;
    server.kernel.run_until_idle();
  }
  EXPECT_EQ(unchunked(answer), std::string(5'000'000, 'p'));
}

TEST(ProducedContent, is_given_up_when_the_client_does_not_read_in_time) {
  StreamingServer server({.write = seconds(2)});
  SimClient client = server.connect();
  client.set_window(10'000);
  client.send(get("/make?5000000"));
  server.kernel.advance(seconds(5));
  EXPECT_EQ(server.service.contents_ended, 1);
  EXPECT_TRUE(client.is_closed());
}

TEST(ProducedContent, is_given_up_when_the_client_leaves) {
  StreamingServer server;
  {
    SimClient client = server.connect();
    client.send(get("/ticks"));
    server.kernel.advance(milliseconds(25));
    EXPECT_NE(client.received().find("tick\n"), std::string::npos);
    EXPECT_EQ(server.service.contents_ended, 0);
  }
  server.kernel.advance(milliseconds(25));
  EXPECT_EQ(server.service.contents_ended, 1);
}

TEST(ProducedContent, that_fails_before_its_first_byte_is_an_error_response) {
  StreamingServer server;
  const auto responses = read_responses(server.exchange(get("/throw-first") + get("/plain")));
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].status, 404);
  EXPECT_EQ(responses[0].body, "not even begun");
  EXPECT_EQ(responses[1].body, "plain");
}

TEST(ProducedContent, that_fails_later_ends_the_connection_without_its_end) {
  for (const std::string_view target : {"/throw-later?3000", "/short?3000"}) {
    StreamingServer server;
    SimClient client = server.connect();
    client.send(get(target) + get("/plain"));
    server.kernel.run_until_idle();
    EXPECT_TRUE(client.is_closed()) << target;
    EXPECT_EQ(client.received().find("\r\n0\r\n"), std::string::npos) << target;
    EXPECT_FALSE(client.received().ends_with("plain")) << target;
    EXPECT_EQ(server.service.failed, 1) << target;
  }
}

TEST(ProducedContent, without_an_end_is_ended_when_the_server_stops) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(get("/ticks"));
  server.kernel.advance(milliseconds(25));
  server.drain(seconds(10));
  server.kernel.advance(milliseconds(200));
  EXPECT_TRUE(client.received().ends_with("\r\n0\r\n\r\n")) << client.received();
  EXPECT_TRUE(client.is_closed());
}

TEST(ProducedContent, that_ends_with_its_connection_is_reset_when_it_fails) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(get("/throw-later?3000", "1.0"));
  server.kernel.run_until_idle();
  EXPECT_TRUE(client.is_reset());
}

// Content of requests.

TEST(StreamedBody, is_read_as_it_comes) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(post_head("/count", 6) + "ab");
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.parts, 1);
  client.send("cd");
  server.kernel.run_until_idle();
  EXPECT_EQ(server.service.parts, 2);
  EXPECT_EQ(client.received(), "");
  client.send("ef" + get("/plain"));
  server.kernel.run_until_idle();
  const auto responses = read_responses(client.received());
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].body, "6");
}

TEST(StreamedBody, counts_alike_wherever_it_is_cut) {
  const std::string both =
      "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: v\r\n\r\n" +
      get("/plain");
  for (std::size_t cut = 0; cut <= both.size(); ++cut) {
    StreamingServer server;
    SimClient client = server.connect();
    client.send(std::string_view(both).substr(0, cut));
    server.kernel.run_until_idle();
    client.send(std::string_view(both).substr(cut));
    server.kernel.run_until_idle();
    const auto responses = read_responses(client.received());
    ASSERT_EQ(responses.size(), 2U) << "cut at " << cut;
    EXPECT_EQ(responses[0].body, "5") << "cut at " << cut;
    EXPECT_EQ(responses[1].body, "plain");
  }
}

TEST(StreamedBody, may_be_none) {
  StreamingServer server;
  const auto responses = read_responses(server.exchange(get("/count") + post_head("/count", 0)));
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].body, "0");
  EXPECT_EQ(responses[1].body, "0");
}

TEST(StreamedBody, is_asked_for_by_the_first_look_at_it) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(post_head("/count-slowly?20", 3, "Expect: 100-continue\r\n"));
  server.kernel.run_until_idle();
  EXPECT_EQ(client.received(), "");
  server.kernel.advance(milliseconds(25));
  EXPECT_EQ(client.take_received(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  server.kernel.advance(milliseconds(100));
  EXPECT_TRUE(client.received().ends_with("\r\n\r\n3"));
}

TEST(StreamedBody, can_be_refused_unseen) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(post_head("/refuse", 3, "Expect: 100-continue\r\n"));
  server.kernel.run_until_idle();
  EXPECT_TRUE(client.received().starts_with("HTTP/1.1 403 ")) << client.received();
  EXPECT_NE(client.received().find("Connection: close"), std::string::npos);
}

TEST(StreamedBody, that_is_announced_too_large_is_refused_before_the_handler) {
  StreamingServer server;
  const std::string answer =
      server.exchange(post_head("/count", StreamingService::kBodyBytesMax + 1));
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 413 ")) << answer;
}

TEST(StreamedBody, that_turns_out_too_large_or_malformed_fails_the_handler) {
  const std::string head = "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  StreamingServer server;
  EXPECT_TRUE(server.exchange(head + "x\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(server.exchange(head + "fffffff\r\n" + std::string(10'000'001, 'x'))
                  .starts_with("HTTP/1.1 413 "));
}

TEST(StreamedBody, is_taken_no_faster_than_the_handler_takes_it) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(post_head("/count-slowly?50", 2'000'000));
  client.send(std::string(2'000'000, 'x'));
  server.kernel.advance(seconds(5));
  EXPECT_TRUE(client.received().ends_with("\r\n\r\n2000000")) << client.received();
  EXPECT_LE(server.service.largest_part, 192UL * 1024);
}

TEST(StreamedBody, that_comes_too_slowly_fails_the_handler) {
  StreamingServer server({.body = seconds(2)});
  SimClient client = server.connect();
  client.send(post_head("/count", 10) + "abc");
  server.kernel.advance(seconds(5));
  EXPECT_TRUE(client.received().starts_with("HTTP/1.1 408 ")) << client.received();
}

TEST(StreamedBody, whose_client_leaves_cancels_the_handler) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(post_head("/count", 10) + "abc");
  server.kernel.run_until_idle();
  client.half_close();
  server.kernel.run_until_idle();
  EXPECT_TRUE(client.is_closed());
  EXPECT_EQ(client.received(), "");
}

// Interim answers, and other protocols.

TEST(Hints, leave_ahead_of_the_answer) {
  StreamingServer server;
  const std::string answer = server.exchange(get("/hints"));
  EXPECT_TRUE(
      answer.starts_with("HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
                         "HTTP/1.1 200 OK\r\n"))
      << answer;
  EXPECT_TRUE(server.exchange(get("/hints", "1.0")).starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST(Upgrade, hands_the_connection_over_with_what_came_behind_the_request) {
  for (const std::string_view target : {"/shout", "/wait-shout"}) {
    StreamingServer server;
    SimClient client = server.connect();
    client.send(get(target) + "hello ");
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

TEST(Upgrade, is_told_that_the_server_stops) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(get("/shout"));
  server.kernel.run_until_idle();
  server.drain(seconds(10));
  server.kernel.advance(milliseconds(200));
  EXPECT_TRUE(client.received().ends_with("STOPPING"));
  EXPECT_TRUE(client.is_closed());
}

}  // namespace
}  // namespace eider
