#include "cli/openapi_client/clients.h"

#include <gtest/gtest.h>

#include <string>

#include "cli/openapi_client/test_documents.h"

namespace eider::openapi_client {
namespace {

std::string cpp_client_of(const std::string& paths, const std::string& schemas = "") {
  const auto text = to_cpp(api_of(document_of(paths, schemas)), "api");
  EXPECT_TRUE(text.has_value()) << text.error();
  return text ? *text : std::string();
}

/// Returns the error for these schemas; each one is named by its index and refers to the next one.
std::string cpp_fault_of(int count, std::string (*schema_of)(const std::string& next)) {
  std::string schemas = R"("0":{"properties":{"a":{}}})";
  for (int i = 1; i < count; ++i) {
    schemas.insert(
        0, '"' + std::to_string(i) + "\":" +
               schema_of(R"({"$ref":"#/components/schemas/)" + std::to_string(i - 1) + "\"}") +
               ',');
  }
  const auto text = to_cpp(api_of(document_of("", schemas)), "api");
  return text ? std::string() : text.error();
}

/// Returns the only member of a struct: "std::optional<int> a = {}".
std::string cpp_member_of(const std::string& schema, const std::string& required = "[]") {
  const std::string text =
      cpp_client_of("", R"("Other":{"enum":["x","y"]},"S":{"properties":{"a":)" + schema +
                            R"(},"required":)" + required + "}");
  const std::string begin = "struct S {\n  ";
  const std::size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find(";\n", at) - at);
}

/// Returns the type of a required member.
std::string cpp_type_of(const std::string& schema) {
  const std::string member = cpp_member_of(schema, R"(["a"])");
  return member.substr(0, member.rfind(" a"));
}

bool is_before(const std::string& text, std::string_view one, std::string_view other) {
  EXPECT_TRUE(text.contains(one)) << one;
  EXPECT_TRUE(text.contains(other)) << other;
  return text.find(one) < text.find(other);
}

TEST(CppClient, includes_only_public_headers) {
  const std::string text = cpp_client_of("");
  EXPECT_TRUE(text.contains("#include <eider/api_client.h>\n")) << text;
  for (const char* const wing : {"client", "core", "io", "protocols"}) {
    EXPECT_FALSE(text.contains(std::string("<eider/") + wing + '/')) << text;
  }
}

TEST(CppClient, has_a_type_for_each_schema) {
  EXPECT_EQ(cpp_type_of("{}"), "eider::json::Value");
  EXPECT_EQ(cpp_type_of(R"({"type":"integer"})"), "std::int64_t");
  EXPECT_EQ(cpp_type_of(R"({"type":"integer","format":"int32"})"), "std::int32_t");
  EXPECT_EQ(cpp_type_of(R"({"type":"integer","maximum":18446744073709551615})"), "std::uint64_t");
  EXPECT_EQ(cpp_type_of(R"({"type":"number"})"), "double");
  EXPECT_EQ(cpp_type_of(R"({"type":"string"})"), "std::string");
  EXPECT_EQ(cpp_type_of(R"({"type":"string","format":"uuid"})"), "eider::Uuid");
  EXPECT_EQ(cpp_type_of(R"({"type":"string","format":"date"})"), "std::chrono::year_month_day");
  EXPECT_EQ(cpp_type_of(R"({"type":"string","format":"date-time"})"),
            "std::chrono::sys_time<std::chrono::nanoseconds>");
  EXPECT_EQ(cpp_type_of(R"({"type":"string","format":"time-of-day"})"), "eider::TimeOfDay");
  EXPECT_EQ(cpp_type_of(R"({"type":"string","format":"duration"})"), "std::string");
  EXPECT_EQ(cpp_type_of(R"({"items":{"type":["string","null"]}})"),
            "std::vector<std::optional<std::string>>");
  EXPECT_EQ(cpp_type_of(R"({"items":{"type":"boolean"}})"), "std::vector<eider::json::Value>");
  EXPECT_EQ(cpp_type_of(R"({"additionalProperties":{"$ref":"#/components/schemas/Other"}})"),
            "std::map<std::string, Other>");
  EXPECT_EQ(cpp_type_of(R"({"enum":["a","b"]})"), "S_a");
  EXPECT_EQ(cpp_type_of(R"({"enum":["a b","class"]})"), "std::string");
  EXPECT_EQ(cpp_type_of(R"({"enum":["a",1]})"), "eider::json::Value /* one of several values */");
  EXPECT_EQ(cpp_type_of(R"({"properties":{"b":{}}})"), "S_a");
  EXPECT_EQ(cpp_type_of(R"({"properties":{"b-c":{}}})"),
            "eider::json::Value /* \"b-c\" is not a valid name in C++ */");
}

TEST(CppClient, tells_members_that_may_be_absent_from_those_that_may_be_null) {
  const std::string text = R"({"type":"string"})";
  const std::string nullable = R"({"type":["string","null"]})";
  EXPECT_EQ(cpp_member_of(text, R"(["a"])"), "std::string a");
  EXPECT_EQ(cpp_member_of(text), "std::optional<std::string> a = {}");
  EXPECT_EQ(cpp_member_of(nullable, R"(["a"])"), "eider::Nullable<std::string> a = nullptr");
  EXPECT_EQ(cpp_member_of(nullable), "eider::Nullable<std::string> a = {}");
}

TEST(CppClient, has_variants_where_a_member_tells_which) {
  const auto shape = [](const std::string& tag) {
    return R"({"properties":{"type":{"const":")" + tag +
           R"("},"b":{"type":"null"}},"required":["type"]})";
  };
  EXPECT_EQ(cpp_type_of(R"({"oneOf":[)" + shape("A") + "," + shape("B") + "]}"),
            "std::variant<S_a::A, S_a::B>");
  EXPECT_EQ(cpp_type_of(R"({"oneOf":[)" + shape("A") + "," + shape("A") + "]}"),
            "eider::json::Value /* one of several types */");
  EXPECT_EQ(cpp_type_of(R"({"oneOf":[)" + shape("A") + R"(,{"type":"string"}]})"),
            "eider::json::Value /* one of several types */");
}

TEST(CppClient, defines_what_a_struct_holds_ahead_of_it) {
  const std::string text =
      cpp_client_of("", R"("A":{"properties":{"b":{"$ref":"#/components/schemas/B"}}},)"
                        R"("B":{"properties":{"c":{"items":{"$ref":"#/components/schemas/C"}}}},)"
                        R"("C":{"properties":{"a":{"$ref":"#/components/schemas/A"},)"
                        R"("c":{"$ref":"#/components/schemas/C"}}})");
  EXPECT_TRUE(is_before(text, "struct C {", "struct B {"));
  EXPECT_TRUE(is_before(text, "struct B {", "struct A {"));
  EXPECT_TRUE(text.contains("  std::unique_ptr<A> a;\n  std::unique_ptr<C> c = {};\n")) << text;
}

TEST(CppClient, has_a_struct_of_32_members_and_no_more) {
  const auto members = [](int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      all += (i == 0 ? "\"m" : ",\"m") + std::to_string(i) + "\":{}";
    }
    return cpp_client_of("", R"("S":{"properties":{)" + all + "}}");
  };
  EXPECT_TRUE(members(32).contains("struct S {"));
  EXPECT_TRUE(members(33).contains("using S = eider::json::Value /* it has 33 members */;"));
}

TEST(CppClient, takes_values_of_the_path_content_and_options) {
  const std::string text = cpp_client_of(
      operation_of(R"("operationId":"f","deprecated":true,"summary":"s","parameters":[)"
                   R"({"in":"path","name":"class","schema":{"type":"integer"}},)"
                   R"({"in":"query","name":"a-b","schema":{"type":"string"}}],)"
                   R"("requestBody":{"required":true,"content":{"application/json":{"schema":)"
                   R"({"type":"number"}}}},"responses":{"200":{"content":{"application/json":)"
                   R"({"schema":{"type":"boolean"}}}},"204":{}})",
                   "/a/{class}", "put"));
  EXPECT_TRUE(text.contains("struct f_options {\n  std::optional<std::string> a_b = {};\n};\n"));
  EXPECT_TRUE(text.contains(
      "  /// s\n  /// PUT /a/{class}\n  [[deprecated]]\n"
      "  [[nodiscard]] eider::Task<eider::Result<std::optional<bool>>> f("
      "const std::int64_t& class_, const double& body, const f_options& options = {}) const {\n"))
      << text;
}

TEST(CppClient, sends_lists_and_objects_of_a_query_as_their_style_says) {
  const std::string text = cpp_client_of(operation_of(
      R"("parameters":[{"name":"a","in":"query","explode":false,"schema":{"items":{}}},)"
      R"({"name":"b","in":"query","style":"pipeDelimited","schema":{"items":{}}},)"
      R"({"name":"c","in":"query","schema":{"items":{}}},)"
      R"({"name":"d","in":"query","style":"deepObject","schema":{"properties":{"x":{}}}}])"));
  EXPECT_TRUE(
      text.contains("    request.query(\"a\", options.a, \",\");\n"
                    "    request.query(\"b\", options.b, \"|\");\n"
                    "    request.query(\"c\", options.c);\n"
                    "    request.query_members(\"d\", options.d);\n"))
      << text;
}

TEST(CppClient, sends_lists_of_a_form_as_their_encoding_says) {
  const std::string text = cpp_client_of(operation_of(
      R"("requestBody":{"content":{"application/x-www-form-urlencoded":{"schema":{"properties":)"
      R"({"a":{"items":{}},"b":{"items":{}}}},"encoding":{"a":{"explode":false},)"
      R"("b":{"style":"spaceDelimited"}}}}})"));
  EXPECT_TRUE(text.contains(R"(form(*body, {{"a", ","}, {"b", "%20"}});)")) << text;
}

TEST(CppClient, is_no_multiple_of_its_document) {
  const std::string told =
      "/components/schemas: references expand to more than 100 times the document";
  EXPECT_EQ(
      cpp_fault_of(
          100, [](const std::string& next) { return R"({"allOf":[)" + next + "," + next + "]}"; }),
      told);
  EXPECT_EQ(
      cpp_fault_of(
          100, [](const std::string& next) { return R"({"anyOf":[)" + next + "," + next + "]}"; }),
      told);
  EXPECT_EQ(cpp_fault_of(100,
                         [](const std::string& next) {
                           const auto part = [&](const std::string& tag) {
                             return R"({"properties":{"type":{"const":")" + tag + R"("},"a":)" +
                                    next + "}}";
                           };
                           return R"({"oneOf":[)" + part("A") + "," + part("B") + "]}";
                         }),
            told);
}

TEST(CppClient, is_not_made_of_a_chain_of_references_without_end) {
  const auto alias = [](const std::string& next) { return next; };
  const auto structure = [](const std::string& next) {
    return R"({"properties":{"a":)" + next + "}}";
  };
  const std::string told = "/components/schemas: a chain of references has more than 500 schemas";
  EXPECT_EQ(cpp_fault_of(100, alias), "");
  EXPECT_EQ(cpp_fault_of(450, structure), "");
  EXPECT_EQ(cpp_fault_of(1'000, structure), told);
}

TEST(CppClient, gives_each_name_once) {
  const std::string text =
      cpp_client_of(R"("/a":{"get":{"operationId":"Note"},"put":{"operationId":"delete"}})",
                    R"("Note":{"properties":{"Note":{"$ref":"#/components/schemas/Client"}}},)"
                    R"("Client":{"enum":["a","b"]})");
  EXPECT_TRUE(text.contains("std::optional<::api::Client_> Note = {};")) << text;
  EXPECT_TRUE(text.contains(" Note_(")) << text;
  EXPECT_TRUE(text.contains(" delete_(")) << text;
}

TEST(CppClient, gives_streams_item_by_item) {
  const auto asked_of = [](const std::string& media) {
    const std::string text = cpp_client_of(
        operation_of(R"("operationId":"f","responses":{"200":{"content":{)" + media + "}}}"),
        R"("Other":{"enum":["x","y"]})");
    const std::size_t at = text.find("eider::Task<eider::Result<");
    return text.substr(at, text.find(" f(", at) - at);
  };
  const auto events_of = [&](const std::string& data) {
    return asked_of(R"("text/event-stream":{"x-itemSchema":{"properties":{"data":)" + data + "}}}");
  };
  EXPECT_EQ(events_of(R"({"contentSchema":{"$ref":"#/components/schemas/Other"}})"),
            "eider::Task<eider::Result<eider::ApiEvents<Other>>>");
  EXPECT_EQ(events_of(R"({"contentSchema":{"properties":{"a":{}}}})"),
            "eider::Task<eider::Result<eider::ApiEvents<f_event>>>");
  EXPECT_EQ(events_of(R"({"contentSchema":{"type":"string"}})"),
            "eider::Task<eider::Result<eider::ApiEvents<eider::json::Value>>>");
  EXPECT_EQ(events_of(R"({"type":"string"})"),
            "eider::Task<eider::Result<eider::ApiEvents<std::string>>>");
  EXPECT_EQ(asked_of(R"("application/jsonl":{"itemSchema":{"type":"boolean"}})"),
            "eider::Task<eider::Result<eider::ApiLines<bool>>>");
  EXPECT_EQ(asked_of(R"("application/jsonl":{})"),
            "eider::Task<eider::Result<eider::ApiLines<eider::json::Value>>>");
}

TEST(CppClient, SendsWhoAsksWithTheCallsThatTakeIt) {
  const auto made = to_cpp(api_of(kSecured), "api");
  ASSERT_TRUE(made.has_value()) << made.error();
  const std::string& text = *made;
  EXPECT_TRUE(
      text.contains("struct Security {\n  std::string token = {};\n  std::string a_key = {};\n"
                    "  eider::ApiLogin login = {};\n  std::string q = {};\n};\n"))
      << text;
  EXPECT_TRUE(text.contains("  explicit Client(eider::ApiServer server, Security security = {})\n"))
      << text;
  EXPECT_TRUE(
      text.contains("    if (!security_.token.empty()) {\n"
                    "      request.header(\"Authorization\", \"Bearer \" + security_.token);\n"
                    "    } else if (!security_.login.user.empty()) {\n"
                    "      request.basic_auth(security_.login);\n    }\n"
                    "    if (!security_.a_key.empty()) {\n"
                    "      request.header(\"X-Key\", security_.a_key);\n    }\n"))
      << text;
  EXPECT_TRUE(text.contains("request.query(\"key\", security_.q);")) << text;
  const std::size_t open = text.find(" c(");
  EXPECT_FALSE(text.substr(open, text.find(" b(") - open).contains("security_."));
  EXPECT_EQ(text.find("security_.", text.find(" d(")), std::string::npos);
}

TEST(CppClient, HasNoSecurityWhereNobodyAsks) {
  EXPECT_FALSE(cpp_client_of(operation_of(R"("operationId":"f")")).contains("ecurity"));
}

}  // namespace
}  // namespace eider::openapi_client
