#include "eider/web/middleware/caching.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/producing.h"
#include "eider/protocols/http/etag.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/response_cache.h"
#include "tests/sim/sim_app.h"
#include "tests/support/h2_server.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
namespace h2 = detail::http2::test;

constexpr std::string_view kTaggedDate = "Sun, 06 Nov 1994 08:49:37 GMT";

std::string tagged_content = "one";

void add_tagged(App& app) {
  app.use(conditional_requests({.response_bytes_max = 1000}));
  app.get("/x", [] { return Response::text(tagged_content).add_header("Content-Language", "en"); });
  app.get("/html", [] { return Response::html(tagged_content); });
  app.get("/own", [] { return Response::text("own").add_header("ETag", "\"own\""); });
  app.get("/weak", [] { return Response::text("own").add_header("ETag", "W/\"own\""); });
  app.get("/dated", [] {
    return Response::text("own")
        .add_header("Last-Modified", kTaggedDate)
        .add_header("Cache-Control", "max-age=60")
        .add_header("Vary", "X");
  });
  app.get("/large", [] { return std::string(1001, 'a'); });
  app.get("/gone", [] { return Response::text("gone", 410); });
  app.get("/streamed", [](ResponseStream out) -> Task<> { co_await out.write("streamed"); });
  app.post("/x", [] { return tagged_content; });
  app.group("/kept").use(response_cache({.ttl = 60s})).get("/x", [] { return tagged_content; });
}

class CachingTest : public ::testing::Test {
 public:
  CachingTest() : client_(made_app()) { tagged_content = "one"; }
  TestResponse get(std::string target, std::vector<TestHeader> headers = {},
                   Method method = Method::get) {
    return client_.send({.method = method, .target = target, .headers = headers});
  }
  std::string tag_of(std::string target) {
    return std::string(get(target).header("ETag").value_or("none"));
  }

 private:
  static App made_app() {
    App app;
    add_tagged(app);
    return app;
  }
  TestClient client_;
};

TEST_F(CachingTest, a_response_that_the_client_has_is_a_304_without_content) {
  const TestResponse first = get("/x");
  EXPECT_EQ(first.status, 200);
  const std::string tag(first.header("ETag").value());
  ASSERT_TRUE(parse_entity_tag(tag).has_value()) << tag;
  EXPECT_EQ(parse_entity_tag(tag)->strength, TagStrength::strong);
  for (const Method method : {Method::get, Method::head}) {
    const TestResponse again = get("/x", {{"If-None-Match", "\"other\", " + tag}}, method);
    EXPECT_EQ(again.status, 304);
    EXPECT_EQ(again.body, "");
    EXPECT_EQ(again.header("ETag"), tag);
    EXPECT_FALSE(again.header("Content-Type"));
    EXPECT_FALSE(again.header("Content-Language"));
  }
  EXPECT_EQ(get("/x", {}, Method::head).header("ETag"), tag);
  tagged_content = "two";
  const TestResponse changed = get("/x", {{"If-None-Match", tag}});
  EXPECT_EQ(changed.status, 200);
  EXPECT_EQ(changed.body, "two");
  EXPECT_NE(changed.header("ETag"), tag);
}

TEST_F(CachingTest, another_type_of_the_same_bytes_is_another_representation) {
  EXPECT_NE(tag_of("/x"), tag_of("/html"));
}

TEST_F(CachingTest, what_the_handler_says_counts) {
  EXPECT_EQ(tag_of("/own"), "\"own\"");
  EXPECT_EQ(get("/own", {{"If-None-Match", "W/\"own\""}}).status, 304);
  EXPECT_EQ(get("/weak", {{"If-None-Match", "\"own\""}}).status, 304);
  EXPECT_EQ(tag_of("/dated"), "none");
  const TestResponse dated = get("/dated", {{"If-Modified-Since", kTaggedDate}});
  EXPECT_EQ(dated.status, 304);
  EXPECT_EQ(dated.header("Last-Modified"), kTaggedDate);
  EXPECT_EQ(dated.header("Cache-Control"), "max-age=60");
  EXPECT_EQ(dated.header("Vary"), "X");
  EXPECT_EQ(get("/dated", {{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:36 GMT"}}).status, 200);
  // A tag takes precedence over a date (RFC 9110, section 13.1.3).
  EXPECT_EQ(get("/dated", {{"If-Modified-Since", kTaggedDate}, {"If-None-Match", "\"a\""}}).status,
            200);
}

TEST_F(CachingTest, a_state_that_is_not_there_is_a_412_that_no_cache_keeps) {
  EXPECT_EQ(get("/own", {{"If-Match", "\"own\""}}).status, 200);
  EXPECT_EQ(get("/weak", {{"If-Match", "W/\"own\""}}).status, 412);
  const TestResponse failed =
      get("/dated", {{"If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:36 GMT"}});
  EXPECT_EQ(failed.status, 412);
  EXPECT_EQ(failed.problem().status, 412);
  EXPECT_FALSE(failed.header("Cache-Control"));
}

TEST_F(CachingTest, writes_errors_streams_and_large_responses_are_left_alone) {
  EXPECT_EQ(tag_of("/large"), "none");
  EXPECT_EQ(tag_of("/gone"), "none");
  EXPECT_EQ(tag_of("/nowhere"), "none");
  EXPECT_EQ(get("/streamed", {{"If-None-Match", "*"}}).body, "streamed");
  const TestResponse posted = get("/x", {{"If-None-Match", tag_of("/x")}}, Method::post);
  EXPECT_EQ(posted.status, 200);
  EXPECT_FALSE(posted.header("ETag"));
}

TEST_F(CachingTest, hostile_lists_match_nothing) {
  for (const std::string_view list : {"", ",", "\"", "W/", "one", "\"a\" \"b\"", "* *"}) {
    EXPECT_EQ(get("/own", {{"If-None-Match", list}}).status, 200) << list;
  }
  EXPECT_EQ(get("/own", {{"If-None-Match", "*"}}).status, 304);
}

TEST_F(CachingTest, a_response_that_is_kept_is_a_304_too) {
  const std::string tag = tag_of("/kept/x");
  tagged_content = "two";
  const TestResponse again = get("/kept/x", {{"If-None-Match", tag}});
  EXPECT_EQ(again.status, 304);
  EXPECT_TRUE(again.header("Age"));
  EXPECT_EQ(get("/kept/x").body, "one");
}

TEST_F(CachingTest, over_http2_it_is_the_same) {
  const std::string tag = tag_of("/x");
  h2::H2ServerOf<SimApp<&add_tagged>> server;
  SimClient client = server.connect();
  client.send(
      h2::frame(h2::Type::headers, h2::kEndHeaders | h2::kEndStream, 1, h2::head("GET", "/x")) +
      h2::frame(h2::Type::headers, h2::kEndHeaders | h2::kEndStream, 3,
                h2::head("GET", "/x") + h2::literal("if-none-match", tag)));
  server.kernel.advance(10ms);
  const std::string received = client.take_received();
  EXPECT_EQ(h2::received_on(received, 1).content, "one");
  EXPECT_EQ(h2::received_on(received, 3).content, "");
  EXPECT_TRUE(h2::received_on(received, 3).is_whole);
}

TEST(CacheControlHook, says_it_of_what_may_be_kept_and_says_nothing_itself) {
  App app;
  app.use(cache_control({.max_age = 60s, .is_public = true}));
  app.get("/x", [] { return "x"; });
  app.get("/own", [] { return ResponseOf(std::string("x")).cache({.no_store = true}); });
  app.post("/x", [] { return "x"; });
  TestClient client(app);
  EXPECT_EQ(client.get("/x").header("Cache-Control"), "public, max-age=60");
  EXPECT_EQ(client.get("/own").header("Cache-Control"), "no-store");
  EXPECT_FALSE(client.get("/nowhere").header("Cache-Control"));
  EXPECT_FALSE(client.post("/x", {}).header("Cache-Control"));
  EXPECT_THROW((void)cache_control({}), std::invalid_argument);
}

}  // namespace
}  // namespace eider
