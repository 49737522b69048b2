#include "eider/web/middleware/cross_origin.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "eider/app/app.h"
#include "eider/web/middleware/test_asked.h"

namespace eider {
namespace {

using testing::AskedApp;

/// Returns whether the handler is called; otherwise, the response is a 403.
bool passes(Method method, const std::vector<Field>& fields, const Hook& hook) {
  Request request;
  request.head().method = method;
  request.head().authority = "notes.example:8080";
  request.head().fields = fields;
  Response response;
  const bool is_asked = hook.on_request(request, response);
  EXPECT_TRUE(is_asked || response.status() == 403);
  return is_asked;
}

bool passes(Method method, const std::vector<Field>& fields) {
  return passes(method, fields, cross_origin_protection());
}

const Field kForeignOrigin{"Origin", "http://evil.example"};
const Field kForeignSite{"Sec-Fetch-Site", "cross-site"};

TEST(CrossOriginProtection, a_write_caused_by_another_site_is_refused_whatever_its_method) {
  for (const Method method : {Method::post, Method::put, Method::patch, Method::delete_}) {
    EXPECT_FALSE(passes(method, {kForeignSite}));
    EXPECT_FALSE(passes(method, {kForeignOrigin}));  // without TLS, browsers only send Origin
    EXPECT_FALSE(passes(method, {{"Origin", "null"}}));
    EXPECT_FALSE(passes(method, {{"Origin", "http://notes.example:9090"}}));
    EXPECT_FALSE(passes(method, {{"Referer", "http://evil.example/x"}}));
  }
}

TEST(CrossOriginProtection, own_pages_people_and_programs_write) {
  EXPECT_TRUE(passes(Method::post, {{"Sec-Fetch-Site", "same-origin"}}));
  EXPECT_TRUE(passes(Method::post, {{"Sec-Fetch-Site", "none"}}));
  EXPECT_TRUE(passes(Method::post, {{"Origin", "http://notes.example:8080"}}));
  EXPECT_TRUE(passes(Method::post, {{"Referer", "http://notes.example:8080/new"}}));
  EXPECT_TRUE(passes(Method::post, {}));
}

TEST(CrossOriginProtection, whoever_only_reads_passes) {
  for (const Method method : {Method::get, Method::head, Method::options, Method::query}) {
    EXPECT_TRUE(passes(method, {kForeignSite, kForeignOrigin}));
  }
}

TEST(CrossOriginProtection, origins_that_are_trusted_write) {
  const Hook hook = cross_origin_protection({"https://admin.example"});
  const Field trusted{"Origin", "https://ADMIN.example"};
  EXPECT_TRUE(passes(Method::post, {trusted}, hook));
  EXPECT_TRUE(passes(Method::post, {trusted, kForeignSite}, hook));
  EXPECT_FALSE(passes(Method::post, {{"Origin", "http://admin.example"}}, hook));
  EXPECT_FALSE(passes(Method::post, {kForeignSite}, hook));
}

int status_behind_proxy(std::string_view trusted, std::string_view origin) {
  App app;
  app.trust_proxies(trusted);
  app.use(cross_origin_protection());
  app.post("/", [] {});
  return AskedApp(app).status({.method = Method::post,
                               .fields = {{"X-Forwarded-Host", "shop.example"},
                                          {"X-Forwarded-Proto", "https"},
                                          {"Origin", origin}},
                               .address = "127.0.0.1",
                               .authority = "inner:8080"});
}

TEST(CrossOriginProtection, compares_with_the_host_that_a_trusted_proxy_sends) {
  EXPECT_EQ(status_behind_proxy("127.0.0.1", "https://shop.example"), 204);
  EXPECT_EQ(status_behind_proxy("127.0.0.1", "https://evil.example"), 403);
  EXPECT_EQ(status_behind_proxy("127.0.0.1", "http://inner:8080"), 403);
  EXPECT_EQ(status_behind_proxy("10.0.0.0/8", "https://shop.example"), 403);
  EXPECT_EQ(status_behind_proxy("10.0.0.0/8", "http://inner:8080"), 204);
}

}  // namespace
}  // namespace eider
