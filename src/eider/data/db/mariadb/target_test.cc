#include "eider/data/db/mariadb/target.h"

#include <gtest/gtest.h>

#include <string>

#include "eider/data/db/mariadb/mariadb_error.h"

namespace eider::db::mariadb {
namespace {

/// Returns "user:password@name/address:port,… database", or the error.
std::string read(std::string_view url) {
  const auto target = read_target(url);
  if (!target) {
    return std::string(target.error());
  }
  std::string told = target->user + ":" + target->password + "@";
  for (const Host& host : target->hosts) {
    told += host.name + "/" + host.address + ":" + std::to_string(host.port) + ",";
  }
  return told + " " + target->database;
}

TEST(MariadbTargets, are_read_from_urls) {
  EXPECT_EQ(read("mysql://me@db.example/shop"), "me:@db.example/:3306, shop");
  EXPECT_EQ(read("mariadb://me:p%40ss%2F@[::1]:33,10.0.0.1/"),
            "me:p@ss/@::1/::1:33,10.0.0.1/10.0.0.1:3306, ");
  EXPECT_EQ(read("mysql://localhost/a%2Db"),
            ":@localhost//run/mysqld/mysqld.sock:3306,localhost/:3306, a-b");
  EXPECT_EQ(read("mysql://me@localhost:3306/a"), "me:@localhost/:3306, a");
  EXPECT_EQ(read("mysql://me@localhost/a?tls=required"), "me:@localhost/:3306, a");
  EXPECT_EQ(read("mysql://me@/a?socket=%2Ftmp/s"), "me:@localhost//tmp/s:3306, a");
}

TEST(MariadbTargets, that_are_none_are_refused_without_being_repeated) {
  for (const char* url :
       {"postgres://me@host/a", "mysql://me:topsecret/@host/a", "mysql://me:topsecret%@host/a",
        "mysql://me:topsecret@host:0/a", "mysql://me:topsecret@host:70000/a",
        "mysql://me:topsecret@[::1/a", "mysql://me@host/a?topsecret=1", "mysql://me@host/a?tls=x",
        "mysql://me@host/a?tls-ca=/topsecret", "mysql://me@host/a?socket=/s&tls=verify",
        "mysql://me@host/a?socket=topsecret", "mysql://me:topsecret?@host/a", ""}) {
    const auto target = read_target(url);
    ASSERT_FALSE(target.has_value()) << url;
    EXPECT_FALSE(target.error().contains("topsecret")) << target.error();
  }
}

TEST(MariadbTargets, keep_the_name_that_a_certificate_is_held_against) {
  const auto target = read_target("mysql://me@db.example,127.0.0.1/a?tls=verify");
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->tls, TlsMode::verify);
  EXPECT_EQ(target->hosts.at(0).name, "db.example");
  EXPECT_EQ(target->hosts.at(0).address, "");
  EXPECT_EQ(target->hosts.at(1).name, target->hosts.at(1).address);
}

TEST(MariadbErrors, tell_nothing_of_what_a_message_quotes) {
  const auto what_of = [](unsigned number, const char* state, const char* message) {
    return std::string(failure_of({number, state, message}, "update t set a = $1").what());
  };
  EXPECT_FALSE(what_of(1062, "23000", "Duplicate entry 't' for key 'email'").contains("'t'"));
  EXPECT_FALSE(what_of(1062, "23000", "Duplicate entry 'secret").contains("secret"));
  EXPECT_FALSE(what_of(1292, "22007", "Incorrect value: 'secret' for `t`").contains("secret"));
  EXPECT_FALSE(what_of(1644, "45000", "raised 'secret'").contains("secret"));
  EXPECT_FALSE(what_of(9999, "HY000", "\xe2\x80\x9esecret\xe2\x80\x9c").contains("secret"));
  for (const char* message :
       {"", "'", "Duplicate entry", "CONSTRAINT `", "FOREIGN KEY (`", "`.`"}) {
    for (const unsigned number : {1062U, 1452U, 1048U, 4025U, 3819U}) {
      EXPECT_TRUE(what_of(number, "23000", message).contains("update t"));
    }
  }
}

TEST(MariadbErrors, about_names_are_complete) {
  const auto is_whole = [](unsigned number, const std::string& message) {
    return std::string_view(failure_of({number, "42000", message}, "do 0").what())
        .starts_with("MariaDB: " + message + " (");
  };
  EXPECT_TRUE(is_whole(1146, "Table 'shop.books' doesn't exist"));
  EXPECT_TRUE(is_whole(1005, "Can't create table `shop`.`a` (errno: 150 \"Foreign key\")"));
  EXPECT_TRUE(is_whole(1091, "Can't DROP COLUMN `year`; check that it exists"));
  EXPECT_FALSE(is_whole(1366, "Incorrect integer value: 'x' for column `shop`.`a`.`b` at row 1"));
  EXPECT_FALSE(is_whole(9999, "an error with 'a value'"));
}

TEST(MariadbErrors, about_syntax_contain_one_word_of_the_statement) {
  const auto text_of = [](const std::string& near) {
    return std::string(
        failure_of({1064, "42000", "An error in your SQL syntax near " + near}, "do 0").what());
  };
  const std::string start = "MariaDB: An error in your SQL syntax";
  EXPECT_TRUE(text_of("'identfied by 'pw'' at line 1").starts_with(start + " near 'identfied' ("));
  for (const char* near : {"''pw'' at line 1", "'' at line 1", "'"}) {
    EXPECT_TRUE(text_of(near).starts_with(start + " (")) << text_of(near);
  }
  EXPECT_FALSE(text_of("nothing").contains("near '"));
}

TEST(MariadbErrors, with_a_name_behind_the_table_are_mysqls) {
  const Failure failure =
      failure_of({1062, "23000", "Duplicate entry 'x' for key 'users.email'"}, "insert");
  EXPECT_EQ(failure.by().table, "users");
  EXPECT_EQ(failure.by().constraint, "email");
  EXPECT_EQ(failure.kind(), FailureKind::unique);
}

}  // namespace
}  // namespace eider::db::mariadb
