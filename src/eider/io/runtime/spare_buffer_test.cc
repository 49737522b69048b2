#include "eider/io/runtime/seal.h"

#include <gtest/gtest.h>

#include <string>

namespace eider {
namespace {

TEST(SpareBuffer, passes_memory_on_without_the_bytes) {
  SpareBuffer spare;
  Buffer first;
  first.append("hello");
  const char* const memory = first.data();
  spare.take_back(first);
  EXPECT_EQ(first.capacity(), 0U);
  Buffer second;
  spare.lend(second);
  EXPECT_EQ(second.data(), memory);
  EXPECT_TRUE(second.empty());
}

TEST(SpareBuffer, leaves_a_buffer_alone_that_has_memory) {
  SpareBuffer spare;
  Buffer kept;
  kept.append("old");
  spare.take_back(kept);
  Buffer busy;
  busy.append("new");
  const char* const memory = busy.data();
  spare.lend(busy);
  EXPECT_EQ(busy.data(), memory);
  EXPECT_EQ(busy.view(), "new");
}

TEST(SpareBuffer, keeps_the_larger_one_up_to_a_bound) {
  SpareBuffer spare;
  Buffer small(300);
  Buffer large(20'000);
  Buffer huge(SpareBuffer::kKeptBytesMax + 1);
  spare.take_back(small);
  spare.take_back(large);
  spare.take_back(huge);
  EXPECT_EQ(huge.capacity(), 0U);
  Buffer next;
  spare.lend(next);
  EXPECT_EQ(next.capacity(), 20'000U);
}

TEST(SpareBuffer, lends_nothing_when_it_has_nothing) {
  SpareBuffer spare;
  Buffer buffer;
  spare.lend(buffer);
  EXPECT_EQ(buffer.capacity(), 0U);
}

}  // namespace
}  // namespace eider
