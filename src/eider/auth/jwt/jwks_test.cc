#include "eider/auth/jwt/jwks.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "eider/auth/jwt/jwt.h"
#include "eider/io/runtime/sleep.h"
#include "eider/testkit/loop_sim.h"

namespace eider {
namespace {

using namespace std::chrono_literals;
using detail::jwt::JwksCache;

/// An issuer on simulated time with scripted responses, and the cache of its keys.
class JwksTest : public ::testing::Test {
 protected:
  enum class Manner : std::uint8_t { responses, fails, hangs, throws };
  using Keys = Result<std::shared_ptr<const std::vector<JwtKey>>, JwtError>;

  JwksTest() {
    loop_.call(
        [&] { cache_ = std::make_unique<JwksCache>(options_, [this] { return response(); }); });
  }
  ~JwksTest() override {
    loop_.call([&] { cache_.reset(); });
  }

  Task<Result<std::string>> response() {
    ++asked_;
    const Manner manner = manner_;
    std::string text = text_;
    if (delay_ > 0s) {
      co_await sleep_for(delay_);
    }
    if (manner == Manner::hangs) {
      co_await sleep_for(options_.deadline);  // when the client times out
    }
    if (manner == Manner::throws) {
      throw std::runtime_error("no");
    }
    if (manner != Manner::responses) {
      co_return fail(Error::internal("no answer"));
    }
    co_return text;
  }

  static JwtKey key(const std::string& id) { return JwtKey::generate(JwtAlgorithm::eddsa, id); }
  static std::string token_of(const JwtKey& key) {
    return sign_jwt({.expires_at = 1'900'000'000}, key);
  }
  void publish(std::vector<JwtKey> keys) { text_ = json::to_text(to_jwks(keys)); }

  using Asking = std::unique_ptr<Task<Keys>>;
  Asking begin(const std::string& token) {
    Asking task = std::make_unique<Task<Keys>>(cache_->keys_for(token));
    loop_.call([&] { (void)task->start(); });
    return task;
  }
  /// Returns whether the token is valid with the keys that are available immediately.
  bool is_good(const std::string& token) {
    const Asking task = begin(token);
    if (!task->is_done()) {
      loop_.call([&] { ADD_FAILURE() << "it waits"; });
      return false;
    }
    const Keys keys = task->take();
    return keys && check_jwt(token, **keys, {}, 1'800'000'000).has_value();
  }
  /// The same, with newer keys if the old ones reject the token.
  bool is_checked(const std::string& token) {
    const auto check = [&token](std::span<const JwtKey> keys) {
      return check_jwt(token, keys, {}, 1'800'000'000);
    };
    auto task = cache_->check(token, check);
    loop_.call([&] { (void)task.start(); });
    if (!task.is_done()) {
      ADD_FAILURE() << "it waits";
      return false;
    }
    return task.take().has_value();
  }
  void wait(Duration time) { kernel_.advance(time); }

  SimKernel kernel_;
  SimLoop loop_{kernel_};
  JwksOptions options_{.url = "https://id.example/jwks"};
  Manner manner_ = Manner::responses;
  Duration delay_ = 0s;
  std::string text_;
  int asked_ = 0;
  std::unique_ptr<JwksCache> cache_;
};

TEST_F(JwksTest, keys_are_fetched_once_and_kept) {
  const JwtKey one = key("one");
  publish({one});
  for (int index = 0; index < 100; ++index) {
    EXPECT_TRUE(is_good(token_of(one)));
  }
  EXPECT_EQ(asked_, 1);
}

TEST_F(JwksTest, an_unknown_id_has_them_fetched_again_but_not_often) {
  const JwtKey one = key("one");
  const JwtKey two = key("two");
  publish({one});
  EXPECT_TRUE(is_good(token_of(one)));
  publish({one, two});
  EXPECT_FALSE(is_good(token_of(two))) << "the issuer was asked a moment ago";
  wait(30s);
  EXPECT_TRUE(is_good(token_of(two)));
  EXPECT_EQ(asked_, 2);
}

TEST_F(JwksTest, tokens_with_made_up_ids_do_not_make_us_hammer_the_issuer) {
  const JwtKey one = key("one");
  publish({one});
  for (int second = 0; second < 300; ++second) {
    for (int index = 0; index < 5; ++index) {
      EXPECT_FALSE(is_good(token_of(key("made-up-" + std::to_string(second * 5 + index)))));
    }
    wait(1s);
  }
  EXPECT_LE(asked_, 300 / 30 + 1);
  EXPECT_TRUE(is_good(token_of(one)));
}

TEST_F(JwksTest, what_is_malformed_asks_nobody) {
  const JwtKey one = key("one");
  publish({one});
  EXPECT_TRUE(is_good(token_of(one)));
  wait(60s);
  for (const char* token : {"", "a.b.c", "eyJhbGciOiJub25lIn0.e30.AAAA"}) {
    EXPECT_FALSE(is_good(token));
  }
  EXPECT_EQ(asked_, 1);
}

TEST_F(JwksTest, many_at_once_wait_for_one_request) {
  const JwtKey one = key("one");
  publish({one});
  delay_ = 1s;
  std::vector<Asking> tasks;
  for (int index = 0; index < 50; ++index) {
    tasks.push_back(begin(token_of(one)));
  }
  wait(1s);
  for (const Asking& task : tasks) {
    ASSERT_TRUE(task->is_done());
    EXPECT_TRUE(task->take().has_value());
  }
  EXPECT_EQ(asked_, 1);
}

TEST_F(JwksTest, a_client_that_leaves_does_not_take_the_response_of_others_along) {
  const JwtKey one = key("one");
  publish({one});
  delay_ = 1s;
  Asking first = begin(token_of(one));
  Asking second = begin(token_of(one));
  loop_.call([&] { first.reset(); });
  wait(1s);
  ASSERT_TRUE(second->is_done());
  EXPECT_TRUE(second->take().has_value());
  EXPECT_EQ(asked_, 1);
}

TEST_F(JwksTest, known_keys_serve_on_while_the_issuer_hangs_or_fails) {
  const JwtKey one = key("one");
  publish({one});
  EXPECT_TRUE(is_good(token_of(one)));
  for (const Manner manner : {Manner::fails, Manner::hangs, Manner::throws}) {
    manner_ = manner;
    wait(16min);
    EXPECT_TRUE(is_good(token_of(one))) << "at once: nobody waits for keys that are known";
  }
  EXPECT_EQ(asked_, 4);
  wait(24h);
  const Asking late = begin(token_of(one));
  wait(5s);
  ASSERT_TRUE(late->is_done());
  const auto keys = late->take();
  ASSERT_FALSE(keys.has_value()) << "not for ever";
  EXPECT_EQ(keys.error().fault, JwtFault::keys_unavailable);
  manner_ = Manner::responses;
  wait(30s);
  EXPECT_TRUE(is_good(token_of(one)));
}

TEST_F(JwksTest, an_unknown_id_waits_no_longer_than_one_request) {
  const JwtKey one = key("one");
  publish({one});
  EXPECT_TRUE(is_good(token_of(one)));
  manner_ = Manner::hangs;
  wait(31s);
  const Asking unknown = begin(token_of(key("two")));
  EXPECT_FALSE(unknown->is_done());
  EXPECT_TRUE(is_good(token_of(one))) << "meanwhile";
  wait(5s);
  ASSERT_TRUE(unknown->is_done());
  EXPECT_FALSE(is_good(token_of(key("three")))) << "at once: the issuer was asked";
}

TEST_F(JwksTest, without_keys_nobody_is_let_in_and_it_is_tried_again) {
  manner_ = Manner::fails;
  const JwtKey one = key("one");
  const Asking first = begin(token_of(one));
  ASSERT_TRUE(first->is_done());
  EXPECT_EQ(first->take().error().fault, JwtFault::keys_unavailable);
  manner_ = Manner::responses;
  publish({one});
  EXPECT_FALSE(is_good(token_of(one))) << "not yet";
  wait(30s);
  EXPECT_TRUE(is_good(token_of(one)));
}

TEST_F(JwksTest, what_is_no_set_does_not_take_the_old_ones_place) {
  const JwtKey one = key("one");
  publish({one});
  EXPECT_TRUE(is_good(token_of(one)));
  for (const char* text : {"", "<html>", "{}", R"({"keys":{}})", R"({"keys":[])", "null"}) {
    text_ = text;
    wait(16min);
    EXPECT_TRUE(is_good(token_of(one))) << text;
  }
}

TEST_F(JwksTest, a_set_without_usable_keys_has_withdrawn_the_old_ones) {
  const JwtKey one = key("one");
  for (const char* text : {R"({"keys":[]})", R"({"keys":[{"kty":"oct"}]})",
                           R"({"keys":[{"kty":"EC","crv":"P-256"}]})"}) {
    publish({one});
    wait(16min);
    EXPECT_TRUE(is_good(token_of(one)));
    text_ = text;
    wait(16min);
    EXPECT_FALSE(is_good(token_of(one))) << text;
  }
}

TEST_F(JwksTest, behind_a_break_keys_are_looked_at_before_they_are_believed) {
  const JwtKey one = key("one");
  const JwtKey two = key("two");
  publish({one, two});
  EXPECT_TRUE(is_good(token_of(two)));
  publish({one});
  delay_ = 1s;
  wait(30min);
  const Asking first = begin(token_of(two));
  const Asking second = begin(token_of(two));
  EXPECT_FALSE(first->is_done());
  EXPECT_FALSE(second->is_done()) << "nor is one that comes meanwhile";
  wait(1s);
  for (const Asking* asking : {&first, &second}) {
    const Asking& task = *asking;
    ASSERT_TRUE(task->is_done());
    const Keys keys = task->take();
    ASSERT_TRUE(keys.has_value());
    EXPECT_FALSE(check_jwt(token_of(two), **keys, {}, 1'800'000'000).has_value());
  }
  EXPECT_EQ(asked_, 2);
}

TEST_F(JwksTest, an_issuer_that_hangs_behind_a_break_holds_up_one_request_long) {
  const JwtKey one = key("one");
  publish({one});
  EXPECT_TRUE(is_good(token_of(one)));
  manner_ = Manner::hangs;
  wait(10h);
  const Asking first = begin(token_of(one));
  EXPECT_FALSE(first->is_done());
  wait(5s);
  ASSERT_TRUE(first->is_done());
  EXPECT_TRUE(first->take().has_value()) << "the old ones serve on";
  for (int index = 0; index < 100; ++index) {
    EXPECT_TRUE(is_good(token_of(one))) << "at once: the issuer was asked";
    wait(29s);
  }
}

TEST_F(JwksTest, keys_without_an_id_are_for_tokens_with_one_and_ask_nobody_again) {
  const JwtKey named = key("one");
  json::Value unnamed = named.to_public_jwk();
  std::erase_if(unnamed.members(), [](const json::Field& field) { return field.name == "kid"; });
  text_ = json::to_text(json::object({{"keys", json::array({unnamed})}}));
  for (int index = 0; index < 10; ++index) {
    EXPECT_TRUE(is_good(token_of(named)));
    wait(60s);
  }
  EXPECT_EQ(asked_, 1);
}

TEST_F(JwksTest, a_key_of_the_tokens_id_by_another_algorithm_is_none_and_is_asked_for) {
  const JwtKey unnamed = JwtKey::generate(JwtAlgorithm::es256);
  const JwtKey before = JwtKey::generate(JwtAlgorithm::eddsa, "one");
  const JwtKey after = JwtKey::generate(JwtAlgorithm::es256, "one");
  publish({before, unnamed});
  EXPECT_TRUE(is_good(token_of(before)));
  publish({after, unnamed});
  wait(30s);
  EXPECT_TRUE(is_good(token_of(after)));
  EXPECT_EQ(asked_, 2);
}

TEST_F(JwksTest, a_key_that_was_changed_under_its_id_is_fetched_but_not_often) {
  for (const char* const id : {"one", ""}) {
    const JwtKey before = key(id);
    const JwtKey after = key(id);
    publish({before});
    wait(15min);
    EXPECT_TRUE(is_checked(token_of(before)));
    publish({after});
    asked_ = 0;
    EXPECT_FALSE(is_checked(token_of(after))) << "the issuer was asked a moment ago";
    wait(30s);
    EXPECT_TRUE(is_checked(token_of(after)));
    EXPECT_FALSE(is_checked(token_of(before)));
    for (int second = 0; second < 60; ++second) {
      EXPECT_FALSE(is_checked(token_of(key(id)))) << "another's";
      wait(1s);
    }
    EXPECT_LE(asked_, 3);
  }
}

TEST_F(JwksTest, a_key_that_was_withdrawn_is_no_key_after_the_next_fetch) {
  const JwtKey one = key("one");
  const JwtKey two = key("two");
  publish({one, two});
  EXPECT_TRUE(is_good(token_of(two)));
  publish({one});
  wait(15min);
  EXPECT_TRUE(is_good(token_of(one)));
  EXPECT_FALSE(is_good(token_of(two)));
}

}  // namespace
}  // namespace eider
