#include "eider/web/storage/storage_key.h"

#include <gtest/gtest.h>

#include <string>

namespace eider {
namespace {

std::string rejected(const std::string& key) {
  const auto checked = check_storage_key(key);
  if (checked) {
    return "";
  }
  EXPECT_EQ(checked.error().status(), 400);
  return checked.error().detail();
}

TEST(StorageKey, accepts_paths_of_any_language) {
  for (const char* const key :
       {"a", "photos/2026/cat.jpg", "..a", "a..", ".well-known/x", "a b+c%2F?#&=", "ä/日本語/🎉",
        "~", "-", "C:", "con", "a/.../b", "*<>|\"':;", "\xc2\xa0", "e\xcc\x81"}) {
    EXPECT_EQ(rejected(key), "") << key;
  }
  EXPECT_EQ(rejected(std::string(240, 'a') + "/" + std::string(240, 'b')), "");
}

TEST(StorageKey, rejects_what_a_file_system_or_a_proxy_would_read_differently) {
  for (const char* const key : {"",
                                "/",
                                "/etc/passwd",
                                "a/",
                                "a//b",
                                "//a",
                                ".",
                                "..",
                                "../a",
                                "a/..",
                                "a/../b",
                                "a/./b",
                                "./a",
                                "a/.",
                                "a\\b",
                                "..\\a",
                                "a\nb",
                                "a\tb",
                                "\x7f",
                                "a\r",
                                "\xff",
                                "a\xc3",
                                "\xc0\xae\xc0\xae/a",
                                "\xed\xa0\x80",
                                "\xc2\x80",
                                "\xc2\x9f",
                                "\xe2\x80"}) {
    EXPECT_NE(rejected(key), "") << key;
  }
  EXPECT_NE(rejected(std::string("a\0b", 3)), "");
  EXPECT_NE(rejected(std::string(241, 'a')), "");
  EXPECT_NE(rejected(std::string("a/").append(241, 'b')), "");
  std::string many;
  while (many.size() <= kStorageKeyBytesMax) {
    many += "abc/";
  }
  EXPECT_NE(rejected(many + "a"), "");
}

TEST(StorageKey, rejection_names_the_key_and_the_rule) {
  EXPECT_EQ(rejected("a/../b"), "The key \"a/../b\" must not contain a segment \".\" or \"..\".");
  EXPECT_EQ(rejected("a\nb"), "The key \"a?b\" must not contain control characters.");
  EXPECT_EQ(rejected(std::string(2000, 'a')),
            "The key \"" + std::string(64, 'a') + "…\" must have at most 1,024 bytes.");
}

TEST(StorageKey, prefix_ends_anywhere) {
  for (const char* const prefix : {"", "a", "a/", "a/b", "a/.", "..", "a/.."}) {
    EXPECT_TRUE(check_storage_prefix(prefix).has_value()) << prefix;
  }
  for (const char* const prefix : {"/", "/a", "a//", "../a", "a/../", "a\\", "a\n", "\xff"}) {
    EXPECT_FALSE(check_storage_prefix(prefix).has_value()) << prefix;
  }
}

}  // namespace
}  // namespace eider
