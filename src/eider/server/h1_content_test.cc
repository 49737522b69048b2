// Request bodies over HTTP/1.1: read as they arrive, or not at all.
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

std::string post_head(std::string_view target, std::size_t bytes, std::string_view fields = {}) {
  std::string request("POST ");
  request.append(target).append(" HTTP/1.1\r\nHost: a\r\nContent-Length: ");
  request.append(std::to_string(bytes)).append("\r\n").append(fields).append("\r\n");
  return request;
}

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
  client.send("ef" + get_content("/plain"));
  server.kernel.run_until_idle();
  const auto responses = read_responses(client.received());
  ASSERT_EQ(responses.size(), 2U);
  EXPECT_EQ(responses[0].body, "6");
}

TEST(StreamedBody, counts_alike_wherever_it_is_cut) {
  const std::string both =
      "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: v\r\n\r\n" +
      get_content("/plain");
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
  const auto responses =
      read_responses(server.exchange(get_content("/count") + post_head("/count", 0)));
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
  const std::string response =
      server.exchange(post_head("/count", StreamingService::kBodyBytesMax + 1));
  EXPECT_TRUE(response.starts_with("HTTP/1.1 413 ")) << response;
}

TEST(StreamedBody, that_turns_out_too_large_or_malformed_fails_the_handler) {
  const std::string head = "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  StreamingServer server;
  EXPECT_TRUE(server.exchange(head + "x\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(server.exchange(head + "fffffff\r\n" + std::string(10'000'001, 'x'))
                  .starts_with("HTTP/1.1 413 "));
}

TEST(StreamedBody, has_the_fields_that_come_behind_it) {
  StreamingServer server;
  const std::string head = "POST /count HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string content = "5;a=b\r\nhello\r\n0\r\nX-Sum: 6 \r\nHost: b\r\n\r\n";
  EXPECT_TRUE(server.exchange(head + content).ends_with("\r\n\r\n5"));
  EXPECT_EQ(server.service.trailers, "X-Sum=6|Host=b|");
  for (std::size_t cut = 0; cut < content.size(); ++cut) {
    server.service.trailers.clear();
    SimClient client = server.connect();
    client.send(head + content.substr(0, cut));
    server.kernel.run_until_idle();
    client.send(content.substr(cut));
    server.kernel.run_until_idle();
    EXPECT_EQ(server.service.trailers, "X-Sum=6|Host=b|") << cut;
    client.send("POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab");
    server.kernel.run_until_idle();
    EXPECT_EQ(server.service.trailers, "X-Sum=6|Host=b|") << "none of the request before";
  }
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

// Each byte is read immediately, which does not restart the time limit.
TEST(StreamedBody, that_trickles_fails_the_handler) {
  StreamingServer server({.body = seconds(2)});
  SimClient client = server.connect();
  client.send(post_head("/count", 1000));
  for (int byte = 0; byte < 10; ++byte) {
    client.send("x");
    server.kernel.advance(milliseconds(500));
  }
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

// A body that arrives while the response is sent, and looks like a request.

struct UnreadCase {
  std::string_view method;
  int status;
};
constexpr UnreadCase kUnread[] = {{"HEAD", 200}, {"HEAD", 404}, {"POST", 200}, {"PUT", 204},
                                  {"POST", 205}, {"GET", 304},  {"HEAD", 204}};

std::string unread_head(const UnreadCase& each, std::string_view framing) {
  std::string head(each.method);
  head.append(" /unread-make?").append(std::to_string(each.status)).append(" HTTP/1.1\r\n");
  return head.append("Host: a\r\n").append(framing).append("\r\n\r\n");
}

TEST(UnreadBody, is_never_read_as_a_request) {
  const std::string hidden = get_content("/plain");
  const std::string length = "Content-Length: " + std::to_string(hidden.size());
  for (const UnreadCase& each : kUnread) {
    for (const std::string& framing : {length, std::string("Transfer-Encoding: chunked")}) {
      StreamingServer server;
      SimClient client = server.connect();
      client.send(unread_head(each, framing));
      server.kernel.run_until_idle();
      client.send(hidden);
      server.kernel.run_until_idle();
      const std::string response = client.take_received();
      const std::string what = unread_head(each, framing) + response;
      EXPECT_TRUE(response.starts_with("HTTP/1.1 " + std::to_string(each.status))) << what;
      EXPECT_EQ(response.find("plain", response.find("\r\n\r\n")), std::string::npos) << what;
      EXPECT_EQ(response.find("HTTP/1.1 ", 1), std::string::npos) << what;
      server.kernel.advance(seconds(60));
      EXPECT_TRUE(client.is_closed()) << what;
    }
  }
}

TEST(UnreadBody, ends_the_connection_in_a_head_that_is_the_whole_response) {
  for (const UnreadCase& each : kUnread) {
    StreamingServer server;
    const std::string response = server.exchange(unread_head(each, "Content-Length: 5"));
    const bool is_told = response.find("Connection: close\r\n") != std::string::npos;
    EXPECT_EQ(is_told, each.method != "POST" || each.status == 205) << response;
  }
}

TEST(UnreadBody, that_has_come_by_the_end_of_its_response_is_skipped) {
  for (const UnreadCase& each : kUnread) {
    StreamingServer server;
    const std::string response =
        server.exchange(unread_head(each, "Content-Length: 5") + "hello" + get_content("/plain"));
    EXPECT_TRUE(response.ends_with("\r\n\r\nplain")) << response;
  }
}

TEST(UnreadBody, is_no_other_protocol) {
  for (const std::string_view framing : {"Content-Length: 5", "Transfer-Encoding: chunked"}) {
    StreamingServer server;
    SimClient client = server.connect();
    client.send("GET /unread-shout HTTP/1.1\r\nHost: a\r\n" + std::string(framing) + "\r\n\r\n");
    server.kernel.run_until_idle();
    client.send("hello");
    server.kernel.run_until_idle();
    EXPECT_TRUE(client.received().starts_with("HTTP/1.1 400 ")) << client.received();
    EXPECT_NE(client.received().find("Connection: close\r\n"), std::string::npos);
    EXPECT_EQ(client.received().find("HELLO"), std::string::npos);
    server.kernel.advance(seconds(60));
    EXPECT_TRUE(client.is_closed());
  }
}

TEST(UnreadBody, is_taken_before_the_end_when_the_client_wants_that) {
  StreamingServer server;
  SimClient client = server.connect();
  client.send(post_head("/refuse", 9, "Connection: close\r\n"));
  server.kernel.run_until_idle();
  EXPECT_EQ(server.balance.count(0), 1U) << "a reset could overtake the answer";
  client.send("as it was");
  client.half_close();
  server.kernel.run_until_idle();
  EXPECT_EQ(server.balance.count(0), 0U);
  EXPECT_FALSE(client.is_reset());
}

}  // namespace
}  // namespace eider
