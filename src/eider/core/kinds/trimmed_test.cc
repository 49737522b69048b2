#include "eider/core/kinds/trimmed.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "eider/core/json/json.h"
#include "eider/core/kinds/kinds.h"

namespace eider {
namespace {

struct Person {
  Validated<Trimmed, IsVisible, HasLength<1, 5>> name;
};

std::string fault_of(std::string_view name) {
  const auto read =
      json::read<Person>(json::to_text(std::map<std::string, std::string_view>{{"name", name}}));
  return read ? "" : read.error().summary();
}

TEST(Trimmed, loses_what_is_blank_at_both_ends_and_nothing_else) {
  EXPECT_EQ(Trimmed(" \t a \n b\r\n").text(), "a \n b");
  EXPECT_EQ(Trimmed("a").text(), "a");
  EXPECT_EQ(Trimmed(" \n").text(), "");
  EXPECT_EQ(Trimmed("\u00A0\u3000a\u00A0b\u202F ").text(), "a\u00A0b");
  EXPECT_EQ(Trimmed("\uFEFF\u00A0").text(), "");
}

TEST(Trimmed, is_weighed_by_its_rules_once_it_is_trimmed) {
  const auto person = json::read<Person>(R"({"name":"   Ada B  "})");
  ASSERT_TRUE(person);
  EXPECT_EQ(*person->name, "Ada B");
  EXPECT_EQ(json::to_text(*person), R"({"name":"Ada B"})");
  EXPECT_EQ(fault_of(" abcdef "), "/name: must have 1 to 5 characters");
}

TEST(Trimmed, is_no_number) {
  EXPECT_EQ(json::read<Person>(R"({"name":1})").error().summary(),
            "/name: must be a string of at most 64 KiB");
}

TEST(Trimmed, is_refused_beyond_its_bytes) {
  EXPECT_EQ(fault_of(std::string((64 << 10) + 1, 'a')),
            "/name: must be a string of at most 64 KiB");
}

TEST(IsVisible, takes_names_of_all_alphabets) {
  for (const char* name : {"Ada", "Å Zü", "中", "\U0001F600"}) {
    EXPECT_EQ(fault_of(name), "") << name;
  }
}

TEST(IsVisible, takes_nothing_that_hides) {
  for (const char* name : {"  \t ", "a\nb", "A  B", "A\u200Bb", "\u202Ea", "a\uFE0F", "A\u00A0B",
                           "A\u00ADb", "A\u2066b", "A\U000E0041", "\u3164"}) {
    EXPECT_TRUE(fault_of(name).contains("visible")) << name;
  }
}

}  // namespace
}  // namespace eider
