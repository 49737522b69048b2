// Properties of both sides of a connection: one session, whose peer the test plays.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eider/io/ws/test_held_line.h"
#include "eider/io/ws/ws_session.h"
#include "eider/protocols/http/ws/deflate_codec.h"
#include "eider/server/test_ws_line.h"
#include "tests/conformance/ws_cases.h"
#include "tests/conformance/ws_feeder.h"

namespace eider::ws::detail {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::HeldLine;
using testing::Noted;
using ws::Seen;
using ws::Side;
using SeenList = std::vector<Seen>;

constexpr ws::DeflateTerms kAgreed{.server_takeover = ws::Takeover::dropped,
                                   .client_takeover = ws::Takeover::dropped};

Task<> note_all(WebSocket socket, Noted& noted) {
  struct AtEnd {
    Noted& noted;
    ~AtEnd() { noted.was_destroyed = true; }
  } const at_end{noted};
  for (;;) {
    const auto message = co_await socket.receive();
    if (!message) {
      break;
    }
    noted.received.emplace_back(message->bytes);
  }
  noted.code = socket.close_code();
  noted.reason = socket.close_reason();
  noted.has_ended = true;
}

/// Sends one large message and waits until it was sent; the code shows the result.
Task<> send_much(WebSocket socket, Noted& noted) {
  struct AtEnd {
    Noted& noted;
    ~AtEnd() { noted.was_destroyed = true; }
  } const at_end{noted};
  const bool is_open = co_await socket.send(std::string(300'000, 'x'));
  noted.received.emplace_back(is_open ? "open" : "ended");
  noted.has_ended = true;
}

/// A session on a controlled line, and a coroutine that owns its WebSocket, like a handler or the
/// user of a client.
class WsEitherSide : public ::testing::TestWithParam<Side> {
 protected:
  using Owner = Task<> (*)(WebSocket, Noted&);

  void begin(WebSocketOptions options = {}, Owner owner = &note_all,
             const WsAgreement& agreement = {}) {
    world_.emplace();
    route_.emplace(std::move(options));
    line_.emplace(world_->loop());
    line_->is_open = !takes_nothing;
    line_->is_stream = is_stream;
    alone_.emplace(world_->loop(), masks_);
    WsShared& shared = is_server() ? static_cast<WsShared&>(world_->hub()) : *alone_;
    UpgradedLine& line = *line_;
    session_ = std::make_unique<WsSession>(shared, *route_, line, agreement);
    if (is_server()) {
      session_->start(
          WsHandler([this, owner](WebSocket socket) { return owner(std::move(socket), noted); }));
    } else {
      owner_ = owner(session_->hand_out(), noted);
      world_->loop().call([this] { owner_.start(); });
    }
    world_->kernel.run_until_idle();
  }
  [[nodiscard]] static bool is_server() { return GetParam() == Side::server; }
  /// Passes frames to the session, as the peer writes them.
  template <class Frames>
  void hear(const Frames& frames) {
    hear_bytes(ws::bytes_of(frames, GetParam()));
  }
  void hear_bytes(std::string_view bytes) {
    world_->loop().call([this, bytes] { session_->on_bytes(bytes); });
    world_->kernel.run_until_idle();
  }
  void call(std::move_only_function<void()> what) {
    world_->loop().call([&what] { what(); });
    world_->kernel.run_until_idle();
  }
  void wait(Duration time) { world_->kernel.advance(time); }
  /// Returns everything that was sent, as the peer reads it.
  [[nodiscard]] SeenList sent() {
    (void)line_->flush();
    const ws::MessageLimits limits{.message_bytes_max = 1UL << 30U};
    ws::Feeder feeder(is_server() ? Side::client : Side::server, limits);
    feeder.feed(line_->sent);
    return feeder.seen();
  }

  bool takes_nothing = false;
  bool is_stream = false;
  Noted noted;
  testing::FixedMask masks_;
  std::optional<testing::WsWorld> world_;
  std::optional<WsRoute> route_;
  std::optional<HeldLine> line_;
  std::optional<WsShared> alone_;
  std::unique_ptr<WsSession> session_;
  Task<> owner_;
};

INSTANTIATE_TEST_SUITE_P(Sides, WsEitherSide, ::testing::Values(Side::server, Side::client),
                         [](const auto& tried) {
                           return tried.param == Side::server ? "server" : "client";
                         });

TEST_P(WsEitherSide, every_case_is_heard_and_answered) {
  for (const ws::WsCase& one : ws::all_ws_cases(GetParam())) {
    SCOPED_TRACE(one.what);
    noted = {};
    owner_ = {};
    session_.reset();
    begin({.message_bytes_max = one.limits.message_bytes_max,
           .fragments_max = one.limits.fragments_max,
           .queued_bytes_max = 1UL << 30U});
    hear(one.sent);
    std::vector<std::string> messages;
    SeenList responses;
    for (const Seen& seen : one.seen) {
      if (seen.kind == ws::EventKind::message) {
        messages.push_back(seen.data);
      } else if (seen.kind == ws::EventKind::ping) {
        responses.push_back(ws::saw_pong(seen.data));
      } else if (seen.kind == ws::EventKind::close) {
        responses.push_back(ws::saw_close(static_cast<unsigned>(seen.code)));
      } else if (seen.kind == ws::EventKind::refused) {
        responses.push_back(ws::saw_close(static_cast<unsigned>(seen.code), seen.data));
      }
    }
    EXPECT_EQ(noted.received, messages);
    EXPECT_EQ(sent(), responses);
  }
}

TEST_P(WsEitherSide, half_a_frame_is_not_waited_for_without_end) {
  for (const std::size_t bytes : {1U, 2U, 5U, 7U}) {
    noted = {};
    begin({.message_within = seconds(60), .ping_after = hours(1)});
    hear_bytes(ws::bytes_of(ws::text("0123456789"), GetParam()).substr(0, bytes));
    wait(seconds(59));
    EXPECT_TRUE(session_->is_open()) << bytes;
    wait(seconds(2));
    EXPECT_EQ(sent(), SeenList{ws::saw_close(1008, "a message took too long to arrive")}) << bytes;
    owner_ = {};
    session_.reset();
  }
}

TEST_P(WsEitherSide, control_frames_between_fragments_do_not_set_a_messages_time_back) {
  begin({.message_within = seconds(10), .ping_after = hours(1)});
  hear(ws::text_start("half"));
  for (int second = 0; second < 9; ++second) {
    hear(ws::ping("?"));
    wait(seconds(1));
  }
  EXPECT_EQ(sent(), SeenList(9, ws::saw_pong("?")));
  wait(seconds(2));
  EXPECT_EQ(sent().back(), ws::saw_close(1008, "a message took too long to arrive"));
}

TEST_P(WsEitherSide, a_flood_of_pings_costs_little_and_ends_with_1008) {
  begin();
  hear(std::vector<ws::SentFrame>(100, ws::ping(std::string(125, 'p'))));
  EXPECT_EQ(sent().size(), 17U);
  hear(ws::ping("one more"));
  EXPECT_EQ(sent().back(), ws::saw_close(1008, "too many control frames"));
  EXPECT_FALSE(session_->is_open());
}

TEST_P(WsEitherSide, a_peer_that_reads_nothing_costs_so_much_and_is_reset) {
  begin({.backpressure_bytes_max = 500'000,
         .slow_consumer = SlowConsumer::drop,
         .write = seconds(30)});
  line_->is_open = false;
  const std::string message(100'000, 'x');
  std::size_t dropped = 0;
  call([&] {
    for (int count = 0; count < 100; ++count) {
      dropped += session_->try_send(message) == WsSent::dropped ? 1U : 0U;
    }
  });
  EXPECT_EQ(dropped, 95U);
  EXPECT_EQ(session_->dropped_count(), dropped);
  EXPECT_LE(line_->waiting, 500'100U);
  wait(seconds(29));
  EXPECT_FALSE(line_->was_reset);
  wait(seconds(2));
  EXPECT_TRUE(line_->was_reset);
  EXPECT_TRUE(noted.has_ended);
  EXPECT_EQ(noted.code, CloseCode::abnormal);
}

TEST_P(WsEitherSide, a_slow_peer_may_be_told_to_try_again_later) {
  begin({.backpressure_bytes_max = 500'000});
  line_->is_open = false;
  call([&] {
    while (session_->try_send(std::string(300'000, 'x')) == WsSent::taken) {
    }
  });
  EXPECT_FALSE(session_->is_open());
  EXPECT_EQ(session_->code(), CloseCode::try_again_later);
}

TEST_P(WsEitherSide, a_send_waits_for_a_slow_peer_and_goes_on_when_all_has_left) {
  takes_nothing = true;
  begin({}, &send_much);
  EXPECT_FALSE(noted.has_ended);
  line_->waiting = 0;
  call([&] { session_->on_drained(); });
  EXPECT_EQ(noted.received, std::vector<std::string>{"open"});
}

TEST_P(WsEitherSide, a_send_to_a_fast_peer_does_not_wait) {
  begin({}, &send_much);
  EXPECT_TRUE(noted.has_ended);
}

TEST_P(WsEitherSide, whoever_sends_may_be_destroyed_while_that_waits) {
  takes_nothing = true;
  begin({}, &send_much);
  if (is_server()) {
    session_.reset();
  } else {
    owner_ = {};
    line_->waiting = 0;
    call([&] { session_->on_drained(); });
    EXPECT_TRUE(session_->is_open());
  }
  EXPECT_TRUE(noted.was_destroyed);
  EXPECT_FALSE(noted.has_ended);
}

TEST_P(WsEitherSide, a_send_that_waits_learns_of_the_end) {
  takes_nothing = true;
  begin({}, &send_much);
  call([&] { session_->on_broken(); });
  EXPECT_EQ(noted.received, std::vector<std::string>{"ended"});
}

TEST_P(WsEitherSide, a_close_waits_for_output_that_its_peer_takes) {
  begin({.bytes_per_second_min = 512, .close_within = seconds(5)});
  line_->is_open = false;
  call([&] { session_->try_send(std::string(300'000, 'x')); });
  call([&] { session_->close(CloseCode::normal, "done"); });
  for (int span = 0; span < 4; ++span) {
    line_->waiting -= 5 * 512;
    wait(seconds(5));
    EXPECT_FALSE(line_->is_closed) << span;
  }
  wait(seconds(6));
  if (is_server()) {
    wait(seconds(6));  // it first stops waiting for the close frame
  }
  EXPECT_TRUE(line_->was_reset);
  EXPECT_TRUE(line_->is_closed);
}

TEST_P(WsEitherSide, a_reset_during_the_close_handshake_is_the_end) {
  begin();
  call([&] { session_->close(CloseCode::going_away, "home"); });
  EXPECT_FALSE(noted.has_ended);
  call([&] { session_->on_broken(); });
  EXPECT_TRUE(noted.has_ended);
  EXPECT_EQ(noted.code, CloseCode::going_away);
  EXPECT_EQ(sent(), SeenList{ws::saw_close(1001, "home")});
}

TEST_P(WsEitherSide, messages_ahead_of_a_close_are_received_before_it_is_answered) {
  begin();
  hear(std::vector<ws::SentFrame>{ws::text("a"), ws::text("b"), ws::close(4000, "bye")});
  EXPECT_EQ(noted.received, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(sent(), SeenList{ws::saw_close(4000)});
  call([&] { session_->on_end(); });
  EXPECT_TRUE(noted.has_ended);
  EXPECT_EQ(noted.reason, "bye");
  EXPECT_TRUE(line_->is_closed);
  EXPECT_FALSE(line_->was_reset);
}

TEST_P(WsEitherSide, the_server_ends_the_connection_first) {
  begin({.close_within = seconds(5)});
  hear(ws::close(1000));
  EXPECT_EQ(line_->has_ended, is_server());
  EXPECT_EQ(line_->is_closed, is_server());
  EXPECT_EQ(noted.has_ended, is_server());
  wait(seconds(6));
  EXPECT_TRUE(line_->is_closed);
  EXPECT_TRUE(noted.has_ended);
  EXPECT_EQ(noted.code, CloseCode::normal);
}

// END_STREAM is sent with the response, because the other side may wait for it before it ends its
// own.
TEST_P(WsEitherSide, either_ends_a_stream_with_its_response) {
  is_stream = true;
  begin({.close_within = seconds(5)});
  hear(ws::close(1000));
  EXPECT_TRUE(line_->has_ended);
  EXPECT_EQ(line_->is_closed, is_server());
  call([&] { session_->on_end(); });
  EXPECT_TRUE(line_->is_closed);
  EXPECT_FALSE(line_->was_reset);
  EXPECT_EQ(noted.code, CloseCode::normal);
}

TEST_P(WsEitherSide, codes_that_must_not_be_sent_are_not) {
  begin();
  for (const unsigned code : {0U, 999U, 1004U, 1005U, 1006U, 1015U, 2999U, 5000U, 65535U}) {
    EXPECT_THROW(session_->close(static_cast<CloseCode>(code), ""), std::invalid_argument) << code;
  }
  EXPECT_TRUE(session_->is_open());
}

TEST_P(WsEitherSide, what_nobody_receives_is_not_read_without_end) {
  takes_nothing = true;
  begin({.queued_messages_max = 10}, &send_much);
  hear(std::vector<ws::SentFrame>(10, ws::text("x")));
  EXPECT_FALSE(line_->is_paused);
  hear(std::vector<ws::SentFrame>(2, ws::text("x")));
  EXPECT_TRUE(line_->is_paused);
}

TEST_P(WsEitherSide, compressed_messages_go_both_ways_and_a_bomb_ends_with_1009) {
  const WsAgreement agreement{.compression = kAgreed};
  const Side peers = is_server() ? Side::client : Side::server;
  begin({.message_bytes_max = 1UL << 20U, .compression = true}, &note_all, agreement);
  const auto codec = ws::make_deflate_codec(peers, kAgreed, {});
  const auto hear_compressed = [&](std::string_view text) {
    Buffer packed;
    ASSERT_EQ(codec->deflate(text, packed), ws::Deflated::done);
    ws::SentFrame frame = ws::text(std::string(packed.view()));
    frame.first |= 0x40;
    hear(frame);
  };
  const std::string text(1000, 't');
  hear_compressed(text);
  EXPECT_EQ(noted.received, std::vector<std::string>{text});
  call([&] { session_->try_send(text); });
  (void)line_->flush();
  EXPECT_LT(line_->sent.size(), 100U);
  hear_compressed(std::string(64UL << 20U, 'x'));
  EXPECT_EQ(session_->code(), CloseCode::message_too_big);
  EXPECT_EQ(noted.received.size(), 1U);
}

TEST_P(WsEitherSide, compression_that_was_not_agreed_on_is_refused) {
  begin({.compression = true});
  ws::SentFrame frame = ws::text("x");
  frame.first |= 0x40;
  hear(frame);
  EXPECT_EQ(session_->code(), CloseCode::protocol_error);
}

}  // namespace
}  // namespace eider::ws::detail
