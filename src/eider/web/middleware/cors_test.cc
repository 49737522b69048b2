#include "eider/web/middleware/cors.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/producing.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/cross_origin.h"
#include "eider/web/middleware/csrf.h"

namespace eider {
namespace {

class CorsApp {
 public:
  explicit CorsApp(Cors options) {
    Routes api = app.group("/api");
    api.use(cors(std::move(options)));
    api.get("/x", [] { return "x"; });
    api.put("/x", [] { return "x"; });
    api.get("/no", []() -> int { throw Failure(Error::forbidden("No.")); });
    api.get("/streamed", [](ResponseStream out) -> Task<> { co_await out.write("x"); });
    app.get("/outside", [] { return "x"; });
    client = std::make_unique<TestClient>(app);
  }
  TestResponse ask(std::string target, std::string_view origin, Method method = Method::get,
                   std::vector<TestHeader> more = {}) {
    more.emplace_back("Origin", origin);
    return client->send(
        {.method = method, .target = std::move(target), .headers = std::move(more)});
  }

  App app;
  std::unique_ptr<TestClient> client;
};

constexpr std::string_view kOurs = "https://app.example";
constexpr std::string_view kAllowOrigin = "Access-Control-Allow-Origin";

TEST(CorsMiddleware, let_pages_of_named_origins_read_all_responses) {
  CorsApp cors_app({.origins = {std::string(kOurs)}, .exposed = {"ETag", "X-Total"}});
  for (const char* path : {"/api/x", "/api/no", "/api/streamed"}) {
    const TestResponse reply = cors_app.ask(path, kOurs);
    EXPECT_EQ(reply.header(kAllowOrigin), kOurs) << path;
    EXPECT_EQ(reply.header("Vary"), "Origin") << path;
    EXPECT_EQ(reply.header("Access-Control-Expose-Headers"), "ETag, X-Total") << path;
    EXPECT_FALSE(reply.header("Access-Control-Allow-Credentials")) << path;
  }
  EXPECT_EQ(cors_app.ask("/api/x", kOurs, Method::post).status, 405);
  EXPECT_EQ(cors_app.ask("/api/x", kOurs, Method::post).header(kAllowOrigin), kOurs);
  EXPECT_FALSE(cors_app.ask("/outside", kOurs).header(kAllowOrigin));
}

// Browsers send cookies after Origin.
TEST(CorsMiddleware, let_pages_read_errors_of_requests_that_are_not_read) {
  App app;
  app.use(cors({.origins = {std::string(kOurs)}}));
  TestClient client(app);
  const TestResponse large = client.send(
      {.target = "/", .headers = {{"Origin", kOurs}, {"Cookie", std::string(100'000, 'c')}}});
  EXPECT_EQ(large.status, 431);
  EXPECT_EQ(large.header(kAllowOrigin), kOurs);
  const TestResponse unknown = client.send(
      {.target = "/", .headers = {{"Expect", "tea"}, {"Origin", "https://other.example"}}});
  EXPECT_EQ(unknown.status, 417);
  EXPECT_FALSE(unknown.header(kAllowOrigin));
}

TEST(CorsMiddleware, let_in_no_other_origin) {
  CorsApp cors_app({.origins = {std::string(kOurs)}});
  for (const char* origin :
       {"https://evil.example", "http://app.example", "https://app.example:8443", "null", "",
        "https://app.example.evil", "https://app.example/", "https://app.example,https://b"}) {
    const TestResponse reply = cors_app.ask("/api/x", origin);
    EXPECT_FALSE(reply.header(kAllowOrigin)) << origin;
    EXPECT_EQ(reply.header("Vary"), "Origin") << origin;
    const TestResponse preflight =
        cors_app.ask("/api/x", origin, Method::options, {{"Access-Control-Request-Method", "PUT"}});
    EXPECT_FALSE(preflight.header("Access-Control-Allow-Methods")) << origin;
  }
}

TEST(CorsMiddleware, answer_preflights) {
  CorsApp cors_app({.origins = {std::string(kOurs)}, .allows_credentials = true});
  const TestResponse reply =
      cors_app.ask("/api/x", kOurs, Method::options, {{"Access-Control-Request-Method", "PUT"}});
  EXPECT_EQ(reply.status, 204);
  EXPECT_EQ(reply.header(kAllowOrigin), kOurs);
  EXPECT_EQ(reply.header("Access-Control-Allow-Methods"), "GET, HEAD, POST, PUT, PATCH, DELETE");
  EXPECT_EQ(reply.header("Access-Control-Allow-Headers"), "Content-Type, Authorization");
  EXPECT_EQ(reply.header("Access-Control-Allow-Credentials"), "true");
  EXPECT_EQ(reply.header("Access-Control-Max-Age"), "600");
  EXPECT_TRUE(
      cors_app.ask("/api/x", kOurs, Method::options).header("Allow").has_value());  // no preflight
}

TEST(CorsMiddleware, of_all_origins_need_no_vary_and_take_no_credentials) {
  CorsApp cors_app({.origins = {"*"}});
  const TestResponse reply = cors_app.ask("/api/x", "https://anyone.example");
  EXPECT_EQ(reply.header(kAllowOrigin), "*");
  EXPECT_FALSE(reply.header("Vary"));
  EXPECT_THROW((void)cors({.origins = {"*"}, .allows_credentials = true}), Failure);
  EXPECT_THROW((void)cors({.origins = {"null"}}), Failure);
}

TEST(CorsMiddleware, are_given_origins_that_a_browser_could_send) {
  for (const char* wrong : {"https://app.example/", "https://app.example/a", "app.example", "",
                            "https://", "://a", "https://a b", "https://u@app.example"}) {
    EXPECT_THROW((void)cors({.origins = {wrong}}), Failure) << wrong;
    EXPECT_THROW((void)cross_origin_protection({wrong}), Failure) << wrong;
    EXPECT_THROW((void)csrf({.trusted_origins = {wrong}}), Failure) << wrong;
  }
  EXPECT_NO_THROW((void)cors({.origins = {"http://[::1]:8080", "app://localhost"}}));
}

}  // namespace
}  // namespace eider
