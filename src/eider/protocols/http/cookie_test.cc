#include "eider/protocols/http/cookie.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider {
namespace {

std::vector<std::string> pairs_of(std::string_view field_value) {
  std::vector<std::string> pairs;
  CookieReader cookies(field_value);
  while (const auto cookie = cookies.next()) {
    pairs.push_back(std::string(cookie->name) + "|" + std::string(cookie->value));
  }
  return pairs;
}

using Pairs = std::vector<std::string>;

TEST(CookieReader, yields_the_pairs_in_their_order) {
  EXPECT_EQ(pairs_of("a=b"), (Pairs{"a|b"}));
  EXPECT_EQ(pairs_of("a=b; c=d;e=f ; a=g"), (Pairs{"a|b", "c|d", "e|f", "a|g"}));
  EXPECT_EQ(pairs_of("a=b=c"), (Pairs{"a|b=c"}));
  EXPECT_EQ(pairs_of("a="), (Pairs{"a|"}));
  EXPECT_EQ(pairs_of("a=\"b\"; c=\"\""), (Pairs{"a|b", "c|"}));
}

TEST(CookieReader, passes_over_what_is_malformed) {
  EXPECT_EQ(pairs_of(""), Pairs{});
  EXPECT_EQ(pairs_of("a; =b; c d=e; f=g h; i=j,k; l=\"; m=\"n; o=p\\q; r=s"), (Pairs{"r|s"}));
  EXPECT_EQ(pairs_of(";;; a=b;;"), (Pairs{"a|b"}));
  EXPECT_EQ(pairs_of("a=\xE9; b=c"), (Pairs{"b|c"}));
}

TEST(FindCookie, takes_the_first_of_that_very_name) {
  EXPECT_EQ(find_cookie("A=1; a=2; a=3", "a"), "2");
  EXPECT_EQ(find_cookie("ab=1", "a"), std::nullopt);
  EXPECT_EQ(find_cookie("", "a"), std::nullopt);
}

SetCookie cookie(std::string name, std::string value) {
  SetCookie set;
  set.name = std::move(name);
  set.value = std::move(value);
  return set;
}

TEST(SetCookie, is_safe_unless_told_otherwise) {
  EXPECT_EQ(to_header_value(cookie("a", "b")), "a=b; Path=/; SameSite=Lax; Secure; HttpOnly");
}

TEST(SetCookie, says_every_attribute) {
  SetCookie set = cookie("a", "b");
  set.path = "/c";
  set.domain = "example.org";
  set.max_age_s = 60;
  set.same_site = SameSite::none;
  set.http_only = false;
  EXPECT_EQ(to_header_value(set),
            "a=b; Path=/c; Domain=example.org; Max-Age=60; SameSite=None; Secure");
  set.max_age_s = -1;
  set.same_site = SameSite::strict;
  set.secure = false;
  set.path.clear();
  EXPECT_EQ(to_header_value(set), "a=b; Domain=example.org; Max-Age=-1; SameSite=Strict");
}

TEST(SetCookie, refuses_names_and_values_that_would_say_something_else) {
  for (const std::string_view name : {"", "a b", "a=b", "a;b", "a\r\nb", "\xE9", "a,"}) {
    EXPECT_EQ(to_header_value(cookie(std::string(name), "x")), std::nullopt) << name;
  }
  for (const std::string_view value :
       {"a b", "a;b", "a,b", "a\"b", "a\\b", "a\r\nb", "\x7F", "\xE9"}) {
    EXPECT_EQ(to_header_value(cookie("x", std::string(value))), std::nullopt) << value;
  }
}

TEST(SetCookie, refuses_attributes_that_would_say_something_else) {
  for (const std::string_view text : {"/;a", "/\r\nA: b", "\x01", "\xE9"}) {
    SetCookie set = cookie("a", "b");
    set.path = text;
    EXPECT_EQ(to_header_value(set), std::nullopt) << text;
    set.path = "/";
    set.domain = text;
    EXPECT_EQ(to_header_value(set), std::nullopt) << text;
  }
}

TEST(SetCookie, keeps_the_promises_of_its_name) {
  SetCookie host = cookie("__Host-a", "b");
  EXPECT_TRUE(to_header_value(host).has_value());
  host.domain = "example.org";
  EXPECT_EQ(to_header_value(host), std::nullopt);
  host.domain.clear();
  host.path = "/a";
  EXPECT_EQ(to_header_value(host), std::nullopt);
  SetCookie secure = cookie("__Secure-a", "b");
  EXPECT_TRUE(to_header_value(secure).has_value());
  secure.secure = false;
  EXPECT_EQ(to_header_value(secure), std::nullopt);
}

TEST(SetCookie, refuses_to_be_sent_everywhere_without_encryption) {
  SetCookie set = cookie("a", "b");
  set.same_site = SameSite::none;
  set.secure = false;
  EXPECT_EQ(to_header_value(set), std::nullopt);
}

}  // namespace
}  // namespace eider
