#include "eider/core/json/value.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "eider/core/json/json.h"

namespace eider::json {
namespace {

Value sample() {
  return object({{"title", "Milk"},
                 {"done", false},
                 {"stars", 3},
                 {"share", 0.5},
                 {"big", UINT64_MAX},
                 {"tags", array({"a", 1, nullptr, array({})})},
                 {"", object({{"a/b", 1}, {"m~n", 2}})}});
}

TEST(Value, is_built_like_a_literal) {
  EXPECT_EQ(to_text(sample()),
            R"({"title":"Milk","done":false,"stars":3,"share":0.5,"big":18446744073709551615,)"
            R"("tags":["a",1,null,[]],"":{"a/b":1,"m~n":2}})");
}

TEST(Value, a_later_member_of_one_name_replaces_the_earlier) {
  EXPECT_EQ(to_text(object({{"a", 1}, {"b", 2}, {"a", 3}})), R"({"a":3,"b":2})");
}

TEST(Value, knows_its_kind) {
  EXPECT_TRUE(Value().is_null());
  EXPECT_TRUE(Value(true).is_bool());
  EXPECT_TRUE(Value(1U).is_integer());
  EXPECT_TRUE(Value(UINT64_MAX).is_number());
  EXPECT_EQ(Value(std::uint64_t{5}).kind(), Value::Kind::kSigned);
  EXPECT_TRUE(Value(0.5F).is_number());
  EXPECT_FALSE(Value(0.5).is_integer());
  EXPECT_TRUE(Value("x").is_string());
  EXPECT_TRUE(array({}).is_array());
  EXPECT_TRUE(object({}).is_object());
}

TEST(Value, gives_its_content_or_throws) {
  const Value value = sample();
  EXPECT_EQ(value["title"].text(), "Milk");
  EXPECT_EQ(value["done"].boolean(), false);
  EXPECT_EQ(value["stars"].integer(), 3);
  EXPECT_EQ(value["stars"].unsigned_integer(), 3U);
  EXPECT_EQ(value["stars"].number(), 3.0);
  EXPECT_EQ(value["big"].unsigned_integer(), UINT64_MAX);
  EXPECT_EQ(value["share"].number(), 0.5);
  EXPECT_EQ(value["tags"].elements().size(), 4U);
  EXPECT_EQ(value.members().size(), value.size());
  EXPECT_THROW(std::ignore = value["title"].integer(), std::logic_error);
  EXPECT_THROW(std::ignore = value["big"].integer(), std::logic_error);
  EXPECT_THROW(std::ignore = value["stars"].text(), std::logic_error);
  EXPECT_THROW(std::ignore = Value(-1).unsigned_integer(), std::logic_error);
  EXPECT_THROW(std::ignore = value.elements(), std::logic_error);
  EXPECT_THROW(std::ignore = value["tags"].members(), std::logic_error);
  EXPECT_THROW(std::ignore = Value().boolean(), std::logic_error);
}

TEST(Value, members_are_found_or_made_by_name) {
  Value value;
  value["a"]["b"] = 1;
  value["list"].push_back("x");
  value["list"].push_back(2);
  EXPECT_EQ(to_text(value), R"({"a":{"b":1},"list":["x",2]})");
  EXPECT_EQ(value.find("c"), nullptr);
  EXPECT_TRUE(std::as_const(value)["c"]["d"].is_null());
  EXPECT_EQ(value.size(), 2U);
  EXPECT_THROW(value["list"]["x"], std::logic_error);
  EXPECT_THROW(value["a"].push_back(1), std::logic_error);
}

TEST(Value, pointers_lead_to_parts) {
  const Value value = sample();
  EXPECT_EQ(value.at(""), value);
  EXPECT_EQ(value.at("/title"), "Milk");
  EXPECT_EQ(value.at("/tags/1"), 1);
  EXPECT_EQ(value.at("//a~1b"), 1);
  EXPECT_EQ(value.at("//m~0n"), 2);
  for (const char* const nowhere : {"title", "/x", "/tags/4", "/tags/-", "/tags/01", "/tags/",
                                    "/tags/1/0", "//m~n", "//m~2n", "//m~", "/title/"}) {
    EXPECT_EQ(value.find_at(nowhere), nullptr) << nowhere;
    EXPECT_THROW(std::ignore = value.at(nowhere), std::out_of_range) << nowhere;
  }
}

TEST(Value, equality_is_by_kind_and_content) {
  EXPECT_EQ(object({{"a", 1}, {"b", 2}}), object({{"b", 2}, {"a", 1}}));
  EXPECT_NE(object({{"a", 1}}), object({{"a", 1}, {"b", 2}}));
  EXPECT_NE(object({{"a", 1}}), object({{"b", 1}}));
  EXPECT_NE(array({1, 2}), array({2, 1}));
  EXPECT_NE(Value(1), Value(1.0));
  EXPECT_NE(Value(0), Value());
  EXPECT_NE(Value("1"), Value(1));
  EXPECT_EQ(Value(std::uint8_t{1}), Value(std::int64_t{1}));
}

TEST(Value, copies_are_independent_and_moves_leave_null) {
  Value value = sample();
  Value copy = value;
  copy["title"] = 1;
  EXPECT_EQ(value["title"], "Milk");
  Value moved = std::move(copy);
  EXPECT_TRUE(copy.is_null());  // NOLINT(bugprone-use-after-move): this is the subject of the test
  EXPECT_EQ(moved["title"], 1);
  const Value& itself = value;
  value = itself;
  EXPECT_EQ(value["title"], "Milk");
}

TEST(Value, a_part_may_replace_the_whole) {
  Value value = sample();
  value = Value(value["tags"]);
  value = std::move(value[3]);
  EXPECT_EQ(value, array({}));
}

struct Envelope {
  std::string kind;
  Value payload;
};

TEST(Value, is_a_member_like_any_other) {
  const auto envelope = read<Envelope>(R"({"kind":"x","payload":{"a":[1]}})");
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->payload.at("/a/0"), 1);
  EXPECT_EQ(to_text(*envelope), R"({"kind":"x","payload":{"a":[1]}})");
}

TEST(Value, a_handler_adds_a_member_to_any_body) {
  auto body = *read<Value>(R"({"x":[1,2.50,"é"]})");
  body["reply"] = "received";
  EXPECT_EQ(to_text(body), R"({"x":[1,2.5,"é"],"reply":"received"})");
}

}  // namespace
}  // namespace eider::json
