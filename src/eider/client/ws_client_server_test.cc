// The client and Eider's own server, over real sockets.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/websocket.h"
#include "eider/client/ws_client.h"
#include "eider/server/server.h"

namespace eider {
namespace {

Task<> echo(WebSocket ws) {
  while (auto message = co_await ws.receive()) {
    const bool is_farewell = message->bytes == "go away";
    co_await ws.send(*message);
    if (is_farewell) {
      ws.close(static_cast<CloseCode>(4000), "as you wish");
    }
  }
}

/// An app with an echo on a port of its own, and a loop for the client.
class WsClientServerTest : public ::testing::Test {
 protected:
  WsClientServerTest() {
    app_.ws("/echo", echo, {.message_bytes_max = 8UL << 20U, .subprotocols = {"b", "a"}});
    service_ = app_.make_service().value();
    server_.emplace(*service_, ServerOptions{.port = 0, .threads = 1});
    EXPECT_TRUE(server_->start());
    loop_ = Loop::create(Backend::automatic).value();
  }
  ~WsClientServerTest() override {
    server_->stop();
    server_->wait();
  }
  [[nodiscard]] std::string url(std::string_view path = "/echo") const {
    return "ws://127.0.0.1:" + std::to_string(server_->port()).append(path);
  }
  void run(Task<> task) {
    Task<> whole = then_stop(std::move(task));
    loop_->post([&whole] { whole.start(); });
    loop_->run();
    whole.take();
  }
  /// What comes of connecting, and the client is gone again.
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
    auto connecting = WsClient::connect(std::move(where));
    connected.emplace(co_await std::move(connecting));
  }

  App app_;
  std::unique_ptr<Service> service_;
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
  auto connecting = WsClient::connect(
      std::move(url), {.subprotocols = {"a"}, .message_bytes_max = std::size_t{8} << 20U});
  auto client = co_await std::move(connecting);
  if (!client) {
    ADD_FAILURE() << client.error().text;
    co_return;
  }
  for (const std::string& word : words) {
    auto sending = client->send(word);
    const bool is_sent = co_await std::move(sending);
    EXPECT_TRUE(is_sent);
    auto receiving = client->receive();
    const auto message = co_await std::move(receiving);
    result.heard.emplace_back(message ? message->bytes : "nothing");
  }
  if (who == WhoCloses::client) {
    auto closing = client->close(CloseCode::going_away, "home");
    co_await std::move(closing);
  }
  auto receiving = client->receive();
  const auto last = co_await std::move(receiving);
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
