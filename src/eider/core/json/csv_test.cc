#include "eider/core/json/csv.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "eider/core/json/read.h"

namespace eider::json {
namespace {

std::string csv(std::string_view text, CsvFormulas formulas = CsvFormulas::escape) {
  return to_csv(read<Value>(text).value(), formulas).value_or("no table");
}

TEST(Csv, has_a_line_of_names_and_one_for_each_object) {
  EXPECT_EQ(csv(R"([{"id":1,"title":"Milk","done":true},{"id":-2,"title":"","done":null}])"),
            "id,title,done\r\n1,Milk,true\r\n-2,,\r\n");
  EXPECT_EQ(csv("[]"), "");
  EXPECT_EQ(csv(R"([{"a":1.5},{"b":2,"a":3}])"), "a,b\r\n1.5,\r\n3,2\r\n");
}

// RFC 4180, section 2, rules 5 to 7.
TEST(Csv, quotes_what_has_to_be) {
  EXPECT_EQ(csv(R"([{"a,b":"x \"y\"","c":"one\r\ntwo","d":" blank "}])"),
            "\"a,b\",c,d\r\n\"x \"\"y\"\"\",\"one\r\ntwo\",\" blank \"\r\n");
}

TEST(Csv, is_written_line_by_line_where_the_columns_are_known) {
  const CsvLines lines({"id", "title", "=note"});
  std::string out;
  lines.put_names(out);
  for (const std::string_view object :
       {R"({"id":1,"title":"a,b","=note":"+1"})", R"({"title":"moved","id":2})", "{}"}) {
    EXPECT_TRUE(lines.put(out, read<Value>(object).value()));
  }
  EXPECT_EQ(out, "id,title,'=note\r\n1,\"a,b\",'+1\r\n2,moved,\r\n,,\r\n");
  for (const std::string_view other : {"1", "[]", R"({"id":[1]})", R"({"id":{"a":1}})"}) {
    const std::string before = out;
    EXPECT_FALSE(lines.put(out, read<Value>(other).value())) << other;
    EXPECT_EQ(out, before);
  }
}

TEST(Csv, makes_no_formula_of_a_text) {
  for (const std::string_view begin : {"=", "+", "-", "@"}) {
    const std::string list = "[{\"a\":\"" + std::string(begin) + "1+1\"}]";
    EXPECT_EQ(csv(list).substr(3, 1), "'") << list;
    EXPECT_EQ(csv(list, CsvFormulas::leave).find('\''), std::string::npos) << list;
  }
  EXPECT_EQ(csv(R"([{"=cmd|x":"=x,y"}])"), "'=cmd|x\r\n\"'=x,y\"\r\n");
  EXPECT_EQ(csv(R"([{"a":"\t1+1"}])"), "a\r\n\"'\t1+1\"\r\n");
  EXPECT_EQ(csv(R"([{"a":-5}])"), "a\r\n-5\r\n");
}

// Programs remove what precedes these signs, and treat full-width signs as the others.
TEST(Csv, makes_no_formula_of_a_text_with_hidden_or_wide_characters) {
  for (const std::string_view ahead :
       {"\\u00a0", "\\u3000", "\\ufeff", "\\u0000", "\\u000b", "\\u200b", "\\u00a0 \\u200e"}) {
    const std::string list = "[{\"a\":\"" + std::string(ahead) + "=1+1\"}]";
    EXPECT_TRUE(csv(list).contains("'=1+1")) << list;
    EXPECT_FALSE(csv(list, CsvFormulas::leave).contains('\'')) << list;
    EXPECT_FALSE(csv("[{\"a\":\"" + std::string(ahead) + "x=1\"}]").contains('\'')) << ahead;
  }
  for (const std::string sign : {"\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"}) {
    EXPECT_EQ(csv("[{\"a\":\"" + sign + "1\"},{\"a\":\"x" + sign + "\"}]"),
              "a\r\n'" + sign + "1\r\nx" + sign + "\r\n");
  }
}

TEST(Csv, leaves_the_texts_of_negative_numbers) {
  for (const std::string_view number : {"-5", "-12.50", "-0.1", "-999999999999999999"}) {
    EXPECT_EQ(csv("[{\"a\":\"" + std::string(number) + "\"}]"),
              "a\r\n" + std::string(number) + "\r\n");
  }
  for (const std::string_view text :
       {"-", "-.5", "-5.", "-1-1", "-1;=2", "-1.5.2", "-1e3", "--1", "+5", "- 5", "-x"}) {
    EXPECT_TRUE(csv("[{\"a\":\"" + std::string(text) + "\"}]").contains('\'')) << text;
  }
}

TEST(Csv, makes_no_formula_of_a_part_of_a_text) {
  for (const std::string_view between :
       {";", "\\t", "\\r\\n", "\\n", "; ", ";\\\"", "; \\\" ", ";;", ""}) {
    const std::string list = "[{\"a\":\"" + std::string(between) + "=1+1\"}]";
    EXPECT_NE(csv(list).find("'=1+1"), std::string::npos) << list;
    const std::string inside = "[{\"a\":\"x" + std::string(between) + "@x\"}]";
    EXPECT_EQ(csv(inside).contains("'@x"), !between.empty()) << inside;
    EXPECT_EQ(csv(inside, CsvFormulas::leave).find('\''), std::string::npos) << inside;
  }
  EXPECT_EQ(csv(R"([{"a":"x;y"},{"a":"x\ty"},{"a":"a-b = c@d"},{"a":"5, -5; 6"}])"),
            "a\r\n\"x;y\"\r\n\"x\ty\"\r\na-b = c@d\r\n\"5, -5; 6\"\r\n");
}

TEST(Csv, is_of_lists_of_flat_objects_alone) {
  for (const std::string_view text :
       {"{}", "1", "null", "[1]", "[[1]]", R"([{"a":[]}])", R"([{"a":1},{"a":{}}])", "[{},2]"}) {
    EXPECT_EQ(csv(text), "no table") << text;
  }
}

TEST(Csv, is_no_larger_than_a_few_times_what_it_is_of) {
  std::string wide = "{";
  for (int name = 0; name < 999; ++name) {
    wide += "\"" + std::to_string(name) + "\":1,";
  }
  wide += "\"999\":1}";
  EXPECT_NE(csv("[" + wide + ",{},{}]"), "no table");
  std::string thin = "[" + wide;
  for (int row = 0; row < 300000; ++row) {
    thin += ",{}";
  }
  EXPECT_EQ(csv(thin + "]"), "no table");
}

TEST(Csv, takes_the_last_of_a_name_that_comes_twice_in_any_order) {
  EXPECT_EQ(csv(R"([{"a":1,"b":2},{"b":3,"a":4},{"b":5}])"), "a,b\r\n1,2\r\n4,3\r\n,5\r\n");
}

TEST(Csv, has_a_bound_to_its_columns) {
  std::string list = "[{\"a\":1}";
  for (int row = 0; row < 1000; ++row) {
    list += ",{\"" + std::to_string(row) + "\":1}";
  }
  EXPECT_EQ(csv(list + "]"), "no table");
}

}  // namespace
}  // namespace eider::json
