// Which upstreams a proxy chooses: the tests see the address of each attempt.
#include "eider/web/proxy/proxy.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/protocols/http/ip_address.h"
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

}  // namespace
}  // namespace eider
