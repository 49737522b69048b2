#include "eider/auth/passwords/argon2_hash.h"

#include <gtest/gtest.h>

#include <string>

namespace eider::detail::passwords {
namespace {

constexpr Argon2Cost kMax{.memory_kib = 128 * 1024, .passes = 16, .lanes = 16};
const std::string kGood =
    "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";

std::string with_cost(const std::string& cost) {
  return "$argon2id$v=19$" + cost + "$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5Q";
}

TEST(Argon2Hash, reads_what_argon2_has_written_and_writes_it_again) {
  const auto hash = parse_argon2_hash(kGood, kMax);
  ASSERT_TRUE(hash.has_value());
  EXPECT_EQ(hash->variant, Argon2Variant::argon2id);
  EXPECT_EQ(hash->cost, (Argon2Cost{.memory_kib = 65536, .passes = 2, .lanes = 1}));
  EXPECT_EQ(hash->salt, "somesalt");
  EXPECT_EQ(hash->tag.size(), 32U);
  EXPECT_EQ(to_text(*hash), kGood);
  const auto other = parse_argon2_hash("$argon2i" + kGood.substr(9), kMax);
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(other->variant, Argon2Variant::argon2i);
  EXPECT_EQ(to_text(*other), "$argon2i" + kGood.substr(9));
}

TEST(Argon2Hash, what_is_cut_anywhere_is_refused_or_shorter_than_a_tag_may_be) {
  for (std::size_t size = 0; size < kGood.size(); ++size) {
    const auto hash = parse_argon2_hash(kGood.substr(0, size), kMax);
    // Base64 without padding does not mark its end: a truncated tag is valid, but never matches.
    EXPECT_TRUE(!hash || (hash->tag.size() >= kTagBytesMin && hash->tag.size() < 32)) << size;
  }
}

TEST(Argon2Hash, a_foreign_string_cannot_ask_for_more_than_is_allowed) {
  EXPECT_TRUE(parse_argon2_hash(with_cost("m=131072,t=16,p=16"), kMax).has_value());
  for (const char* cost :
       {"m=131073,t=2,p=1", "m=4194304,t=2,p=1", "m=4294967295,t=2,p=1", "m=4294967296,t=2,p=1",
        "m=99999999999999999999,t=2,p=1", "m=65536,t=17,p=1", "m=65536,t=4294967295,p=1",
        "m=65536,t=2,p=17", "m=65536,t=2,p=16777216"}) {
    EXPECT_FALSE(parse_argon2_hash(with_cost(cost), kMax).has_value()) << cost;
  }
}

TEST(Argon2Hash, what_argon2_cannot_be_run_with_is_refused) {
  EXPECT_TRUE(parse_argon2_hash(with_cost("m=8,t=1,p=1"), kMax).has_value());
  EXPECT_TRUE(parse_argon2_hash(with_cost("m=32,t=1,p=4"), kMax).has_value());
  for (const char* cost :
       {"m=7,t=1,p=1", "m=31,t=1,p=4", "m=64,t=0,p=1", "m=64,t=1,p=0", "m=0,t=1,p=1"}) {
    EXPECT_FALSE(parse_argon2_hash(with_cost(cost), kMax).has_value()) << cost;
  }
}

TEST(Argon2Hash, there_is_one_spelling) {
  for (const char* cost :
       {"t=2,m=64,p=1", "m=064,t=2,p=1", "m=+64,t=2,p=1", "m=-64,t=2,p=1", "m= 64,t=2,p=1",
        "m=64,t=2,p=1,keyid=AA", "m=64,t=2", "m=64 ,t=2,p=1", "m=64,t=2,p=1 ", "m=64;t=2;p=1", "",
        "m=,t=2,p=1", "m=0x40,t=2,p=1", "m=64,m=64,t=2,p=1", "M=64,t=2,p=1"}) {
    EXPECT_FALSE(parse_argon2_hash(with_cost(cost), kMax).has_value()) << cost;
  }
  for (const char* text :
       {"", "$", "$argon2id", "argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5Q",
        "$argon2d$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5Q",
        "$argon2id$v=16$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5Q",
        "$argon2id$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5Q",
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5Q==",
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5R",
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5Q$",
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5Q\n",
        "$argon2id$v=19$m=64,t=1,p=1$$CTFhFdXPJO1aFaMaO6Mm5Q",
        "$argon2id$v=19$m=64,t=1,p=1$c2FsdA$CTFhFdXPJO1aFaMaO6Mm5Q",
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXP",
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm-_",
        "$2b$12$abcdefghijklmnopqrstuuu", "!", "*"}) {
    EXPECT_FALSE(parse_argon2_hash(text, kMax).has_value()) << text;
  }
  const std::string long_salt(1000, 'A');
  EXPECT_FALSE(parse_argon2_hash(
                   "$argon2id$v=19$m=64,t=1,p=1$" + long_salt + "$CTFhFdXPJO1aFaMaO6Mm5Q", kMax)
                   .has_value());
}

}  // namespace
}  // namespace eider::detail::passwords
