#include "eider/app/handlers/after_response.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/log_lines.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

using AfterWords = std::vector<std::string>;

struct AfterResponseTest : ::testing::Test {
  AfterResponseTest() {
    app.log_to(log);
    app.get("/plain", [words = words](AfterResponse after) {
      after.run([words] { words->emplace_back("after plain"); });
      words->emplace_back("plain");
      return "answered";
    });
    app.get("/slow", [words = words](AfterResponse after) -> Task<std::string> {
      after.run([words]() -> Task<> {
        co_await sleep_for(5s);
        words->emplace_back("after slow");
      });
      co_await sleep_for(1s);
      words->emplace_back("slow");
      co_return "answered";
    });
    app.get("/long/{id}", [words = words](int, AfterResponse after) {
      after.run([words]() -> Task<> {
        co_await sleep_for(1h);
        words->emplace_back("never");
      });
      return "answered";
    });
  }

  std::shared_ptr<AfterWords> words = std::make_shared<AfterWords>();
  std::shared_ptr<LogLines> log = std::make_shared<LogLines>();
  App app;
};

TEST_F(AfterResponseTest, runs_when_the_response_has_left) {
  TestClient client(app);
  EXPECT_EQ(client.get("/plain").body, "answered");
  EXPECT_EQ(*words, AfterWords{"plain"});
  client.advance(1ms);
  EXPECT_EQ(*words, (AfterWords{"plain", "after plain"}));
}

TEST_F(AfterResponseTest, does_not_hold_the_client_or_its_connection_up) {
  TestClient client(app);
  EXPECT_EQ(client.get("/slow").body, "answered");
  EXPECT_EQ(client.get("/plain").body, "answered");
  EXPECT_EQ(*words, (AfterWords{"slow", "plain"}));
  client.advance(6s);
  EXPECT_EQ(*words, (AfterWords{"slow", "plain", "after plain", "after slow"}));
}

TEST_F(AfterResponseTest, is_dropped_where_no_response_or_a_failure_left) {
  app.get("/thrown", [words = words](AfterResponse after) -> int {
    after.run([words] { words->emplace_back("after thrown"); });
    throw std::runtime_error("thrown");
  });
  app.get("/refused", [words = words](AfterResponse after) -> Result<int> {
    after.run([words] { words->emplace_back("after refused"); });
    return fail(Error::conflict("No."));
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/thrown").status, 500);
  EXPECT_EQ(client.get("/refused").status, 409);
  client.advance(1s);
  EXPECT_EQ(*words, AfterWords{"after refused"});
}

TEST_F(AfterResponseTest, is_logged_with_its_route_where_it_fails) {
  app.get("/fails/{id}", [](int, AfterResponse after) {
    after.run([]() -> Task<Result<void>> {
      co_await sleep_for(1s);
      co_return fail(Error::unavailable("The mail server is away."));
    });
    after.run([] { throw std::runtime_error("thrown"); });
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/fails/7").status, 204);
  client.advance(2s);
  EXPECT_EQ(log->lines,
            (AfterWords{
                "GET /fails/{id}: the work after the response failed: thrown",
                "GET /fails/{id}: the work after the response failed: The mail server is away."}));
}

TEST_F(AfterResponseTest, is_waited_for_when_the_server_stops_and_then_given_up) {
  {
    TestClient client(app);
    (void)client.get("/slow");
  }
  EXPECT_EQ(*words, (AfterWords{"slow", "after slow"}));
  {
    TestClient client(app);
    (void)client.get("/long/1");
  }
  EXPECT_EQ(*words, (AfterWords{"slow", "after slow"}));
  EXPECT_EQ(log->lines, AfterWords{"1 functions that run after responses did not end within 10s"});
}

TEST_F(AfterResponseTest, is_bounded_in_number_ahead_of_the_handler) {
  app.get("/brief",
          [](AfterResponse after) { after.run([]() -> Task<> { co_await sleep_for(5s); }); });
  TestClient client(app);
  for (std::size_t count = 0; count < kAfterResponsesMax; ++count) {
    ASSERT_EQ(client.get("/brief").status, 204) << count;
  }
  EXPECT_EQ(client.get("/plain").status, 503);
  EXPECT_EQ(*words, AfterWords{});  // its handler was not called
  client.advance(6s);
  EXPECT_EQ(client.get("/plain").status, 200);
}

TEST_F(AfterResponseTest, gives_its_place_back_where_nothing_follows) {
  app.get("/none", [](AfterResponse) {});
  TestClient client(app);
  for (std::size_t count = 0; count < kAfterResponsesMax + 1; ++count) {
    ASSERT_EQ(client.get("/none").status, 204) << count;
  }
}

TEST_F(AfterResponseTest, is_bounded_for_one_response) {
  app.get("/many/{count}", [](std::size_t count, AfterResponse after) {
    for (std::size_t i = 0; i < count; ++i) {
      after.run([] {});
    }
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/many/16").status, 204);
  EXPECT_EQ(client.get("/many/17").status, 500);
}

TEST_F(AfterResponseTest, is_given_up_when_its_time_is_over) {
  app.get("/own", [words = words](AfterResponse after) {
    after.run(
        [words]() -> Task<> {
          co_await sleep_for(70s);
          words->emplace_back("after own");
        },
        80s);
  });
  TestClient client(app);
  EXPECT_EQ(client.get("/long/1").status, 200);
  EXPECT_EQ(client.get("/own").status, 204);
  client.advance(61s);
  EXPECT_EQ(log->lines,
            AfterWords{"GET /long/{id}: the work after the response did not end within 1m"});
  client.advance(10s);
  EXPECT_EQ(*words, AfterWords{"after own"});
  client.advance(2h);
  EXPECT_EQ(*words, AfterWords{"after own"});
}

// Only apps that use it are affected: their requests are then observed.
TEST(AfterResponse, leaves_apps_without_it_as_they_are) {
  App app;
  app.get("/", [] { return 1; });
  const auto service = app.make_service();
  ASSERT_TRUE(service);
  EXPECT_FALSE((*service)->is_observed());
  App other;
  other.get("/", [](AfterResponse) { return 1; });
  const auto observed = other.make_service();
  ASSERT_TRUE(observed);
  EXPECT_TRUE((*observed)->is_observed());
}

}  // namespace
}  // namespace eider
