// Work after a response over HTTP/2 begins when the response has been sent, and delays nothing.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/app/handlers/after_response.h"
#include "eider/io/runtime/sleep.h"
#include "tests/sim/sim_app.h"
#include "tests/support/h2_server.h"

namespace eider::detail::http2 {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::vector<std::string> followed;

void add_followed_routes(App& app) {
  app.get("/plain", [](AfterResponse after) {
    after.run([] { followed.emplace_back("after plain"); });
    followed.emplace_back("plain");
    return "plain";
  });
  app.get("/later", [](AfterResponse after) -> Task<std::string> {
    after.run([]() -> Task<> {
      co_await sleep_for(seconds(5));
      followed.emplace_back("after later");
    });
    co_await sleep_for(milliseconds(10));
    followed.emplace_back("later");
    co_return "later";
  });
}

using FollowedServer = test::H2ServerOf<SimApp<&add_followed_routes>>;

TEST(AfterResponseH2, begins_when_the_response_has_left) {
  followed.clear();
  FollowedServer server;
  SimClient client = server.connect();
  client.send(test::get(1, "/plain") + test::get(3, "/later"));
  server.kernel.run_until_idle();
  EXPECT_EQ(followed, std::vector<std::string>{"plain"});
  server.kernel.advance(milliseconds(20));
  const std::string received = client.take_received();
  EXPECT_EQ(test::received_on(received, 1).content, "plain");
  EXPECT_EQ(test::received_on(received, 3).content, "later");
  EXPECT_EQ(followed, (std::vector<std::string>{"plain", "after plain", "later"}));
  server.kernel.advance(seconds(6));
  EXPECT_EQ(followed.back(), "after later");
}

}  // namespace
}  // namespace eider::detail::http2
