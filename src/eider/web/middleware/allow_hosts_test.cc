#include "eider/web/middleware/allow_hosts.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/app/app.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

TEST(AllowHosts, hosts_that_are_not_allowed_get_no_response_of_any_route) {
  App app;
  app.use(allow_hosts({"app.example", "*.in.example", "127.0.0.1", "[::1]"}));
  app.get("/x", [] { return "x"; });
  TestClient client(app);
  const auto status_at = [&client](std::string_view host, std::string_view path = "/x") {
    return client.get("http://" + std::string(host) + std::string(path)).status;
  };
  for (const char* host : {"app.example", "APP.example:8080", "app.example.", "a.in.example",
                           "a.b.in.example:1", "127.0.0.1:8080", "[::1]", "[::1]:8080"}) {
    EXPECT_EQ(status_at(host), 200) << host;
    EXPECT_EQ(status_at(host, "/nowhere"), 404) << host;
  }
  for (const char* host : {"evil.example", "app.example.evil", "xapp.example", "in.example",
                           "127.0.0.2", "localhost", "[::2]:8080"}) {
    EXPECT_EQ(status_at(host), 421) << host;
    EXPECT_EQ(status_at(host, "/nowhere"), 421) << host;
  }
}

}  // namespace
}  // namespace eider
