// Tests Routes::any.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "eider/app/app.h"
#include "eider/testkit/test_client.h"
#include "tests/support/guards_app.h"

namespace eider {
namespace {

std::string ask_for_thing(TestClient& client, std::string_view method) {
  const std::string response =
      client.raw(std::string(method) + " /thing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  return response.substr(9, 3) + " " + response.substr(response.find("\r\n\r\n") + 4);
}

TEST(AnyMethod, is_what_no_other_route_of_the_pattern_takes) {
  App app;
  app.any("/thing", [](const Request& request) { return to_text(request.method()); });
  app.get("/thing", [] { return "its own"; });
  TestClient client(app);
  EXPECT_EQ(ask_for_thing(client, "GET"), "200 its own");
  EXPECT_EQ(ask_for_thing(client, "POST"), "200 POST");
  EXPECT_EQ(ask_for_thing(client, "QUERY"), "200 QUERY");
  EXPECT_EQ(ask_for_thing(client, "OPTIONS"), "200 OPTIONS");
  EXPECT_EQ(ask_for_thing(client, "HEAD"), "200 ");
  EXPECT_TRUE(ask_for_thing(client, "TRACE").starts_with("405"));
  EXPECT_TRUE(ask_for_thing(client, "BREW").starts_with("501"));
}

TEST(AnyMethod, cannot_stand_twice) {
  App app;
  app.any("/{a}", [](int) {});
  app.any("/{b}", [](int) {});
  const std::string wrong = start_error_of(app);
  EXPECT_TRUE(
      wrong.contains("OPTIONS /{b} matches the same paths as OPTIONS /{a}, which is already "
                     "registered, at any_method_test.cc:"))
      << wrong;
}

TEST(Routes, of_the_same_paths_are_refused_with_the_place_of_the_first) {
  App app;
  app.get("/n", [] { return "x"; });
  const int first = __LINE__ + 1;
  app.get("/n/{id}", [](int id) { return id; });
  app.post("/n/{name}", [](int id) { return id; });
  app.host("other.example").get("/n/{id}", [](int id) { return id; });
  app.get("/n/{name}", [](int id) { return id; });
  const std::string wrong = start_error_of(app);
  EXPECT_TRUE(wrong.contains(
      "matches the same paths as GET /n/{id}, which is already registered, at any_method_test.cc:" +
      std::to_string(first) + "\n"))
      << wrong;
}

}  // namespace
}  // namespace eider
