#include "eider/app/handlers/preconditions.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/app.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

struct Text {
  std::string text;
};

constexpr std::chrono::sys_seconds kChanged{784111777s};  // Sun, 06 Nov 1994 08:49:37 GMT

App changing_app() {
  App app;
  app.put("/must", [](Preconditions preconditions) -> Result<ResponseOf<Text>> {
    if (auto holds = preconditions.require({.etag = "v7", .last_modified = kChanged}); !holds) {
      return fail(std::move(holds.error()));
    }
    return ResponseOf(Text{"changed"}).etag("v8");
  });
  app.put("/may", [](Preconditions preconditions) { return preconditions.check({.etag = "v7"}); });
  app.put("/tagged",
          [](Preconditions preconditions) { return preconditions.require({.etag = "v7"}); });
  app.put("/new", [](Preconditions preconditions) { return preconditions.check_absent(); });
  app.get("/must", [] { return ResponseOf(Text{"old"}).etag("v7").last_modified(kChanged); });
  app.get("/bad", [] { return ResponseOf(Text{"old"}).etag("a b"); });
  app.get("/kept",
          [] { return ResponseOf(Text{"old"}).cache({.max_age = 60s, .is_private = true}); });
  return app;
}

int put(TestClient& client, std::string target, std::vector<TestHeader> headers) {
  return client.send({.method = Method::put, .target = target, .headers = headers}).status;
}

TEST(Preconditions, let_a_change_of_the_very_state_pass_alone) {
  const App app = changing_app();
  TestClient client(app);
  EXPECT_EQ(put(client, "/must", {{"If-Match", "\"v7\""}}), 200);
  EXPECT_EQ(put(client, "/must", {{"If-Match", "\"v6\", \"v7\""}}), 200);
  EXPECT_EQ(put(client, "/must", {{"If-Match", "*"}}), 200);
  EXPECT_EQ(put(client, "/must", {{"If-Match", "\"v6\""}}), 412);
  EXPECT_EQ(put(client, "/must", {{"If-Match", "W/\"v7\""}}), 200);  // as compression changes it
  EXPECT_EQ(put(client, "/must", {{"If-Match", "v7"}}), 412);
  EXPECT_EQ(put(client, "/must", {{"If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}), 200);
  EXPECT_EQ(put(client, "/must", {{"If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:36 GMT"}}), 412);
}

TEST(Preconditions, ask_for_a_state_where_one_is_required) {
  const App app = changing_app();
  TestClient client(app);
  EXPECT_EQ(put(client, "/must", {}), 428);
  EXPECT_EQ(put(client, "/must", {{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}), 428);
  for (const TestHeader& empty : std::initializer_list<TestHeader>{{"If-None-Match", "\"v1\""},
                                                                   {"If-Unmodified-Since", "x"},
                                                                   {"If-Unmodified-Since", ""}}) {
    EXPECT_EQ(put(client, "/must", {empty}), 428) << empty.value;
  }
  EXPECT_EQ(put(client, "/tagged", {{"If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}),
            428);
  EXPECT_EQ(put(client, "/must", {{"If-None-Match", "*"}}), 412);
  EXPECT_EQ(put(client, "/may", {}), 204);
  EXPECT_EQ(put(client, "/may", {{"If-Match", "\"v6\""}}), 412);
}

TEST(Preconditions, of_what_is_not_there_let_it_be_made_and_nothing_else) {
  const App app = changing_app();
  TestClient client(app);
  EXPECT_EQ(put(client, "/new", {{"If-None-Match", "*"}}), 204);
  EXPECT_EQ(put(client, "/new", {}), 204);
  EXPECT_EQ(put(client, "/new", {{"If-Match", "*"}}), 412);
  EXPECT_EQ(put(client, "/may", {{"If-None-Match", "*"}}), 412);
}

TEST(ResponseOf, says_tag_date_and_cache_words) {
  const App app = changing_app();
  TestClient client(app);
  const TestResponse reply = client.get("/must");
  EXPECT_EQ(reply.header("ETag"), "\"v7\"");
  EXPECT_EQ(reply.header("Last-Modified"), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(client.get("/kept").header("Cache-Control"), "private, max-age=60");
  EXPECT_EQ(client.get("/bad").status, 500);
}

TEST(Preconditions, stand_in_documents) {
  Operation operation;
  Extract<Preconditions>::describe(operation);
  const auto* const field = operation.find(Operation::In::header, "If-Match");
  ASSERT_NE(field, nullptr);
  EXPECT_FALSE(field->is_required);
  EXPECT_NE(operation.find_response(412), nullptr);
  EXPECT_NE(operation.find_response(428), nullptr);
}

}  // namespace
}  // namespace eider
