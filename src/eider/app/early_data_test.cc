// Which routes may allow early data, and what a proxy's word about it does.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/websocket.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

std::string_view early_or_not(const Request& request) {
  return request.is_early() ? "early" : "not early";
}

std::string fault_of(const App& app) {
  const auto service = app.make_service();
  return service ? "none" : service.error().cause();
}

TEST(EarlyData, is_allowed_where_nothing_changes) {
  App app;
  app.get("/a", early_or_not).allow_early_data();
  app.route(Method::head, "/b", early_or_not).allow_early_data();
  app.route(Method::options, "/c", early_or_not).allow_early_data();
  EXPECT_EQ(fault_of(app), "none");
}

TEST(EarlyData, is_refused_at_start_where_a_replay_would_change_something) {
  App app;
  app.post("/a", early_or_not).allow_early_data();
  app.put("/b", early_or_not).allow_early_data();
  app.patch("/c", early_or_not).allow_early_data();
  app.del("/d", early_or_not).allow_early_data();
  const std::string fault = fault_of(app);
  EXPECT_EQ(fault.substr(0, fault.find('\n')),
            "POST /a allows early data, which somebody may send again: only GET, HEAD and OPTIONS "
            "may (RFC 8470): take allow_early_data() away");
  for (const std::string_view line : {"PUT /b ", "PATCH /c ", "DELETE /d "}) {
    EXPECT_NE(fault.find("\n" + std::string(line) + "allows early data"), std::string::npos);
  }
}

TEST(EarlyData, is_refused_at_start_where_a_websocket_opens) {
  App app;
  app.ws("/feed", [](WebSocket) -> Task<> { co_return; }).allow_early_data();
  EXPECT_EQ(fault_of(app),
            "GET /feed allows early data, where no WebSocket opens: take allow_early_data() "
            "away\n");
}

class EarlyDataBehindAProxy : public testing::Test {
 protected:
  EarlyDataBehindAProxy() {
    app.after(
        [this](const Request&, Response& response) { statuses.push_back(response.status()); });
    app.before([this](Request&) { ++befores; });
    app.get("/may", early_or_not).allow_early_data();
    app.get("/not", early_or_not);
    app.post("/not", early_or_not);
  }
  using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  Reply get(std::string target, Fields headers) {
    TestClient client(app);
    return client.send({.method = Method::get, .target = std::move(target), .headers = headers});
  }

  App app;
  std::vector<int> statuses;
  int befores = 0;
};

TEST_F(EarlyDataBehindAProxy, is_told_to_the_route_that_allows_it) {
  EXPECT_EQ(get("/may", {{"Early-Data", "1"}}).body, "early");
  EXPECT_EQ(get("/may", {}).body, "not early");
  EXPECT_EQ(get("/may", {{"Early-Date", "1"}}).body, "not early");
}

TEST_F(EarlyDataBehindAProxy, is_too_early_for_others) {
  EXPECT_EQ(get("/not", {{"Early-Data", "1"}}).status, 425);
  EXPECT_EQ(get("/absent", {{"Early-Data", "1"}}).status, 425);
  EXPECT_EQ(get("/not", {}).status, 200);
}

// RFC 8470, section 5.1: what is doubled or has another value counts as one "1".
TEST_F(EarlyDataBehindAProxy, counts_whatever_the_field_holds) {
  for (const std::string_view value : {"1", "0", "", "no", "1, 1"}) {
    EXPECT_EQ(get("/not", {{"eARLY-dATA", value}}).status, 425) << value;
  }
  EXPECT_EQ(get("/not", {{"Early-Data", "1"}, {"Early-Data", "1"}}).status, 425);
}

TEST_F(EarlyDataBehindAProxy, is_seen_by_what_runs_behind_answers_only) {
  const Reply reply = get("/not", {{"Early-Data", "1"}});
  EXPECT_EQ(reply.problem().status, 425);
  EXPECT_EQ(statuses, std::vector<int>{425});
  EXPECT_EQ(befores, 0) << "it might be a replay";
}

TEST_F(EarlyDataBehindAProxy, keeps_the_connection_when_its_content_is_there) {
  TestClient client(app);
  const std::string answers = client.raw(
      "POST /not HTTP/1.1\r\nHost: a\r\nEarly-Data: 1\r\nContent-Length: 2\r\n\r\nab"
      "GET /may HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(answers.starts_with("HTTP/1.1 425 Too Early\r\n")) << answers;
  EXPECT_TRUE(answers.ends_with("\r\n\r\nnot early")) << answers;
}

}  // namespace
}  // namespace eider
