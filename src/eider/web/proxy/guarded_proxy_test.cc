// Guards before a proxy decide before an upstream is called.
#include <gtest/gtest.h>

#include <string>

#include "eider/app/app.h"
#include "eider/testkit/test_client.h"
#include "eider/web/proxy/proxy.h"

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
  proxy_to(group, "/api", {"http://127.0.0.1:1"});  // no upstream: it would get a 502
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

Result<void> refuse_all() {
  return fail(Error::unauthorized("Log in first."));
}

/// A guarded group with a proxy, next to a proxy without a guard: a request that passes the guard,
/// or misses it, gets a 504, since the upstream does not exist.
App app_with_admin() {
  App app;
  Routes admin = app.group("/admin");
  admin.guard(refuse_all);
  proxy_to(admin, "/", {"http://127.0.0.1:1"});
  proxy_to(app, "/", {"http://127.0.0.1:1"});
  return app;
}

TEST(GuardedProxy, includes_the_path_of_the_group_itself) {
  const App app = app_with_admin();
  TestClient client(app);
  for (const std::string path : {"/admin", "/admin/", "/admin?x", "/%61dmin", "/admin/x"}) {
    EXPECT_EQ(client.get(path).status, 401) << path;
  }
  for (const std::string path : {"/", "/administrator", "/x/admin", "/x?y=/admin%2F;"}) {
    EXPECT_EQ(client.get(path).status, 504) << path;
  }
}

TEST(GuardedProxy, includes_the_path_of_a_mounted_app_itself) {
  App admin;
  admin.guard(refuse_all);
  proxy_to(admin, "/", {"http://127.0.0.1:1"});
  App app;
  app.mount("/admin", std::move(admin));
  proxy_to(app, "/", {"http://127.0.0.1:1"});
  TestClient client(app);
  for (const std::string path : {"/admin", "/admin/", "/admin/x"}) {
    EXPECT_EQ(client.get(path).status, 401) << path;
  }
}

TEST(GuardedProxy, rejects_paths_that_an_upstream_may_read_as_guarded_ones) {
  const App app = app_with_admin();
  TestClient client(app);
  for (const std::string path :
       {"/admin%2Fx",   "/admin%2fx",    "/admin%5Cx",       "/admin%5cx",          "/admin;a=b/x",
        "/admin;/x",    "/x;/../admin",  "/admin%3B/x",      "/admin%3b",           "/admin%252Fx",
        "/%2561dmin/x", "/admin%c0%afx", "/admin%e0%80%afx", "/admin%f0%80%80%afx", "/admin%0a",
        "/admin%09/x",  "/admin%7f",     "/admin%00",        "/admin\\x",           "/admin#/x"}) {
    const int status = client.get(path).status;
    EXPECT_TRUE(status == 400 || status == 404) << path << " " << status;
  }
  EXPECT_EQ(client.get("/admin%2Fx").status, 400);
  EXPECT_EQ(client.get("/%25%36%31dmin").status, 400);
  EXPECT_EQ(client.get("/admin%fc%80%80%80%80%afx").status, 400);
  EXPECT_EQ(client.get("/admin;a=b/x").status, 400);
  for (const std::string path : {"//admin/x", "/./admin/x", "/x/../admin", "/x/%2e%2e/admin"}) {
    EXPECT_EQ(client.get(path).status, 404) << path;
  }
}

TEST(GuardedProxy, forwards_such_paths_if_the_options_allow_them) {
  App app;
  proxy_to(
      app, "/", {"http://127.0.0.1:1"},
      {.allows_encoded_slashes = true, .allows_semicolons = true, .allows_double_encoding = true});
  TestClient client(app);
  for (const std::string path : {"/a%2Fb", "/a%5Cb", "/a;b=c/d", "/a%3Bb", "/a%252Fb"}) {
    EXPECT_EQ(client.get(path).status, 504) << path;
  }
  for (const std::string path : {"/a%c0%af", "/a%0a"}) {
    EXPECT_EQ(client.get(path).status, 400) << path;
  }
}

TEST(GuardedProxy, is_described_with_its_guard) {
  App app;
  Routes group = app.group("/up");
  group.guard([](Header<"x-key">) -> Result<void> { return {}; });
  proxy_to(group, "/api", {"http://127.0.0.1:1"});
  for (const Operation& operation : app.operations()) {
    EXPECT_NE(operation.find(Operation::In::header, "X-Key"), nullptr);
    EXPECT_TRUE(operation.is_body_streamed);
  }
}

}  // namespace
}  // namespace eider
