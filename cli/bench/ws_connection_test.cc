#include "cli/bench/terms.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <utility>

#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/tcp.h"
#include "eider/protocols/http/ws/handshake.h"
#include "tests/support/test_loop.h"

namespace eider::bench {
namespace {

using Log = std::vector<std::string>;

/// Records the calls as text.
class Listener final : public ConnectionUser {
 public:
  void on_received(std::size_t) override {}
  void on_response(Connection&, const Sent&, int) override { log_.emplace_back("answer"); }
  void on_free(Connection&) override {}
  void on_failed(Connection& connection, const Sent&, Fault fault) override {
    log_.push_back(std::string(name(fault)) + ": " + connection.why());
  }
  void on_surplus(Connection& connection) override { log_.push_back(connection.why()); }
  void on_gone(Connection&) override { gone_.set(); }

  [[nodiscard]] const Log& log() const { return log_; }
  [[nodiscard]] AsyncEvent& gone() { return gone_; }

 private:
  Log log_;
  AsyncEvent gone_;
};

std::pair<Descriptor, Descriptor> make_pair_of_sockets() {
  std::array<int, 2> fds{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds.data()), 0);
  return {Descriptor(fds[0]), Descriptor(fds[1])};
}

/// opening  response of the server to the handshake; "ACCEPT" in it is replaced by the correct
///          value
/// frames   sent when both messages have arrived, in two pieces
struct Script {
  std::string opening =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Accept: ACCEPT\r\n\r\n";
  std::string frames = {};
  std::size_t cut = 0;
  Check check = Check::echo;
};

/// log       calls of the connection's user
/// received  all bytes that the server received
struct Talk {
  Log log;
  std::string opening_fault;
  std::string request;
  std::string received;
};

constexpr std::string_view kMessage = "hello";

std::string accepted(std::string_view request) {
  constexpr std::string_view kKey = "Sec-WebSocket-Key: ";
  const std::size_t at = request.find(kKey);
  EXPECT_NE(at, std::string_view::npos);
  const auto value = ws::accept_value(request.substr(at + kKey.size(), 24));
  return {value.data(), value.size()};
}

Task<std::string> read_some(TcpStream& server, std::size_t bytes_min, std::string_view end) {
  std::string all;
  while (all.size() < bytes_min || !all.ends_with(end)) {
    const auto more = co_await server.read();
    if (!more || more->empty()) {
      break;
    }
    all.append(*more);
  }
  co_return all;
}

Task<> write_in_two(TcpStream& server, std::string_view bytes, std::size_t cut) {
  const auto first = co_await server.write(bytes.substr(0, cut));
  EXPECT_TRUE(first);
  for (int turn = 0; turn < 3; ++turn) {
    co_await yield_now();  // so that the other end reads them separately
  }
  const auto second = co_await server.write(bytes.substr(cut));
  EXPECT_TRUE(second || cut != 0) << "it was refused before anything had come";
}

Task<Talk> play(Script script) {
  Options options;
  options.check = script.check;
  options.pipeline = 2;
  options.fields = {"X-Test: 1"};
  const Target target{*SocketAddress::parse("127.0.0.1", 1), "h", 1, "h:1", "/chat?a", nullptr};
  Request message;
  message.parts.body = kMessage;
  const std::vector<Request> messages = {message};
  WsTerms terms(messages, options, target);
  Listener listener;
  auto [ours, theirs] = make_pair_of_sockets();
  const auto connection = make_connection(listener, terms);
  TcpStream server(std::move(theirs));
  Talk talk;

  connection->open(std::make_unique<TcpStream>(std::move(ours)));
  talk.request = co_await read_some(server, 1, "\r\n\r\n");
  const std::size_t at = script.opening.find("ACCEPT");
  if (at != std::string::npos) {
    script.opening.replace(at, 6, accepted(talk.request));
  }
  co_await write_in_two(server, script.opening, std::min(script.cut, script.opening.size()));
  co_await connection->settled().wait();
  if (!connection->is_ready()) {
    talk.opening_fault = std::string(name(connection->fault())) + ": " + connection->why();
    co_return talk;
  }
  connection->take_into_use();
  connection->send({.due = Loop::current().now()});
  connection->send({.due = Loop::current().now()});
  talk.received = co_await read_some(server, 2 * (6 + kMessage.size()), "");
  co_await write_in_two(server, script.frames, std::min(script.cut, script.frames.size()));
  if (server.is_open()) {
    server.end();
  }
  co_await listener.gone().wait();
  talk.received += co_await read_some(server, 1, "never");
  talk.log = listener.log();
  co_return talk;
}

Talk played(Script script) {
  TestLoop on_loop;
  return on_loop.run(play(std::move(script)));
}

/// A frame of a server. Pre: less than 126 bytes.
std::string frame(unsigned first, std::string_view payload) {
  std::string text(1, static_cast<char>(first));
  return text.append(1, static_cast<char>(payload.size())).append(payload);
}

constexpr unsigned kText = 0x81;
constexpr unsigned kTextBegins = 0x01;
constexpr unsigned kBinary = 0x82;
constexpr unsigned kGoesOn = 0x80;
constexpr unsigned kClose = 0x88;
constexpr unsigned kPing = 0x89;
constexpr unsigned kPong = 0x8A;
const std::string kHello = frame(kText, kMessage);
const std::string kLost =
    "closed: The server closed a connection before it responded to all requests.";

TEST(BenchWsConnection, TellsWhatAnswersItsMessages) {
  const std::string differs = "differs: A response differs from its message (--check-echo).";
  const std::string parts = frame(kTextBegins, "he") + frame(kPing, "?") + frame(kGoesOn, "llo");
  const std::vector<std::pair<std::string, Log>> cases = {
      {kHello + kHello, {"answer", "answer"}},
      {frame(kPong, "") + parts + frame(kPing, "!") + kHello, {"answer", "answer"}},
      {kHello + frame(kTextBegins, "hello") + frame(kGoesOn, ""), {"answer", "answer"}},
      {frame(kText, "hellO") + kHello, {differs, "answer"}},
      {frame(kText, "hell") + frame(kText, "hello!"), {differs, differs}},
      {frame(kBinary, "hello") + frame(kText, ""), {differs, differs}},
      {kHello, {"answer", kLost}},
      {"", {kLost, kLost}},
      {frame(kTextBegins, "hello"), {kLost, kLost}},
      {kHello + frame(kClose, std::string("\x03\xE9") + "bye"),
       {"answer", "closed: The server closed a WebSocket: 1001 (going away), \"bye\"."}},
      {frame(kClose, "") + kHello,
       {"closed: The server closed a WebSocket: 1005 (no status).",
        "closed: The server closed a WebSocket: 1005 (no status)."}},
      {kHello + kHello + kHello, {"answer", "answer", "The server sent bytes without a request."}},
  };
  for (const auto& [frames, log] : cases) {
    for (std::size_t cut = 0; cut <= frames.size(); ++cut) {
      EXPECT_EQ(played({.frames = frames, .cut = cut}).log, log) << frames << " cut at " << cut;
    }
  }
}

TEST(BenchWsConnection, RefusesWhatIsNoFrameOfAServer) {
  const std::string long_form = std::string("\x81\x7E") + std::string("\0\5", 2) + "hello";
  for (const std::string& bad :
       {std::string("\x81\x85") + "mask" + "hello", frame(0xC1, "hello"), frame(0x83, ""),
        frame(0x09, "?"), frame(kGoesOn, "llo"), frame(kText, "\xFF"), long_form,
        frame(kTextBegins, "he") + kHello, frame(kClose, "\x03")}) {
    for (std::size_t cut = 0; cut <= bad.size(); ++cut) {
      const Talk talk = played({.frames = bad, .cut = cut, .check = Check::none});
      ASSERT_EQ(talk.log.size(), 2U);
      EXPECT_TRUE(
          talk.log[0].starts_with("malformed: The server sent an invalid WebSocket message"))
          << talk.log[0];
    }
  }
}

TEST(BenchWsConnection, TakesAnyMessageForAResponseUnlessItIsAsked) {
  const std::string frames = frame(kText, "ok") + frame(kBinary, std::string(125, '\0'));
  EXPECT_EQ(played({.frames = frames, .check = Check::none}).log, (Log{"answer", "answer"}));
}

/// Each message is masked, as required for clients, with its own key.
TEST(BenchWsConnection, SendsMaskedMessagesAndAnswersPingsAndCloses) {
  const Talk talk = played({.frames = frame(kPing, "are you there") + frame(kClose, "\x03\xE8")});
  EXPECT_TRUE(talk.request.starts_with("GET /chat?a HTTP/1.1\r\nHost: h:1\r\n")) << talk.request;
  EXPECT_NE(talk.request.find("\r\nX-Test: 1\r\n"), std::string::npos);
  const ws::MessageLimits limits;
  ws::MessageReader reader(ws::Side::server, limits);
  Buffer scratch;
  Log seen;
  std::string_view in = talk.received;
  for (ws::Event event = reader.read(in, scratch); event.kind != ws::EventKind::need_more;
       event = reader.read(in, scratch)) {
    ASSERT_NE(event.kind, ws::EventKind::refused) << event.data;
    in.remove_prefix(event.consumed);
    seen.push_back(event.kind == ws::EventKind::close ? "close" : std::string(event.data));
  }
  EXPECT_EQ(seen, (Log{"hello", "hello", "are you there", "close"}));
  EXPECT_NE(talk.received.substr(2, 4), talk.received.substr(13, 4));
}

TEST(BenchWsConnection, OpensOnlyWithTheRightResponse) {
  const std::string good = Script().opening;
  for (std::size_t cut = 0; cut < good.size(); ++cut) {
    EXPECT_EQ(played({.opening = good, .frames = kHello + kHello, .cut = cut}).opening_fault, "");
  }
  const std::string early = "HTTP/1.1 103 Early Hints\r\n\r\n";
  EXPECT_EQ(played({.opening = early + good, .frames = kHello + kHello}).log.size(), 2U);

  std::string many;
  while (many.size() < 10000) {
    many += early;
  }
  const std::vector<std::pair<std::string, std::string_view>> bad = {
      {"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "(status 404)"},
      {"HTTP/1.1 200 OK\r\n\r\n", "(status 200)"},
      {"SSH-2.0-OpenSSH\r\n\r\n", "declined: The WebSocket handshake failed: "},
      {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
       "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n",
       "declined: The WebSocket handshake failed: "},
      {many, "the response of the server is too long"},
  };
  for (const auto& [opening, why] : bad) {
    const Talk talk = played({.opening = opening});
    EXPECT_NE(talk.opening_fault.find(why), std::string::npos) << talk.opening_fault;
  }
}

TEST(BenchWsConnection, RefusesAMessageThatComesAheadOfAll) {
  const Talk talk = played({.opening = Script().opening + kHello});
  EXPECT_EQ(talk.opening_fault, "malformed: The server sent bytes without a request.");
}

}  // namespace
}  // namespace eider::bench
