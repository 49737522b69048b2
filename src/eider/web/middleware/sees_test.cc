// Which middleware sees which requests and responses, as documented in
// docs/guides/application/middleware-order.md, over HTTP/1.1 and HTTP/2.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/handlers/producing.h"
#include "eider/app/handlers/websocket.h"
#include "eider/middleware.h"
#include "eider/testkit/log_lines.h"
#include "tests/sim/sim_app.h"
#include "tests/support/h2_server.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
namespace h2 = detail::http2::test;

void add_all(App& app) {
  app.log_to(std::make_shared<LogLines>());
  app.use(request_id());
  app.use(concurrency_limit({.requests = 2}));
  app.use(rate_limit({.requests = 100, .per = 100s}));
  app.use(security_headers());
  app.use(csrf({.key = std::string(32, 'k')}));
  app.use(response_cache({.ttl = 60s}));
  app.use(timeout(5s));
  app.body_bytes_max(10);
  app.get("/x", [] { return "x"; });
  app.post("/x", [](Body body) { return std::string(body.view()); });
  app.get("/streamed", [](ResponseStream out) -> Task<> { co_await out.write("streamed"); });
  Routes known = app.group("/known");
  known.guard(bearer_auth({.tokens = {{"t", {.name = "ann"}}}}));
  const auto live = [](WebSocket socket) -> Task<> { (void)co_await socket.receive(); };
  app.ws("/live", live);
  known.ws("/live", live);
}

using SeenServer = SimAppServer<&add_all>;

std::string opening(std::string_view path, std::string_view more = {}) {
  return "GET " + std::string(path) +
         " HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
         "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
         std::string(more) + "\r\n";
}

std::string response_to(SeenServer& server, const std::string& request) {
  SimClient client = server.connect();
  client.send(request);
  server.kernel.advance(10ms);
  return client.take_received();
}

bool has(const std::string& response, std::string_view field) {
  return response.contains("\r\n" + std::string(field) + ": ");
}

TEST(Sees, what_is_said_of_all_responses_stands_on_refusals_streams_and_openings) {
  SeenServer server;
  const std::vector<std::pair<std::string, std::string>> asked = {
      {"GET /x HTTP/1.1\r\nHost: a\r\n\r\n", "200"},
      {"GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n", "404"},
      {"DELETE /x HTTP/1.1\r\nHost: a\r\n\r\n", "405"},
      {"POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n12345678901", "413"},
      {"GET /streamed HTTP/1.1\r\nHost: a\r\n\r\n", "200"},
      {"GET /known/live HTTP/1.1\r\nHost: a\r\n\r\n", "401"},
      {opening("/live"), "101"},
      {opening("/known/live"), "401"},
      {opening("/known/live", "Authorization: Bearer t\r\n"), "101"}};
  for (const auto& [request, status] : asked) {
    const std::string response = response_to(server, request);
    EXPECT_TRUE(response.starts_with("HTTP/1.1 " + status)) << request << response;
    EXPECT_TRUE(has(response, "X-Request-Id")) << request << response;
    EXPECT_TRUE(has(response, "Content-Security-Policy")) << request << response;
    EXPECT_EQ(has(response, "RateLimit"), status != "413") << request << response;
  }
}

TEST(Sees, over_http2_what_it_sees_over_http1) {
  h2::H2ServerOf<SimApp<&add_all>> server;
  const auto ask = [](std::uint32_t stream, std::string_view method, std::string_view path) {
    return h2::frame(h2::Type::headers, h2::kEndHeaders | h2::kEndStream, stream,
                     h2::head(method, path));
  };
  SimClient client = server.connect(ask(1, "GET", "/x") + ask(3, "GET", "/nowhere"));
  server.kernel.advance(10ms);
  client.send(ask(5, "GET", "/streamed") + ask(7, "DELETE", "/x"));
  server.kernel.advance(10ms);
  const std::string received = client.take_received();
  for (const std::uint32_t stream : {1U, 3U, 5U, 7U}) {
    EXPECT_TRUE(h2::received_on(received, stream).is_whole) << stream;
  }
  EXPECT_EQ(h2::received_on(received, 1).content, "x");
  EXPECT_EQ(h2::received_on(received, 5).content, "streamed");
  EXPECT_TRUE(h2::received_on(received, 3).content.contains("\"status\":404"));
  EXPECT_TRUE(h2::received_on(received, 7).content.contains("\"status\":405"));
}

TEST(Sees, sockets_count_until_they_are_open) {
  SeenServer server;
  std::vector<SimClient> clients;
  for (int index = 0; index < 10; ++index) {
    clients.push_back(server.connect());
    clients.back().send(opening("/live"));
    server.kernel.advance(10ms);
    EXPECT_TRUE(clients.back().take_received().starts_with("HTTP/1.1 101")) << index;
  }
}

TEST(Sees, sockets_of_http_2_count_until_they_are_open) {
  h2::H2ServerOf<SimApp<&add_all>> server;
  SimClient client = server.connect();
  for (std::uint32_t stream = 1; stream < 20; stream += 2) {
    client.send(
        h2::frame(h2::Type::headers, h2::kEndHeaders, stream,
                  h2::literal(":method", "CONNECT") + h2::literal(":protocol", "websocket") +
                      h2::literal(":scheme", "http") + h2::literal(":path", "/live") +
                      h2::literal(":authority", "a") + h2::literal("sec-websocket-version", "13")));
    server.kernel.advance(10ms);
  }
  client.send(
      h2::frame(h2::Type::headers, h2::kEndHeaders | h2::kEndStream, 21, h2::head("GET", "/x")));
  server.kernel.advance(10ms);
  EXPECT_EQ(h2::received_on(client.take_received(), 21).content, "x");
}

TEST(Sees, a_kept_response_has_the_names_and_fields_of_the_request_that_it_answers) {
  SeenServer server;
  const std::string request = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string first = response_to(server, request);
  const std::string again = response_to(server, request);
  const auto id = [](const std::string& response) {
    const std::size_t at = response.find("X-Request-Id: ");
    return response.substr(at, response.find("\r\n", at) - at);
  };
  EXPECT_FALSE(has(first, "Age"));
  EXPECT_TRUE(has(again, "Age"));
  EXPECT_NE(id(first), id(again));
  EXPECT_NE(again.find("RateLimit: \"default\";r=98"), std::string::npos) << again;
  EXPECT_EQ(again.find("X-Request-Id"), again.rfind("X-Request-Id"));
}

}  // namespace
}  // namespace eider
