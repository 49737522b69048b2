#include "cli/openapi/changes.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "eider/core/json/read.h"

namespace eider::openapi {
namespace {

using json::Value;

Value read(const std::string& text) {
  auto value = json::read<Value>(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value ? *std::move(value) : Value();
}

/// Returns a document with POST /notes/{id} and these members.
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

/// Returns "pointer: what" of each change, one per line.
std::string changes(const std::string& older, const std::string& newer) {
  std::string all;
  for (const Change& change : breaking_changes(read(older), read(newer))) {
    all += change.pointer + ": " + change.what + "\n";
  }
  return all;
}

/// Whether a change between these schemas breaks requests, and responses.
struct Case {
  const char* older;
  const char* newer;
  bool breaks_requests;
  bool breaks_responses;
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
    // Maps and structs.
    {R"({"type":"object","additionalProperties":{"type":"string"}})",
     R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false})", true,
     false},
    {R"({"type":"object","properties":{"a":{}}})",
     R"({"type":"object","properties":{"a":{}},"additionalProperties":false})", true, false},
    {R"({"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false})",
     R"({"type":"object","additionalProperties":{"type":"string"}})", false, false},
    {R"({"type":"object","additionalProperties":{"type":"string"}})",
     R"({"type":"object","properties":{"a":{"type":"integer"}},)"
     R"("additionalProperties":{"type":"string"}})",
     true, true},
    {R"({"type":"object"})", R"({"type":"object","properties":{"a":{"type":"string"}}})", false,
     false},
    {R"({"type":"object","properties":{"a":{"type":"string"}}})",
     R"({"type":"object","properties":{"a":false}})", true, false},
    // Values rejected by `not`.
    {R"({"type":"string","not":{"const":"a"}})", R"({"not":{"const":"a"},"type":"string"})", false,
     false},
    {R"({"type":"string"})", R"({"type":"string","not":{"const":"a"}})", true, false},
    {R"({"not":{"enum":["a","b"]}})", R"({"not":{"enum":["b"]}})", false, true},
    {R"({"not":{"const":"a"}})", R"({"allOf":[{"not":{"const":"b"}},{"not":{"const":"a"}}]})", true,
     false},
    {R"({"type":"integer"})", R"({"type":"integer","not":{"type":"string"}})", false, false},
    {R"({"not":{"not":{"maxLength":5}}})", R"({"not":{"not":{"maxLength":4}}})", true, false},
    {R"({"not":{"type":"integer"}})", R"({"not":{"type":"number"}})", true, false},
    {"{}", R"({"not":false})", false, false},
    // Positions of a list.
    {R"({"type":"array","prefixItems":[{"type":"string"},{}]})",
     R"({"type":"array","prefixItems":[{"type":"string"}]})", false, false},
    {R"({"type":"array","prefixItems":[{},{"type":"string"}]})",
     R"({"type":"array","prefixItems":[{},{"type":"integer"}]})", true, true},
    {R"({"type":"array","prefixItems":[{"type":"string"}],"items":false})",
     R"({"type":"array","items":{"type":"string"}})", false, true},
    {R"({"type":"array","items":{"type":"string"}})",
     R"({"type":"array","items":{"type":"string"},"prefixItems":[{"maxLength":5}]})", true, true},
    {R"({"type":"array","maxItems":1,"prefixItems":[{"type":"string"}]})",
     R"({"type":"array","maxItems":1,"items":{"type":"string"}})", false, false},
    {R"({"type":"string","prefixItems":[{"type":"string"}]})",
     R"({"type":"string","prefixItems":[{"type":"integer"}]})", false, false},
    // Members that are required with another one.
    {R"({"type":"object"})", R"({"type":"object","dependentRequired":{"a":["b"]}})", true, false},
    {R"({"dependentRequired":{"a":["b","c"]}})", R"({"dependentRequired":{"a":["c"]}})", false,
     true},
    {R"({"required":["b"]})", R"({"required":["b"],"dependentRequired":{"a":["b"]}})", false,
     false},
    {R"({"properties":{"b":{}},"additionalProperties":false})",
     R"({"properties":{"b":{}},"additionalProperties":false,"dependentRequired":{"a":["b"]}})",
     false, false},
    // Conditions.
    {R"({"if":{"required":["a"]},"then":{"required":["b"]},"else":{"maxProperties":3}})",
     R"({"else":{"maxProperties":3},"then":{"required":["b"]},"if":{"required":["a"]}})", false,
     false},
    {R"({"if":{"required":["a"]},"then":{"required":["b"]}})",
     R"({"if":{"required":["a"]},"then":{"required":["b","c"]}})", true, false},
    {R"({"if":{"required":["a"]},"else":{"maxProperties":3}})",
     R"({"if":{"required":["a"]},"else":{"maxProperties":2}})", true, false},
    {R"({"if":{"required":["a"]},"then":{"required":["b"]}})",
     R"({"if":{"required":["z"]},"then":{"required":["b"]}})", true, true},
    {R"({"type":"object"})",
     R"({"type":"object","if":{"required":["a"]},"then":{"required":["b"]}})", true, false},
    {R"({"required":["b"]})",
     R"({"required":["b"],"if":{"required":["a"]},"then":{"required":["b"]}})", false, false},
    {R"({"type":"object"})", R"({"type":"object","if":{"required":["a"]}})", false, false},
    {R"({"type":"object"})", R"({"type":"object","then":{"required":["b"]}})", false, false},
    // Schemas that apply together.
    {R"({"allOf":[{"type":"string"},{"maxLength":9}]})", R"({"type":"string","maxLength":9})",
     false, false},
    {R"({"allOf":[{"type":"string","maxLength":9}]})",
     R"({"allOf":[{"type":"string","maxLength":8}]})", true, false},
    {R"({"type":"string","pattern":"a"})",
     R"({"type":"string","pattern":"a","allOf":[{"pattern":"b"}]})", true, false},
    {R"({"type":"integer","minimum":0,"allOf":[{"minimum":5}]})",
     R"({"type":"integer","minimum":5})", false, false},
    {R"({"type":"integer"})", R"({"allOf":[{"type":"number"},{"type":"integer"}]})", false, false},
    {R"({"allOf":[{"properties":{"a":{"type":"string"}}},{"required":["a"]}]})",
     R"({"allOf":[{"properties":{"a":{"type":"string"}}},{"required":[]}]})", false, true},
    {R"({"enum":["a","b"],"allOf":[{"enum":["b","c"]}]})", R"({"enum":["b"]})", false, false},
    // Alternatives.
    {R"({"anyOf":[{"type":"string"},{"type":"null"}],"maxLength":9})",
     R"({"anyOf":[{"type":"string"},{"type":"null"}],"maxLength":8})", true, false},
    {R"({"anyOf":[{"type":"string"},{"type":"null"}],"type":"string"})", R"({"type":"string"})",
     false, false},
    {R"({"oneOf":[{"const":"a"},{"const":"b"}]})",
     R"({"oneOf":[{"const":"b"},{"const":"a"},{"const":"c"}]})", false, true},
    {R"({"anyOf":[{"anyOf":[{"type":"string"},{"type":"integer"}]},{"type":"null"}]})",
     R"({"anyOf":[{"type":"integer"},{"type":"null"},{"type":"string"}]})", false, false},
    {R"({"anyOf":[{"type":"string"}],"oneOf":[{"maxLength":5},{"maxLength":9}]})",
     R"({"type":"string","maxLength":9})", false, false},
    {R"({"type":["string","null"]})", R"({"anyOf":[{"type":"null"},{"type":"string"}]})", false,
     false},
    {R"({"type":["string","null"]})", R"({"anyOf":[{"type":"null"},{"type":"integer"}]})", true,
     true},
    // OpenAPI 3.0.
    {R"({"type":"string"})", R"({"type":"string","nullable":true})", false, true},
    {R"({"type":"string","nullable":true})", R"({"type":"string","nullable":false})", true, false},
    {R"({"type":"string","nullable":true})", R"({"type":["string","null"]})", false, false},
    {R"({"type":"integer","minimum":0})",
     R"({"type":"integer","minimum":0,"exclusiveMinimum":true})", true, false},
    // Lists.
    {R"({"type":"array"})", R"({"type":"array","uniqueItems":true})", true, false},
    {R"({"type":"array"})", R"({"type":"array","uniqueItems":false})", false, false},
    {R"({"type":"string","items":{"type":"string"}})",
     R"({"type":"string","items":{"type":"integer"}})", false, false},
    {R"({"properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}})",
     R"({"properties":{"a":{"type":"object","properties":{"b":{"type":"null"}}}}})", true, true},
};

TEST(BreakingChanges, are_what_a_request_is_refused_for_and_a_response_surprises_with) {
  for (const Case& one : kSchemas) {
    EXPECT_EQ(!changes(taking(one.older), taking(one.newer)).empty(), one.breaks_requests)
        << one.older << one.newer << changes(taking(one.older), taking(one.newer));
    EXPECT_EQ(!changes(giving(one.older), giving(one.newer)).empty(), one.breaks_responses)
        << one.older << one.newer << changes(giving(one.older), giving(one.newer));
  }
}

TEST(BreakingChanges, say_where_and_what) {
  EXPECT_EQ(changes(taking(R"({"properties":{"a/b":{"maxLength":9}}})"),
                    taking(R"({"properties":{"a/b":{"maxLength":8}}})")),
            "/paths/~1notes~1{id}/post/requestBody/content/application~1json/schema/properties/"
            "a~1b: in requests: maxLength was 9, is 8\n");
  EXPECT_EQ(changes(R"({"paths":{"/a":{},"/b":{}}})", R"({"paths":{"/b":{}}})"),
            "/paths/~1a: the path was removed\n");
  EXPECT_EQ(changes(R"({"paths":{"/a":{"get":{},"put":{}}}})", R"({"paths":{"/a":{"get":{}}}})"),
            "/paths/~1a/put: the method was removed\n");
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

TEST(BreakingChanges, are_in_what_stands_beside_a_reference) {
  const auto with = [](int one, int other) {
    return document(R"("requestBody":{"content":{"a/b":{"schema":{"$ref":"#/components/schemas/N",)"
                    R"("maxLength":)" +
                        std::to_string(one) +
                        R"(}},"c/d":{"schema":{"$ref":"#/components/schemas/N","maxLength":)" +
                        std::to_string(other) + "}}}}",
                    R"({"N":{"type":"string","maxLength":6}})");
  };
  EXPECT_EQ(changes(with(9, 9), with(8, 7)), "");
  EXPECT_EQ(changes(with(9, 5), with(9, 4)),
            "/paths/~1notes~1{id}/post/requestBody/content/c~1d/schema: in requests: maxLength was "
            "5 and 6, is 4 and 6\n");
  EXPECT_EQ(changes(with(9, 5), with(3, 9)),
            "/paths/~1notes~1{id}/post/requestBody/content/a~1b/schema: in requests: maxLength was "
            "9 and 6, is 3 and 6\n");
}

TEST(BreakingChanges, are_in_what_a_stream_is_made_of) {
  const auto with = [](const std::string& word, const std::string& type) {
    return document(R"("responses":{"200":{"content":{"application/jsonl":{"schema":)"
                    R"({"type":"string"},")" +
                    word + R"(":{"type":")" + type + R"("}}}}})");
  };
  EXPECT_EQ(changes(with("x-itemSchema", "string"), with("x-itemSchema", "string")), "");
  EXPECT_EQ(changes(with("x-itemSchema", "string"), with("itemSchema", "string")), "");
  EXPECT_EQ(changes(with("x-itemSchema", "string"), with("x-itemSchema", "integer")),
            "/paths/~1notes~1{id}/post/responses/200/content/application~1jsonl/x-itemSchema: in "
            "responses: type was \"string\", is \"integer\"\n");
  EXPECT_NE(changes(with("x-itemSchema", "string"), with("x-no", "string")), "");
}

TEST(BreakingChanges, are_in_what_the_data_of_an_event_holds) {
  const auto with = [](const std::string& type) {
    return document(
        R"("responses":{"200":{"content":{"text/event-stream":{"x-itemSchema":{"type":"object",)"
        R"("properties":{"data":{"type":"string","contentSchema":{"type":")" +
        type + R"("}}}}}}}})");
  };
  EXPECT_EQ(changes(with("string"), with("string")), "");
  EXPECT_EQ(changes(with("integer"), with("string")),
            "/paths/~1notes~1{id}/post/responses/200/content/text~1event-stream/x-itemSchema/"
            "properties/data/contentSchema: in responses: type was \"integer\", is \"string\"\n");
}

TEST(BreakingChanges, are_not_in_a_schema_that_is_written_in_another_way) {
  const std::string use =
      R"("requestBody":{"content":{"a/b":{"schema":{"$ref":"#/components/schemas/N"}}}})";
  const std::string list =
      R"({"N":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/components/schemas/N"},)"
      R"({"type":"null"}]}}}})";
  const std::string two =
      R"({"N":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/components/schemas/M"},)"
      R"({"type":"null"}]}}},"M":{"allOf":[{"$ref":"#/components/schemas/N"}]}})";
  const std::string wrong =
      R"({"N":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/components/schemas/M"},)"
      R"({"type":"null"}]}}},"M":{"type":"object","properties":{"next":{"type":"null"}}}})";
  EXPECT_EQ(changes(document(use, list), document(use, two)), "");
  EXPECT_EQ(changes(document(use, two), document(use, list)), "");
  EXPECT_NE(changes(document(use, list), document(use, wrong)), "");
}

TEST(BreakingChanges, are_not_sent_round_in_circles) {
  const std::string circle =
      document(R"("requestBody":{"content":{"a/b":{"schema":{"$ref":"#/components/schemas/A"}}}})",
               R"({"A":{"$ref":"#/components/schemas/B"},"B":{"$ref":"#/components/schemas/A"}})");
  EXPECT_EQ(changes(circle, circle), "");
  for (const char* const word : {"anyOf", "oneOf", "allOf"}) {
    const std::string own = document(
        R"("requestBody":{"content":{"a/b":{"schema":{"$ref":"#/components/schemas/A"}}}})",
        R"({"A":{")" + std::string(word) +
            R"(":[{"$ref":"#/components/schemas/A"},{"type":"string"},{"$ref":"#/nowhere"}]}})");
    EXPECT_EQ(changes(own, own), "") << word;
  }
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

TEST(BreakingChanges, are_in_responses_that_are_gone_but_not_in_errors) {
  const auto with = [](const std::string& responses) {
    return document(R"("responses":{)" + responses + "}");
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
  EXPECT_EQ(changes(with(R"([{"token":2}])"), with(R"([{"token":2}])")), "") << "no list of scopes";
  EXPECT_NE(changes(with(R"([{"token":2}])"), with(R"([{"token":["read"]}])")), "");
}

TEST(BreakingChanges, are_in_what_a_scheme_is) {
  const auto with = [](const std::string& name, const std::string& scheme) {
    return R"({"openapi":"3.1.1","paths":{"/a":{"get":{"security":[{")" + name +
           R"(":[]}]}}},"components":{"securitySchemes":{")" + name + R"(":)" + scheme + "}}}";
  };
  const std::string bearer = R"({"type":"http","scheme":"bearer"})";
  const std::string key = R"({"type":"apiKey","in":"header","name":"X-Key"})";
  const std::string oauth = R"({"type":"oauth2","flows":{"password":{"tokenUrl":"/token"}}})";
  EXPECT_EQ(changes(with("a", bearer), with("a", R"({"type":"http","scheme":"Bearer"})")), "");
  EXPECT_EQ(changes(with("a", bearer), with("b", bearer)), "");
  EXPECT_EQ(
      changes(with("a", key),
              with("a", R"({"type":"apiKey","in":"header","name":"x-key","description":"k"})")),
      "");
  EXPECT_EQ(changes(with("a", oauth),
                    with("a", R"({"type":"oauth2","flows":{"password":{"tokenUrl":"/token",)"
                              R"("scopes":{"x":"y"}},"implicit":{}}})")),
            "");
  const std::string told =
      "/paths/~1a/get/security: an authentication method is no longer sufficient\n";
  EXPECT_EQ(changes(with("a", bearer), with("a", R"({"type":"http","scheme":"basic"})")), told);
  EXPECT_EQ(changes(with("a", bearer), with("a", key)), told);
  EXPECT_EQ(changes(with("a", key), with("a", R"({"type":"apiKey","in":"query","name":"X-Key"})")),
            told);
  EXPECT_EQ(
      changes(with("a", key), with("a", R"({"type":"apiKey","in":"header","name":"X-Other"})")),
      told);
  EXPECT_EQ(changes(with("a", oauth),
                    with("a", R"({"type":"oauth2","flows":{"password":{"tokenUrl":"/other"}}})")),
            told);
  EXPECT_EQ(changes(with("a", oauth),
                    with("a", R"({"type":"oauth2","flows":{"implicit":{"tokenUrl":"/token"}}})")),
            told);
}

}  // namespace
}  // namespace eider::openapi
