// Documents that are designed to slow the comparison down: it must return, and report what it
// skipped.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/openapi/changes.h"
#include "eider/core/json/read.h"

namespace eider::openapi {
namespace {

using json::Value;

/// Returns a document with these schemas that uses "S0"; `name` is the number of one.
template <class SchemaOf>
Value schemas_document(std::size_t count, SchemaOf schema_of) {
  std::string text =
      R"({"openapi":"3.1.1","paths":{"/a":{"post":{"requestBody":{"content":{"a/b":{"schema":)"
      R"({"$ref":"#/components/schemas/S0"}}}}}}},"components":{"schemas":{)";
  for (std::size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "\"S" : ",\"S") + std::to_string(i) + "\":" + schema_of(i);
  }
  text += "}}}";
  json::Limits limits;
  limits.depth_max = json::Limits::kDepthMax;
  auto read = json::read<Value>(text, limits);
  EXPECT_TRUE(read.has_value()) << text.substr(0, 1000);
  return read ? *std::move(read) : Value();
}

std::string reference(std::size_t number) {
  return R"({"$ref":"#/components/schemas/S)" + std::to_string(number) + R"("})";
}

std::string told_of(const Value& older, const Value& newer) {
  std::string all;
  for (const Change& change : breaking_changes(older, newer)) {
    all += change.pointer + ": " + change.what + "\n";
  }
  return all;
}

constexpr const char* kTooMuch = ": the schemas are too large to compare completely\n";

/// Two optional references to the next schema in each one: 2^200 paths.
TEST(HostileDocuments, of_optional_references_are_walked_once) {
  const auto with = [](const std::string& last) {
    return schemas_document(200, [&](std::size_t i) {
      const std::string next = R"({"anyOf":[)" + reference(i + 1) + R"(,{"type":"null"}]})";
      return i == 199 ? R"({"type":"object","properties":{"x":)" + last + "}}"
                      : R"({"type":"object","properties":{"a":)" + next + R"(,"b":)" + next + "}}";
    });
  };
  const Value older = with(R"({"type":"string"})");
  EXPECT_EQ(told_of(older, older), "");
  EXPECT_EQ(told_of(older, with(R"({"type":"integer"})")),
            "/components/schemas/S199/properties/x: in requests: type was \"string\", is "
            "\"integer\"\n");
}

/// Deeper than a recursive function could follow.
TEST(HostileDocuments, of_a_long_chain_are_followed_to_its_end) {
  constexpr std::size_t kCount = 10'000;
  const auto with = [](const std::string& last) {
    return schemas_document(kCount, [&](std::size_t i) {
      return i + 1 == kCount ? last
                             : R"({"type":"object","properties":{"a":)" + reference(i + 1) + "}}";
    });
  };
  EXPECT_EQ(told_of(with(R"({"type":"string"})"), with(R"({"type":"integer"})")),
            "/components/schemas/S9999: in requests: type was \"string\", is \"integer\"\n");
}

TEST(HostileDocuments, of_references_to_references_end) {
  for (const char* const word : {"", "allOf", "anyOf", "oneOf"}) {
    const Value all = schemas_document(5'000, [&](std::size_t i) {
      const std::string next = reference((i + 1) % 5'000);
      return *word == '\0' ? next : R"({")" + std::string(word) + R"(":[)" + next + "]}";
    });
    const std::string told = told_of(all, all);
    EXPECT_TRUE(told.empty() || told == kTooMuch) << word << told.substr(0, 1000);
  }
}

/// A megabyte in one object.
TEST(HostileDocuments, of_one_large_object_are_no_slower_than_their_size) {
  const auto with = [](const std::string& last) {
    std::string properties;
    for (std::size_t i = 0; i < 30'000; ++i) {
      properties += R"("p)" + std::to_string(i) + R"(":{"type":"string"},)";
    }
    return schemas_document(1, [&](std::size_t) {
      return R"({"type":"object","properties":{)" + properties + R"("last":)" + last + "}}";
    });
  };
  EXPECT_EQ(told_of(with(R"({"type":"string"})"), with(R"({"type":"integer"})")),
            "/components/schemas/S0/properties/last: in requests: type was \"string\", is "
            "\"integer\"\n");
}

TEST(HostileDocuments, of_many_alternatives_say_that_they_are_too_many) {
  const Value many = schemas_document(1, [](std::size_t) {
    std::string options;
    for (int i = 0; i < 3'000; ++i) {
      options += (i == 0 ? R"({"const":)" : R"(,{"const":)") + std::to_string(i) + "}";
    }
    return R"({"oneOf":[)" + options + "]}";
  });
  EXPECT_EQ(told_of(many, many), kTooMuch);
  const Value together = schemas_document(1, [](std::size_t) {
    std::string lists;
    for (int i = 0; i < 40; ++i) {
      lists += R"({"anyOf":[{"maxLength":)" + std::to_string(i) + R"(},{"type":"null"}]},)";
    }
    return R"({"allOf":[)" + lists + "{}]}";
  });
  EXPECT_EQ(told_of(together, together), kTooMuch);
}

/// Each one applies together with all others, under its own names.
TEST(HostileDocuments, in_which_all_hold_together_end) {
  constexpr std::size_t kCount = 20;
  const Value dense = schemas_document(kCount, [](std::size_t i) {
    std::string all;
    std::string properties;
    for (std::size_t other = 0; other < kCount; ++other) {
      all += (other == 0 ? "" : ",") + reference(other);
      properties += (other == 0 ? "\"p" : ",\"p") + std::to_string(other * (i + 1)) +
                    "\":" + reference(other);
    }
    return R"({"allOf":[)" + all + R"(],"properties":{)" + properties + "}}";
  });
  EXPECT_EQ(told_of(dense, dense), "");
}

TEST(HostileDocuments, that_are_deep_are_walked) {
  const Value deep = schemas_document(1, [](std::size_t) {
    std::string text;
    for (int i = 0; i < 160; ++i) {
      text += R"({"items":{"allOf":[)";
    }
    text += "{}";
    for (int i = 0; i < 160; ++i) {
      text += "]}}";
    }
    return text;
  });
  EXPECT_EQ(told_of(deep, deep), "");
}

/// Other values instead of an object, at each place of a document.
TEST(HostileDocuments, of_wrong_kinds_are_taken_for_nothing) {
  constexpr const char* kParts[] = {
      R"("paths":X)",
      R"("paths":{"/a":X})",
      R"("paths":{"/a":{"get":X}})",
      R"("paths":{"/a":{"parameters":X,"get":{"parameters":X}}})",
      R"("paths":{"/a":{"get":{"parameters":[X]}}})",
      R"("paths":{"/a":{"get":{"parameters":[{"name":X,"in":X,"schema":X,"required":X}]}}})",
      R"("paths":{"/a":{"get":{"requestBody":X,"responses":X,"security":X}}})",
      R"("paths":{"/a":{"get":{"security":[X,{"a":X}],"responses":{"200":X}}}},"components":X)",
      R"("paths":{"/a":{"get":{"security":[{"a":[X]}]}}},"components":{"securitySchemes":{"a":X}})",
      R"("paths":{"/a":{"get":{"responses":{"200":{"headers":X,"content":X}}}}})",
      R"("paths":{"/a":{"get":{"responses":{"200":{"content":{"a":X,"b":{"schema":X}}}}}}})",
      (R"("paths":{"/a":{"get":{"responses":{"200":{"content":{"b":{"schema":{"type":X,"enum":X,)"
       R"("properties":X,"required":X,"items":X,"anyOf":X,"allOf":X,"minimum":X,"$ref":X,)"
       R"("additionalProperties":X,"nullable":X,"exclusiveMinimum":X,"const":X}}}}}}}})"),
      (R"("paths":{"/a":{"get":{"responses":{"200":{"content":{"b":{"schema":{"type":[X],)"
       R"("enum":[X],"properties":{"a":X},)"
       R"("required":[X],"anyOf":[X],"oneOf":[X],"allOf":[X]}}}}}}}})")};
  constexpr const char* kValues[] = {
      "null",         "true", "false", "7",    "-1.5",
      R"("#/paths")", "[]",   "{}",    "[[]]", R"({"$ref":"#/paths/~1a"})"};
  std::vector<Value> all;
  for (const std::string part : kParts) {
    for (const std::string value : kValues) {
      std::string text = R"({"openapi":"3.1.1",)" + part + "}";
      for (std::size_t at = 0; (at = text.find('X', at)) != text.npos; at += value.size()) {
        text.replace(at, 1, value);
      }
      auto read = json::read<Value>(text);
      ASSERT_TRUE(read.has_value()) << text;
      all.push_back(*std::move(read));
    }
  }
  for (const Value& one : all) {
    for (const Value& other : all) {
      (void)breaking_changes(one, other);
    }
  }
}

/// Each condition of one schema may correspond to each of the other.
TEST(HostileDocuments, of_many_conditions_come_to_an_end) {
  const Value all = schemas_document(1, [](std::size_t) {
    std::string text = R"({"allOf":[)";
    for (int i = 0; i < 2000; ++i) {
      text += (i == 0 ? "" : ",") + std::string(R"({"if":{"minLength":)") + std::to_string(i) +
              R"(},"then":{"not":{"const":)" + std::to_string(i) + "}}}";
    }
    return text + "]}";
  });
  EXPECT_EQ(told_of(all, all), kTooMuch);
}

TEST(HostileDocuments, of_lists_with_many_places_come_to_an_end) {
  const Value all = schemas_document(1, [](std::size_t) {
    std::string text = R"({"type":"array","prefixItems":[)";
    for (int i = 0; i < 300'000; ++i) {
      text += i == 0 ? "{\"minLength\":1}" : ",{\"minLength\":1}";
    }
    return text + "]}";
  });
  EXPECT_EQ(told_of(all, all), kTooMuch);
}

/// Nested `not`: the direction of the pairs alternates, and the comparison returns.
TEST(HostileDocuments, that_refuse_themselves_are_compared_once) {
  const Value all = schemas_document(
      2, [](std::size_t i) { return R"({"type":"string","not":)" + reference(1 - i) + "}"; });
  EXPECT_EQ(told_of(all, all), "");
}

}  // namespace
}  // namespace eider::openapi
