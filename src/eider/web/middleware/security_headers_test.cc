#include "eider/web/middleware/security_headers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "eider/app/app.h"
#include "eider/app/handlers/producing.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

std::string field(const TestResponse& reply, std::string_view name) {
  return std::string(reply.header(name).value_or("-"));
}

void add_pages(App& app) {
  app.get("/plain", [] { return "x"; });
  app.get("/page", [](const CspNonce& nonce) { return nonce.text(); });
  app.get("/twice", [](const CspNonce& one, const CspNonce& other) {
    return one.text() == other.text() ? one.text() : "different";
  });
  app.get("/streamed", [](const CspNonce& nonce, ResponseStream out) -> Task<> {
    co_await out.write(nonce.text());
  });
  app.get("/own", [] {
    return Response::text("x")
        .add_header("Content-Security-Policy", "default-src *")
        .add_header("X-Frame-Options", "SAMEORIGIN");
  });
}

TEST(SecurityHeaders, are_on_every_response) {
  App app;
  app.use(security_headers());
  add_pages(app);
  TestClient client(app);
  for (const char* path : {"/plain", "/page", "/streamed", "/nowhere"}) {
    const TestResponse reply = client.get(path);
    EXPECT_EQ(field(reply, "X-Content-Type-Options"), "nosniff") << path;
    EXPECT_EQ(field(reply, "Referrer-Policy"), "same-origin") << path;
    EXPECT_EQ(field(reply, "X-Frame-Options"), "DENY") << path;
    EXPECT_EQ(field(reply, "Cross-Origin-Opener-Policy"), "same-origin") << path;
    EXPECT_EQ(field(reply, "Cross-Origin-Resource-Policy"), "same-origin") << path;
    EXPECT_TRUE(field(reply, "Permissions-Policy").contains("camera=()")) << path;
    const std::string policy = field(reply, "Content-Security-Policy");
    EXPECT_TRUE(policy.starts_with("default-src 'self'")) << path;
    EXPECT_TRUE(policy.contains("img-src 'self' data:;")) << "an icon as data: is shown";
  }
}

TEST(SecurityHeaders, let_in_the_nonce_of_the_page_that_took_one) {
  App app;
  app.use(security_headers());
  add_pages(app);
  TestClient client(app);
  for (const char* path : {"/page", "/twice", "/streamed"}) {
    const TestResponse reply = client.get(path);
    EXPECT_EQ(reply.body.size(), 24U) << path;
    const std::string policy = field(reply, "Content-Security-Policy");
    EXPECT_TRUE(policy.contains("script-src 'self' 'nonce-" + reply.body + "';")) << policy;
    EXPECT_TRUE(policy.contains("style-src 'self' 'nonce-" + reply.body + "';")) << policy;
  }
  EXPECT_FALSE(field(client.get("/plain"), "Content-Security-Policy").contains("nonce"));
  EXPECT_NE(client.get("/page").body, client.get("/page").body);
}

TEST(SecurityHeaders, leave_what_a_handler_says_itself) {
  App app;
  app.use(security_headers());
  add_pages(app);
  const TestResponse reply = TestClient(app).get("/own");
  EXPECT_EQ(field(reply, "Content-Security-Policy"), "default-src *");
  EXPECT_EQ(field(reply, "X-Frame-Options"), "SAMEORIGIN");
  EXPECT_EQ(field(reply, "Referrer-Policy"), "same-origin");
}

TEST(SecurityHeaders, know_a_field_by_its_whole_name_in_any_case) {
  App app;
  app.use(security_headers());
  app.get("/cases", [] { return Response::text("x").add_header("x-frame-OPTIONS", "SAMEORIGIN"); });
  app.get("/near", [] {
    return Response::text("x")
        .add_header("X-Frame", "1")
        .add_header("X-Frame-Options-Own", "2")
        .add_header("Link", "X-Frame-Options: none");
  });
  TestClient client(app);
  const TestResponse cases = client.get("/cases");
  EXPECT_EQ(std::ranges::count_if(
                cases.headers,
                [](const auto& one) { return equals_ignoring_case(one.first, "X-Frame-Options"); }),
            1);
  EXPECT_EQ(field(cases, "X-Frame-Options"), "SAMEORIGIN");
  EXPECT_EQ(field(client.get("/near"), "X-Frame-Options"), "DENY");
}

TEST(SecurityHeaders, are_left_out_and_reported_only_as_told) {
  App app;
  app.use(security_headers(
      {.csp = "default-src 'none'", .csp_is_only_reported = true, .frame_options = ""}));
  add_pages(app);
  const TestResponse reply = TestClient(app).get("/page");
  EXPECT_EQ(field(reply, "Content-Security-Policy-Report-Only"), "default-src 'none'");
  EXPECT_EQ(field(reply, "Content-Security-Policy"), "-");
  EXPECT_EQ(field(reply, "X-Frame-Options"), "-");
}

TEST(SecurityHeaders, that_no_field_can_say_are_told_at_once) {
  EXPECT_THROW((void)security_headers({.csp = "default-src 'self'\r\nX-Own: 1"}), Failure);
  EXPECT_THROW((void)security_headers({.referrer_policy = " blank"}), Failure);
}

}  // namespace
}  // namespace eider
