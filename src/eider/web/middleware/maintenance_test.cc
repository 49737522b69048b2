#include "eider/web/middleware/maintenance.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "eider/app/app.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

TEST(Maintenance, answers_for_all_but_what_is_excepted_while_it_is_on) {
  const MaintenanceSwitch work;
  App app;
  app.use(
      maintenance(work, {.except = {"/health", "/off"}, .retry_after = std::chrono::seconds(90)}));
  app.get("/x", [] { return "x"; });
  app.get("/health", [] { return "alive"; });
  app.post("/off", [work] { work.turn_off(); });
  TestClient client(app);
  EXPECT_EQ(client.get("/x").status, 200);
  work.turn_on();
  const TestResponse reply = client.get("/x");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.header("Retry-After"), "90");
  EXPECT_EQ(client.get("/nowhere").status, 503);
  EXPECT_EQ(client.get("/health/").status, 503);
  EXPECT_EQ(client.get("/health?verbose").body, "alive");
  EXPECT_EQ(client.send({.method = Method::post, .target = "/off"}).status, 204);
  EXPECT_EQ(client.get("/x").status, 200);
}

}  // namespace
}  // namespace eider
