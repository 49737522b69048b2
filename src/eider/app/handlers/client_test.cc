#include "eider/app/handlers/client.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "eider/app/app.h"
#include "eider/app/handlers/websocket.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/server/server.h"

namespace eider {
namespace {

/// Sends a request over TCP, and returns the first bytes of the response.
std::string response_to(const App& app, const std::string& request, std::size_t bytes_max) {
  const auto service = app.make_service().value();
  Server server(*service, {.port = 0, .threads = 1});
  EXPECT_TRUE(server.start());
  std::string response;
  {
    const testing::Peer peer(SocketAddress::parse("127.0.0.1", server.port()).value());
    EXPECT_TRUE(peer.send(request));
    response = peer.receive(bytes_max);
  }
  server.stop();
  return response;
}

/// Returns "address scheme host" for a request from 127.0.0.1 with these headers.
std::string seen_by(App app, std::string_view fields) {
  app.get("/me", [](const ClientInfo& client) {
    std::string line = client.address;
    line.append(" ").append(client.scheme).append(" ").append(client.host);
    return line;
  });
  std::string request("GET /me HTTP/1.1\r\nHost: inside\r\nConnection: close\r\n");
  const std::string response = response_to(app, request.append(fields).append("\r\n"), 65536);
  return response.substr(response.find("\r\n\r\n") + 4);
}

constexpr std::string_view kForged =
    "X-Forwarded-For: 192.0.2.9\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: out.example\r\n";

TEST(ClientInfo, is_the_other_end_when_nobody_is_trusted) {
  EXPECT_EQ(seen_by(App(), kForged), "127.0.0.1 http inside");
}

TEST(ClientInfo, is_whom_a_trusted_proxy_names) {
  App app;
  app.trust_proxies("10.0.0.0/8, 127.0.0.1");
  EXPECT_EQ(seen_by(std::move(app), kForged), "192.0.2.9 https out.example");
}

TEST(ClientInfo, is_not_whom_an_outsider_names_in_front) {
  App app;
  app.trust_proxies("127.0.0.1");
  EXPECT_EQ(seen_by(std::move(app), "X-Forwarded-For: 10.1.1.1, 203.0.113.5\r\n"),
            "203.0.113.5 http inside");
}

TEST(ClientInfo, is_read_from_the_fields_that_the_proxy_sets_only) {
  App app;
  app.trust_proxies("127.0.0.1", ForwardedHeaders::forwarded);
  constexpr std::string_view kBothKinds =
      "X-Forwarded-For: 192.0.2.9\r\nX-Forwarded-Proto: ftp\r\nX-Forwarded-Host: out.example\r\n"
      "Forwarded: for=\"[2001:db8::7]:80\";proto=https\r\n";
  EXPECT_EQ(seen_by(std::move(app), kBothKinds), "2001:db8::7 https inside");
}

TEST(ClientInfo, of_an_unreadable_word_has_no_address) {
  App app;
  app.trust_proxies("127.0.0.1");
  EXPECT_EQ(seen_by(std::move(app), "X-Forwarded-For: nonsense!\r\n"), " http inside");
}

/// Returns the status of a WebSocket handshake of that page.
std::string opened_from(std::string_view trusted, std::string_view origin) {
  App app;
  app.trust_proxies(trusted);
  app.ws("/live", [](WebSocket) -> Task<> { co_return; });
  std::string request(
      "GET /live HTTP/1.1\r\nHost: inside\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
      "X-Forwarded-Host: out.example\r\nOrigin: ");
  return response_to(app, request.append(origin).append("\r\n\r\n"), 12).substr(9);
}

TEST(ClientInfo, of_a_trusted_proxy_has_the_host_with_which_websockets_compare_the_origin) {
  EXPECT_EQ(opened_from("127.0.0.1", "https://out.example"), "101");
  EXPECT_EQ(opened_from("127.0.0.1", "https://evil.example"), "403");
  EXPECT_EQ(opened_from("10.0.0.0/8", "https://out.example"), "403");
  EXPECT_EQ(opened_from("10.0.0.0/8", "http://inside"), "101");
}

TEST(TrustProxies, names_the_block_that_is_wrong) {
  App app;
  try {
    app.trust_proxies("10.0.0.0/33");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_TRUE(std::string_view(failure.what()).contains("10.0.0.0/33")) << failure.what();
  }
}

}  // namespace
}  // namespace eider
