// API keys on each database: their tables, their limit for concurrent requests, and exact owners.
#include "eider/auth/apikeys/apikeys.h"

#include "eider/io/runtime/scope.h"
#include "tests/databases/tested_database.h"

namespace eider {
namespace {

class ApiKeysOnEach : public DatabaseTest {
 protected:
  void SetUp() override {
    script(base_, "drop table if exists eider_api_keys");
    script(base_, "drop table if exists eider_api_key_owners");
    on_loop_.run(keys_.start());
    on_loop_.run(keys_.start());
  }

  const Database base_ = open();
  ApiKeys keys_{base_, {.prefix = "shop", .scopes = {"read"}, .keys_max = 3}};
};
INSTANTIATE_TEST_SUITE_P(Each, ApiKeysOnEach, each_database(), name_of_database);

TEST_P(ApiKeysOnEach, keep_every_member) {
  on_loop_.run([](const ApiKeys* keys) -> Task<> {
    const auto made = co_await keys->create(
        {"ann"},
        {.name = "Größe 🔑", .scopes = {"read", "read"}, .lifetime = std::chrono::hours(1)});
    EXPECT_TRUE(made.has_value());
    const auto found = co_await keys->find(made->secret);
    EXPECT_TRUE(found.has_value());
    EXPECT_EQ(found->user, "ann");
    EXPECT_EQ(found->name, "Größe 🔑");
    EXPECT_EQ(found->scopes, std::vector<std::string>{"read"});
    EXPECT_EQ(found->expires, made->key.expires);
    EXPECT_TRUE(made->secret.ends_with(found->hint));
    const auto all = co_await keys->list({"ann"});
    EXPECT_EQ(all.size(), 1U);
    EXPECT_EQ(all.at(0).used, found->used) << "the use is noted";
    EXPECT_FALSE(co_await keys->revoke({"eve"}, found->id));
    EXPECT_TRUE(co_await keys->revoke({"ann"}, found->id));
    EXPECT_FALSE((co_await keys->find(made->secret)).has_value());
  }(&keys_));
}

TEST_P(ApiKeysOnEach, belong_to_exactly_one_owner) {
  on_loop_.run([](const ApiKeys* keys) -> Task<> {
    EXPECT_TRUE((co_await keys->create({"ann"}, {.name = "a"})).has_value());
    for (const std::string& other :
         {std::string("Ann"), std::string("ann "), std::string("änn"), std::string(4000, 'a')}) {
      EXPECT_TRUE((co_await keys->list({other})).empty()) << other;
      EXPECT_EQ(co_await keys->revoke_all({other}), 0U);
    }
    const std::string secret = (co_await keys->create({"ann"}, {.name = "b"}))->secret;
    std::string upper = secret;
    upper.back() = upper.back() == 'a' ? 'A' : 'a';
    EXPECT_FALSE((co_await keys->find(upper)).has_value());
    EXPECT_EQ(co_await keys->revoke_all({"ann"}), 2U);
  }(&keys_));
}

TEST_P(ApiKeysOnEach, are_no_more_than_allowed_if_many_are_created_at_once) {
  on_loop_.run([](const ApiKeys* keys) -> Task<> {
    int made = 0;
    const auto create = [](const ApiKeys* by, int* count) -> Task<> {
      const auto created = co_await by->create({"ann"}, {.name = "x"});
      *count += created ? 1 : 0;
    };
    Scope all;
    for (int turn = 0; turn < 8; ++turn) {
      all.start(create(keys, &made));
    }
    co_await all.join();
    EXPECT_EQ(made, 3);
    EXPECT_EQ((co_await keys->list({"ann"})).size(), 3U);
  }(&keys_));
}

}  // namespace
}  // namespace eider
