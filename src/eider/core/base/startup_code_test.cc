// Codes of startup errors: added to a line, and removed from it.
#include "eider/core/base/startup_code.h"

#include <gtest/gtest.h>

#include <set>

namespace eider::detail::base {
namespace {

TEST(StartupCode, is_put_in_front_of_a_line) {
  EXPECT_EQ(with_code("port-in-use", "Cannot listen."), "error[port-in-use]: Cannot listen.");
  EXPECT_EQ(with_code("startup-failed", ""), "error[startup-failed]: ");
}

TEST(StartupCode, of_the_cause_replaces_the_general_one) {
  const std::string cause = "shop cannot start: " + with_code("migration-failed", "0001.sql");
  EXPECT_EQ(with_code("start-failed", cause),
            "error[migration-failed]: shop cannot start: 0001.sql");
  const CodedLine line = split_code(cause, "start-failed");
  EXPECT_EQ(line.code.text(), "migration-failed");
  EXPECT_EQ(line.text, "shop cannot start: 0001.sql");
}

TEST(StartupCode, is_only_one_of_the_table) {
  for (const std::string_view text :
       {"error[E0001]: x", "error[port-in-use]", "error[port-in-use]:x", "error[",
        "error[]: ", "Error[port-in-use]: x", "port-in-use", ""}) {
    const CodedLine line = split_code(text, "startup-failed");
    EXPECT_EQ(line.code.text(), "startup-failed") << text;
    EXPECT_EQ(line.text, text);
  }
  EXPECT_EQ(split_code("error[x]: error[invalid-route]: y", "startup-failed").text, "error[x]: y");
}

TEST(StartupCode, has_a_name_of_words_and_hyphens_once) {
  std::set<std::string_view> names;
  for (const StartupCode& code : kStartupCodes) {
    EXPECT_TRUE(names.insert(code.name).second) << code.name;
    EXPECT_EQ(code.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), code.name.npos);
    EXPECT_TRUE(code.cause.ends_with('.') && code.fix.ends_with('.')) << code.name;
  }
}

}  // namespace
}  // namespace eider::detail::base
