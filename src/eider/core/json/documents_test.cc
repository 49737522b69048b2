// Valid and invalid JSON texts, regardless of their meaning: each case is read as a Value.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "eider/core/json/json.h"

namespace eider::json {
namespace {

using namespace std::string_view_literals;

struct Document {
  std::string_view text;
  std::string_view written;  // the text when written again
};

const Document kGood[] = {
    {"null", "null"},
    {"true", "true"},
    {" \t\r\n false \t\r\n ", "false"},
    {"0", "0"},
    {"-0", "0"},
    {"-1", "-1"},
    {"9223372036854775807", "9223372036854775807"},
    {"-9223372036854775808", "-9223372036854775808"},
    {"9223372036854775808", "9223372036854775808"},
    {"18446744073709551615", "18446744073709551615"},
    {"0.0", "0.0"},
    {"-0.0", "-0.0"},
    {"1.0", "1.0"},
    {"1e0", "1.0"},
    {"1E+2", "100.0"},
    {"1.5e-3", "0.0015"},
    {"0.1", "0.1"},
    {"0.30000000000000004", "0.30000000000000004"},
    {"5e-324", "5e-324"},
    {"1.7976931348623157e308", "1.7976931348623157e+308"},
    {"1e-400", "0.0"},
    {"1000000000000000000000000000000.0", "1e+30"},
    {R"("")", R"("")"},
    {R"("a")", R"("a")"},
    {R"("\"\\\/\b\f\n\r\t")", R"("\"\\/\b\f\n\r\t")"},
    {R"("\u0000\u001f\u007F")", "\"\\u0000\\u001f\x7f\""},
    {R"("\u00e9\u20AC")", R"("é€")"},
    {R"("\ud83d\ude00")", R"("😀")"},
    {R"("\uDBFF\uDFFF")", "\"\xF4\x8F\xBF\xBF\""},
    {R"("\uFFFE\uFFFF")", "\"\xEF\xBF\xBE\xEF\xBF\xBF\""},
    {R"("é€😀")", R"("é€😀")"},
    {R"("\\u0041")", R"("\\u0041")"},
    {"[]", "[]"},
    {"[ ]", "[]"},
    {"[1]", "[1]"},
    {" [ 1 , \"2\" , null , true , [ ] , { } ] ", R"([1,"2",null,true,[],{}])"},
    {"[[[[[]]]]]", "[[[[[]]]]]"},
    {"{}", "{}"},
    {"{ }", "{}"},
    {R"({"":0})", R"({"":0})"},
    {R"({"a":1,"b":{"c":[1,2,{"d":null}]}})", R"({"a":1,"b":{"c":[1,2,{"d":null}]}})"},
    {R"({"a\nb":1,"\u0061":2})", R"({"a\nb":1,"a":2})"},
    {R"({"a":"]","b":"}","c":",","d":":"})", R"({"a":"]","b":"}","c":",","d":":"})"},
};

const std::string_view kBad[] = {
    // empty, incomplete, too long
    ""sv,
    " \n\t"sv,
    "1 2",
    "1,2",
    "{}{}",
    "[],",
    "[]]",
    "]",
    "}",
    "],[",
    "1],[2",
    "[",
    "{",
    "[1",
    "[1,",
    "{\"a\"",
    "{\"a\":",
    "{\"a\":1",
    "{\"a\":1,",
    "\xEF\xBB\xBF",                // nothing after a byte order mark
    "\xEF\xBB\xBF\xEF\xBB\xBF{}",  // two
    " \xEF\xBB\xBF{}",             // not at the start
    "\xFF\xFE{\x00}\x00",          // UTF-16
    // words
    "nul",
    "nulll",
    "NULL",
    "True",
    "tru",
    "falsee",
    "undefined",
    "NaN",
    "Infinity",
    "-Infinity",
    "n",
    "a",
    "'a'",
    "\f1",
    "1\v",
    "1\0"sv,
    "\0"sv,
    // numbers
    "+1",
    "-",
    "--1",
    "01",
    "-01",
    "00",
    "1.",
    ".5",
    "-.5",
    "1.e1",
    "1e",
    "1e+",
    "1e1.5",
    "1.2.3",
    "0x1F",
    "1_000",
    "1 000",
    "1a",
    "12e3x",
    "١",
    // strings
    "\"",
    "\"a",
    "a\"",
    R"("\")",
    R"("\x41")",
    R"("\a")",
    R"("\'")",
    R"("\u")",
    R"("\u12")",
    R"("\u123g")",
    R"("\U0041")",
    R"("\u+041")",
    R"("\ud800")",
    R"("\udc00")",
    R"("\ud83d\u0041")",
    R"("\ud83dx")",
    R"("\ud83d\n")",
    R"("\ude00\ud83d")",
    R"("\ud83d\ud83d")",
    "\"\n\"",
    "\"\t\"",
    "\"\x1f\"",
    "\"\0\""sv,
    // UTF-8 (RFC 3629)
    "\"\x80\"",
    "\"\xFF\"",
    "\"\xC3\"",
    "\"\xC0\xAF\"",          // an overlong '/'
    "\"\xE0\x80\xAF\"",      // and longer
    "\"\xED\xA0\x80\"",      // a surrogate
    "\"\xF4\x90\x80\x80\"",  // above U+10FFFF
    "\"\xF8\x88\x80\x80\x80\"",
    "\"\xE2\x82\"",
    "{\"\xFF\":1}",
    // arrays
    "[,]",
    "[1,]",
    "[,1]",
    "[1,,2]",
    "[1 2]",
    "[1;2]",
    "[1:2]",
    "[1}",
    "[\"a\":1]",
    "[(1)]",
    "[1]2",
    // objects
    "{,}",
    "{1:2}",
    "{a:1}",
    "{'a':1}",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{,\"a\":1}",
    "{\"a\":1,,\"b\":2}",
    "{\"a\":1 \"b\":2}",
    "{\"a\" 1}",
    "{\"a\"::1}",
    "{\"a\":1:2}",
    "{\"a\",1}",
    "{null:1}",
    "{[1]:1}",
    "{\"a\":1]",
    "{\"\\q\":1}",
    "[{\"a\":[}]",
    "{\"a\":[1}",
    // comments
    "/* */ 1",
    "1 // one",
    "[1 # one\n]",
};

TEST(Documents, there_are_more_bad_cases_than_good_ones) {
  EXPECT_GT(std::size(kBad), std::size(kGood));
}

TEST(Documents, good_ones_are_read_and_written_again) {
  for (const auto& [text, written] : kGood) {
    const auto value = read<Value>(text);
    ASSERT_TRUE(value) << text << ": " << value.error().detail();
    EXPECT_EQ(to_text(*value), written) << text;
    const auto again = read<Value>(written);
    ASSERT_TRUE(again) << written;
    EXPECT_EQ(*again, *value) << text;
  }
}

TEST(Documents, bad_ones_are_status_400) {
  for (const std::string_view text : kBad) {
    const auto value = read<Value>(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().status(), 400) << text;
    EXPECT_TRUE(value.error().detail().starts_with("The JSON text ")) << text;
  }
}

TEST(Documents, bad_ones_are_bad_within_others_and_where_nobody_wants_them) {
  struct Known {
    int a = 0;
  };
  for (const std::string_view text : kBad) {
    const std::string inside = "{\"a\":0,\"b\":[" + std::string(text) + "0]}";
    const auto value = read<Value>(inside);
    const auto skipped = read<Known>(inside, {.unknown_members = UnknownMembers::kIgnore});
    EXPECT_EQ(value.has_value(), skipped.has_value()) << inside;
    EXPECT_EQ(!value && value.error().status() == 400, !skipped && skipped.error().status() == 400)
        << inside;
  }
}

TEST(Documents, whatever_is_closed_is_bad_when_cut_at_any_byte) {
  for (const auto& [text, written] : kGood) {
    if (std::string_view("[{\"").find(written[0]) == std::string_view::npos) {
      continue;
    }
    for (std::size_t bytes = 0; bytes < written.size(); ++bytes) {
      const auto value = read<Value>(written.substr(0, bytes));
      ASSERT_FALSE(value) << written.substr(0, bytes);
      EXPECT_EQ(value.error().status(), 400);
    }
  }
}

TEST(Documents, bytes_behind_the_text_are_not_looked_at) {
  const std::string memory = R"({"a":1},"b":2}]]]"\\)";
  const auto value = read<Value>(std::string_view(memory).substr(0, 7));
  ASSERT_TRUE(value);
  EXPECT_EQ(to_text(*value), R"({"a":1})");
}

TEST(Documents, a_failure_names_the_byte) {
  const auto value = read<Value>(R"({"title": "x", "stars": nul})");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().detail(), "The JSON text has a syntax error, near byte 24.");
}

TEST(Documents, a_failure_names_the_byte_of_the_text_as_sent) {
  const auto detail = [](std::string_view text) {
    const auto value = read<Value>(text);
    return value ? std::string("none") : value.error().detail();
  };
  EXPECT_EQ(detail("nul"), "The JSON text has a syntax error, near byte 0.");
  EXPECT_EQ(detail(" [1,]"), "The JSON text has a syntax error, near byte 4.");
  EXPECT_EQ(detail("\xEF\xBB\xBF [1,]"), "The JSON text has a syntax error, near byte 7.");
  EXPECT_EQ(detail("\xEF\xBB\xBFnul"), "The JSON text has a syntax error, near byte 3.");
  EXPECT_EQ(detail("\xEF\xBB\xBF[1] 2"), "The JSON text has data after its end, near byte 6.");
  EXPECT_EQ(detail("\xEF\xBB\xBF"), "The JSON text is empty.");
}

TEST(Documents, depth_is_bounded) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(read<Value>(nested(64)));
  const auto deep = read<Value>(nested(65));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().status(), 400);
  EXPECT_TRUE(deep.error().detail().starts_with("The JSON text is nested deeper than 64 levels"));
  EXPECT_TRUE(read<Value>(nested(512), {.depth_max = 100'000}));
  EXPECT_FALSE(read<Value>(nested(513), {.depth_max = 100'000}));
  EXPECT_FALSE(read<Value>(std::string(2'000'000, '[')));
  EXPECT_TRUE(read<Value>("1", {.depth_max = 0}));
  EXPECT_FALSE(read<Value>("[]", {.depth_max = 0}));
}

TEST(Documents, bytes_are_bounded) {
  EXPECT_TRUE(read<Value>("[1,2]", {.bytes_max = 5}));
  const auto longer = read<Value>("[1,2]", {.bytes_max = 4});
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().detail(), "The JSON text is longer than 4 bytes.");
}

TEST(Documents, elements_are_bounded_all_together) {
  EXPECT_TRUE(read<Value>(R"([1,{"a":2}])", {.elements_max = 3}));
  EXPECT_FALSE(read<Value>(R"([1,{"a":2}])", {.elements_max = 2}));
  EXPECT_FALSE(read<Value>(R"([[1],[2],[3]])", {.elements_max = 5}));
}

}  // namespace
}  // namespace eider::json
