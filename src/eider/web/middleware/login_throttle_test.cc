#include "eider/web/middleware/login_throttle.h"

#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "eider/app/app.h"
#include "eider/core/base/failure.h"
#include "eider/testkit/loop_sim.h"
#include "eider/testkit/test_client.h"

namespace eider {
namespace {

using namespace std::chrono_literals;

ClientInfo from(std::string address) {
  return {.address = std::move(address), .port = {}, .scheme = "https", .host = "x"};
}

/// Runs in simulated time.
class LoginThrottleTest : public ::testing::Test {
 protected:
  enum class Outcome : std::uint8_t { wrong, right, not_made };

  /// Returns the seconds of Retry-After, or 0 if the attempt was allowed.
  int attempt(const std::string& account, const std::string& address,
              Outcome outcome = Outcome::wrong) {
    int wait = 0;
    loop_.call([&] {
      auto made = throttle_.begin(account, from(address));
      if (!made) {
        EXPECT_EQ(made.error().status(), 429);
        wait = std::stoi(made.error().headers().at(0).value);
      } else if (outcome == Outcome::right) {
        made->succeeded();
      } else if (outcome == Outcome::not_made) {
        made->cancel();
      }
    });
    return wait;
  }
  /// Returns how many of `asked` immediate attempts are allowed.
  int made(int asked, const std::string& account, const std::string& address) {
    int count = 0;
    for (int index = 0; index < asked; ++index) {
      count += attempt(account, address) == 0 ? 1 : 0;
    }
    return count;
  }
  /// The same, each from a different address.
  int made_from_many(int asked, const std::string& account) {
    int count = 0;
    for (int index = 0; index < asked; ++index, ++addresses_) {
      count +=
          made(1, account,
               "10.1." + std::to_string(addresses_ / 250) + "." + std::to_string(addresses_ % 250));
    }
    return count;
  }
  void throttle_know(const std::string& account, const std::string& address) {
    loop_.call([&] { throttle_.make_known(account, from(address)); });
  }
  void wait(Duration time) { kernel_.advance(time); }

  SimKernel kernel_;
  SimLoop loop_{kernel_};
  LoginThrottle throttle_;
  int addresses_ = 0;
};

TEST_F(LoginThrottleTest, the_waits_double_up_to_the_longest) {
  EXPECT_EQ(made(5, "ann", "192.0.2.1"), 5);
  EXPECT_EQ(attempt("ann", "192.0.2.1"), 0);  // the last one without a wait
  for (const int seconds : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900}) {
    ASSERT_EQ(attempt("ann", "192.0.2.1"), seconds);
    wait(std::chrono::seconds(seconds) - 1ms);
    ASSERT_EQ(attempt("ann", "192.0.2.1"), 1) << "not a moment earlier";
    wait(1ms);
    ASSERT_EQ(attempt("ann", "192.0.2.1"), 0) << "nor later";
  }
}

TEST_F(LoginThrottleTest, hammering_meanwhile_makes_no_wait_longer) {
  EXPECT_EQ(made(6, "ann", "192.0.2.1"), 6);
  EXPECT_EQ(made(1000, "ann", "192.0.2.1"), 0);
  wait(1s);
  EXPECT_EQ(attempt("ann", "192.0.2.1", Outcome::right), 0);
  EXPECT_EQ(made(5, "ann", "192.0.2.1"), 5);
}

TEST_F(LoginThrottleTest, many_at_once_are_no_more_than_one_after_the_other) {
  std::vector<LoginAttempt> open;
  loop_.call([&] {
    for (int index = 0; index < 100; ++index) {
      if (auto made = throttle_.begin("ann", from("192.0.2.1"))) {
        open.push_back(std::move(*made));
      }
    }
  });
  EXPECT_EQ(open.size(), 6U);
}

TEST_F(LoginThrottleTest, one_address_cannot_try_one_password_on_all_accounts) {
  int count = 0;
  for (int index = 0; index < 1000; ++index) {
    count += made(1, "user" + std::to_string(index), "192.0.2.1");
  }
  EXPECT_EQ(count, 21);
  EXPECT_EQ(attempt("ann", "192.0.2.2"), 0) << "another address";
}

TEST_F(LoginThrottleTest, an_ipv6_client_is_its_network) {
  int count = 0;
  for (int index = 0; index < 100; ++index) {
    count += made(1, "ann", "2001:db8::" + std::to_string(index));
  }
  EXPECT_EQ(count, 6);
  EXPECT_EQ(attempt("ann", "2001:db8:0:1::1"), 0);
}

TEST_F(LoginThrottleTest, many_addresses_cannot_try_one_account_fast) {
  int count = 0;
  for (int index = 0; index < 1000; ++index) {
    count +=
        made(1, "ann", "10.0." + std::to_string(index / 250) + "." + std::to_string(index % 250));
  }
  EXPECT_EQ(count, 51);
}

TEST_F(LoginThrottleTest, an_owner_gets_in_while_others_try_from_everywhere) {
  EXPECT_EQ(attempt("ann", "192.0.2.1", Outcome::right), 0);
  for (int round = 0; round < 100; ++round) {
    for (int index = 0; index < 60; ++index) {
      attempt("ann", "10.0." + std::to_string(round) + "." + std::to_string(index));
    }
    EXPECT_EQ(attempt("ann", "192.0.2.1", Outcome::right), 0) << "from where she was before";
    wait(1s);
  }
}

// A limit of guesses cannot avoid that: an owner with a new address looks like an attacker with
// one.
TEST_F(LoginThrottleTest, an_owner_elsewhere_gets_in_by_another_proof_while_others_take_each_turn) {
  for (int round = 0; round < 100; ++round) {
    for (int index = 0; index < 60; ++index) {
      attempt("ann", "10.0." + std::to_string(round) + "." + std::to_string(index));
    }
    EXPECT_LE(attempt("ann", "198.51.100.7"), 30);
    wait(1s);
  }
  EXPECT_GT(attempt("ann", "198.51.100.7", Outcome::right), 0);
  throttle_know("ann", "198.51.100.7");
  EXPECT_GT(attempt("ann", "198.51.100.8", Outcome::right), 0) << "nobody else";
  EXPECT_EQ(attempt("ann", "198.51.100.7", Outcome::right), 0);
}

TEST_F(LoginThrottleTest, a_known_address_has_no_more_tries_from_there) {
  throttle_know("ann", "192.0.2.1");
  EXPECT_EQ(made(100, "ann", "192.0.2.1"), 6);
}

TEST_F(LoginThrottleTest, many_accounts_tried_once_do_not_make_one_tried_often_forgotten) {
  throttle_ = LoginThrottle({.keys_max = 64});
  EXPECT_EQ(made_from_many(49, "ann"), 49);
  wait(1s);
  for (int index = 0; index < 2000; ++index) {
    attempt("user" + std::to_string(index),
            "172.16." + std::to_string(index / 250) + "." + std::to_string(index % 250));
  }
  EXPECT_EQ(made_from_many(100, "ann"), 2) << "51 in all";
}

TEST_F(LoginThrottleTest, what_is_forgotten_anyway_gives_its_place_away_first) {
  throttle_ = LoginThrottle({.keys_max = 8});
  for (int index = 0; index < 8; ++index) {
    EXPECT_EQ(made_from_many(50, "old" + std::to_string(index)), 50);
  }
  wait(2h);
  EXPECT_EQ(made_from_many(49, "ann"), 49);
  for (int index = 0; index < 7; ++index) {
    made_from_many(1, "new" + std::to_string(index));
  }
  EXPECT_EQ(made_from_many(100, "ann"), 2);
}

TEST(LoginThrottleElsewhere, a_handler_that_blocks_may_log_in_where_there_is_no_loop) {
  const LoginThrottle throttle({.account_and_address = {.free = 1, .first = 1h, .max = 1h}});
  int made = 0;
  std::thread([&] {
    for (int index = 0; index < 10; ++index) {
      made += throttle.begin("ann", from("192.0.2.1")).has_value() ? 1 : 0;
    }
    auto attempt = throttle.begin("ann", from("192.0.2.2"));
    ASSERT_TRUE(attempt.has_value());
    attempt->cancel();
    attempt = throttle.begin("ann", from("192.0.2.2"));
    ASSERT_TRUE(attempt.has_value());
    attempt->succeeded();
  }).join();
  EXPECT_EQ(made, 2);
}

TEST_F(LoginThrottleTest, who_was_here_before_has_no_more_tries_of_the_own_account_than_others) {
  EXPECT_EQ(attempt("ann", "192.0.2.1", Outcome::right), 0);
  EXPECT_EQ(made(100, "ann", "192.0.2.1"), 6);
}

TEST_F(LoginThrottleTest, an_own_account_does_not_make_failures_at_others_forgotten) {
  int tried = 0;
  for (int round = 0; round < 200; ++round) {
    tried += made(1, "user" + std::to_string(round), "192.0.2.1");
    attempt("mallory", "192.0.2.1", Outcome::right);
  }
  EXPECT_EQ(tried, 21) << "a success takes back its own attempt alone";
}

TEST_F(LoginThrottleTest, people_behind_one_address_who_know_their_passwords_never_wait) {
  for (int index = 0; index < 1000; ++index) {
    ASSERT_EQ(attempt("user" + std::to_string(index), "192.0.2.1", Outcome::right), 0) << index;
  }
}

TEST_F(LoginThrottleTest, what_was_not_made_does_not_count) {
  for (int index = 0; index < 100; ++index) {
    ASSERT_EQ(attempt("ann", "192.0.2.1", Outcome::not_made), 0);
  }
  EXPECT_EQ(made(100, "ann", "192.0.2.1"), 6);
}

TEST_F(LoginThrottleTest, an_attempt_is_taken_back_once) {
  EXPECT_EQ(made(5, "ann", "192.0.2.1"), 5);
  loop_.call([&] {
    auto made = throttle_.begin("ann", from("192.0.2.1"));
    ASSERT_TRUE(made.has_value());
    for (int again = 0; again < 5; ++again) {
      made->cancel();
    }
  });
  EXPECT_EQ(made(100, "ann", "192.0.2.1"), 1);
}

TEST_F(LoginThrottleTest, what_has_failed_is_forgotten_when_it_was_quiet) {
  EXPECT_EQ(made(6, "ann", "192.0.2.1"), 6);
  wait(1h + 2s);
  EXPECT_EQ(made(6, "ann", "192.0.2.1"), 6);
}

TEST_F(LoginThrottleTest, names_and_addresses_do_not_run_into_each_other) {
  EXPECT_EQ(made(6, "", "192.0.2.1"), 6);
  EXPECT_EQ(attempt(std::string("a\0", 2), "192.0.2.1"), 0);
  EXPECT_EQ(attempt("a", "192.0.2.1"), 0);
  EXPECT_EQ(attempt("", ""), 0) << "nobody knows the address: all such are one";
  EXPECT_EQ(made(100, "ann", ""), 6);
}

TEST_F(LoginThrottleTest, memory_does_not_grow_with_who_asks) {
  const std::size_t before = throttle_.bytes();
  for (int index = 0; index < 20'000; ++index) {
    attempt("user" + std::to_string(index), "10." + std::to_string(index / 62500) + "." +
                                                std::to_string(index / 250 % 250) + "." +
                                                std::to_string(index % 250));
  }
  EXPECT_EQ(throttle_.bytes(), before);
  EXPECT_LE(before, 4U << 20U);
}

TEST(LoginLimits, delays_that_are_none_are_refused) {
  EXPECT_THROW(LoginThrottle({.account_and_address = {.free = 5, .first = 0s, .max = 1s}}),
               Failure);
  EXPECT_THROW(LoginThrottle({.account = {.free = 5, .first = 2s, .max = 1s}}), Failure);
  EXPECT_THROW(LoginThrottle({.ipv6_prefix_bits = 129}), Failure);
}

struct LoginForm {
  std::string name;
  std::string password;
};

Task<Result<int>> look_at(std::string password, int* looked) {
  ++*looked;
  if (password == "broken") {
    throw Failure(Error::internal("the database is gone"));
  }
  if (password == "busy") {
    co_return fail(Error::unavailable("Busy."));
  }
  if (password != "secret") {
    co_return fail(Error::unauthorized("Wrong."));
  }
  co_return 7;
}

TEST(LoginThrottleInAHandler, makes_an_attempt_of_a_check_and_of_what_comes_of_it) {
  App app;
  int looked = 0;
  app.state<LoginThrottle>();
  app.post("/login",
           [seen = &looked](Json<LoginForm> form, ClientInfo client,
                            State<LoginThrottle> throttle) -> Task<Result<int>> {
             return throttle->attempt(form->name, client, look_at(form->password, seen));
           });
  app.log_to(nullptr);
  TestClient client(app);
  const auto statuses = [&client](int times, const char* password) {
    std::set<int> all;
    for (int i = 0; i < times; ++i) {
      all.insert(client.post("/login", LoginForm{"ann", password}).status);
    }
    return all;
  };
  EXPECT_EQ(statuses(30, "busy"), std::set{503});
  EXPECT_EQ(statuses(30, "broken"), std::set{500});
  EXPECT_EQ(statuses(5, "wrong"), std::set{401});
  EXPECT_EQ(statuses(1, "secret"), std::set{200});
  EXPECT_EQ(statuses(6, "wrong"), std::set{401}) << "what was wrong before is forgotten";
  looked = 0;
  EXPECT_EQ(statuses(3, "secret"), std::set{429});
  EXPECT_EQ(looked, 0) << "what is not let in is not begun";
}

TEST(LoginThrottleInAHandler, tells_nobody_whether_there_is_such_an_account) {
  App app;
  app.state<LoginThrottle>();
  app.post(
      "/login",
      [](Json<LoginForm> form, ClientInfo client, State<LoginThrottle> throttle) -> Result<void> {
        auto attempt = throttle->begin(form->name, client);
        if (!attempt) {
          return fail(attempt.error());
        }
        if (form->name != "ann" || form->password != "secret") {
          return fail(Error::unauthorized("The name or the password is wrong."));
        }
        attempt->succeeded();
        return {};
      });
  const auto responses_to = [&app](const std::string& name) {
    TestClient client(app);
    std::string responses;
    for (int index = 0; index < 8; ++index) {
      const TestResponse reply =
          client.post("/login", LoginForm{.name = name, .password = "wrong"});
      responses += std::to_string(reply.status) + " " + reply.body + "\n" +
                   std::string(reply.header("Retry-After").value_or("")) + "\n";
    }
    return responses;
  };
  const std::string of_ann = responses_to("ann");
  EXPECT_TRUE(of_ann.contains("429")) << of_ann;
  EXPECT_EQ(of_ann, responses_to("bob"));
}

}  // namespace
}  // namespace eider
