#include "eider/io/runtime/descriptor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace eider {
namespace {

bool is_open(int fd) {
  return ::fcntl(fd, F_GETFD) >= 0;
}

TEST(Descriptor, closes_what_it_owns) {
  int fd = -1;
  {
    const Descriptor owner(::dup(0));
    fd = owner.get();
    EXPECT_TRUE(is_open(fd));
  }
  EXPECT_FALSE(is_open(fd));
}

TEST(Descriptor, has_one_owner_at_a_time) {
  Descriptor first(::dup(0));
  const int fd = first.get();
  Descriptor second(std::move(first));
  EXPECT_FALSE(first.is_open());
  EXPECT_EQ(second.get(), fd);
  EXPECT_EQ(second.release(), fd);
  EXPECT_TRUE(is_open(fd));
  const Descriptor last(fd);
}

TEST(Descriptor, of_nothing_closes_nothing) {
  Descriptor none;
  none.close();
  EXPECT_FALSE(none.is_open());
  EXPECT_TRUE(is_open(0));
}

}  // namespace
}  // namespace eider
