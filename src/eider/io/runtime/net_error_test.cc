#include "eider/io/runtime/net_error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

namespace eider {
namespace {

TEST(NetError, every_error_has_a_text_of_its_own) {
  std::set<std::string_view> texts;
  for (int number = 0; number <= static_cast<int>(NetError::other); ++number) {
    const std::string_view line = text(static_cast<NetError>(number));
    EXPECT_FALSE(line.empty());
    EXPECT_FALSE(line.ends_with('.'));
    EXPECT_TRUE(texts.insert(line).second) << line;
  }
}

TEST(NetError, comes_from_errno) {
  EXPECT_EQ(net_error(ECONNRESET), NetError::reset);
  EXPECT_EQ(net_error(EPIPE), NetError::reset);
  EXPECT_EQ(net_error(ECONNREFUSED), NetError::refused);
  EXPECT_EQ(net_error(ETIMEDOUT), NetError::timed_out);
  EXPECT_EQ(net_error(EMFILE), NetError::too_many_open);
  EXPECT_EQ(net_error(ENFILE), NetError::too_many_open);
  EXPECT_EQ(net_error(EADDRINUSE), NetError::address_in_use);
  EXPECT_EQ(net_error(EACCES), NetError::not_permitted);
  EXPECT_EQ(net_error(0), NetError::other);
  EXPECT_EQ(net_error(-1), NetError::other);
  EXPECT_EQ(net_error(99999), NetError::other);
}

}  // namespace
}  // namespace eider
