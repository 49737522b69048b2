#include "eider/app/handlers/websocket.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "eider/core/reflect/constraints.h"
#include "eider/server/test_ws_line.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"
#include "tests/sim/sim_app.h"

namespace eider {
namespace {

using testing::close_frame;
using testing::text_frame;
using testing::told;
using Words = std::vector<std::string>;

struct Asked {
  int times = 1;
};

std::string handshake(std::string_view target, std::string_view fields = {}) {
  std::string bytes("GET ");
  bytes.append(target).append(
      " HTTP/1.1\r\nHost: example.com\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
  return bytes.append(fields).append("\r\n");
}

// Returns the bytes after the headers of the response.
std::string_view behind_head(std::string_view bytes) {
  return bytes.substr(bytes.find("\r\n\r\n") + 4);
}

Task<> echo(WebSocket ws) {
  while (auto message = co_await ws.receive()) {
    co_await ws.send(*message);
  }
}

TEST(WebSocketRoutes, the_response_to_a_handshake_is_complete) {
  App app;
  app.ws("/echo", echo, {.subprotocols = {"b", "a"}});
  TestClient client(app);
  const std::string bytes = client.raw(handshake("/echo", "Sec-WebSocket-Protocol: a\r\n"));
  EXPECT_TRUE(bytes.starts_with("HTTP/1.1 101 Switching Protocols\r\n")) << bytes;
  EXPECT_TRUE(bytes.contains("\r\nConnection: upgrade\r\n")) << bytes;
  EXPECT_TRUE(bytes.contains("\r\nUpgrade: websocket\r\n"));
  EXPECT_TRUE(bytes.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"));
  EXPECT_TRUE(bytes.contains("\r\nSec-WebSocket-Protocol: a\r\n"));
  EXPECT_FALSE(bytes.contains("Content-Length"));
  EXPECT_FALSE(bytes.contains("Transfer-Encoding"));
  EXPECT_EQ(behind_head(bytes), "");
}

TEST(WebSocketRoutes, what_comes_with_the_handshake_is_heard) {
  App app;
  app.ws("/echo", echo);
  TestClient client(app);
  const std::string bytes =
      client.raw(handshake("/echo") + text_frame("early") + close_frame(1000));
  EXPECT_EQ(told(behind_head(bytes)), (Words{"text:early", "close:1000:"}));
}

void add_echo(App& app) {
  app.ws("/echo", echo);
}

TEST(WebSocketRoutes, incomplete_messages_of_all_connections_are_limited) {
  SimAppServer<add_echo> server({.bodies_bytes_max = 50'000});
  const std::string text(40'000, 'x');
  const std::string frame = text_frame(text);
  SimClient first = server.connect();
  SimClient second = server.connect();
  for (SimClient* const client : {&first, &second}) {
    client->send(handshake("/echo") + frame.substr(0, 30'000));
    server.kernel.run_until_idle();
  }
  EXPECT_EQ(told(behind_head(second.received())),
            Words{"close:1013:too many messages are incomplete"});
  first.send(frame.substr(30'000));
  server.kernel.run_until_idle();
  EXPECT_EQ(told(behind_head(first.received())), Words{"text:" + text});
}

TEST(WebSocketRoutes, a_handler_gets_its_other_arguments) {
  App app;
  app.state(std::string("shared"));
  app.ws(
      "/say/{word}",
      [](std::string word, Query<Asked> asked, WebSocket ws, State<std::string> state) -> Task<> {
        for (int time = 0; time < asked->times; ++time) {
          co_await ws.send(word);
        }
        co_await ws.send(*state);
      });
  TestClient client(app);
  EXPECT_EQ(told(behind_head(client.raw(handshake("/say/hi?times=2")))),
            (Words{"text:hi", "text:hi", "text:shared", "close:1000:"}));
  EXPECT_TRUE(client.raw(handshake("/say/hi?times=x")).starts_with("HTTP/1.1 400 "));
}

TEST(WebSocketRoutes, a_function_may_make_the_callbacks_of_each_connection) {
  App app;
  app.ws("/count/{from}", [](int from) {
    return WebSocketHandlers{.opened = {},
                             .message =
                                 [next = from](WebSocketRef& socket, const WsMessage&) mutable {
                                   socket.try_send(std::to_string(next++));
                                 },
                             .closed = {}};
  });
  TestClient client(app);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(
        told(behind_head(client.raw(handshake("/count/7") + text_frame("") + text_frame("")))),
        (Words{"text:7", "text:8"}));
  }
}

TEST(WebSocketRoutes, a_request_that_is_no_handshake_is_told_so) {
  App app;
  app.ws("/echo", echo);
  TestClient client(app);
  const TestResponse plain = client.get("/echo");
  EXPECT_EQ(plain.status, 426);
  EXPECT_EQ(plain.header("Upgrade"), "websocket");
  EXPECT_EQ(plain.header("Content-Type"), "application/problem+json");
  EXPECT_EQ(client.post("/echo", json::Value()).status, 405);
  EXPECT_TRUE(client.raw(handshake("/echo", "Origin: https://foe.example\r\n"))
                  .starts_with("HTTP/1.1 403 "));
  EXPECT_TRUE(client.raw(handshake("/echo", "Origin: https://example.com\r\n"))
                  .starts_with("HTTP/1.1 101 "));
}

TEST(WebSocketRoutes, hooks_run_before_and_may_refuse) {
  App app;
  auto members = app.group("/members");
  members.on_request([](Request& request) -> Result<void> {
    if (!request.header("Authorization")) {
      return fail(Error::unauthorized("Who are you?"));
    }
    return {};
  });
  members.ws("/echo", echo);
  TestClient client(app);
  EXPECT_TRUE(client.raw(handshake("/members/echo")).starts_with("HTTP/1.1 401 "));
  EXPECT_TRUE(
      client.raw(handshake("/members/echo", "Authorization: x\r\n")).starts_with("HTTP/1.1 101 "));
}

TEST(WebSocketRoutes, middleware_goes_around) {
  App app;
  app.use([](Request&, Next next) -> Task<Response> {
    Response response = co_await next();
    response.add_header("X-Seen", std::to_string(response.status()));
    co_return response;
  });
  app.ws("/echo", echo);
  TestClient client(app);
  const std::string bytes = client.raw(handshake("/echo"));
  EXPECT_TRUE(bytes.starts_with("HTTP/1.1 101 ")) << bytes;
  EXPECT_TRUE(bytes.contains("X-Seen: 101\r\n"));
}

TEST(WebSocketRoutes, requests_publish_to_sockets) {
  App app;
  app.ws("/feed",
         WebSocketHandlers{.opened = [](WebSocketRef& socket) { socket.subscribe("news"); },
                           .message = {},
                           .closed = {}});
  app.post("/news", [](State<Topics> topics) { return topics->subscribers("news"); });
  TestClient client(app);
  EXPECT_EQ(client.post("/news", json::Value()).body, "0");
  EXPECT_EQ(app.topics().subscribers("news"), 0U);
}

struct Greeting {
  Sized<std::string, 1, 3> name;
};
struct Goodbye {};

TEST(WebSocketRoutes, a_message_is_read_as_json) {
  App app;
  app.ws("/", [](WebSocket ws) -> Task<> {
    while (const auto message = co_await ws.receive()) {
      const auto said = read_json<std::variant<Greeting, Goodbye>>(*message);
      const std::string response = !said                ? said.error().summary()
                                   : said->index() == 0 ? *std::get<Greeting>(*said).name
                                                        : "goodbye";
      co_await ws.send(response);
    }
  });
  TestClient client(app);
  const std::string bytes = client.raw(
      handshake("/") + text_frame(R"({"type":"Greeting","name":"Ada"})") +
      text_frame(R"({"type":"Goodbye"})") + text_frame(R"({"type":"Greeting","name":"four"})") +
      text_frame("[") + testing::binary_frame("{}") + close_frame(1000));
  const auto words = told(behind_head(bytes));
  ASSERT_EQ(words.size(), 6U);
  EXPECT_EQ(words[0], "text:Ada");
  EXPECT_EQ(words[1], "text:goodbye");
  EXPECT_EQ(words[2], "text:/name: must have 1 to 3 characters");
  EXPECT_TRUE(words[3].contains("JSON")) << words[3];
  EXPECT_EQ(words[4], "text:Binary messages are not supported. Send text.");
}

TEST(WebSocketRoutes, text_is_published_to_others_alone) {
  App app;
  app.ws("/", [](WebSocket ws) -> Task<> {
    ws.subscribe("room");
    ws.publish_to_others("room", "for others");
    ws.publish("room", "for all");
    co_await ws.receive();
  });
  TestClient client(app);
  EXPECT_EQ(told(behind_head(client.raw(handshake("/")))), Words{"text:for all"});
}

TEST(WebSocketRoutes, what_a_handler_throws_is_in_the_apps_log) {
  const auto log = std::make_shared<LogLines>();
  App app;
  app.log_to(log);
  app.ws("/throw/{id}", [](WebSocket, int id) -> Task<> {
    throw std::runtime_error("number " + std::to_string(id));
    co_return;
  });
  TestClient client(app);
  EXPECT_EQ(told(behind_head(client.raw(handshake("/throw/7")))),
            (Words{"close:1011:the server failed"}));
  EXPECT_EQ(log->lines, Words{"WebSocket /throw/{id} failed: number 7"});
}

}  // namespace
}  // namespace eider
