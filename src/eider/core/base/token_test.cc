#include "eider/core/base/token.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace eider {
namespace {

TEST(Token, differs_each_time_and_fits_in_a_url) {
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    const std::string token = random_token();
    EXPECT_EQ(token.size(), 43U);
    EXPECT_EQ(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                      "0123456789-_"),
              std::string::npos)
        << token;
    EXPECT_TRUE(seen.insert(token).second);
  }
}

TEST(Token, has_as_many_random_bytes_as_requested) {
  EXPECT_EQ(random_token(16).size(), 22U);
  EXPECT_EQ(random_token(0), "");
}

TEST(Sha256Hex, returns_the_digest_of_the_standard) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace eider
