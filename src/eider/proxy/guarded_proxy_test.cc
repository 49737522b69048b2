// What stands ahead of a proxy decides before an upstream is asked.
#include <gtest/gtest.h>

#include <string>

#include "eider/app/app.h"
#include "eider/proxy/proxy.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

TEST(GuardedProxy, refuses_ahead_of_upstreams_and_of_content) {
  App app;
  Routes group = app.group("/up");
  int asked = 0;
  group.guard([&asked]() -> Result<void> {
    ++asked;
    return fail(Error::unauthorized("Who are you?"));
  });
  proxy_to(group, "/api", {"http://127.0.0.1:1"});  // nobody is there: it would be a 502
  TestClient client(app);
  for (const Method method : {Method::get, Method::head, Method::delete_, Method::options}) {
    EXPECT_EQ(client.send({.method = method, .target = "/up/api/x"}).status, 401);
  }
  EXPECT_EQ(asked, 4);
  const std::string refused = client.raw(
      "POST /up/api/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\nExpect: "
      "100-continue\r\n\r\n");
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 401")) << refused;
  EXPECT_TRUE(refused.contains("Connection: close")) << refused;
  EXPECT_EQ(asked, 5);
}

TEST(GuardedProxy, is_described_with_its_guard) {
  App app;
  Routes group = app.group("/up");
  group.guard([](Header<"x-key">) -> Result<void> { return {}; });
  proxy_to(group, "/api", {"http://127.0.0.1:1"});
  for (const Operation& operation : app.operations()) {
    EXPECT_NE(operation.find(Operation::In::header, "X-Key"), nullptr);
    EXPECT_TRUE(operation.is_content_streamed);
  }
}

}  // namespace
}  // namespace eider
