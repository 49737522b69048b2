#include "eider/core/kinds/uuid.h"

#include <gtest/gtest.h>

#include <string>
#include <unordered_set>

namespace eider {
namespace {

constexpr std::string_view kWritten = "f81d4fae-7dec-11d0-a765-00a0c91e6bf6";

TEST(Uuid, reads_and_writes_the_form_of_rfc_9562) {
  const auto uuid = Uuid::parse(kWritten);
  ASSERT_TRUE(uuid);
  EXPECT_EQ(uuid->bytes()[0], 0xF8);
  EXPECT_EQ(uuid->bytes()[15], 0xF6);
  EXPECT_EQ(std::string_view(uuid->text()), kWritten);
}

TEST(Uuid, is_read_in_either_case_and_written_in_lower) {
  const auto uuid = Uuid::parse("F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6");
  ASSERT_TRUE(uuid);
  EXPECT_EQ(std::string_view(uuid->text()), kWritten);
  EXPECT_EQ(*uuid, *Uuid::parse(kWritten));
}

TEST(Uuid, is_nil_at_first) {
  EXPECT_EQ(std::string_view(Uuid().text()), "00000000-0000-0000-0000-000000000000");
  EXPECT_LT(Uuid(), *Uuid::parse("ffffffff-ffff-ffff-ffff-ffffffffffff"));
}

TEST(Uuid, cut_at_any_byte_is_none) {
  for (std::size_t bytes = 0; bytes < kWritten.size(); ++bytes) {
    EXPECT_FALSE(Uuid::parse(kWritten.substr(0, bytes)));
  }
  EXPECT_FALSE(Uuid::parse(std::string(kWritten) + "0"));
}

TEST(Uuid, with_any_byte_of_another_sort_is_none) {
  for (std::size_t at = 0; at < kWritten.size(); ++at) {
    for (const char byte : {'g', ' ', '\0', '\xC3', kWritten[at] == '-' ? '0' : '-'}) {
      std::string text(kWritten);
      text[at] = byte;
      EXPECT_FALSE(Uuid::parse(text)) << text;
    }
  }
}

TEST(Uuid, in_braces_or_as_a_urn_is_none) {
  EXPECT_FALSE(Uuid::parse("{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}"));
  EXPECT_FALSE(Uuid::parse("urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6"));
  EXPECT_FALSE(Uuid::parse("f81d4fae7dec11d0a76500a0c91e6bf6"));
}

TEST(Uuid, is_a_key_of_unordered_containers) {
  std::unordered_set<Uuid> seen = {Uuid(), *Uuid::parse(kWritten), Uuid()};
  EXPECT_EQ(seen.size(), 2U);
}

}  // namespace
}  // namespace eider
