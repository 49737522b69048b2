#include "eider/web/middleware/request_id.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"
#include "eider/web/middleware/access_log.h"

namespace eider {
namespace {

std::string id_of(const TestResponse& reply) {
  return std::string(reply.header("X-Request-Id").value_or(""));
}

/// Returns the ID of a request with that X-Request-Id.
std::string id_for(const RequestIdOptions& options, std::string_view given) {
  App app;
  app.use(request_id(options));
  app.get("/x", [] { return "x"; });
  return id_of(TestClient(app).send({.target = "/x", .headers = {{"X-Request-Id", given}}}));
}

TEST(RequestId, is_made_whatever_a_client_says) {
  for (const char* given : {"abc-1", "", "0123456789abcdef"}) {
    const std::string id = id_for({}, given);
    EXPECT_EQ(id.size(), 16U);
    EXPECT_NE(id, given);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << id;
  }
}

TEST(RequestId, is_the_requests_own_where_that_is_asked_for_and_well_formed) {
  const RequestIdOptions options{.accepts_incoming = true};
  const std::string longest(64, 'a');
  for (const std::string& given : {std::string("abc-1"), std::string("A_z.9"), longest}) {
    EXPECT_EQ(id_for(options, given), given);
  }
  for (const std::string& given :
       {std::string("a b"), longest + "a", std::string(4000, 'a'), std::string("a\"b"),
        std::string("a\tb"), std::string("caf\xC3\xA9"), std::string("a,b"), std::string("a/b")}) {
    EXPECT_EQ(id_for(options, given).size(), 16U) << given;
  }
}

TEST(RequestId, is_the_same_for_the_handler_the_response_and_the_log) {
  const auto log = std::make_shared<LogLines>();
  App app;
  app.log_to(log);
  app.use(request_id());
  app.observe(access_log(log));
  app.get("/x", [](Extension<RequestId> id) { return std::string(id->text()); });
  app.get("/broken", []() -> int { throw std::runtime_error("no disk"); });
  TestClient client(app);
  const TestResponse reply = client.get("/x");
  EXPECT_EQ(reply.body, id_of(reply));
  ASSERT_EQ(log->lines.size(), 1U);
  EXPECT_TRUE(log->lines[0].ends_with(" " + reply.body)) << log->lines[0];
  const TestResponse broken = client.get("/broken");
  ASSERT_EQ(log->lines.size(), 3U);
  EXPECT_TRUE(log->lines[1].starts_with("GET /broken (" + id_of(broken) +
                                        ") failed: no disk (route at request_id_test.cc:"))
      << log->lines[1];
  EXPECT_TRUE(log->lines[2].ends_with(" " + id_of(broken))) << log->lines[2];
}

TEST(RequestId, is_in_responses_to_requests_that_no_handler_sees) {
  App app;
  app.use(request_id());
  app.body_bytes_max(1);
  app.post("/x", [](Body) { return "x"; });
  TestClient client(app);
  EXPECT_EQ(id_of(client.get("/nowhere")).size(), 16U);
  EXPECT_EQ(id_of(client.get("/x")).size(), 16U);  // 405
  EXPECT_EQ(id_of(client.send({.method = Method::post, .target = "/x", .body = "ab"})).size(), 16U);
  EXPECT_TRUE(client.raw("BREW\r\n\r\n").contains("X-Request-Id: "));
}

TEST(RequestId, is_another_for_each_request) {
  App app;
  app.use(request_id());
  app.get("/x", [] { return "x"; });
  TestClient client(app);
  EXPECT_NE(id_of(client.get("/x")), id_of(client.get("/x")));
}

}  // namespace
}  // namespace eider
