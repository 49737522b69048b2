// Which upstreams a proxy chooses: the tests see the address of each attempt.
#include "eider/web/proxy/proxy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/io/runtime/test_peer.h"
#include "eider/protocols/http/ip_address.h"
#include "eider/server/server.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using Addresses = std::vector<std::string>;

/// Records the addresses in `tried`, and rejects them, or lets the connections wait for their time
/// limit.
ClientOptions recording(Addresses& tried, bool rejects) {
  return {.allow_address = [&tried, rejects](const IpAddress& address) {
    tried.push_back(address.to_text());
    return !rejects;
  }};
}

Addresses three_upstreams() {
  return {"http://127.0.0.1:1", "http://127.0.0.2:1", "http://127.0.0.3:1"};
}

TEST(Proxy, uses_no_upstream_without_a_successful_health_check) {
  Addresses tried;
  App app;
  proxy_to(app, "/", three_upstreams(),
           {.health_path = "/health", .tries_max = 1, .client = recording(tried, false)});
  TestClient client(app);
  // All fail their checks. If all are out, they are tried anyway, the first one first.
  client.advance(std::chrono::seconds(6));
  for (int count = 0; count < 12; ++count) {
    client.advance(std::chrono::seconds(1));
    tried.clear();
    EXPECT_EQ(client.get("/").status, 504);
    ASSERT_FALSE(tried.empty());
    EXPECT_EQ(tried.front(), "127.0.0.1") << count;
  }
}

TEST(Proxy, checks_all_upstreams_at_the_same_time) {
  Addresses tried;
  App app;
  proxy_to(app, "/", three_upstreams(),
           {.health_path = "/health", .client = recording(tried, false)});
  const TestClient client(app);
  EXPECT_EQ(tried, Addresses({"127.0.0.1", "127.0.0.2", "127.0.0.3"}));
}

/// Sends a request on a new connection, as a trusted proxy does for a client.
void send_for(const Server& server, int client) {
  const testing::Peer peer(SocketAddress::parse("127.0.0.1", server.port()).value());
  EXPECT_TRUE(
      peer.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Forwarded-For: 192.0.2." +
                std::to_string(client) + "\r\n\r\n"));
  EXPECT_TRUE(peer.receive_all().starts_with("HTTP/1.1 502"));
}

// With a real server, because simulated connections have no address.
TEST(Proxy, hashes_the_client_address_that_a_trusted_proxy_names) {
  Addresses tried;
  App app;
  app.trust_proxies("127.0.0.1");
  proxy_to(app, "/", three_upstreams(),
           {.balancing = Balancing::consistent_hash,
            .failures_max = 1000,
            .tries_max = 1,
            .client = recording(tried, true)});
  const auto service = app.make_service().value();
  Server server(*service, {.port = 0, .threads = 1});
  ASSERT_TRUE(server.start());
  constexpr int kClients = 30;
  for (int count = 0; count < 2 * kClients; ++count) {
    send_for(server, count % kClients);
  }
  server.stop();
  ASSERT_EQ(tried.size(), 2 * kClients);
  EXPECT_EQ(std::set(tried.begin(), tried.end()).size(), 3U);
  EXPECT_TRUE(std::equal(tried.begin(), tried.begin() + kClients, tried.begin() + kClients));
}

TEST(Proxy, tries_another_upstream_for_a_websocket_that_was_not_connected) {
  Addresses tried;
  App app;
  // More failures than the retry budget has at first.
  ProxyOptions options{.failures_max = 1000, .client = recording(tried, true)};
  options.client.retry_share = 0;
  proxy_to(app, "/", three_upstreams(), options);
  TestClient client(app);
  for (std::size_t count = 1; count <= 20; ++count) {
    EXPECT_EQ(client
                  .get("/", {{"Connection", "Upgrade"},
                             {"Upgrade", "websocket"},
                             {"Sec-WebSocket-Version", "13"},
                             {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}})
                  .status,
              502);
    EXPECT_EQ(tried.size(), 2 * count);
  }
}

}  // namespace
}  // namespace eider
