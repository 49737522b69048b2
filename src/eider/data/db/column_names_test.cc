#include "eider/data/db/column_names.h"

#include <gtest/gtest.h>

namespace eider::db::detail {
namespace {

TEST(ColumnNames, that_sql_reserves_are_quoted) {
  EXPECT_EQ(column_sql("order"), "\"order\"");
  EXPECT_EQ(column_sql("title"), "title");
  EXPECT_EQ(result_sql("order"), "\"order\"");
  EXPECT_EQ(table_sql("user"), "\"user\"");
  EXPECT_EQ(table_sql("shop.order"), "shop.\"order\"");
  EXPECT_EQ(table_sql("shop.notes"), "shop.notes");
  EXPECT_EQ(table_sql("Order"), "\"Order\"");
  EXPECT_EQ(column_sql("Group"), "\"Group\"");
}

TEST(ColumnNames, that_cpp_reserves_are_members_with_a_mark) {
  EXPECT_EQ(column_sql("class_"), "class");
  EXPECT_EQ(column_name("class_"), "class");
  EXPECT_EQ(column_name("default_"), "default");
  EXPECT_EQ(column_name("order"), "order");
  EXPECT_EQ(result_sql("class_"), "class as class_");
  EXPECT_EQ(column_sql("default_"), "\"default\"");
  EXPECT_EQ(result_sql("default_"), "\"default\" as default_");
  for (const char* other : {"title_", "class", "classes_", "_", "class__"}) {
    EXPECT_EQ(column_sql(other), other);
    EXPECT_EQ(result_sql(other), other);
  }
}

TEST(ColumnNames, of_any_text_are_quoted) {
  EXPECT_EQ(identifier_sql("notes"), "\"notes\"");
  EXPECT_EQ(identifier_sql("a \"b\".c"), "\"a \"\"b\"\".c\"");
  EXPECT_EQ(identifier_sql(""), "\"\"");
}

}  // namespace
}  // namespace eider::db::detail
