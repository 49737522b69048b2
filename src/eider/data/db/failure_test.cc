#include "eider/data/db/failure.h"

#include <gtest/gtest.h>

namespace eider::db {
namespace {

TEST(DatabaseFailure, tells_its_cause_to_the_log_and_not_to_the_client) {
  const Failure lost(FailureKind::lost, "cannot connect to 127.0.0.1");
  EXPECT_EQ(lost.error().status(), 503);
  EXPECT_EQ(lost.error().cause(), "cannot connect to 127.0.0.1");
  EXPECT_EQ(lost.error().detail(), "The database is busy. Try again in a moment.");
}

}  // namespace
}  // namespace eider::db
