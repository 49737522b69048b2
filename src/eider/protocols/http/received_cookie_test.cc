#include "eider/protocols/http/received_cookie.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace eider {
namespace {

TEST(ReceivedCookie, has_the_attributes_of_its_field) {
  const auto cookie = read_set_cookie(
      " a = b=c ; Path=/x; domain=.Example.ORG; SECURE; HttpOnly; Max-Age=10", "/y", 100);
  ASSERT_TRUE(cookie);
  EXPECT_EQ(cookie->name, "a");
  EXPECT_EQ(cookie->value, "b=c");
  EXPECT_EQ(cookie->path, "/x");
  EXPECT_EQ(cookie->domain, "example.org");
  EXPECT_TRUE(cookie->is_secure);
  EXPECT_EQ(cookie->expires, 110);
}

TEST(ReceivedCookie, has_the_path_of_its_request_without_a_path_of_its_own) {
  using Paths = std::pair<std::string_view, std::string_view>;
  for (const auto& [request, path] :
       {Paths("/a/b", "/a"), Paths("/a/", "/a"), Paths("/a", "/"), Paths("", "/")}) {
    EXPECT_EQ(read_set_cookie("a=b; Path=x", request, 0)->path, path) << request;
  }
}

TEST(ReceivedCookie, ends_by_max_age_and_else_by_expires) {
  constexpr std::int64_t kForever = ReceivedCookie::kForever;
  const auto ends = [](std::string_view attributes) {
    return read_set_cookie("a=b; " + std::string(attributes), "/", 100)->expires;
  };
  EXPECT_EQ(ends("Expires=Thu, 01 Jan 1970 00:00:09 GMT"), 9);
  EXPECT_EQ(ends("Max-Age=5; Expires=Thu, 01 Jan 1970 00:00:09 GMT"), 105);
  EXPECT_EQ(ends("Max-Age=5; Max-Age=x"), 105);
  EXPECT_EQ(ends("Max-Age=9223372036854775807"), kForever);
  EXPECT_EQ(ends("Max-Age=-1"), 99);
  EXPECT_EQ(ends("Expires=never"), kForever);
}

TEST(ReceivedCookie, needs_a_name_and_has_no_control_bytes) {
  for (const std::string_view bad : {"", "a", "=b", " =b", "a=b\n", "a=b; Path=/\x7F"}) {
    EXPECT_FALSE(read_set_cookie(bad, "/", 0)) << bad;
  }
  EXPECT_TRUE(read_set_cookie("a=", "/", 0));
}

TEST(ReceivedCookie, belongs_to_the_paths_below_its_own) {
  EXPECT_TRUE(is_cookie_path_of("/", "/a"));
  EXPECT_TRUE(is_cookie_path_of("/a", "/a"));
  EXPECT_TRUE(is_cookie_path_of("/a", "/a/b"));
  EXPECT_TRUE(is_cookie_path_of("/a/", "/a/b"));
  EXPECT_FALSE(is_cookie_path_of("/a", "/ab"));
  EXPECT_FALSE(is_cookie_path_of("/a/", "/a"));
}

}  // namespace
}  // namespace eider
