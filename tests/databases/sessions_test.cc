// Sessions in a table of each database.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "eider/auth/session/session_store.h"
#include "tests/databases/tested_database.h"

namespace eider {
namespace {

class SessionsOnEach : public DatabaseTest {
 protected:
  void SetUp() override {
    script(base_, "drop table if exists eider_sessions");
    on_loop_.run(store_->start());
    on_loop_.run(store_->start());
  }

  const Database base_ = open();
  const std::shared_ptr<SessionStore> store_ = sql_sessions(base_);
};
INSTANTIATE_TEST_SUITE_P(Each, SessionsOnEach, each_database(), name_of_database);

SessionRecord record_of(std::string user, std::int64_t seen) {
  SessionRecord record;
  record.user = std::move(user);
  record.began = 1;
  record.seen = seen;
  return record;
}

Task<> insert(SessionStore* store, std::string name, std::string user, std::int64_t seen) {
  co_await store->insert(std::move(name), record_of(std::move(user), seen));
}

TEST_P(SessionsOnEach, keep_every_member_of_the_newest_version) {
  on_loop_.run([](SessionStore* store) -> Task<> {
    const std::string large(100'000, 'x');
    SessionRecord record = record_of("ann", 2);
    record.data = "{\"n\":\"ä🔑\"}";
    co_await store->insert("a", record);
    EXPECT_EQ((co_await store->find("a"))->data, record.data);
    SessionRecord newer = record_of("ann", 3);
    newer.version = 2;
    newer.data = large;
    newer.flashes = "[\"Größe\"]";
    newer.authenticated = 9;
    EXPECT_TRUE(co_await store->replace("a", newer));
    EXPECT_FALSE(co_await store->replace("a", newer)) << "the version differs";
    EXPECT_FALSE(co_await store->replace("none", newer));
    EXPECT_TRUE(co_await store->rename("a", "b"));
    EXPECT_FALSE(co_await store->rename("a", "c"));
    EXPECT_EQ(co_await store->find("a"), nullptr);
    EXPECT_EQ(co_await store->find("B"), nullptr);
    const auto found = co_await store->find("b");
    EXPECT_NE(found, nullptr);
    EXPECT_EQ(found->user, "ann");
    EXPECT_EQ(found->seen, 3);
    EXPECT_EQ(found->version, 2);
    EXPECT_EQ(found->data, large);
    EXPECT_EQ(found->flashes, "[\"Größe\"]");
    EXPECT_EQ(found->authenticated, 9);
    co_await store->erase("b");
    EXPECT_EQ(co_await store->find("b"), nullptr);
  }(store_.get()));
}

TEST_P(SessionsOnEach, belong_to_exactly_one_user) {
  on_loop_.run([](SessionStore* store) -> Task<> {
    const std::string long_key(400, 'k');
    co_await insert(store, "a", "ann", 1);
    co_await insert(store, "b", "ann", 2);
    co_await insert(store, "c", "ann ", 3);
    co_await insert(store, "d", "Ann", 4);
    co_await insert(store, "e", "shop ann", 5);
    co_await insert(store, "f", long_key, 6);
    co_await insert(store, "g", long_key + "k", 7);
    EXPECT_EQ((co_await store->list("ann")).size(), 2U);
    EXPECT_EQ((co_await store->list(long_key)).size(), 1U);
    EXPECT_EQ(co_await store->erase_of("ann", "b"), 1U);
    EXPECT_EQ(co_await store->erase_of(long_key, ""), 1U);
    EXPECT_EQ(co_await store->erase_of("ann  ", ""), 0U);
    EXPECT_EQ((co_await store->list("ann")).at(0).name, "b");
    EXPECT_EQ((co_await store->list("ann ")).at(0).seen, 3);
    EXPECT_EQ((co_await store->list("Ann")).size(), 1U);
  }(store_.get()));
}

TEST_P(SessionsOnEach, that_are_no_longer_used_are_swept) {
  on_loop_.run([](SessionStore* store, Database base) -> Task<> {
    for (int i = 0; i < 1100; ++i) {  // more than one statement deletes
      co_await insert(store, "n" + std::to_string(i), "", i < 1050 ? 5 : 6);
    }
    co_await store->sweep(5);
    EXPECT_EQ(co_await base.one<std::int64_t>("select count(*) from eider_sessions"), 50);
  }(store_.get(), base_));
}

}  // namespace
}  // namespace eider
