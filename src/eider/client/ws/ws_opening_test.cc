#include "eider/client/ws/ws_opening.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/ws_client_line.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using detail::client::read_response_head;
using detail::client::read_ws_url;
using detail::client::ResponseHeadFault;
using enum WsClientFault;
using testing::WsClientLine;

TEST(WsUrl, is_taken_apart) {
  const struct {
    std::string_view url, host, authority, target;
    int port;
  } cases[] = {
      {"ws://127.0.0.1", "127.0.0.1", "127.0.0.1", "/", 80},
      {"WS://localhost:8080/", "localhost", "localhost:8080", "/", 8080},
      {"ws://[::1]:65535/a/b?c=d", "::1", "[::1]:65535", "/a/b?c=d", 65535},
      {"ws://[::1]", "::1", "[::1]", "/", 80},
      {"ws://a.example:?q", "a.example", "a.example:", "/?q", 80},
      {"ws://h/%20%C3%A4?x=%25", "h", "h", "/%20%C3%A4?x=%25", 80},
  };
  for (const auto& one : cases) {
    const auto url = read_ws_url(one.url);
    ASSERT_TRUE(url) << one.url;
    EXPECT_EQ(url->host, one.host);
    EXPECT_EQ(url->authority, one.authority);
    EXPECT_EQ(url->target, one.target);
    EXPECT_EQ(url->port, one.port);
  }
}

TEST(WsUrl, that_is_none_is_refused) {
  for (const std::string_view url : {"",
                                     "ws:",
                                     "ws:/",
                                     "ws://",
                                     "ws:///a",
                                     "ws://:80/",
                                     "http://h/",
                                     "h:80",
                                     "//h/",
                                     "ws://u@h/",
                                     "ws://u:p@h/",
                                     "ws://h/#f",
                                     "ws://h#f",
                                     "ws://h:0/",
                                     "ws://h:65536/",
                                     "ws://h:-1/",
                                     "ws://h:8a/",
                                     "ws://h:+8/",
                                     "ws://[::1/",
                                     "ws://[]/",
                                     "ws://[::1]8/",
                                     "ws://[g]/",
                                     "ws://h h/",
                                     "ws://h/a b",
                                     "ws://h/\r\nX: y",
                                     "ws://h/\xC3\xA4",
                                     "ws://h/%",
                                     "ws://h/%4",
                                     "ws://h/%zz",
                                     "ws://h%41/",
                                     "ws://h/\"",
                                     "ws://h\\x/",
                                     "ws://h/\x7F"}) {
    const auto read = read_ws_url(url);
    ASSERT_FALSE(read) << url;
    EXPECT_EQ(read.error().fault, bad_url) << url;
  }
  EXPECT_FALSE(read_ws_url("ws://h/" + std::string(5000, 'a')));
  EXPECT_EQ(read_ws_url("WSS://h/")->port, 443);
  EXPECT_TRUE(read_ws_url("wss://h:80/")->is_secure);
}

TEST(ResponseHead, is_read_at_its_last_byte_and_not_before) {
  const std::string in("HTTP/1.1 101 Yes\r\nA: b \r\nC:\r\nd-e:\tf\xC3\xA4 g\r\n\r\n");
  for (std::size_t bytes = 0; bytes < in.size(); ++bytes) {
    const auto head = read_response_head(std::string_view(in).substr(0, bytes));
    ASSERT_FALSE(head) << bytes;
    EXPECT_EQ(head.error(), ResponseHeadFault::need_more) << bytes;
  }
  const std::string longer = in + "more";
  const auto head = read_response_head(longer);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 101);
  EXPECT_EQ(head->bytes, in.size());
  ASSERT_EQ(head->fields.size(), 3U);
  EXPECT_EQ(head->fields[0].value, "b");
  EXPECT_EQ(head->fields[1].value, "");
  EXPECT_EQ(head->fields[2].name, "d-e");
  EXPECT_EQ(head->fields[2].value, "f\xC3\xA4 g");
}

TEST(ResponseHead, that_is_malformed_is_refused) {
  using enum ResponseHeadFault;
  const struct {
    std::string_view in;
    ResponseHeadFault fault;
  } cases[] = {
      {"SSH-2.0", bad_status_line},
      {"HTTP/2", bad_status_line},
      {"HTTP/1.0 101 a\r\n\r\n", bad_status_line},
      {"http/1.1 101 a\r\n\r\n", bad_status_line},
      {" HTTP/1.1 101 a\r\n\r\n", bad_status_line},
      {"HTTP/1.1  101 a\r\n\r\n", bad_status_line},
      {"HTTP/1.1 1010 a\r\n\r\n", bad_status_line},
      {"HTTP/1.1 10a a\r\n\r\n", bad_status_line},
      {"HTTP/1.1 001 a\r\n\r\n", bad_status_line},
      {"HTTP/1.1 101 a\n\n", bad_status_line},
      {"HTTP/1.1 101 a\rb\r\n\r\n", bad_status_line},
      {"HTTP/1.1 101 \x01\r\n\r\n", bad_status_line},
      {"HTTP/1.1 101 a\r\nA\r\n\r\n", bad_field},
      {"HTTP/1.1 101 a\r\nA B: c\r\n\r\n", bad_field},
      {"HTTP/1.1 101 a\r\n: b\r\n\r\n", bad_field},
      {"HTTP/1.1 101 a\r\nA: b\r\n c\r\n\r\n", bad_field},
      {"HTTP/1.1 101 a\r\nA: b\nC: d\r\n\r\n", bad_field},
      {"HTTP/1.1 101 a\r\nA: b\rc\r\n\r\n", bad_field},
      {"HTTP/1.1 101 a\r\nA: b\x7F\r\n\r\n", bad_field},
      {"HTTP/1.1 101 a\r\n\n", bad_field},
  };
  for (const auto& one : cases) {
    const auto head = read_response_head(one.in);
    ASSERT_FALSE(head) << one.in;
    EXPECT_EQ(head.error(), one.fault) << one.in;
  }
}

TEST(ResponseHead, has_bounds) {
  const std::string begin("HTTP/1.1 101 a\r\n");
  std::string fields;
  for (std::size_t count = 0; count < detail::client::kResponseFieldsMax; ++count) {
    fields.append("a: b\r\n");
  }
  EXPECT_TRUE(read_response_head(begin + fields + "\r\n"));
  EXPECT_EQ(read_response_head(begin + fields + "a: b\r\n\r\n").error(),
            ResponseHeadFault::too_large);
  const std::size_t room = detail::client::kResponseHeadBytesMax - begin.size() - 7;
  EXPECT_TRUE(read_response_head(begin + "a: " + std::string(room, 'x') + "\r\n\r\n"));
  EXPECT_EQ(read_response_head(begin + "a: " + std::string(room + 1, 'x') + "\r\n\r\n").error(),
            ResponseHeadFault::too_large);
  EXPECT_EQ(read_response_head(begin + std::string(9000, 'x')).error(),
            ResponseHeadFault::too_large);
}

TEST(WsOpening, asks_as_the_rfc_has_it) {
  const WsClientLine line(
      {.socket = {.subprotocols = {"b", "a"}}, .headers = {{"Authorization", "Bearer x"}}});
  EXPECT_EQ(line.request,
            "GET /feed?a=b HTTP/1.1\r\nHost: example.com\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: AQIDAQECAwIBAgMDAQIDBA==\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: b, a\r\n"
            "Authorization: Bearer x\r\n\r\n");
}

TEST(WsOpening, does_not_send_what_would_break_the_request) {
  const std::vector<WsClientOptions> cases{
      {.socket = {.subprotocols = {"a b"}}},
      {.socket = {.subprotocols = {""}}},
      {.socket = {.subprotocols = {"a", "a"}}},
      {.headers = {{"A b", "c"}}},
      {.headers = {{"A", "b\r\nC: d"}}},
      {.headers = {{"A", " b"}}},
      {.headers = {{"host", "b"}}},
      {.headers = {{"sec-websocket-extensions", "permessage-deflate"}}},
      {.headers = {{"Content-Length", "1"}}},
  };
  for (const WsClientOptions& options : cases) {
    WsClientLine line(options);
    ASSERT_TRUE(line.opened && !*line.opened);
    EXPECT_EQ(line.opened->error().fault, bad_option);
    EXPECT_EQ(line.request, "");
  }
}

/// Returns the error for a response, which is the same for one piece and byte by byte.
WsClientError error_of(std::string_view response, WsClientOptions options = {}) {
  WsClientLine slow(options);
  slow.say_slowly(response);
  WsClientLine line(std::move(options));
  line.say(response);
  if (!line.opened || line.opened->has_value() || !slow.opened || slow.opened->has_value()) {
    ADD_FAILURE() << "not refused: " << response;
    return {bad_url, {}};
  }
  EXPECT_EQ(slow.opened->error().fault, line.opened->error().fault) << response;
  EXPECT_TRUE(line.peer.is_closed());
  return line.opened->error();
}

/// Returns the valid response to the first request on a connection with known keys, with a change.
std::string changed(std::string_view what, std::string_view by) {
  const WsClientLine line;
  std::string response = line.response();
  return response.replace(response.find(what), what.size(), by);
}

TEST(WsOpening, a_response_that_was_not_asked_for_is_refused) {
  const WsClientLine line;
  const std::string_view accept("Sec-WebSocket-Accept: ");
  const std::vector<std::string> cases{
      changed("Upgrade: websocket\r\n", ""),
      changed("Upgrade: websocket", "Upgrade: h2c"),
      changed("Connection: Upgrade\r\n", ""),
      changed("Connection: Upgrade", "Connection: close"),
      changed(accept, "X: "),
      changed(accept, "Sec-WebSocket-Accept: a"),
      line.response("Sec-WebSocket-Accept: abc\r\n"),
      line.response("Sec-WebSocket-Protocol: a\r\n"),
      line.response("Sec-WebSocket-Extensions: permessage-deflate\r\n"),
      line.response("X Y: z\r\n"),
      changed("HTTP/1.1", "HTTP/1.0"),
      line.response("X: " + std::string(9000, 'x') + "\r\n"),
      "SSH-2.0-Elsewhere\r\n",
  };
  for (const std::string& response : cases) {
    EXPECT_EQ(error_of(response).fault, bad_response) << response;
  }
}

TEST(WsOpening, another_status_is_told) {
  for (const int status : {200, 301, 404, 426, 503}) {
    const auto error = error_of("HTTP/1.1 " + std::to_string(status) + " No\r\nA: b\r\n\r\n");
    EXPECT_EQ(error.fault, declined);
    EXPECT_EQ(error.status, status);
  }
}

TEST(WsOpening, a_subprotocol_that_was_asked_for_is_taken) {
  WsClientLine line({.socket = {.subprotocols = {"b", "a"}}});
  line.say_slowly(line.response("sec-websocket-protocol: a\r\n"));
  ASSERT_TRUE(line.opened && *line.opened);
  EXPECT_EQ(line.client().subprotocol(), "a");
  WsClientLine other({.socket = {.subprotocols = {"b", "a"}}});
  EXPECT_EQ(error_of(other.response("Sec-WebSocket-Protocol: A\r\n"),
                     {.socket = {.subprotocols = {"b", "a"}}})
                .fault,
            bad_response);
}

TEST(WsOpening, interim_responses_are_passed_over_but_not_forever) {
  const std::string hint("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
  WsClientLine line;
  line.say_slowly(hint + hint + line.response());
  EXPECT_TRUE(line.opened && *line.opened);
  std::string many;
  while (many.size() < 2 * detail::client::kResponseHeadBytesMax) {
    many += hint;
  }
  EXPECT_EQ(error_of(many).fault, bad_response);
}

TEST(WsOpening, a_response_that_ends_early_is_no_connection) {
  const std::string response = WsClientLine().response();
  for (std::size_t bytes = 0; bytes < response.size(); ++bytes) {
    WsClientLine line;
    line.say(response.substr(0, bytes));
    EXPECT_FALSE(line.opened) << bytes;
    line.peer.half_close();
    line.kernel.run_until_idle();
    ASSERT_TRUE(line.opened && !*line.opened) << bytes;
    EXPECT_EQ(line.opened->error().fault, not_connected);
  }
}

TEST(WsOpening, a_response_that_does_not_come_is_given_up) {
  WsClientLine line({.handshake = 2s});
  line.say("HTTP/1.1 101 ");
  line.kernel.advance(1900ms);
  EXPECT_FALSE(line.opened);
  line.kernel.advance(200ms);
  ASSERT_TRUE(line.opened && !*line.opened);
  EXPECT_EQ(line.opened->error().fault, timed_out);
  EXPECT_TRUE(line.peer.is_closed());
}

TEST(WsOpening, offers_compression_where_it_is_on_and_judges_what_is_made_of_it) {
  const WsClientOptions packed{.socket = {.compression = true}};
  EXPECT_EQ(WsClientLine().request.find("Sec-WebSocket-Extensions"), std::string::npos);
  EXPECT_NE(WsClientLine(packed).request.find("Sec-WebSocket-Extensions: permessage-deflate; "
                                              "server_no_context_takeover"),
            std::string::npos);
  const std::string field = "Sec-WebSocket-Extensions: ";
  WsClientLine agreed(packed);
  agreed.say(agreed.response(field + "permessage-deflate; server_no_context_takeover\r\n"));
  EXPECT_TRUE(agreed.opened && *agreed.opened);
  WsClientLine declined(packed);
  declined.say(declined.response());
  EXPECT_TRUE(declined.opened && *declined.opened);
  const WsClientLine asked(packed);
  for (const char* const bad :
       {"permessage-deflate; =", "x-other", "permessage-deflate; unknown",
        "permessage-deflate; server_no_context_takeover, permessage-deflate",
        "permessage-deflate; server_no_context_takeover; server_max_window_bits=16"}) {
    const std::string response = asked.response(field + bad + "\r\n");
    EXPECT_EQ(error_of(response, packed).fault, bad_response) << bad;
  }
}

}  // namespace
}  // namespace eider
