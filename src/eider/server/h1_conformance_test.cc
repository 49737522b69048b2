// Raw requests and responses: the requirements of HTTP/1.1 for a server, row by row.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/sim/sim_server.h"

namespace eider {
namespace {

enum class Then : std::uint8_t { open, closed };

struct Row {
  std::string_view fact;
  std::string_view in;
  std::string out;  // without the Date headers
  Then then;
};

std::string ok(std::string_view length, std::string_view connection = {}) {
  std::string head(
      "HTTP/1.1 200 OK\r\nServer: eider\r\nContent-Type: text/plain; charset=utf-8\r\n");
  head.append("Content-Length: ").append(length).append("\r\n").append(connection);
  return head + "\r\n";
}

const std::string kHello = ok("5") + "hello";
const std::string kClosingHello = ok("5", "Connection: close\r\n") + "hello";

const Row kAnswered[] = {
    {"a plain request keeps the connection (RFC 9112, 9.3)",
     "GET /plain HTTP/1.1\r\nHost: a\r\n\r\n", kHello, Then::open},
    {"pipelined requests are answered in order (RFC 9112, 9.3.2)",
     "GET /plain HTTP/1.1\r\nHost: a\r\n\r\nPOST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n"
     "\r\nhiGET /wait-now HTTP/1.1\r\nHost: a\r\n\r\n",
     kHello + ok("2") +
         "hi"
         "HTTP/1.1 200 OK\r\nServer: eider\r\nContent-Length: 6\r\n\r\nwaited",
     Then::open},
    {"empty lines before a request are skipped (RFC 9112, 2.2)",
     "\r\n\r\nGET /plain HTTP/1.1\r\nHost: a\r\n\r\n", kHello, Then::open},
    {"HEAD has the length and no content (RFC 9110, 9.3.2)",
     "HEAD /plain HTTP/1.1\r\nHost: a\r\n\r\nGET /plain HTTP/1.1\r\nHost: a\r\n\r\n",
     ok("5") + kHello, Then::open},
    {"HEAD of large content is a head alone", "HEAD /big?8000000 HTTP/1.1\r\nHost: a\r\n\r\n",
     ok("8000000"), Then::open},
    {"204 has neither content nor length (RFC 9110, 8.6)",
     "GET /status?204 HTTP/1.1\r\nHost: a\r\n\r\nGET /plain HTTP/1.1\r\nHost: a\r\n\r\n",
     "HTTP/1.1 204 No Content\r\nServer: eider\r\n\r\n" + kHello, Then::open},
    {"304 has no content (RFC 9110, 15.4.5)", "GET /status?304 HTTP/1.1\r\nHost: a\r\n\r\n",
     "HTTP/1.1 304 Not Modified\r\nServer: eider\r\n\r\n", Then::open},
    {"205 has empty content (RFC 9110, 15.3.6)", "GET /status?205 HTTP/1.1\r\nHost: a\r\n\r\n",
     "HTTP/1.1 205 Reset Content\r\nServer: eider\r\nContent-Length: 0\r\n\r\n", Then::open},
    {"Connection: close is done (RFC 9112, 9.6)",
     "GET /plain HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", kClosingHello, Then::closed},
    {"what follows Connection: close is not answered",
     "GET /plain HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
     "GET /plain HTTP/1.1\r\nHost: a\r\n\r\n",
     kClosingHello, Then::closed},
    {"a handler may end the connection", "GET /close HTTP/1.1\r\nHost: a\r\n\r\n",
     ok("3", "Connection: close\r\n") + "bye", Then::closed},
    {"HTTP/1.0 closes unless it asks (RFC 9112, 9.3)", "GET /plain HTTP/1.0\r\n\r\n", kClosingHello,
     Then::closed},
    {"HTTP/1.0 with keep-alive stays, and is told so",
     "GET /plain HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
     ok("5", "Connection: keep-alive\r\n") + "hello", Then::open},
    {"chunked content is decoded, its trailers dropped (RFC 9112, 7.1)",
     "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
     "3;x=1\r\nhel\r\n2\r\nlo\r\n0\r\nHost: evil\r\n\r\nGET /plain HTTP/1.1\r\nHost: a\r\n\r\n",
     kHello + kHello, Then::open},
    {"100 Continue is sent to who waits for it (RFC 9110, 10.1.1)",
     "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n",
     "HTTP/1.1 100 Continue\r\n\r\n", Then::open},
    {"100 Continue is not sent to HTTP/1.0",
     "POST /echo HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n", "", Then::open},
    {"an absolute form is taken (RFC 9112, 3.2.2)",
     "GET http://a/plain HTTP/1.1\r\nHost: a\r\n\r\n", kHello, Then::open},
    {"OPTIONS * reaches the service (RFC 9112, 3.2.4)", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
     "HTTP/1.1 404 Not Found\r\nServer: eider\r\nContent-Type: text/plain; charset=utf-8\r\n"
     "Content-Length: 7\r\n\r\nnothing",
     Then::open},
    {"half a request gets nothing yet", "GET /plain HTTP/1.1\r\nHost: a\r\n", "", Then::open},
    {"a request that waits does so without content too",
     "HEAD /wait-now HTTP/1.1\r\nHost: a\r\n\r\n",
     "HTTP/1.1 200 OK\r\nServer: eider\r\nContent-Length: 6\r\n\r\n", Then::open},
};

struct Refused {
  std::string_view fact;
  std::string_view in;
  int status;
};

constexpr Refused kRefused[] = {
    {"no HTTP at all", "\x16\x03\x01\x02\x01\x01\x01\xfc\r\n\r\n", 400},
    {"no Host", "GET / HTTP/1.1\r\n\r\n", 400},
    {"two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
    {"a bare LF", "GET / HTTP/1.1\nHost: a\r\n\r\n", 400},
    {"a space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400},
    {"a length with a coding",
     "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
    {"two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
     400},
    {"an unknown coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
    {"an unknown expectation", "GET / HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n", 417},
    {"HTTP/2.0 on the line", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
    {"a bad chunk size",
     "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400},
    {"a chunk without its end",
     "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n", 400},
    {"a body over the plan's limit",
     "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 262145\r\n\r\n", 413},
    {"a chunk over the plan's limit",
     "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n", 0},
};

std::string without_dates(std::string text) {
  for (std::size_t at = 0; (at = text.find("Date: ", at)) != std::string::npos;) {
    text.erase(at, text.find("\r\n", at) + 2 - at);
  }
  return text;
}

TEST(Conformance, each_row_gets_its_bytes) {
  for (const Row& row : kAnswered) {
    SimServer server;
    SimClient client = server.connect();
    client.send(row.in);
    server.kernel.run_until_idle();
    EXPECT_EQ(without_dates(std::string(client.received())), row.out) << row.fact;
    EXPECT_EQ(client.is_closed(), row.then == Then::closed) << row.fact;
    EXPECT_FALSE(client.is_reset()) << row.fact;
  }
}

TEST(Conformance, each_row_gets_the_same_bytes_however_it_is_cut) {
  for (const Row& row : kAnswered) {
    if (row.in.contains("Expect")) {
      continue;  // if the body arrives with the header, 100 Continue is not needed
    }
    for (std::size_t cut = 1; cut < row.in.size(); ++cut) {
      SimServer server;
      SimClient client = server.connect();
      client.send(row.in.substr(0, cut));
      server.kernel.run_until_idle();
      client.send(row.in.substr(cut));
      server.kernel.run_until_idle();
      ASSERT_EQ(without_dates(std::string(client.received())), row.out)
          << row.fact << ", cut at " << cut;
    }
  }
}

TEST(Conformance, each_bad_row_is_refused_and_the_connection_closed) {
  for (const Refused& row : kRefused) {
    SimServer server;
    SimClient client = server.connect();
    client.send(row.in);
    server.kernel.run_until_idle();
    const auto responses = read_responses(client.received());
    if (row.status == 0) {
      EXPECT_TRUE(responses.empty()) << row.fact << " is refused when its bytes come";
      continue;
    }
    ASSERT_EQ(responses.size(), 1U) << row.fact;
    EXPECT_EQ(responses[0].status, row.status) << row.fact;
    EXPECT_TRUE(responses[0].head.contains("\r\nConnection: close\r\n")) << row.fact;
    EXPECT_TRUE(client.is_closed()) << row.fact;
    EXPECT_EQ(server.service.answered, 0) << row.fact;
  }
}

TEST(Conformance, what_follows_a_refused_request_is_never_answered) {
  for (const Refused& row : kRefused) {
    SimServer server;
    SimClient client = server.connect();
    client.send(std::string(row.in) + "GET /plain HTTP/1.1\r\nHost: a\r\n\r\n");
    server.kernel.run_until_idle();
    EXPECT_EQ(server.service.answered, 0) << row.fact;
  }
}

TEST(Conformance, a_head_over_its_limit_is_a_431_and_a_target_over_its_own_a_414) {
  const std::string large(20'000, 'x');
  SimServer server;
  EXPECT_TRUE(server.exchange("GET / HTTP/1.1\r\nHost: a\r\nX: " + large + "\r\n\r\n")
                  .starts_with("HTTP/1.1 431 "));
  EXPECT_TRUE(server.exchange("GET /" + large.substr(0, 9000) + " HTTP/1.1\r\nHost: a\r\n\r\n")
                  .starts_with("HTTP/1.1 414 "));
}

}  // namespace
}  // namespace eider
