#include "eider/auth/session/redis/redis_sessions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/redis_tests.h"

namespace eider {
namespace {

SessionRecord record_of(const std::string& user, std::int64_t seen = 100) {
  return {.user = user,
          .began = 50,
          .seen = seen,
          .version = 1,
          .data = std::string(R"({"cart":[1]})").append(1, '\0').append("\xff"),
          .flashes = "",
          .authenticated = 60};
}

class RedisSessionsTest : public RedisTest {
 protected:
  template <class T>
  T run(Task<T> task) {
    return on_loop_.run(std::move(task));
  }
  std::int64_t keys() { return ask<std::int64_t>("DBSIZE"); }

  std::shared_ptr<SessionStore> store_ = redis_sessions(redis_);
};

TEST_F(RedisSessionsTest, gives_back_what_was_stored) {
  EXPECT_EQ(run(store_->find("a")), nullptr);
  run(store_->insert("a", record_of("ada")));
  const auto found = run(store_->find("a"));
  ASSERT_NE(found, nullptr);
  const SessionRecord wanted = record_of("ada");
  EXPECT_EQ(found->user, wanted.user);
  EXPECT_EQ(found->began, wanted.began);
  EXPECT_EQ(found->seen, wanted.seen);
  EXPECT_EQ(found->version, wanted.version);
  EXPECT_EQ(found->data, wanted.data);
  EXPECT_EQ(found->flashes, wanted.flashes);
  EXPECT_EQ(found->authenticated, wanted.authenticated);
}

TEST_F(RedisSessionsTest, keeps_when_its_user_has_shown_who_he_is) {
  run(store_->insert("a", record_of("ada")));
  SessionRecord next = record_of("ada", 200);
  next.version = 2;
  next.authenticated = 200;
  EXPECT_TRUE(run(store_->replace("a", next)));
  EXPECT_EQ(run(store_->find("a"))->authenticated, 200);
  ask<std::int64_t>("HDEL", "eider:sessions:s:a", "authenticated");
  EXPECT_EQ(run(store_->find("a"))->authenticated, 0) << "one of an earlier version";
}

TEST_F(RedisSessionsTest, replaces_the_version_that_was_read_and_no_other) {
  run(store_->insert("a", record_of("ada")));
  SessionRecord next = record_of("ada", 200);
  next.version = 2;
  next.data = "{}";
  EXPECT_TRUE(run(store_->replace("a", next)));
  EXPECT_FALSE(run(store_->replace("a", next)));
  EXPECT_FALSE(run(store_->replace("none", next)));
  EXPECT_EQ(run(store_->find("a"))->data, "{}");
  EXPECT_EQ(run(store_->find("none")), nullptr);
  run(store_->erase("a"));
  next.version = 3;
  EXPECT_FALSE(run(store_->replace("a", next)));  // an erased session stays erased
  EXPECT_EQ(keys(), 0);
}

TEST_F(RedisSessionsTest, renames_in_one_step_with_all_that_knows_the_name) {
  run(store_->insert("a", record_of("ada")));
  EXPECT_TRUE(run(store_->rename("a", "b")));
  EXPECT_FALSE(run(store_->rename("a", "c")));
  EXPECT_EQ(run(store_->find("a")), nullptr);
  EXPECT_EQ(run(store_->find("b"))->user, "ada");
  EXPECT_EQ(run(store_->list("ada")).size(), 1U);
  EXPECT_EQ(run(store_->erase_of("ada", "")), 1U);
  EXPECT_EQ(keys(), 0);
}

TEST_F(RedisSessionsTest, lists_and_erases_those_of_a_user) {
  for (const char* name : {"c", "b", "a"}) {
    SessionRecord record = record_of("ada");
    record.began = name[0];
    run(store_->insert(name, record));
  }
  run(store_->insert("other", record_of("bob")));
  run(store_->insert("nobody", record_of("")));
  std::string names;
  for (const KnownSession& each : run(store_->list("ada"))) {
    names += each.name;
    EXPECT_EQ(each.began, each.name[0]);
    EXPECT_EQ(each.seen, 100);
  }
  EXPECT_EQ(names, "abc");
  EXPECT_EQ(run(store_->erase_of("ada", "b")), 2U);
  EXPECT_EQ(run(store_->list("ada")).size(), 1U);
  EXPECT_NE(run(store_->find("other")), nullptr);
  EXPECT_NE(run(store_->find("nobody")), nullptr);
}

TEST_F(RedisSessionsTest, sweeps_those_that_were_not_used) {
  for (int i = 0; i < 1200; ++i) {
    run(store_->insert("old" + std::to_string(i), record_of("ada", 100)));
  }
  run(store_->insert("new", record_of("ada", 101)));
  run(store_->insert("used", record_of("", 1)));
  SessionRecord used = record_of("", 300);
  used.version = 2;
  EXPECT_TRUE(run(store_->replace("used", used)));
  run(store_->sweep(100));
  EXPECT_NE(run(store_->find("new")), nullptr);
  EXPECT_NE(run(store_->find("used")), nullptr);
  EXPECT_EQ(keys(), 4);  // these two, their times of last use, and ada's sessions
  run(store_->sweep(300));
  EXPECT_EQ(keys(), 0);
}

TEST_F(RedisSessionsTest, of_two_processes_one_replaces) {
  run(store_->insert("a", record_of("ada")));
  const auto other = redis_sessions(open());
  SessionRecord next = record_of("ada");
  next.version = 2;
  const bool is_first = run(store_->replace("a", next));
  EXPECT_NE(is_first, run(other->replace("a", next)));
}

TEST_F(RedisSessionsTest, prefixes_keep_applications_apart) {
  const auto other = redis_sessions(redis_, "{shop}:");
  run(store_->insert("a", record_of("ada")));
  EXPECT_EQ(run(other->find("a")), nullptr);
  EXPECT_EQ(run(other->erase_of("ada", "")), 0U);
  run(other->sweep(1000));
  EXPECT_NE(run(store_->find("a")), nullptr);
}

}  // namespace
}  // namespace eider
