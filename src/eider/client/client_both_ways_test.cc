// A response that arrives while the request body is still being sent.
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "eider/io/runtime/sync.h"
#include "tests/support/h2_client_line.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

constexpr std::size_t kContentBytes = 900'000;

ClientOptions without_consent() {
  ClientOptions options;
  options.expect_continue_from = std::size_t{1} << 30U;
  return options;
}

ClientLine::Prepare content_of(std::size_t bytes) {
  return [bytes](ClientRequest& request) { request.body(std::string(bytes, 'x'), "text/plain"); };
}

/// A server whose socket accepts few bytes, after the connection is established.
class SlowLine : public ClientLine {
 public:
  SlowLine() : ClientLine(without_consent()) {
    get();
    say(response("0"));
    static_cast<void>(sent());
    peers[0].set_window(10'000);
  }
  SentRequest& post(std::size_t bytes = kContentBytes) {
    return ask(Method::post, "http://a/", content_of(bytes));
  }
  /// Returns the received part of the body, without the header.
  std::string content() {
    std::string bytes = sent();
    const std::size_t head = bytes.find("\r\n\r\n");
    if (bytes.starts_with("POST ")) {
      bytes.erase(0, head + 4);
    }
    kernel.run_until_idle();
    return bytes;
  }
};

constexpr std::string_view kLengthy = "HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n";

TEST(ClientBothWays, takes_what_a_server_echoes_as_it_reads) {
  SlowLine line;
  SentRequest& asked = line.post();
  line.say(kLengthy);
  std::size_t echoed = 0;
  for (int rounds = 0; rounds < 1000 && echoed < kContentBytes; ++rounds) {
    const std::string piece = line.content();
    echoed += piece.size();
    line.say(piece);
  }
  ASSERT_EQ(echoed, kContentBytes);
  ASSERT_TRUE(asked.is_response());
  EXPECT_EQ(asked.response().body(), std::string(kContentBytes, 'x'));
  line.get();
  EXPECT_EQ(line.peers.size(), 1U) << "the connection is free again";
}

TEST(ClientBothWays, stops_at_an_error_and_closes) {
  SlowLine line;
  const SentRequest& asked = line.post();
  static_cast<void>(line.content());
  line.say(response("too much", {}, "413 Content Too Large"));
  EXPECT_EQ(asked.text(), "413 too much");
  EXPECT_TRUE(line.peers[0].is_closed());
}

/// Pieces that are available immediately; the server rejects the request after the second one.
struct Ready {
  ClientLine& line;
  int pieces = 0;

  static Task<std::string> piece(Ready& ready) {
    if (++ready.pieces == 2) {
      ready.line.peers[0].send(response("too much", {}, "413 Content Too Large"));
    }
    co_return ready.pieces <= 1000 ? std::string(64UL * 1024, 'x') : std::string();
  }
};

TEST(ClientBothWays, hears_an_error_though_it_never_waits_for_the_socket) {
  ClientLine line(without_consent());
  line.get();
  line.say(response("0"));
  Ready ready{line};
  const SentRequest& asked = line.ask(Method::post, "http://a/", [&ready](ClientRequest& request) {
    request.body_from([&ready] { return Ready::piece(ready); }, "text/plain");
  });
  line.say("HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(asked.text(), "413 too much");
  EXPECT_LT(ready.pieces, 16);
  EXPECT_TRUE(line.peers[0].is_closed());
}

TEST(ClientBothWays, sends_no_more_behind_the_head_of_an_error) {
  SlowLine line;
  const SentRequest& asked = line.post();
  static_cast<void>(line.content());
  line.say("HTTP/1.1 413 -\r\nContent-Length: 3\r\n\r\n");
  static_cast<void>(line.content());  // bytes that were already in the socket
  static_cast<void>(line.content());
  for (int rounds = 0; rounds < 20; ++rounds) {
    static_cast<void>(line.content());
  }
  EXPECT_EQ(line.content(), "");
  line.say("abc");
  EXPECT_EQ(asked.text(), "413 abc");
  EXPECT_TRUE(line.peers[0].is_closed());
}

TEST(ClientBothWays, closes_a_connection_whose_response_was_whole_ahead_of_the_content) {
  SlowLine line;
  const SentRequest& asked = line.post();
  line.say(response("enough"));
  EXPECT_EQ(asked.text(), "200 enough");
  EXPECT_TRUE(line.peers[0].is_closed());
}

TEST(ClientBothWays, keeps_to_the_deadline_of_the_whole) {
  SlowLine line;
  const SentRequest& asked = line.post();
  line.say(std::string(kLengthy) + "begun");
  line.kernel.advance(59s);
  EXPECT_EQ(asked.text(), "nothing yet");
  line.kernel.advance(2s);
  EXPECT_EQ(asked.text(), "timed_out");
}

TEST(ClientBothWays, is_cancelled_within_both) {
  SlowLine line;
  SentRequest& asked = line.post();
  line.say(std::string(kLengthy) + "begun");
  line.loop.call([&] { asked.task = Task<>(); });
  EXPECT_TRUE(line.peers[0].is_closed());
}

TEST(ClientBothWays, is_lost_within_both) {
  SlowLine line;
  const SentRequest& asked = line.post();
  line.say(std::string(kLengthy) + "begun");
  line.peers[0].reset();
  line.kernel.run_until_idle();
  EXPECT_EQ(asked.text(), "connection_lost");
}

/// A producer that the test controls, and its pieces.
struct Gate {
  AsyncEvent go;
  std::string piece;
  bool throws = false;
};

ContentProducer gated(Gate& gate) {
  struct Give {
    static Task<std::string> piece(Gate& gate) {
      co_await gate.go.wait();
      gate.go.reset();
      if (gate.throws) {
        throw std::runtime_error("no more");
      }
      co_return gate.piece;
    }
  };
  return [&gate] { return Give::piece(gate); };
}

void give(ClientLine& line, Gate& gate, std::string piece) {
  line.loop.call([&] {
    gate.piece = std::move(piece);
    gate.go.set();
  });
  line.kernel.run_until_idle();
}

constexpr std::string_view kPieces = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST(ClientBothWays, tells_of_a_wrong_length_behind_the_responses_head) {
  ClientLine line(without_consent());
  Gate gate;
  const SentRequest& asked = line.ask(Method::post, "http://a/", [&gate](ClientRequest& request) {
    request.body_from(gated(gate), "text/plain", 5);
  });
  line.say(std::string("HTTP/1.1 100 Continue\r\n\r\n") + std::string(kPieces));
  give(line, gate, "abc");
  EXPECT_TRUE(line.sent().ends_with("abc"));
  give(line, gate, "");
  EXPECT_EQ(asked.text(), "bad_request");
  EXPECT_TRUE(line.peers[0].is_closed());
}

TEST(ClientBothWays, throws_what_a_producer_throws_behind_the_responses_head) {
  ClientLine line(without_consent());
  Gate gate;
  SentRequest& asked = line.ask(Method::post, "http://a/", [&gate](ClientRequest& request) {
    request.body_from(gated(gate), "text/plain");
  });
  line.say(std::string("HTTP/1.1 100 Continue\r\n\r\n") + std::string(kPieces));
  gate.throws = true;
  give(line, gate, "");
  ASSERT_TRUE(asked.task.is_done());
  EXPECT_THROW(asked.task.take(), std::runtime_error);
  EXPECT_TRUE(line.peers[0].is_closed());
}

// Responses that are read in pieces.

struct Conversation {
  Gate gate;
  std::string heard;
  std::string end = "not yet";
};

Task<> converse(ClientLine& line, Conversation& to) {
  auto request = line.client.request(Method::post, "http://a/");
  request.body_from(gated(to.gate), "text/plain");
  auto reply = co_await request.send_streamed();
  if (!reply) {
    to.end = to_text(reply.error().fault);
    co_return;
  }
  for (;;) {
    const auto piece = co_await reply->next();
    if (!piece || piece->empty()) {
      to.end = piece ? "end" : to_text(piece.error().fault);
      co_return;
    }
    to.heard.append(*piece);
  }
}

class Talking : public ClientLine {
 public:
  Talking() : ClientLine(without_consent()), task(converse(*this, talk)) {
    loop.call([this] { task.start(); });
    say("HTTP/1.1 100 Continue\r\n\r\n");
    static_cast<void>(sent());
  }
  Conversation talk;
  Task<> task;
};

TEST(ClientBothWays, is_a_conversation_where_the_response_is_taken_in_pieces) {
  Talking line;
  line.say(kPieces);
  give(line, line.talk.gate, "one");
  EXPECT_EQ(line.sent(), "3\r\none\r\n");
  line.say("3\r\nONE\r\n");
  EXPECT_EQ(line.talk.heard, "ONE");
  line.kernel.advance(120s);  // the server is not silent while it waits for the client
  give(line, line.talk.gate, "two");
  line.say("3\r\nTWO\r\n");
  give(line, line.talk.gate, "");
  EXPECT_EQ(line.sent(), "3\r\ntwo\r\n0\r\n\r\n");
  line.say("0\r\n\r\n");
  EXPECT_EQ(line.talk.heard + " " + line.talk.end, "ONETWO end");
  EXPECT_FALSE(line.peers[0].is_closed());
}

TEST(ClientBothWays, hears_silence_once_all_was_said) {
  Talking line;
  line.say(kPieces);
  give(line, line.talk.gate, "one");
  give(line, line.talk.gate, "");
  line.kernel.advance(31s);
  EXPECT_EQ(line.talk.end, "timed_out");
}

TEST(ClientBothWays, gives_up_a_server_that_takes_nothing_of_a_conversation) {
  Talking line;
  line.say(kPieces);
  line.peers[0].set_window(1000);
  give(line, line.talk.gate, std::string(100'000, 'x'));
  line.kernel.advance(29s);
  EXPECT_EQ(line.talk.end, "not yet");
  line.kernel.advance(2s);
  EXPECT_EQ(line.talk.end, "timed_out");
}

TEST(ClientBothWays, ends_with_the_response_whatever_was_still_to_say) {
  Talking line;
  line.say(std::string(kPieces) + "3\r\nbye\r\n0\r\n\r\n");
  EXPECT_EQ(line.talk.heard + " " + line.talk.end, "bye end");
  EXPECT_TRUE(line.peers[0].is_closed());
  give(line, line.talk.gate, "too late");
}

TEST(ClientBothWays, passes_on_what_a_producer_throws_within_a_conversation) {
  Talking line;
  line.say(kPieces);
  line.talk.gate.throws = true;
  give(line, line.talk.gate, "");
  ASSERT_TRUE(line.task.is_done());
  EXPECT_THROW(line.task.take(), std::runtime_error);
}

TEST(ClientBothWays, is_dropped_within_a_conversation) {
  Talking line;
  line.say(kPieces);
  line.loop.call([&] { line.task = Task<>(); });
  EXPECT_TRUE(line.peers[0].is_closed());
}

// The same over HTTP/2.

std::string room(std::uint32_t stream, std::size_t bytes) {
  return frame(Type::window_update, 0, stream, word(static_cast<std::uint32_t>(bytes)));
}

TEST(ClientBothWays, takes_what_a_server_echoes_over_h2) {
  H2Line line(without_consent());
  SentRequest& asked = line.ask(Method::post, "http://a/", content_of(kContentBytes));
  line.say(greeting() + reply(1, 0));
  std::size_t echoed = 0;
  for (int rounds = 0; rounds < 1000 && echoed < kContentBytes; ++rounds) {
    const std::string piece = H2Line::content(line.frames(), 1);
    const std::size_t bytes = piece.size() - (piece.ends_with('|') ? 1 : 0);
    for (std::size_t at = 0; at < bytes; at += 16'000) {
      line.say(
          frame(Type::data, 0, 1, piece.substr(at, std::min<std::size_t>(16'000, bytes - at))));
    }
    echoed += bytes;
    if (bytes != 0) {
      line.say(room(0, bytes) + room(1, bytes));
    }
  }
  ASSERT_EQ(echoed, kContentBytes);
  line.say(frame(Type::data, kEndStream, 1, ""));
  ASSERT_TRUE(asked.is_response());
  EXPECT_EQ(asked.response().body().size(), kContentBytes);
  EXPECT_FALSE(H2Line::has(line.frames(), Type::rst_stream, 1));
}

TEST(ClientBothWays, resets_the_stream_without_an_error_when_the_response_was_first) {
  H2Line line(without_consent());
  const SentRequest& asked = line.ask(Method::post, "http://a/", content_of(kContentBytes));
  line.say(greeting());
  static_cast<void>(line.frames());
  line.say(h2_response(1, "too much", {}, "413"));
  EXPECT_EQ(asked.text(), "413 too much");
  const auto frames = line.frames();
  ASSERT_TRUE(H2Line::has(frames, Type::rst_stream, 1));
  for (const Frame& one : frames) {
    if (one.type == Type::rst_stream) {
      EXPECT_EQ(one.payload, word(0)) << "NO_ERROR";
    }
  }
  const SentRequest& next = line.get();
  line.say(h2_response(3, "3"));
  EXPECT_EQ(next.text(), "200 3") << "the connection serves on";
}

TEST(ClientBothWays, takes_a_response_whose_server_resets_the_rest_of_the_content) {
  H2Line line(without_consent());
  const SentRequest& asked = line.ask(Method::post, "http://a/", content_of(kContentBytes));
  line.say(greeting() + h2_response(1, "enough") + testing::reset(1, 0));
  EXPECT_EQ(asked.text(), "200 enough");
}

TEST(ClientBothWays, is_cancelled_within_both_over_h2) {
  H2Line line(without_consent());
  SentRequest& asked = line.ask(Method::post, "http://a/", content_of(kContentBytes));
  line.say(greeting() + reply(1, 0) + frame(Type::data, 0, 1, "begun"));
  line.loop.call([&] { asked.task = Task<>(); });
  EXPECT_TRUE(H2Line::has(line.frames(), Type::rst_stream, 1));
  const SentRequest& next = line.get();
  line.say(h2_response(3, "3"));
  EXPECT_EQ(next.text(), "200 3");
}

}  // namespace
}  // namespace eider
