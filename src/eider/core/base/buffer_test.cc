#include "eider/core/base/buffer.h"

#include <gtest/gtest.h>

namespace eider {
namespace {

TEST(Buffer, forgets_its_bytes_and_keeps_memory_up_to_a_bound) {
  Buffer buffer(100);
  buffer.append("x");
  buffer.reset(buffer.capacity());
  EXPECT_TRUE(buffer.empty());
  EXPECT_GE(buffer.capacity(), 100U);
}

TEST(Buffer, gives_memory_beyond_the_bound_back) {
  Buffer buffer(100);
  buffer.append("x");
  buffer.reset(buffer.capacity() - 1);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.capacity(), 0U);
}

}  // namespace
}  // namespace eider
