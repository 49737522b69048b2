#include "eider/io/runtime/token_bucket.h"

#include <gtest/gtest.h>

namespace eider {
namespace {

using std::chrono::milliseconds;

TEST(TokenBucket, gives_all_it_has_at_once_and_then_one_in_each_span) {
  const Instant start{std::chrono::hours(1)};
  TokenBucket bucket(3, milliseconds(500));
  for (int token = 0; token < 3; ++token) {
    EXPECT_TRUE(bucket.take(start)) << token;
  }
  EXPECT_FALSE(bucket.take(start));
  EXPECT_FALSE(bucket.take(start + milliseconds(499)));
  EXPECT_TRUE(bucket.take(start + milliseconds(500)));
  EXPECT_FALSE(bucket.take(start + milliseconds(501)));
}

TEST(TokenBucket, is_never_more_than_full) {
  const Instant start{std::chrono::hours(1)};
  TokenBucket bucket(2, milliseconds(500));
  const Instant later = start + std::chrono::hours(10);
  EXPECT_TRUE(bucket.take(later));
  EXPECT_TRUE(bucket.take(later));
  EXPECT_FALSE(bucket.take(later));
}

TEST(TokenBucket, of_one_token_gives_one_per_span) {
  const Instant start{std::chrono::hours(1)};
  TokenBucket bucket(1, milliseconds(10));
  EXPECT_TRUE(bucket.take(start));
  EXPECT_FALSE(bucket.take(start));
  EXPECT_TRUE(bucket.take(start + milliseconds(10)));
}

}  // namespace
}  // namespace eider
