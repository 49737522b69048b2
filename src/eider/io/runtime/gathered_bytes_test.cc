#include "eider/io/runtime/gathered_bytes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider::detail::runtime {
namespace {

constexpr std::size_t kWriteBytes = std::size_t{256} * 1024;

TEST(GatheredBytes, are_written_if_there_are_enough) {
  GatheredBytes bytes(kWriteBytes);
  EXPECT_FALSE(bytes.add(std::string(kWriteBytes - 1, 'a')));
  EXPECT_TRUE(bytes.add("b"));
  EXPECT_EQ(bytes.take(), std::string(kWriteBytes - 1, 'a') + "b");
  EXPECT_FALSE(bytes.add("c"));
  EXPECT_EQ(bytes.take(), "c");
}

TEST(GatheredBytes, of_many_slow_clients_are_limited) {
  const std::string some(kWriteBytes - 1, 'a');
  std::vector<GatheredBytes> slow;
  std::size_t kept = 0;
  for (int i = 0; i < 1000; ++i) {
    GatheredBytes& bytes = slow.emplace_back(kWriteBytes);
    if (bytes.add(some)) {
      (void)bytes.take();
    } else {
      kept += some.size();
    }
  }
  EXPECT_GT(kept, GatheredBytes::kTotalMax - kWriteBytes);
  EXPECT_LE(kept, GatheredBytes::kTotalMax);
  EXPECT_FALSE(slow.back().add(std::string(GatheredBytes::kLeastBytes - 1, 'b')));
  EXPECT_TRUE(slow.back().add("b"));
  slow.clear();
  GatheredBytes next(kWriteBytes);
  EXPECT_FALSE(next.add(some));
}

}  // namespace
}  // namespace eider::detail::runtime
