// A client's WebSocket over a stream of an HTTP/2 connection (RFC 8441) to Eider's server.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/params.h"
#include "eider/app/handlers/websocket.h"
#include "eider/app/http2/http2.h"
#include "eider/client/client.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/server/connection_protocol.h"
#include "eider/server/http2/loop_h2.h"
#include "eider/server/server.h"

namespace eider {
namespace {

using std::chrono::operator""s;

/// Sends the HTTP version of the handshake (only HTTP/1.1 has a key), then echoes all messages.
Task<> tell(WebSocket ws, Header<"Sec-WebSocket-Key", std::optional<std::string>> key) {
  co_await ws.send(*key ? "HTTP/1.1" : "HTTP/2");
  bool has_more = true;
  while (has_more) {
    const auto message = co_await ws.receive();
    has_more = message.has_value();
    if (message) {
      co_await ws.send(*message);
    }
  }
}

/// Receives nothing, until the task is destroyed while it waits.
Task<> listen_to_nothing(WebSocket ws) {
  co_await sleep_for(std::chrono::hours(1));
  ws.close();
}

class Http2 final : public ConnectionProtocol {
 public:
  [[nodiscard]] std::string_view alpn() const noexcept override { return h2::kAlpnName; }
  [[nodiscard]] std::unique_ptr<ProtocolFactory> on_loop(
      detail::server::LoopContext& context) const override {
    return std::make_unique<detail::http2::LoopH2>(context, Http2Options());
  }
};

class WebSocketOverHttp2 : public ::testing::Test {
 protected:
  WebSocketOverHttp2() {
    app_.get("/", [] { return "here"; });
    app_.ws("/tell", tell,
            {.message_bytes_max = 8UL << 20U, .subprotocols = {"b", "a"}, .compression = true});
    app_.ws("/deaf", listen_to_nothing, {.queued_bytes_max = 1000, .close_within = 1s});
    service_ = app_.make_service().value();
    server_.emplace(*service_,
                    ServerOptions{.port = 0, .threads = 1, .protocol = std::make_shared<Http2>()});
    EXPECT_TRUE(server_->start());
    loop_ = Loop::create(Backend::automatic).value();
  }
  ~WebSocketOverHttp2() override {
    server_->stop();
    server_->wait();
  }
  [[nodiscard]] std::string url(std::string_view scheme, std::string_view path) const {
    return std::string(scheme) + "://127.0.0.1:" + std::to_string(server_->port()).append(path);
  }
  void run(Task<> task) {
    Task<> whole = then_stop(std::move(task));
    loop_->post([&whole] { whole.start(); });
    loop_->run();
    whole.take();
  }

  App app_;
  std::unique_ptr<RequestService> service_;
  std::optional<Server> server_;
  std::unique_ptr<Loop> loop_;

 private:
  static Task<> then_stop(Task<> task) {
    co_await std::move(task);
    Loop::current().stop();
  }
};

ClientOptions speaking_http2() {
  return {.http2 = Http2Use::always};
}

Task<> get(HttpClient& client, std::string url) {
  const auto reply = co_await client.get(url);
  EXPECT_TRUE(reply && reply->status() == 200) << (reply ? "another status" : reply.error().text);
}

Task<std::string> hear(WsClient& client) {
  const auto message = co_await client.receive();
  co_return message ? std::string(message->bytes) : "nothing";
}

Task<> talk(std::string page, std::string url, std::string& by) {
  HttpClient client(speaking_http2());
  if (!page.empty()) {
    co_await get(client, page);
  }
  WsClientOptions options;
  options.socket = {.message_bytes_max = 8UL << 20U, .subprotocols = {"a"}, .compression = true};
  auto opened = co_await client.websocket(std::move(url), std::move(options));
  if (!opened) {
    ADD_FAILURE() << opened.error().text;
    co_return;
  }
  by = co_await hear(*opened);
  EXPECT_EQ(opened->subprotocol(), "a");
  for (const std::size_t bytes : {0U, 1U, 1000U, 70'000U, 5'000'000U}) {
    const std::string word(bytes, static_cast<char>('a' + bytes % 26));
    co_await opened->send(word);
    const std::string heard = co_await hear(*opened);
    EXPECT_TRUE(heard == word) << bytes;
  }
  co_await opened->close(CloseCode::going_away, "home");
  EXPECT_EQ(opened->close_code(), CloseCode::going_away);
  EXPECT_FALSE(opened->is_open());
  if (!page.empty()) {
    co_await get(client, page);  // the connection stays open
  }
}

TEST_F(WebSocketOverHttp2, is_a_stream_of_the_connection_that_is_there) {
  std::string by;
  run(talk(url("http", "/"), url("ws", "/tell"), by));
  EXPECT_EQ(by, "HTTP/2");
}

TEST_F(WebSocketOverHttp2, is_a_connection_of_its_own_where_there_is_none) {
  std::string by;
  run(talk({}, url("ws", "/tell"), by));
  EXPECT_EQ(by, "HTTP/1.1");
}

Task<> be_declined(std::string page, std::string url, int& status) {
  HttpClient client(speaking_http2());
  co_await get(client, page);
  const auto opened = co_await client.websocket(std::move(url));
  EXPECT_FALSE(opened);
  status = opened ? 0 : opened.error().status;
}

TEST_F(WebSocketOverHttp2, says_when_the_server_declines) {
  int status = 0;
  run(be_declined(url("http", "/"), url("ws", "/elsewhere"), status));
  EXPECT_EQ(status, 404);
}

Task<> outlive(std::string page, std::string url, std::string& heard) {
  std::optional<WsClient> socket;
  {
    HttpClient client(speaking_http2());
    co_await get(client, page);
    auto opened = co_await client.websocket(std::move(url));
    if (!opened) {
      ADD_FAILURE() << opened.error().text;
      co_return;
    }
    socket.emplace(std::move(*opened));
  }
  heard = co_await hear(*socket);
  co_await socket->send("still here");
  heard += ", " + co_await hear(*socket);
}

TEST_F(WebSocketOverHttp2, may_outlive_the_client) {
  std::string heard;
  run(outlive(url("http", "/"), url("ws", "/tell"), heard));
  EXPECT_EQ(heard, "HTTP/2, still here");
}

Task<> fill(std::string page, std::string url, bool& waits, std::size_t& dropped) {
  HttpClient client(speaking_http2());
  co_await get(client, page);
  WsClientOptions options;
  options.socket = {.backpressure_bytes_max = 1'000'000, .slow_consumer = SlowConsumer::drop};
  auto opened = co_await client.websocket(std::move(url), std::move(options));
  if (!opened) {
    ADD_FAILURE() << opened.error().text;
    co_return;
  }
  const std::string message(100'000, 'x');
  for (int count = 0; count < 100; ++count) {
    dropped += opened->try_send(message) == WsSent::dropped ? 1U : 0U;
    co_await yield_now();
  }
  auto sending = opened->send("x");
  waits = !sending.await_ready();
}

TEST_F(WebSocketOverHttp2, a_server_that_reads_nothing_is_told_and_waited_for) {
  bool waits = false;
  std::size_t dropped = 0;
  run(fill(url("http", "/"), url("ws", "/deaf"), waits, dropped));
  EXPECT_TRUE(waits);
  EXPECT_GT(dropped, 0U);
}

Task<> be_stopped(std::string page, std::string url, Server& server, CloseCode& code) {
  HttpClient client(speaking_http2());
  co_await get(client, page);
  auto opened = co_await client.websocket(std::move(url));
  if (!opened) {
    ADD_FAILURE() << opened.error().text;
    co_return;
  }
  co_await hear(*opened);
  server.stop();
  const std::string heard = co_await hear(*opened);
  EXPECT_EQ(heard, "nothing");
  code = opened->close_code();
}

TEST_F(WebSocketOverHttp2, a_server_that_stops_says_so) {
  CloseCode code{};
  run(be_stopped(url("http", "/"), url("ws", "/tell"), *server_, code));
  EXPECT_EQ(code, CloseCode::going_away);
}

}  // namespace
}  // namespace eider
