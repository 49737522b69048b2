#include "eider/data/db/bound_value.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider::db {
namespace {

std::optional<std::size_t> index_of(std::string_view sql, std::string_view column) {
  const std::vector<Value> values{Value(std::int64_t{1}), Value(std::string("a"))};
  return index_stored_in(sql, values, column);
}

TEST(BoundValue, is_found_by_the_column_that_a_statement_stores_it_in) {
  EXPECT_EQ(index_of("insert into books(id, title) values($1, $2)", "title"), 1);
  EXPECT_EQ(index_of("INSERT INTO books (`title`, \"id\")\nVALUES ($2, $1)", "ID"), 0);
  EXPECT_EQ(index_of("insert into books(id, title) values(coalesce($1, 2), $2)", "title"), 1);
  EXPECT_EQ(index_of("update books set title = $2 where id = $1", "title"), 1);
  EXPECT_EQ(index_of("update books set year=$1, title=$2", "year"), 0);
  EXPECT_EQ(index_of("update books set subtitle = $1, title = $2", "title"), 1);
}

TEST(BoundValue, is_the_only_one_or_unknown) {
  const std::vector<Value> one{Value(std::string("a"))};
  EXPECT_EQ(index_stored_in("select lpad('a', $1)", one, ""), 0);
  EXPECT_EQ(index_of("insert into books(id, title) values($1, upper($2))", "title"), std::nullopt);
  EXPECT_EQ(index_of("insert into books select $1, $2", "title"), std::nullopt);
  EXPECT_EQ(index_of("insert into books(id, title values($1", "title"), std::nullopt);
  EXPECT_EQ(index_of("update books set title = title || $2 where id = $1", "title"), std::nullopt);
  EXPECT_EQ(index_of("select $1, $2", ""), std::nullopt);
  EXPECT_EQ(refused_at(one, 1), std::nullopt);
  EXPECT_EQ(refused_at(one, 0)->text, "a");
}

}  // namespace
}  // namespace eider::db
