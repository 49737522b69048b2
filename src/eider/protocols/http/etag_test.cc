#include "eider/protocols/http/etag.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace eider {
namespace {

using Tags = std::vector<std::string>;

std::string written(const EntityTag& tag) {
  return (tag.strength == TagStrength::weak ? "W|" : "S|") + std::string(tag.opaque);
}

struct Listed {
  Tags tags;
  bool is_malformed;

  friend bool operator==(const Listed&, const Listed&) = default;
};

std::ostream& operator<<(std::ostream& out, const Listed& listed) {
  for (const std::string& tag : listed.tags) {
    out << tag << ' ';
  }
  return out << (listed.is_malformed ? "malformed" : "");
}

Listed list_of(std::string_view field_value) {
  EntityTagReader reader(field_value);
  Tags tags;
  while (const auto tag = reader.next()) {
    tags.push_back(written(*tag));
  }
  return {tags, reader.is_malformed()};
}

TEST(EntityTag, is_read_with_its_quotes) {
  const struct {
    std::string_view text;
    std::string_view wanted;
  } rows[] = {
      {R"("a")", "S|a"},
      {R"(W/"a")", "W|a"},
      {R"("")", "S|"},
      {R"(W/"")", "W|"},
      {R"("a,b")", "S|a,b"},
      {R"("W/")", "S|W/"},
      {R"("a\")", "S|a\\"},
      {"\"\xC3\xA9\"", "S|\xC3\xA9"},
      {"\"!#~\x80\xFF\"", "S|!#~\x80\xFF"},
  };
  for (const auto& row : rows) {
    const auto tag = parse_entity_tag(row.text);
    ASSERT_TRUE(tag.has_value()) << row.text;
    EXPECT_EQ(written(*tag), row.wanted);
  }
}

TEST(EntityTag, is_nothing_else) {
  for (const std::string_view text :
       {"",         "a",        "\"",       "\"a",        "a\"",         "W/",
        "W/a",      "W/\"a",    "w/\"a\"",  "W\"a\"",     "\"a\" ",      " \"a\"",
        "\"a b\"",  "\"a\tb\"", "\"a\"b\"", "\"a\"\"b\"", "\"a\",\"b\"", "*",
        "\"\x7F\"", "\"\x01\"", "\"\r\n\"", "W/W/\"a\"",  "'a'"}) {
    EXPECT_EQ(parse_entity_tag(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_entity_tag(std::string_view("\"\0\"", 3)), std::nullopt);
}

TEST(EntityTag, cut_anywhere_is_none) {
  for (const std::string_view whole : {R"("abc")", R"(W/"abc")"}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_EQ(parse_entity_tag(whole.substr(0, size)), std::nullopt) << whole.substr(0, size);
    }
  }
}

// The table of RFC 9110, section 8.8.3.2.
TEST(EntityTag, compares_strongly_and_weakly) {
  constexpr EntityTag weak_1{"1", TagStrength::weak};
  constexpr EntityTag weak_2{"2", TagStrength::weak};
  constexpr EntityTag strong_1{"1"};
  constexpr EntityTag strong_2{"2"};
  const struct {
    EntityTag one;
    EntityTag other;
    bool strongly;
    bool weakly;
  } rows[] = {
      {weak_1, weak_1, false, true},    {weak_1, weak_2, false, false},
      {weak_1, strong_1, false, true},  {strong_1, weak_1, false, true},
      {strong_1, strong_1, true, true}, {strong_1, strong_2, false, false},
      {weak_1, strong_2, false, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(matches(row.one, row.other, TagStrength::strong), row.strongly);
    EXPECT_EQ(matches(row.one, row.other, TagStrength::weak), row.weakly);
  }
  EXPECT_FALSE(matches({"a"}, {"A"}, TagStrength::weak));
}

TEST(EntityTagReader, yields_a_list_in_its_order) {
  EXPECT_EQ(list_of(R"("a")"), (Listed{{"S|a"}, false}));
  EXPECT_EQ(list_of(R"("a", W/"b","c,d" , "")"), (Listed{{"S|a", "W|b", "S|c,d", "S|"}, false}));
  EXPECT_EQ(list_of(R"(,, "a" ,	, "b",)"), (Listed{{"S|a", "S|b"}, false}));
  EXPECT_EQ(list_of(""), (Listed{{}, false}));
  EXPECT_EQ(list_of(" , "), (Listed{{}, false}));
}

TEST(EntityTagReader, ends_at_what_is_malformed) {
  EXPECT_EQ(list_of("a"), (Listed{{}, true}));
  EXPECT_EQ(list_of("*"), (Listed{{}, true}));
  EXPECT_EQ(list_of(R"("a" "b")"), (Listed{{"S|a"}, true}));
  EXPECT_EQ(list_of(R"("a""b")"), (Listed{{"S|a"}, true}));
  EXPECT_EQ(list_of(R"("a", b, "c")"), (Listed{{"S|a"}, true}));
  EXPECT_EQ(list_of(R"("a", *)"), (Listed{{"S|a"}, true}));
  EXPECT_EQ(list_of(R"("a", "b)"), (Listed{{"S|a"}, true}));
}

TEST(EntityTagReader, has_an_end_however_long_the_list) {
  std::string many;
  for (std::size_t i = 0; i < EntityTagReader::kCountMax; ++i) {
    many += "\"x\",";
  }
  EXPECT_EQ(list_of(many).tags.size(), EntityTagReader::kCountMax);
  EXPECT_FALSE(list_of(many).is_malformed);
  many += "\"last\"";
  EXPECT_EQ(list_of(many).tags.size(), EntityTagReader::kCountMax);
  EXPECT_TRUE(list_of(many).is_malformed);
  EXPECT_FALSE(lists_tag(many, {"last"}, TagStrength::weak));
}

TEST(EntityTagReader, cut_anywhere_yields_a_beginning_of_the_list) {
  const std::string_view whole = R"("ab", W/"cd" ,"ef")";
  const Tags tags = list_of(whole).tags;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const Tags cut = list_of(whole.substr(0, size)).tags;
    ASSERT_LE(cut.size(), tags.size());
    EXPECT_TRUE(std::equal(cut.begin(), cut.end(), tags.begin())) << whole.substr(0, size);
  }
}

TEST(ListsTag, compares_every_tag) {
  EXPECT_TRUE(lists_tag(R"("a", "b")", {"b"}, TagStrength::strong));
  EXPECT_FALSE(lists_tag(R"("a", W/"b")", {"b"}, TagStrength::strong));
  EXPECT_TRUE(lists_tag(R"("a", W/"b")", {"b"}, TagStrength::weak));
  EXPECT_TRUE(lists_tag(R"("a", bad)", {"a"}, TagStrength::strong));
  EXPECT_FALSE(lists_tag(R"(bad, "a")", {"a"}, TagStrength::strong));
  EXPECT_FALSE(lists_tag("*", {"*"}, TagStrength::weak));
}

TEST(MakeEntityTag, says_inode_size_and_moment_in_hexadecimal) {
  const FileVersion version{.inode = 0x1f, .size = 1024, .modified_ns = 0x17a5e0b2c3d4e5f6};
  EXPECT_EQ(make_entity_tag(version, TagStrength::strong), "\"1f-400-17a5e0b2c3d4e5f6\"");
  EXPECT_EQ(make_entity_tag(version, TagStrength::weak), "W/\"1f-400-17a5e0b2c3d4e5f6\"");
  EXPECT_EQ(make_entity_tag({}, TagStrength::strong), "\"0-0-0\"");
}

TEST(MakeEntityTag, makes_tags_that_differ_where_the_file_does) {
  const FileVersion base{.inode = 1, .size = 2, .modified_ns = -3};
  const std::string tag = make_entity_tag(base, TagStrength::strong);
  EXPECT_TRUE(parse_entity_tag(tag).has_value());
  for (const FileVersion& other : {FileVersion{2, 2, -3}, FileVersion{1, 3, -3},
                                   FileVersion{1, 2, -4}, FileVersion{1, 2, 3}}) {
    EXPECT_NE(make_entity_tag(other, TagStrength::strong), tag);
  }
  const FileVersion largest{~std::uint64_t{0}, ~std::uint64_t{0}, -1};
  EXPECT_EQ(make_entity_tag(largest, TagStrength::strong),
            "\"ffffffffffffffff-ffffffffffffffff-ffffffffffffffff\"");
}

}  // namespace
}  // namespace eider
