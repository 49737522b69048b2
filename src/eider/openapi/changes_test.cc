#include "eider/openapi/changes.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "eider/json/read.h"

namespace eider::openapi {
namespace {

using json::Value;

Value read(const std::string& text) {
  auto value = json::read<Value>(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value ? *std::move(value) : Value();
}

/// A document of POST /notes/{id} with these words.
std::string document(const std::string& parts, const std::string& schemas = "{}") {
  return R"({"openapi":"3.1.1","paths":{"/notes/{id}":{"post":{)" + parts +
         R"(}}},"components":{"schemas":)" + schemas + "}}";
}
std::string taking(const std::string& schema) {
  return document(R"("requestBody":{"content":{"application/json":{"schema":)" + schema + "}}}");
}
std::string giving(const std::string& schema) {
  return document(R"("responses":{"200":{"content":{"application/json":{"schema":)" + schema +
                  "}}}}");
}

/// "pointer: what" of each, one per line.
std::string changes(const std::string& older, const std::string& newer) {
  std::string all;
  for (const Change& change : breaking_changes(read(older), read(newer))) {
    all += change.pointer + ": " + change.what + "\n";
  }
  return all;
}

/// Whether requests of the one schema break with the other, and answers.
struct Case {
  const char* older;
  const char* newer;
  bool breaks_requests;
  bool breaks_answers;
};

constexpr Case kSchemas[] = {
    {R"({"type":"string"})", R"({"type":"string"})", false, false},
    {R"({"type":"string"})", R"({"type":"string","description":"x","examples":["a"]})", false,
     false},
    {R"({"type":"string"})", R"({"type":"integer"})", true, true},
    {R"({"type":"integer"})", R"({"type":"number"})", false, true},
    {R"({"type":"string"})", R"({"type":["string","null"]})", false, true},
    {R"({"type":"string"})", "{}", false, true},
    {R"({"type":"string"})", R"({"anyOf":[{"type":"string"},{"type":"null"}]})", false, true},
    {R"({"anyOf":[{"type":"string"},{"type":"null"}]})",
     R"({"anyOf":[{"type":"null"},{"type":"string"}]})", false, false},
    {R"({"oneOf":[{"const":"a"},{"const":"b"}]})", R"({"oneOf":[{"const":"a"}]})", true, false},
    {R"({"type":"string","maxLength":9})", R"({"type":"string","maxLength":8})", true, false},
    {R"({"type":"string"})", R"({"type":"string","maxLength":8})", true, false},
    {R"({"type":"integer","minimum":1})", R"({"type":"integer","minimum":0})", false, true},
    {R"({"type":"string","pattern":"a"})", R"({"type":"string","pattern":"b"})", true, true},
    {R"({"type":"string"})", R"({"type":"string","format":"uuid"})", true, false},
    {R"({"type":"string","enum":["a"]})", R"({"type":"string","enum":["a","b"]})", false, true},
    {R"({"type":"string"})", R"({"type":"string","enum":["a"]})", true, false},
    {R"({"type":"array","items":{"type":"string"}})",
     R"({"type":"array","items":{"type":"string","minLength":1}})", true, false},
    {R"({"type":"object","properties":{"a":{},"b":{}},"required":["a"]})",
     R"({"type":"object","properties":{"a":{},"b":{}},"required":["a","b"]})", true, false},
    {R"({"type":"object","properties":{"a":{}},"additionalProperties":false})",
     R"({"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false})", false,
     false},
    {R"({"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false})",
     R"({"type":"object","properties":{"a":{}},"additionalProperties":false})", true, false},
    {R"({"type":"object","additionalProperties":{"type":"string"}})",
     R"({"type":"object","additionalProperties":{"type":"integer"}})", true, true},
    {R"({"properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}})",
     R"({"properties":{"a":{"type":"object","properties":{"b":{"type":"null"}}}}})", true, true},
};

TEST(BreakingChanges, are_what_a_request_is_refused_for_and_an_answer_surprises_with) {
  for (const Case& one : kSchemas) {
    EXPECT_EQ(!changes(taking(one.older), taking(one.newer)).empty(), one.breaks_requests)
        << one.older << one.newer << changes(taking(one.older), taking(one.newer));
    EXPECT_EQ(!changes(giving(one.older), giving(one.newer)).empty(), one.breaks_answers)
        << one.older << one.newer << changes(giving(one.older), giving(one.newer));
  }
}

TEST(BreakingChanges, say_where_and_what) {
  EXPECT_EQ(changes(taking(R"({"properties":{"a/b":{"maxLength":9}}})"),
                    taking(R"({"properties":{"a/b":{"maxLength":8}}})")),
            "/paths/~1notes~1{id}/post/requestBody/content/application~1json/schema/properties/"
            "a~1b: in requests: maxLength was 9, is 8\n");
  EXPECT_EQ(changes(R"({"paths":{"/a":{},"/b":{}}})", R"({"paths":{"/b":{}}})"),
            "/paths/~1a: the path is gone\n");
  EXPECT_EQ(changes(R"({"paths":{"/a":{"get":{},"put":{}}}})", R"({"paths":{"/a":{"get":{}}}})"),
            "/paths/~1a/put: the method is gone\n");
}

TEST(BreakingChanges, follow_references_and_are_told_once) {
  const std::string use =
      R"("requestBody":{"content":{"a/b":{"schema":{"$ref":"#/components/schemas/N"}},)"
      R"("c/d":{"schema":{"$ref":"#/components/schemas/N"}}}})";
  const auto node = [](const std::string& value) {
    return R"({"N":{"type":"object","properties":{"value":)" + value +
           R"(,"next":{"$ref":"#/components/schemas/N"}}}})";
  };
  EXPECT_EQ(changes(document(use, node(R"({"type":"string"})")),
                    document(use, node(R"({"type":"null"})"))),
            "/components/schemas/N/properties/value: in requests: type was \"string\", is "
            "\"null\"\n");
}

TEST(BreakingChanges, are_not_sent_round_in_circles) {
  const std::string circle =
      document(R"("requestBody":{"content":{"a/b":{"schema":{"$ref":"#/components/schemas/A"}}}})",
               R"({"A":{"$ref":"#/components/schemas/B"},"B":{"$ref":"#/components/schemas/A"}})");
  EXPECT_EQ(changes(circle, circle), "");
}

TEST(BreakingChanges, are_in_parameters_too) {
  const auto with = [](const std::string& parameters) {
    return document(R"("parameters":[)" + parameters + "]");
  };
  const std::string page = R"({"name":"page","in":"query"})";
  const std::string page_required = R"({"name":"page","in":"query","required":true})";
  EXPECT_EQ(changes(with(page), with(page)), "");
  EXPECT_EQ(changes(with(""), with(page)), "");
  EXPECT_EQ(changes(with(page_required), with(page)), "");
  EXPECT_NE(changes(with(page), with(page_required)), "");
  EXPECT_NE(changes(with(""), with(page_required)), "");
  EXPECT_NE(changes(with(page), with("")), "");
  EXPECT_EQ(
      changes(with(R"({"name":"X-A","in":"header"})"), with(R"({"name":"x-a","in":"header"})")),
      "");
}

TEST(BreakingChanges, are_not_in_what_a_path_calls_its_values) {
  const auto with = [](const std::string& name, const std::string& type) {
    return R"({"paths":{"/n/{)" + name + R"(}":{"get":{"parameters":[{"in":"path","name":")" +
           name + R"(","required":true,"schema":{"type":")" + type + R"("}}]}}}})";
  };
  EXPECT_EQ(changes(with("id", "integer"), with("number", "integer")), "");
  EXPECT_EQ(changes(with("id", "integer"), with("number", "boolean")),
            "/paths/~1n~1{number}/get/parameters/0/schema: in requests: type was \"integer\", is "
            "\"boolean\"\n");
}

TEST(BreakingChanges, are_in_answers_that_are_gone_but_not_in_errors) {
  const auto with = [](const std::string& answers) {
    return document(R"("responses":{)" + answers + "}");
  };
  EXPECT_NE(changes(with(R"("200":{},"201":{})"), with(R"("200":{})")), "");
  EXPECT_EQ(changes(with(R"("200":{},"404":{})"), with(R"("200":{},"410":{})")), "");
  EXPECT_NE(changes(with(R"("201":{"headers":{"Location":{}}})"), with(R"("201":{})")), "");
  EXPECT_NE(changes(with(R"("200":{"content":{"text/plain":{}}})"),
                    with(R"("200":{"content":{"text/html":{}}})")),
            "");
}

TEST(BreakingChanges, are_in_who_is_let_in) {
  const auto with = [](const std::string& security) {
    return document(R"("security":)" + security);
  };
  EXPECT_NE(changes(with("[]"), with(R"([{"token":[]}])")), "");
  EXPECT_EQ(changes(with(R"([{"token":[]}])"), with("[]")), "");
  EXPECT_EQ(changes(with(R"([{"token":[]}])"), with(R"([{"token":[]},{"key":[]}])")), "");
  EXPECT_NE(changes(with(R"([{"token":[]},{"key":[]}])"), with(R"([{"token":[]}])")), "");
  EXPECT_NE(changes(with(R"([{"token":[]}])"), with(R"([{"token":[],"key":[]}])")), "");
  EXPECT_NE(changes(with(R"([{"token":["read"]}])"), with(R"([{"token":["write"]}])")), "");
  EXPECT_EQ(changes(with(R"([{},{"token":[]}])"), with("[]")), "");
}

}  // namespace
}  // namespace eider::openapi
