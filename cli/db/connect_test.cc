#include "cli/db/connect.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace eider {
namespace {

TEST(Databases, on_this_machine_are_those_with_a_socket_or_a_loopback_address) {
  ASSERT_EQ(std::getenv("PGSERVICE"), nullptr);
  for (const char* where : {"postgres:///x", "postgres://localhost/x", "postgres://127.0.0.2/x",
                            "x.db", "mysql://127.0.0.1/x", "postgres://127.0.0.1/x?service=shop"}) {
    EXPECT_TRUE(is_on_this_machine(where)) << where;
  }
  for (const char* where :
       {"postgres://127.0.0.1.example.com/x", "mysql://127.evil.example/x",
        "postgres:///x?service=shop", "postgres://localhost/x?service=shop", "service=shop"}) {
    EXPECT_FALSE(is_on_this_machine(where)) << where;
  }
  ::setenv("PGSERVICE", "shop", 1);
  EXPECT_FALSE(is_on_this_machine("postgres:///x"));
  EXPECT_TRUE(is_on_this_machine("postgres://127.0.0.1/x"));
  ::unsetenv("PGSERVICE");
}

}  // namespace
}  // namespace eider
