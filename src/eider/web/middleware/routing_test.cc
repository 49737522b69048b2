#include "eider/web/middleware/routing.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/app/app.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/test_client.h"
#include "tests/sim/sim_app.h"
#include "tests/support/h2_server.h"

namespace eider {
namespace {

namespace h2 = detail::http2::test;

void add_methods(App& app) {
  app.use(method_override({.parameter = "_method"}));
  app.post("/x", [] { return "post"; });
  app.put("/x", [](Body body) { return "put " + std::string(body.view()); });
  app.del("/x", []() -> Task<std::string> {
    co_await sleep_for(std::chrono::milliseconds(1));
    co_return "delete";
  });
  app.get("/x", [] { return "get"; });
}

TEST(MethodOverride, makes_a_post_what_it_names) {
  App app;
  add_methods(app);
  TestClient client(app);
  const auto named = [&client](std::string_view method, std::string target = "/x",
                               Method sent = Method::post) {
    return client
        .send({.method = sent,
               .target = std::move(target),
               .headers = {{"X-HTTP-Method-Override", method}},
               .body = "b"})
        .body;
  };
  EXPECT_EQ(named("PUT"), "put b");
  EXPECT_EQ(named("DELETE"), "delete");
  EXPECT_EQ(named("", "/x?a=b&_method=DELETE"), "delete");
  EXPECT_EQ(named("PUT", "/x?_method=DELETE"), "put b");
  for (const char* none :
       {"GET", "HEAD", "OPTIONS", "QUERY", "put", "Put", "CONNECT", "BREW", "PUT,DELETE", ""}) {
    EXPECT_EQ(named(none), "post") << none;
  }
  EXPECT_EQ(named("", "/x?_method=GET"), "post");
  EXPECT_EQ(client.send({.target = "/x", .headers = {{"X-HTTP-Method-Override", "DELETE"}}}).body,
            "get");
}

TEST(MethodOverride, holds_over_http2) {
  h2::H2ServerOf<SimApp<&add_methods>> server;
  SimClient client = server.connect(
      h2::frame(h2::Type::headers, h2::kEndHeaders | h2::kEndStream, 1,
                h2::head("POST", "/x") + h2::literal("x-http-method-override", "DELETE")));
  server.kernel.advance(std::chrono::milliseconds(10));
  EXPECT_EQ(h2::received_on(client.take_received(), 1).content, "delete");
}

TEST(IgnoreSlashes, finds_the_route_without) {
  App app;
  app.use(ignore_slashes());
  app.get("/", [] { return "root"; });
  app.get("/notes", [] { return "notes"; });
  app.get("/notes/{id}", [](int id) { return id; });
  TestClient client(app);
  EXPECT_EQ(client.get("/").body, "root");
  EXPECT_EQ(client.get("//").body, "root");
  EXPECT_EQ(client.get("/notes").body, "notes");
  EXPECT_EQ(client.get("/notes/").body, "notes");
  EXPECT_EQ(client.get("/notes///?a=b").body, "notes");
  EXPECT_EQ(client.get("/notes/7/").body, "7");
  EXPECT_EQ(client.get("/other/").status, 404);
}

TEST(RedirectSlashes, sends_what_no_route_takes_to_the_path_without) {
  App app;
  app.use(redirect_slashes());
  app.get("/notes", [] { return "notes"; });
  app.post("/notes", [] { return "made"; });
  app.get("/folder/", [] { return "folder"; });
  TestClient client(app);
  const TestResponse reply = client.get("/notes/?page=2&x=%2F");
  EXPECT_EQ(reply.status, 308);
  EXPECT_EQ(reply.header("Location"), "/notes?page=2&x=%2F");
  EXPECT_EQ(client.send({.method = Method::post, .target = "/notes//"}).header("Location"),
            "/notes");
  EXPECT_EQ(client.get("/folder/").body, "folder");
  EXPECT_EQ(client.get("/notes").body, "notes");
  EXPECT_EQ(client.get("/").status, 404);
}

TEST(RedirectSlashes, redirects_only_to_what_a_route_matches) {
  App app;
  app.use(redirect_slashes());
  app.get("/notes", [] { return "notes"; });
  app.get("/notes/{id}", [](int id) { return id; });
  TestClient client(app);
  EXPECT_EQ(client.get("/notes/7/").header("Location"), "/notes/7");
  for (const char* path : {"/none/", "/none//", "/notes/7/x/", "/%/"}) {
    const TestResponse reply = client.get(path);
    EXPECT_GE(reply.status, 400) << path;
    EXPECT_FALSE(reply.header("Location").has_value()) << path;
  }
  EXPECT_EQ(client.post("/notes/", json::Value("a")).status, 404);
}

TEST(RedirectSlashes, sends_nobody_to_another_host) {
  App app;
  app.use(redirect_slashes());
  TestClient client(app);
  for (const char* path :
       {"//evil.example/", "//evil.example//", "/\\evil.example/", "///evil.example/"}) {
    const TestResponse reply = client.get(path);
    EXPECT_FALSE(reply.header("Location").has_value()) << path;
  }
}

}  // namespace
}  // namespace eider
