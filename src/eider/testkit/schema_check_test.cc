#include "eider/testkit/schema_check.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "eider/json/json.h"

namespace eider {
namespace {

json::Value value_of(std::string_view text) {
  return *json::read<json::Value>(text);
}

/// "/pointer reason" for each fault, in one line each.
std::string faults(std::string_view value, std::string_view schema, std::string_view document) {
  std::string all;
  for (const SchemaFault& fault :
       check_schema(value_of(value), value_of(schema), value_of(document))) {
    all.append(fault.pointer).append(" ").append(fault.reason).append("\n");
  }
  return all;
}
std::string faults(std::string_view value, std::string_view schema) {
  return faults(value, schema, "{}");
}

struct Case {
  std::string_view schema;
  std::string_view value;
};

// Each pair differs in what the one word says.
constexpr Case kHold[] = {
    {"true", "1"},
    {"{}", "{\"a\":[1]}"},
    {R"({"type":"integer"})", "1"},
    {R"({"type":"integer"})", "1.0"},
    {R"({"type":"integer"})", "18446744073709551615"},
    {R"({"type":"number"})", "1"},
    {R"({"type":["string","null"]})", "null"},
    {R"({"enum":["a",1]})", "1"},
    {R"({"const":{"a":1}})", R"({"a":1})"},
    {R"({"minimum":0,"maximum":18446744073709551615})", "18446744073709551615"},
    {R"({"minimum":-9223372036854775808})", "-9223372036854775808"},
    {R"({"exclusiveMinimum":0,"exclusiveMaximum":1})", "0.5"},
    {R"({"multipleOf":0.01})", "19.99"},
    {R"({"multipleOf":3})", "9"},
    {R"({"minLength":2,"maxLength":2})", R"("éé")"},
    {R"({"pattern":"^[a-z]+$"})", R"("abc")"},
    {R"x({"pattern":"(?=never known)"})x", R"("abc")"},
    {R"({"minItems":1,"maxItems":2,"items":{"type":"integer"}})", "[1,2]"},
    {R"({"uniqueItems":true})", "[1,2]"},
    {R"({"required":["a"],"properties":{"a":{}},"additionalProperties":false})", R"({"a":1})"},
    {R"({"additionalProperties":{"type":"integer"}})", R"({"a":1})"},
    {R"({"minProperties":1,"maxProperties":1})", R"({"a":1})"},
    {R"({"allOf":[{"minimum":1},{"maximum":2}]})", "2"},
    {R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "null"},
    {R"({"oneOf":[{"type":"string"},{"type":"null"}]})", "null"},
    {R"({"not":{"type":"string"}})", "null"},
    // A word holds for its own type alone.
    {R"({"minLength":5,"minimum":5,"minItems":5,"required":["a"]})", "true"},
    {R"({"format":"uuid"})", R"("no")"},
};
constexpr Case kBreak[] = {
    {"false", "1"},
    {R"({"type":"integer"})", "1.5"},
    {R"({"type":"number"})", R"("1")"},
    {R"({"type":["string","null"]})", "1"},
    {R"({"enum":["a",1]})", "2"},
    {R"({"const":{"a":1}})", R"({"a":2})"},
    {R"({"maximum":9223372036854775807})", "9223372036854775808"},
    {R"({"minimum":0})", "-1"},
    {R"({"minimum":9223372036854775808})", "9223372036854775807"},
    {R"({"exclusiveMinimum":0})", "0"},
    {R"({"exclusiveMaximum":1})", "1"},
    {R"({"multipleOf":0.01})", "19.995"},
    {R"({"multipleOf":3})", "10"},
    {R"({"minLength":2})", R"("é")"},
    {R"({"maxLength":2})", R"("ééé")"},
    {R"({"pattern":"^[a-z]+$"})", R"("abC")"},
    {R"({"minItems":1})", "[]"},
    {R"({"maxItems":1})", "[1,2]"},
    {R"({"uniqueItems":true})", "[1,2,1]"},
    {R"({"additionalProperties":false})", R"({"a":1})"},
    {R"({"minProperties":1})", "{}"},
    {R"({"maxProperties":0})", R"({"a":1})"},
    {R"({"allOf":[{"minimum":1},{"maximum":2}]})", "3"},
    {R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "1"},
    {R"({"anyOf":[]})", "1"},
    {R"({"oneOf":[{"type":"string"},{"minLength":1}]})", R"("both")"},
    {R"({"oneOf":[{"type":"string"}]})", "1"},
    {R"({"not":{"type":"null"}})", "null"},
    {R"({"$ref":"#/nowhere"})", "1"},
    {R"({"$ref":"elsewhere.json"})", "1"},
};

TEST(SchemaCheck, holds_values_against_each_word) {
  for (const Case& one : kHold) {
    EXPECT_EQ(faults(one.value, one.schema), "") << one.schema << " " << one.value;
  }
  for (const Case& one : kBreak) {
    EXPECT_NE(faults(one.value, one.schema), "") << one.schema << " " << one.value;
  }
}

TEST(SchemaCheck, says_where_and_why) {
  constexpr std::string_view kSchema =
      R"({"type":"object","required":["title"],"additionalProperties":false,"properties":)"
      R"({"title":{"type":"string"},"tags":{"items":{"maxLength":2}},"a/b":{"maximum":5}}})";
  EXPECT_EQ(faults(R"({"tags":["ok","long"],"a/b":9,"more":1})", kSchema),
            "/title must be there\n"
            "/tags/1 must have at most 2 characters, and has 4\n"
            "/a~1b must be at most 5, and is 9\n"
            "/more must not be there\n");
  EXPECT_EQ(faults("[]", kSchema), " must be of type \"object\", and is []\n");
}

TEST(SchemaCheck, tells_what_the_nearest_option_lacks) {
  constexpr std::string_view kSchema =
      R"({"oneOf":[{"required":["a","b","c"]},{"required":["d"]}]})";
  EXPECT_EQ(faults("{}", kSchema), "/d must be there\n");
}

TEST(SchemaCheck, follows_references_into_the_document) {
  constexpr std::string_view kTypes =
      R"({"components":{"schemas":{"Tree":{"required":["value"],"properties":)"
      R"({"children":{"items":{"$ref":"#/components/schemas/Tree"}}}},)"
      R"("Loop":{"$ref":"#/components/schemas/Loop"}}}})";
  constexpr std::string_view kTree = R"({"$ref":"#/components/schemas/Tree"})";
  EXPECT_EQ(faults(R"({"value":1,"children":[{"value":2}]})", kTree, kTypes), "");
  EXPECT_EQ(faults(R"({"value":1,"children":[{"value":2},{}]})", kTree, kTypes),
            "/children/1/value must be there\n");
  EXPECT_EQ(faults("1", R"({"$ref":"#/components/schemas/Loop"})", kTypes),
            " is held against a schema that never ends\n");
}

}  // namespace
}  // namespace eider
