#include "eider/testkit/schema_check.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "eider/core/json/json.h"

namespace eider {
namespace {

json::Value value_of(std::string_view text) {
  return *json::read<json::Value>(text);
}

/// Returns "/pointer reason" for each error, one per line.
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

// Each pair of schemas and values differs in one keyword.
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
    // Keywords apply only to values of their type.
    {R"({"minLength":5,"minimum":5,"minItems":5,"required":["a"]})", "true"},
    {R"({"format":"uuid"})", "5"},
    {R"({"format":"unheard-of"})", R"("no")"},
    {R"({"format":"uuid"})", R"("f81d4fae-7dec-11d0-a765-00a0c91e6bf6")"},
    {R"({"format":"date-time"})", R"("2026-11-22T18:05:00.123456789+01:00")"},
    {R"({"format":"date-time"})", R"("9999-11-22T18:05:00Z")"},
    {R"({"format":"date"})", R"("2024-02-29")"},
    {R"({"format":"email"})", R"("ada@example.org")"},
    {R"({"format":"uri"})", R"("urn:isbn:0451450523")"},
    {R"({"format":"duration"})", R"("P3D")"},
    {R"({"format":"precise-duration"})", R"("PT0.000000001S")"},
    {R"({"format":"time-of-day"})", R"("14:30:00")"},
    {R"({"format":"local-date-time"})", R"("2026-11-22T18:05:00")"},
    {R"({"format":"decimal"})", R"("-12.50")"},
    {R"({"format":"int32"})", "-2147483648"},
    {R"({"format":"int32"})", "2147483647.0"},
    {R"({"format":"int64"})", "9223372036854775807"},
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
    {R"({"format":"uuid"})", R"("f81d4fae-7dec-11d0-a765-00a0c91e6bf")"},
    {R"({"format":"date-time"})", R"("2026-11-22T18:05:00")"},
    {R"({"format":"date-time"})", R"("2026-11-22 18:05:00Z")"},
    {R"({"format":"date"})", R"("2026-02-29")"},
    {R"({"format":"email"})", R"("ada@")"},
    {R"({"format":"uri"})", R"("/path")"},
    {R"({"format":"uri"})", R"("1:no scheme")"},
    {R"({"format":"uri"})", R"("http://a/b c")"},
    {R"({"format":"duration"})", R"("P")"},
    {R"({"format":"precise-duration"})", R"("PT0.0000000001S")"},
    {R"({"format":"time-of-day"})", R"("24:00:00")"},
    {R"({"format":"local-date-time"})", R"("2026-11-22T18:05:00Z")"},
    {R"({"format":"decimal"})", R"("1e3")"},
    {R"({"format":"int32"})", "2147483648"},
    {R"({"format":"int32"})", "-2147483649"},
    {R"({"format":"int32"})", "1.5"},
    {R"({"format":"int64"})", "9223372036854775808"},
    {R"({"format":"int64"})", "9223372036854775808.0"},
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
            "/title is required\n"
            "/tags/1 must have at most 2 characters, but has 4\n"
            "/a~1b must be at most 5, but is 9\n"
            "/more is not allowed\n");
  EXPECT_EQ(faults("[]", kSchema), " must have type \"object\", but is []\n");
}

TEST(SchemaCheck, LetsOthersThanWhatWasSelectedBeMissing) {
  constexpr std::string_view kSchema =
      R"({"type":"object","required":["items"],"properties":{"items":{"type":"array","items":)"
      R"({"type":"object","required":["id","title","of"],"properties":{"of":)"
      R"({"type":"object","required":["name"]}}}}}})";
  const auto faults_with = [&](std::string_view value, SelectedMembers selected) {
    std::string all;
    for (const SchemaFault& fault :
         check_schema(value_of(value), value_of(kSchema), json::Value(), std::move(selected))) {
      all.append(fault.pointer).append("\n");
    }
    return all;
  };
  EXPECT_EQ(faults_with(R"({"items":[{"id":1},{"id":2}]})", {"/items", {"id"}}), "");
  EXPECT_EQ(faults_with(R"({"items":[{"id":1},{"title":2}]})", {"/items", {"id"}}),
            "/items/1/id\n");
  EXPECT_EQ(faults_with(R"({"items":[{"of":{}}]})", {"/items", {"of"}}), "/items/0/of/name\n");
  EXPECT_EQ(faults_with("{}", {"/items", {"id"}}), "/items\n");
  EXPECT_EQ(faults_with(R"({"items":[{}]})", {"/item", {}}),
            "/items/0/id\n/items/0/title\n/items/0/of\n");
}

TEST(SchemaCheck, tells_what_the_nearest_option_lacks) {
  constexpr std::string_view kSchema =
      R"({"oneOf":[{"required":["a","b","c"]},{"required":["d"]}]})";
  EXPECT_EQ(faults("{}", kSchema), "/d is required\n");
}

TEST(SchemaCheck, follows_references_into_the_document) {
  constexpr std::string_view kTypes =
      R"({"components":{"schemas":{"Tree":{"required":["value"],"properties":)"
      R"({"children":{"items":{"$ref":"#/components/schemas/Tree"}}}},)"
      R"("Loop":{"$ref":"#/components/schemas/Loop"}}}})";
  constexpr std::string_view kTree = R"({"$ref":"#/components/schemas/Tree"})";
  EXPECT_EQ(faults(R"({"value":1,"children":[{"value":2}]})", kTree, kTypes), "");
  EXPECT_EQ(faults(R"({"value":1,"children":[{"value":2},{}]})", kTree, kTypes),
            "/children/1/value is required\n");
  EXPECT_EQ(faults("1", R"({"$ref":"#/components/schemas/Loop"})", kTypes),
            " has a schema that is nested too deeply\n");
}

}  // namespace
}  // namespace eider
