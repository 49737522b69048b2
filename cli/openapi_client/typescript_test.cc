#include "cli/openapi_client/clients.h"

#include <gtest/gtest.h>

#include <string>

#include "cli/openapi_client/test_documents.h"

namespace eider::openapi_client {
namespace {

std::string client_of(const std::string& paths, const std::string& schemas = "") {
  return to_typescript(api_of(document_of(paths, schemas)));
}

/// Returns the type of a component with that schema.
std::string type_of(const std::string& schema) {
  const std::string text = client_of("", R"("Other":{"type":"null"},"S":)" + schema);
  const std::string begin = "export type S = ";
  const std::size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find(";\n", at) - at);
}

/// Returns the first line of the only function.
std::string function_of(const std::string& words, const std::string& path = "/a",
                        const std::string& method = "get") {
  const std::string text = client_of(operation_of(R"("operationId":"f",)" + words, path, method));
  const std::size_t at = text.find("\n  f(") + 3;
  return text.substr(at, text.find(" {\n", at) - at);
}

TEST(TypeScript, has_a_type_for_each_schema) {
  EXPECT_EQ(type_of("{}"), "unknown");
  EXPECT_EQ(type_of("false"), "never");
  EXPECT_EQ(type_of(R"({"type":["string","null"]})"), "string | null");
  EXPECT_EQ(type_of(R"({"type":"array","items":{"type":["integer","null"]}})"),
            "(number | null)[]");
  EXPECT_EQ(type_of(R"({"enum":["a\"b",1,-2.5,true,null,[1]]})"),
            R"("a\"b" | 1 | -2.5 | true | null | unknown)");
  EXPECT_EQ(type_of(R"({"additionalProperties":{"$ref":"#/components/schemas/Other"}})"),
            "{ [name: string]: Other }");
  EXPECT_EQ(type_of(R"({"type":"object","additionalProperties":false})"),
            "{ [name: string]: never }");
  EXPECT_EQ(type_of(R"({"allOf":[{"enum":[1,2]},{"$ref":"#/components/schemas/Other"}]})"),
            "(1 | 2) & Other");
  EXPECT_EQ(type_of(R"({"$ref":"x*/y"})"), "unknown /* unknown reference x* /y */");
}

TEST(TypeScript, tells_members_that_may_be_absent_from_those_that_may_be_null) {
  const std::string text =
      client_of("", R"("S":{"properties":{"a":{"type":"string"},"b":{"type":["string","null"]},)"
                    R"("c-d":{"type":"string"},"__proto__":{}},"required":["a"]})");
  EXPECT_TRUE(
      text.contains("export interface S {\n  a: string;\n  b?: string | null;\n"
                    "  \"c-d\"?: string;\n  __proto__?: unknown;\n}\n"))
      << text;
}

TEST(TypeScript, calls_the_server_of_the_document) {
  const auto server = [](const std::string& url) {
    const std::string text = to_typescript(
        api_of(R"({"openapi":"3.1.1","paths":{},"servers":[{"url":")" + url + "\"}]}"));
    const std::string begin = "const serverUrl = ";
    const std::size_t at = text.find(begin) + begin.size();
    return text.substr(at, text.find(";\n", at) - at);
  };
  EXPECT_EQ(server("https://example.org/v1"), R"("https://example.org/v1")");
  EXPECT_EQ(server("/v1"), R"("/v1")");
  EXPECT_EQ(server("/"), R"("/")");
  // A browser would treat these as another server, so they are percent-encoded.
  EXPECT_EQ(server("/\\\\example.org"), R"("/%5Cexample.org")");
  EXPECT_EQ(server("/\\t/example.org"), R"("/%09/example.org")");
  for (const char* const other : {"", "v1", "//example.org", "javascript:1"}) {
    EXPECT_EQ(server(other), R"("")") << other;
  }
}

TEST(TypeScript, takes_arguments_by_where_they_go) {
  EXPECT_EQ(function_of(R"("parameters":[{"in":"query","name":"q","schema":{"type":"integer"}},)"
                        R"({"in":"header","name":"If-Match","schema":{"type":"string"}}])"),
            "f(args?: { query?: { q?: number }; header?: { \"If-Match\"?: string } }, "
            "options?: CallOptions): Promise<unknown>");
  EXPECT_EQ(function_of("\"x\":1", "/a/{id}"),
            "f(args: { path: { id: string } }, options?: CallOptions): Promise<unknown>");
  EXPECT_EQ(function_of(R"("requestBody":{"required":true,"content":{"application/json":)"
                        R"({"schema":{"type":"boolean"}}}})",
                        "/a", "put"),
            "f(args: { body: boolean }, options?: CallOptions): Promise<unknown>");
  EXPECT_EQ(function_of(R"("requestBody":{"content":{"image/png":{}}})", "/a", "put"),
            "f(args?: { body?: BodyInit }, options?: CallOptions): Promise<unknown>");
}

TEST(TypeScript, gives_what_is_answered) {
  const auto result = [](const std::string& responses) {
    const std::string function = function_of(R"("responses":{)" + responses + "}");
    return function.substr(function.find("): ") + 3);
  };
  const std::string json = R"({"content":{"application/json":{"schema":{"type":"boolean"}}}})";
  EXPECT_EQ(result(R"("200":)" + json), "Promise<boolean>");
  EXPECT_EQ(result(R"("200":)" + json + R"(,"201":)" + json + R"(,"204":{},"404":)" + json),
            "Promise<boolean | undefined>");
  EXPECT_EQ(result(R"("default":)" + json), "Promise<unknown>");
  EXPECT_EQ(result(R"("200":{"content":{"text/plain":{"schema":{"type":"integer"}}}})"),
            "Promise<number>");
  EXPECT_EQ(result(R"("200":{"content":{"text/html":{}}})"), "Promise<string>");
  EXPECT_EQ(result(R"("200":{"content":{"image/png":{}}})"), "Promise<Blob>");
  EXPECT_EQ(result(R"("200":{"content":{"text/event-stream":{}}})"),
            "AsyncGenerator<ServerEvent, void, undefined>");
  EXPECT_EQ(result(R"("200":{"content":{"text/event-stream":{"itemSchema":{"properties":{"data":)"
                   R"({"contentSchema":{"type":"integer"}}}}}}})"),
            "AsyncGenerator<ServerEvent<number>, void, undefined>");
  EXPECT_EQ(result(R"("200":{"content":{"application/x-ndjson":{"itemSchema":{"type":"null"}}}})"),
            "AsyncGenerator<null, void, undefined>");
}

TEST(TypeScript, gives_no_schema_and_no_function_a_name_that_is_taken) {
  const std::string text =
      client_of(R"("/a":{"get":{"operationId":"then"},"put":{"operationId":"a b"},)"
                R"("post":{"operationId":"a-b"}})",
                R"("Client":{"type":"null"},"string":{"type":"null"},)"
                R"("Blob":{"$ref":"#/components/schemas/Client"})");
  for (const char* const part :
       {"\n  then_(options", "\n  a_b(options", "\n  a_b_2(options", "export type Client_ = null;",
        "export type string_ = null;", "export type Blob_ = Client_;"}) {
    EXPECT_TRUE(text.contains(part)) << part;
  }
}

TEST(TypeScript, tells_the_styles_of_a_query_and_the_server) {
  const std::string text = client_of(operation_of(
      R"("parameters":[{"name":"a","in":"query","explode":false,"schema":{"items":{}}},)"
      R"({"name":"b","in":"query","style":"pipeDelimited","schema":{"items":{}}},)"
      R"({"name":"c","in":"query","schema":{"items":{}}},)"
      R"({"name":"d","in":"query","style":"deepObject","schema":{"properties":{"x":{}}}}])"));
  EXPECT_TRUE(text.contains(R"(styles: [["a", ","], ["b", "|"], ["d", "deep"]])")) << text;
  const Api api = api_of(
      R"({"openapi":"3.1.0","info":{},"paths":{},"servers":[{"url":"https://{t}.example/v1",)"
      R"("variables":{"t":{"default":"www"}}}]})");
  EXPECT_TRUE(to_typescript(api).contains("serverUrl = \"https://www.example/v1\";"));
}

TEST(TypeScript, tells_the_styles_of_a_form) {
  const std::string text = client_of(operation_of(
      R"("requestBody":{"content":{"application/x-www-form-urlencoded":{"schema":{"properties":)"
      R"({"a":{"items":{}},"b":{"items":{}}}},"encoding":{"a":{"explode":false},)"
      R"("b":{"style":"spaceDelimited"}}}}})"));
  EXPECT_TRUE(text.contains(R"(formStyles: [["a", ","], ["b", "%20"]])")) << text;
}

TEST(TypeScript, is_the_same_for_the_same_document) {
  const std::string paths = operation_of(R"("summary":"s","description":"d\ne","deprecated":true)");
  EXPECT_EQ(client_of(paths), client_of(paths));
  EXPECT_TRUE(client_of(paths).contains(
      "  /**\n   * s\n   * d\n   * e\n   *\n   * GET /a\n   * @deprecated\n   */\n"));
}

TEST(TypeScript, SendsWhoAsksWithTheCallsThatTakeIt) {
  const std::string text = to_typescript(api_of(kSecured));
  EXPECT_TRUE(
      text.contains("export type Security = { token?: Secret; \"a-key\"?: Secret; "
                    "login?: Login; q?: Secret };\n"))
      << text;
  EXPECT_TRUE(text.contains("constructor(settings: ClientOptions & { security?: Security } = {})"));
  EXPECT_TRUE(text.contains(
      R"(security: [["token", "bearer", "Authorization"], ["a-key", "header", "X-Key"], )"
      R"(["login", "basic", "Authorization"], ["q", "query", "key"]])"))
      << text;
  EXPECT_TRUE(
      client_of(operation_of("\"x\":1")).contains("constructor(settings: ClientOptions = {})"));
}

}  // namespace
}  // namespace eider::openapi_client
