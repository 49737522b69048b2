#include "eider/client/ws/ws_client.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "eider/client/test_client_line.h"
#include "tests/conformance/ws_cases.h"
#include "tests/support/ws_client_line.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using testing::WsClientLine;
using ws::CloseCode;
using ws::Seen;
using ws::Side;
using SeenList = std::vector<Seen>;

std::string from_server(const ws::SentFrame& frame) {
  return ws::bytes_of(frame, Side::client);
}

void open_and_listen(WsClientLine& line) {
  line.say(line.response());
  ASSERT_TRUE(line.opened.has_value());
  ASSERT_TRUE(line.opened->has_value()) << line.opened->error().text;
  line.listen();
}

Task<> say(WsClient& client, std::string text, std::vector<bool>& done) {
  auto sending = client.send(text);
  text.assign("overwritten");
  const bool is_sent = co_await sending;
  done.push_back(is_sent);
}

Task<> say_binary(WsClient& client, std::string bytes) {
  co_await client.send_binary(bytes);
}

Task<> close(WsClient& client, CloseCode code, std::string reason, bool& is_closed) {
  co_await client.close(code, std::move(reason));
  is_closed = true;
}

TEST(WsClient, sends_masked_messages_and_keeps_no_bytes_of_its_caller) {
  WsClientLine line;
  open_and_listen(line);
  std::vector<bool> done;
  Task<> text = say(line.client(), "h\xC3\xA4llo", done);
  line.run(text);
  EXPECT_EQ(line.peer.received().substr(0, 2), "\x81\x86");
  Task<> binary = say_binary(line.client(), std::string(70000, '\xFE'));
  line.run(binary);
  EXPECT_EQ(line.sent(),
            (SeenList{ws::saw_text("h\xC3\xA4llo"), ws::saw_binary(std::string(70000, '\xFE'))}));
  EXPECT_EQ(done, std::vector<bool>{true});
}

TEST(WsClient, takes_frames_that_come_with_the_response) {
  WsClientLine line;
  line.say(line.response() + from_server(ws::text("early")) + from_server(ws::ping("?")));
  ASSERT_TRUE(line.opened && *line.opened);
  line.listen();
  EXPECT_EQ(line.heard, SeenList{ws::saw_text("early")});
  EXPECT_EQ(line.sent(), SeenList{ws::saw_pong("?")});
}

TEST(WsClient, answers_a_close_with_its_code_and_waits_for_the_server_to_end) {
  WsClientLine line;
  open_and_listen(line);
  line.say(from_server(ws::close(4001, "enough")));
  EXPECT_EQ(line.sent(), SeenList{ws::saw_close(4001)});
  EXPECT_FALSE(line.has_ended);
  EXPECT_FALSE(line.client().is_open());
  line.peer.half_close();
  line.kernel.run_until_idle();
  EXPECT_TRUE(line.has_ended);
  EXPECT_TRUE(line.peer.is_closed());
  EXPECT_FALSE(line.peer.is_reset());
  EXPECT_EQ(line.client().close_code(), static_cast<CloseCode>(4001));
  EXPECT_EQ(line.client().close_reason(), "enough");
}

TEST(WsClient, answers_a_close_even_when_the_end_comes_with_it) {
  WsClientLine line;
  open_and_listen(line);
  line.peer.send(from_server(ws::close(1000)));
  line.peer.half_close();
  line.kernel.run_until_idle();
  EXPECT_TRUE(line.has_ended);
  EXPECT_EQ(line.sent(), SeenList{ws::saw_close(1000)});
}

TEST(WsClient, gives_up_a_server_that_does_not_end_behind_its_close) {
  WsClientLine line({.socket = {.close_within = 3s}});
  open_and_listen(line);
  line.say(from_server(ws::close(1000)));
  line.kernel.advance(2900ms);
  EXPECT_FALSE(line.has_ended);
  line.kernel.advance(200ms);
  EXPECT_TRUE(line.has_ended);
  EXPECT_EQ(line.client().close_code(), CloseCode::normal);
}

TEST(WsClient, closes_by_itself_and_leaves_out_what_comes_meanwhile) {
  WsClientLine line;
  line.say(line.response());
  ASSERT_TRUE(line.opened && *line.opened);
  bool is_closed = false;
  Task<> closing = close(line.client(), CloseCode::going_away, "home", is_closed);
  line.run(closing);
  EXPECT_EQ(line.sent(), SeenList{ws::saw_close(1001, "home")});
  line.say(from_server(ws::text("late")) + from_server(ws::ping("late")));
  EXPECT_FALSE(is_closed);
  line.peer.send(from_server(ws::close(1001, "bye")));
  line.peer.half_close();
  line.kernel.run_until_idle();
  EXPECT_TRUE(is_closed);
  EXPECT_EQ(line.sent().size(), 1U) << "nothing behind a close frame";
  EXPECT_EQ(line.client().close_reason(), "bye");
}

TEST(WsClient, closes_while_another_task_receives) {
  WsClientLine line;
  open_and_listen(line);
  bool is_closed = false;
  Task<> closing = close(line.client(), CloseCode::normal, "", is_closed);
  line.run(closing);
  EXPECT_FALSE(is_closed);
  line.peer.send(from_server(ws::close(1000)));
  line.peer.half_close();
  line.kernel.run_until_idle();
  EXPECT_TRUE(is_closed);
  EXPECT_TRUE(line.has_ended);
  std::vector<bool> done;
  Task<> text = say(line.client(), "behind", done);
  line.run(text);
  EXPECT_EQ(done, std::vector<bool>{false});
}

TEST(WsClient, a_close_that_is_never_answered_ends_at_its_deadline) {
  WsClientLine line({.socket = {.close_within = 3s}});
  open_and_listen(line);
  bool is_closed = false;
  Task<> closing = close(line.client(), CloseCode::normal, "", is_closed);
  line.run(closing);
  line.kernel.advance(2900ms);
  EXPECT_FALSE(is_closed);
  line.kernel.advance(200ms);
  EXPECT_TRUE(is_closed);
  EXPECT_TRUE(line.has_ended);
}

TEST(WsClient, does_not_send_a_code_that_must_not_be_sent) {
  WsClientLine line;
  open_and_listen(line);
  for (const CloseCode code : {CloseCode::no_status, CloseCode::abnormal, CloseCode::tls_failure,
                               static_cast<CloseCode>(999), static_cast<CloseCode>(5000)}) {
    EXPECT_THROW(static_cast<void>(line.client().close(code)), std::invalid_argument);
  }
}

TEST(WsClient, a_lost_connection_is_abnormal) {
  WsClientLine line;
  open_and_listen(line);
  line.say(from_server(ws::text("a")).substr(0, 2));
  line.peer.reset();
  line.kernel.run_until_idle();
  EXPECT_TRUE(line.has_ended);
  EXPECT_EQ(line.client().close_code(), CloseCode::abnormal);
  EXPECT_EQ(line.heard, SeenList{});
}

TEST(WsClient, a_cancelled_receive_loses_nothing) {
  WsClientLine line;
  line.say(line.response());
  ASSERT_TRUE(line.opened && *line.opened);
  const std::string bytes = from_server(ws::text("whole"));
  {
    auto receiving = line.client().receive();
    line.loop.call([&] { receiving.start(); });
    line.say(bytes.substr(0, 4));
    EXPECT_FALSE(receiving.is_done());
  }
  line.listen();
  line.say(bytes.substr(4));
  EXPECT_EQ(line.heard, SeenList{ws::saw_text("whole")});
}

TEST(WsClient, a_silent_server_is_asked_and_then_given_up) {
  WsClientLine line({.socket = {.ping_after = 10s, .pong_within = 2s}});
  open_and_listen(line);
  line.kernel.advance(10100ms);
  EXPECT_EQ(line.sent(), SeenList{ws::saw_ping("")});
  line.say(from_server(ws::pong("")));
  line.kernel.advance(9900ms);
  EXPECT_EQ(line.sent().size(), 1U);
  line.kernel.advance(200ms);
  EXPECT_EQ(line.sent().size(), 2U);
  EXPECT_FALSE(line.has_ended);
  line.kernel.advance(2s);
  EXPECT_TRUE(line.has_ended);
  EXPECT_EQ(line.client().close_code(), CloseCode::abnormal);
}

TEST(WsClient, a_message_that_trickles_is_ended_with_1008) {
  WsClientLine line({.socket = {.message_within = 5s, .ping_after = 1h, .close_within = 3s}});
  open_and_listen(line);
  const std::string bytes = from_server(ws::text("0123456789"));
  for (std::size_t at = 0; at < 7; ++at) {
    line.say(bytes.substr(at, 1));
    line.kernel.advance(1s);
    EXPECT_EQ(line.client().is_open(), at < 4) << at;
  }
  EXPECT_EQ(line.sent(), SeenList{ws::saw_close(1008, "a message took too long to arrive")});
  EXPECT_EQ(line.client().close_code(), CloseCode::policy_violation);
  line.kernel.advance(2s);
  EXPECT_TRUE(line.has_ended);
}

TEST(WsClient, whole_messages_and_pings_set_the_message_deadline_back) {
  WsClientLine line({.socket = {.message_within = 5s}});
  open_and_listen(line);
  for (int round = 0; round < 4; ++round) {
    line.say_slowly(from_server(ws::ping("x")));
    line.kernel.advance(4s);
    line.say_slowly(from_server(ws::text("x")));
    line.kernel.advance(4s);
  }
  EXPECT_FALSE(line.has_ended);
  EXPECT_EQ(line.heard.size(), 4U);
}

TEST(WsClient, a_server_that_does_not_read_is_given_up) {
  WsClientLine line({.socket = {.write = 5s}});
  line.peer.set_window(1000);
  open_and_listen(line);
  std::vector<bool> done;
  Task<> text = say(line.client(), std::string(100000, 'x'), done);
  line.run(text);
  line.kernel.advance(4900ms);
  EXPECT_TRUE(done.empty());
  line.kernel.advance(200ms);
  EXPECT_EQ(done, std::vector<bool>{false});
  EXPECT_TRUE(line.has_ended);
}

TEST(WsClient, a_ping_flood_by_a_server_that_does_not_read_is_given_up) {
  WsClientLine line({.socket = {.write = 5s, .ping_after = 1h}});
  line.peer.set_window(1000);
  open_and_listen(line);
  const std::string ping = from_server(ws::ping(std::string(125, 'p')));
  for (int count = 0; count < 2000; ++count) {
    line.peer.send(ping);
  }
  line.kernel.advance(6s);
  EXPECT_TRUE(line.has_ended);
}

TEST(WsClient, a_flood_of_pings_or_pongs_is_ended_with_1008) {
  for (const std::string& frame : {from_server(ws::ping("p")), from_server(ws::pong("p"))}) {
    WsClientLine line({.socket = {.control_frames_per_second_max = 20}});
    open_and_listen(line);
    for (int count = 0; count < 21; ++count) {
      line.say(frame);
    }
    EXPECT_EQ(line.sent().back(), ws::saw_close(1008, "too many control frames"));
    EXPECT_FALSE(line.client().is_open());
    line.say(from_server(ws::text("too late")) + frame);
    line.peer.close();
    line.kernel.run_until_idle();
    EXPECT_TRUE(line.has_ended);
    EXPECT_EQ(line.heard, SeenList{});
    EXPECT_EQ(line.client().close_code(), CloseCode::policy_violation);
  }
}

TEST(WsClient, pings_that_come_in_time_or_between_messages_are_no_flood) {
  WsClientLine line({.socket = {.control_frames_per_second_max = 20}});
  open_and_listen(line);
  for (int second = 0; second < 3; ++second) {
    for (int count = 0; count < 60; ++count) {
      if (count % 20 == 0) {
        line.say(from_server(ws::text("x")));
      }
      line.say(from_server(ws::ping("p")));
    }
    line.kernel.advance(1s);
  }
  EXPECT_EQ(line.sent().size(), 180U);
  EXPECT_EQ(line.heard.size(), 9U);
  EXPECT_TRUE(line.client().is_open());
}

// All frames that a server may send (tests/conformance).

SeenList messages_of(const SeenList& seen) {
  SeenList messages;
  for (const Seen& one : seen) {
    if (one.kind == ws::EventKind::message) {
      messages.push_back(one);
    }
  }
  return messages;
}

/// Returns the client's responses to these frames.
SeenList responses_to(const SeenList& seen) {
  SeenList responses;
  for (const Seen& one : seen) {
    if (one.kind == ws::EventKind::ping) {
      responses.push_back(ws::saw_pong(one.data));
    } else if (one.kind == ws::EventKind::close) {
      responses.push_back(ws::saw_close(static_cast<unsigned>(one.code)));
    } else if (one.kind == ws::EventKind::refused) {
      responses.push_back(ws::saw_close(static_cast<unsigned>(one.code), one.data));
    }
  }
  return responses;
}

CloseCode code_after(const SeenList& seen) {
  const bool is_ended = !seen.empty() && (seen.back().kind == ws::EventKind::close ||
                                          seen.back().kind == ws::EventKind::refused);
  return is_ended ? seen.back().code : CloseCode::abnormal;
}

enum class Cutting { at_once, byte_by_byte };

void try_case(const ws::WsCase& one, Cutting pace) {
  SCOPED_TRACE(one.what);
  WsClientLine line({.socket = {.message_bytes_max = one.limits.message_bytes_max,
                                .fragments_max = one.limits.fragments_max}});
  open_and_listen(line);
  const std::string bytes = ws::bytes_of(one.sent, Side::client);
  pace == Cutting::at_once ? line.say(bytes) : line.say_slowly(bytes);
  EXPECT_EQ(line.heard, messages_of(one.seen));
  EXPECT_EQ(line.sent(), responses_to(one.seen));
  line.peer.half_close();
  line.kernel.run_until_idle();
  EXPECT_TRUE(line.has_ended);
  EXPECT_EQ(line.client().close_code(), code_after(one.seen));
}

TEST(WsClientConformance, every_case_is_heard_and_answered) {
  for (const ws::WsCase& one : ws::all_ws_cases(Side::client)) {
    try_case(one, Cutting::at_once);
  }
}

TEST(WsClientConformance, every_short_case_cut_at_every_byte_is_the_same) {
  for (const ws::WsCase& one : ws::all_ws_cases(Side::client)) {
    if (ws::bytes_of(one.sent, Side::client).size() < 300) {
      try_case(one, Cutting::byte_by_byte);
    }
  }
}

TEST(WsClient, opens_by_the_way_of_a_client) {
  testing::KnownMasks masks;
  testing::ClientLine line({.http_proxy = "http://u:p@proxy:3128", .no_proxy = "direct"});
  std::optional<WsClient::Connected> opened;
  Task<> task = [](HttpClient& client, ws::MaskSource& source,
                   std::optional<WsClient::Connected>& result) -> Task<> {
    WsClientOptions options;
    options.masks = &source;
    options.proxy = "http://elsewhere";
    result.emplace(co_await client.websocket("ws://a/feed", std::move(options)));
  }(line.client, masks, opened);
  line.loop.call([&] { task.start(); });
  EXPECT_EQ(line.sent(),
            "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\nProxy-Authorization: Basic dTpw\r\n\r\n");
  line.say("HTTP/1.1 200 -\r\n\r\n");
  const std::string request = line.sent();
  EXPECT_TRUE(request.starts_with("GET /feed HTTP/1.1\r\nHost: a\r\n"));
  line.say(WsClientLine::response_to(request) + from_server(ws::text("early")));
  ASSERT_TRUE(opened && *opened);
  EXPECT_TRUE((*opened)->is_open());
}

TEST(WsClient, is_kept_from_addresses_by_the_rule_of_its_client) {
  testing::ClientLine line(
      {.allow_address = [](const IpAddress&) { return false; }, .http_proxy = "http://proxy"});
  std::optional<WsClient::Connected> opened;
  Task<> task = [](HttpClient& client, std::optional<WsClient::Connected>& result) -> Task<> {
    result.emplace(co_await client.websocket("ws://127.0.0.1/", {}));
  }(line.client, opened);
  line.loop.call([&] { task.start(); });
  ASSERT_TRUE(opened && !*opened);
  EXPECT_EQ(opened->error().fault, WsClientFault::not_connected);
  EXPECT_TRUE(line.keys.empty());
}

}  // namespace
}  // namespace eider
