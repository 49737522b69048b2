#include "eider/data/db/sqlite/statement_cache.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "eider/data/db/failure.h"

namespace eider::db {
namespace {

class StatementCacheTest : public ::testing::Test {
 protected:
  StatementCacheTest() { sqlite3_open(":memory:", &handle_); }
  ~StatementCacheTest() override {
    cache_.clear();
    EXPECT_EQ(sqlite3_close(handle_), SQLITE_OK);
  }

  sqlite3* handle_ = nullptr;
  StatementCache cache_{2};
};

TEST_F(StatementCacheTest, gives_the_same_statement_for_the_same_text) {
  PreparedStatement& first = cache_.get(handle_, "select 1");
  cache_.get(handle_, "select 2");
  EXPECT_EQ(&cache_.get(handle_, "select 1"), &first);
  EXPECT_EQ(cache_.size(), 2U);
}

TEST_F(StatementCacheTest, forgets_the_one_that_was_used_longest_ago) {
  cache_.get(handle_, "select 1");
  cache_.get(handle_, "select 2");
  cache_.get(handle_, "select 1");
  cache_.get(handle_, "select 3");
  EXPECT_EQ(cache_.size(), 2U);
  EXPECT_EQ(cache_.get(handle_, "select 1").sql(), "select 1");
  EXPECT_EQ(cache_.size(), 2U);
}

TEST_F(StatementCacheTest, a_statement_that_is_refused_leaves_nothing_behind) {
  EXPECT_THROW(cache_.get(handle_, "selct"), Failure);
  EXPECT_THROW(cache_.get(handle_, "select ?"), Failure);
  EXPECT_THROW(cache_.get(handle_, "select 1; select 2"), Failure);
  EXPECT_EQ(cache_.size(), 0U);
}

TEST_F(StatementCacheTest, parameters_are_told_by_their_number_not_by_their_place) {
  EXPECT_EQ(cache_.get(handle_, "select $2, $1, $2, $10").parameters(),
            (std::vector<std::size_t>{1, 0, 9}));
}

}  // namespace
}  // namespace eider::db
