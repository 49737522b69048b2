// The client with Eider's server, over real sockets.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/websocket.h"
#include "eider/client/ws/ws_client.h"
#include "eider/io/runtime/scope.h"
#include "eider/io/runtime/sleep.h"
#include "eider/server/server.h"

namespace eider {
namespace {

using std::chrono::operator""s;

Task<> echo(WebSocket ws) {
  while (auto message = co_await ws.receive()) {
    const bool is_farewell = message->bytes == "go away";
    co_await ws.send(*message);
    if (is_farewell) {
      ws.close(static_cast<CloseCode>(4000), "as you wish");
    }
  }
}

/// Receives nothing, until it is destroyed while it waits.
Task<> deaf(WebSocket ws) {
  co_await sleep_for(std::chrono::hours(1));
  ws.close();
}

/// An app with an echo on its own port, and an event loop for the client.
class WsClientServerTest : public ::testing::Test {
 protected:
  WsClientServerTest() {
    app_.ws("/echo", echo, {.message_bytes_max = 8UL << 20U, .subprotocols = {"b", "a"}});
    app_.ws("/packed", echo, {.message_bytes_max = 8UL << 20U, .compression = true});
    app_.ws("/deaf", deaf, {.queued_bytes_max = 1000, .close_within = 1s});
    service_ = app_.make_service().value();
    server_.emplace(*service_, ServerOptions{.port = 0, .threads = 1});
    EXPECT_TRUE(server_->start());
    loop_ = Loop::create(Backend::automatic).value();
  }
  ~WsClientServerTest() override {
    server_->stop();
    server_->wait();
  }
  [[nodiscard]] Server& server() { return *server_; }
  [[nodiscard]] std::string url(std::string_view path = "/echo") const {
    return "ws://127.0.0.1:" + std::to_string(server_->port()).append(path);
  }
  void run(Task<> task) {
    Task<> whole = then_stop(std::move(task));
    loop_->post([&whole] { whole.start(); });
    loop_->run();
    whole.take();
  }
  /// Returns the error of connecting; disconnects if it succeeds.
  WsClientError error_of(std::string where) {
    std::optional<WsClient::Connected> connected;
    run(try_connect(std::move(where), connected));
    return connected->has_value() ? WsClientError{WsClientFault::bad_url, "connected"}
                                  : connected->error();
  }

 private:
  static Task<> then_stop(Task<> task) {
    co_await std::move(task);
    Loop::current().stop();
  }
  static Task<> try_connect(std::string where, std::optional<WsClient::Connected>& connected) {
    connected.emplace(co_await WsClient::connect(std::move(where)));
  }

  App app_;
  std::unique_ptr<RequestService> service_;
  std::optional<Server> server_;
  std::unique_ptr<Loop> loop_;
};

struct Talk {
  std::vector<std::string> heard = {};
  CloseCode code = CloseCode::abnormal;
  std::string reason = {};
  std::string subprotocol = {};
};

enum class WhoCloses { client, server };

Task<> talk(std::string url, std::vector<std::string> words, WhoCloses who, Talk& result) {
  auto client = co_await WsClient::connect(
      std::move(url),
      {.socket = {.message_bytes_max = std::size_t{8} << 20U, .subprotocols = {"a"}}});
  if (!client) {
    ADD_FAILURE() << client.error().text;
    co_return;
  }
  for (const std::string& word : words) {
    const bool is_sent = co_await client->send(word);
    EXPECT_TRUE(is_sent);
    const auto message = co_await client->receive();
    result.heard.emplace_back(message ? message->bytes : "nothing");
  }
  if (who == WhoCloses::client) {
    co_await client->close(CloseCode::going_away, "home");
  }
  const auto last = co_await client->receive();
  EXPECT_FALSE(last);
  result.code = client->close_code();
  result.reason = client->close_reason();
  result.subprotocol = client->subprotocol();
}

TEST_F(WsClientServerTest, they_understand_each_other) {
  const std::vector<std::string> words{"",
                                       "hello",
                                       "\xC3\xA4\xE2\x82\xAC",
                                       std::string(126, 'x'),
                                       std::string(70000, 'y'),
                                       std::string(5000000, 'z')};
  Talk result;
  run(talk(url(), words, WhoCloses::client, result));
  EXPECT_EQ(result.heard, words);
  EXPECT_EQ(result.subprotocol, "a");
  EXPECT_EQ(result.code, CloseCode::going_away);
}

TEST_F(WsClientServerTest, the_server_may_close_with_a_word) {
  Talk result;
  run(talk(url(), {"go away"}, WhoCloses::server, result));
  EXPECT_EQ(result.heard, std::vector<std::string>{"go away"});
  EXPECT_EQ(result.code, static_cast<CloseCode>(4000));
  EXPECT_EQ(result.reason, "as you wish");
}

Task<> talk_packed(std::string url, WebSocketCompression compression, std::vector<bool>& same) {
  WsClientOptions options;
  options.socket = {.message_bytes_max = std::size_t{8} << 20U, .compression = compression};
  auto client = co_await WsClient::connect(std::move(url), std::move(options));
  if (!client) {
    ADD_FAILURE() << client.error().text;
    co_return;
  }
  for (const std::size_t bytes : {0U, 31U, 1000U, 70'000U, 5'000'000U}) {
    for (int again = 0; again < 3; ++again) {
      const std::string word(bytes, 'w');
      co_await client->send(word);
      const auto message = co_await client->receive();
      same.push_back(message && message->bytes == word);
    }
  }
  co_await client->close();
}

TEST_F(WsClientServerTest, they_compress_where_both_want_to) {
  const std::vector<std::pair<std::string, WebSocketCompression>> cases{
      {"/packed", true},
      {"/packed", WebSocketDeflate{.keeps_own_context = true, .keeps_peer_context = true}},
      {"/packed", WebSocketDeflate{.own_window_bits = 10, .peer_window_bits = 9}},
      {"/packed", false},
      {"/echo", true}};
  for (const auto& [path, compression] : cases) {
    std::vector<bool> same;
    run(talk_packed(url(path), compression, same));
    EXPECT_EQ(same, std::vector<bool>(15, true));
  }
}

Task<> hear_too_much(std::string url, CloseCode& code) {
  auto client = co_await WsClient::connect(std::move(url), {.socket = {.message_bytes_max = 1000}});
  if (!client) {
    ADD_FAILURE() << client.error().text;
    co_return;
  }
  co_await client->send(std::string(1001, 'x'));
  const auto message = co_await client->receive();
  EXPECT_FALSE(message);
  code = client->close_code();
}

TEST_F(WsClientServerTest, a_message_beyond_the_clients_limit_ends_with_1009) {
  CloseCode code{};
  run(hear_too_much(url(), code));
  EXPECT_EQ(code, CloseCode::message_too_big);
}

Task<> receive_all(WsClient& client) {
  bool has_more = true;
  while (has_more) {
    const auto message = co_await client.receive();
    has_more = message.has_value();
  }
}

/// Sends until the other end has closed.
Task<> send_on(std::string url, Server& server, CloseCode& code, std::size_t& sent) {
  auto client = co_await WsClient::connect(std::move(url), {.socket = {.close_within = 1s}});
  if (!client) {
    ADD_FAILURE() << client.error().text;
    co_return;
  }
  Scope receiving;
  receiving.start(receive_all(*client));
  bool is_open = true;
  while (is_open) {
    is_open = co_await client->send(std::string(100'000, 'x'));
    if (++sent == 20) {
      server.stop();
    }
    co_await yield_now();
  }
  co_await receiving.join();
  code = client->close_code();
}

TEST_F(WsClientServerTest, a_server_that_stops_says_so_to_a_client_that_sends) {
  CloseCode code{};
  std::size_t sent = 0;
  run(send_on(url(), server(), code, sent));
  EXPECT_GE(sent, 20U);
  EXPECT_EQ(code, CloseCode::going_away);
}

/// Neither end can accept everything that the other sends, so each must read while it waits.
Task<> talk_at_length(std::string url, std::size_t& heard) {
  auto client =
      co_await WsClient::connect(std::move(url), {.socket = {.message_bytes_max = 8UL << 20U}});
  if (!client) {
    ADD_FAILURE() << client.error().text;
    co_return;
  }
  const std::string long_text(7UL << 20U, 'x');
  for (int count = 0; count < 3; ++count) {
    (void)client->send(long_text);  // sending has started, and need not be awaited
  }
  for (int count = 0; count < 3; ++count) {
    const auto message = co_await client->receive();
    heard += message ? message->bytes.size() : 0;
  }
}

TEST_F(WsClientServerTest, messages_beyond_what_sockets_hold_come_back_while_more_wait) {
  std::size_t heard = 0;
  run(talk_at_length(url(), heard));
  EXPECT_EQ(heard, 3 * (7UL << 20U));
}

Task<> fill(std::string url, bool& waits, std::size_t& dropped) {
  auto client = co_await WsClient::connect(
      std::move(url),
      {.socket = {.backpressure_bytes_max = 1'000'000, .slow_consumer = SlowConsumer::drop}});
  if (!client) {
    ADD_FAILURE() << client.error().text;
    co_return;
  }
  const std::string message(100'000, 'x');
  for (int count = 0; count < 400; ++count) {  // more than the kernel's buffer
    dropped += client->try_send(message) == WsSent::dropped ? 1U : 0U;
  }
  auto sending = client->send("x");
  waits = !sending.await_ready();
}

TEST_F(WsClientServerTest, a_server_that_reads_nothing_is_told_and_waited_for) {
  bool waits = false;
  std::size_t dropped = 0;
  run(fill(url("/deaf"), waits, dropped));
  EXPECT_TRUE(waits);
  EXPECT_GT(dropped, 0U);
}

TEST_F(WsClientServerTest, what_is_not_there_is_told) {
  const WsClientError error = error_of(url("/elsewhere"));
  EXPECT_EQ(error.fault, WsClientFault::declined);
  EXPECT_EQ(error.status, 404);
  EXPECT_EQ(error_of("ws://127.0.0.1:1/").fault, WsClientFault::not_connected);
  EXPECT_EQ(error_of("ws://nobody.invalid/").fault, WsClientFault::no_such_name);
  std::string secure = url();
  EXPECT_EQ(error_of(secure.insert(2, "s")).fault, WsClientFault::tls_failed);
}

}  // namespace
}  // namespace eider
