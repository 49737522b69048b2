#include "eider/data/db/scratch/postgres_cluster.h"

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <memory>
#include <string>

namespace eider::detail::scratch {
namespace {

/// Returns "host=a password=b", in the order of libpq; "invalid" if it cannot parse the address.
std::string parsed(const std::string& where) {
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(where.c_str(), nullptr), &PQconninfoFree);
  if (options == nullptr) {
    return "invalid";
  }
  std::string text;
  for (const PQconninfoOption* one = options.get(); one->keyword != nullptr; ++one) {
    if (one->val != nullptr) {
      text.append(text.empty() ? "" : " ").append(one->keyword).append("=").append(one->val);
    }
  }
  return text;
}

std::string moved(const std::string& server) {
  return parsed(postgres_database(server, "new"));
}

TEST(PostgresDatabase, replaces_the_database_of_a_url) {
  EXPECT_EQ(moved("postgres://h"), "dbname=new host=h");
  EXPECT_EQ(moved("postgresql://u@h:1/old"), "user=u dbname=new host=h port=1");
  EXPECT_EQ(moved("postgres://h/old?user=u"), "user=u dbname=new host=h");
  EXPECT_EQ(moved("postgres://h/old?dbname=older"), "dbname=new host=h");
  EXPECT_EQ(moved("postgres://h/old?"), "dbname=new host=h");
  EXPECT_EQ(moved("postgres://h?user=u&"), "user=u dbname=new host=h");
  EXPECT_EQ(moved("postgres://?host=/a/b"), "dbname=new host=/a/b");
  EXPECT_EQ(moved("postgres://u:p?w@h/old"), "user=u password=p?w dbname=new host=h");
  EXPECT_EQ(moved("postgres://u:p?w@h/old?port=1"), "user=u password=p?w dbname=new host=h port=1");
}

TEST(PostgresDatabase, replaces_the_database_of_a_list_of_keywords) {
  EXPECT_EQ(moved("host=h dbname=old"), "dbname=new host=h");
  EXPECT_EQ(moved("host=h dbname = 'old' password=a://b?c"), "password=a://b?c dbname=new host=h");
  EXPECT_EQ(moved("dbname=old application_name=x://y"), "dbname=new application_name=x://y");
  EXPECT_EQ(moved("dbname=old password=a\\"), "password=a  dbname=new");
  EXPECT_EQ(moved("password='a"), "invalid");
}

}  // namespace
}  // namespace eider::detail::scratch
