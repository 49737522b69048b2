#include "cli/openapi_client/api.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/openapi_client/test_documents.h"

namespace eider::openapi_client {
namespace {

using Kind = Shape::Kind;
using Coding = Content::Coding;

Shape shape_of(const std::string& schema) {
  const Api api = api_of(document_of("", R"("Other":{"type":"string"},"S":)" + schema));
  return api.components.size() == 2 ? api.components[1] : Shape();
}

struct Case {
  const char* schema;
  Kind kind;
};

constexpr Case kSchemas[] = {
    {"{}", Kind::unknown},
    {"true", Kind::unknown},
    {"false", Kind::literals},
    {"7", Kind::unknown},
    {R"({"type":"nonsense"})", Kind::unknown},
    {R"({"type":7})", Kind::unknown},
    {R"({"type":"string","format":"uuid"})", Kind::string},
    {R"({"type":["string","null"]})", Kind::either},
    {R"({"type":["string"]})", Kind::string},
    {R"({"const":"a"})", Kind::literals},
    {R"({"type":"string","enum":["a"]})", Kind::literals},
    {R"({"items":{}})", Kind::list},
    {R"({"type":"array"})", Kind::list},
    {R"({"type":"array","prefixItems":[{}],"items":{"type":"null"}})", Kind::list},
    {R"({"type":"object"})", Kind::map},
    {R"({"type":"object","additionalProperties":{"type":"null"}})", Kind::map},
    {R"({"type":"object","additionalProperties":false})", Kind::object},
    {R"({"properties":{"a":{}}})", Kind::object},
    {R"({"properties":{"a":{}},"additionalProperties":true})", Kind::object},
    {R"({"properties":{"a":{}},"additionalProperties":{"type":"null"}})", Kind::both},
    {R"({"anyOf":[{"type":"null"},{"type":"string"}]})", Kind::either},
    {R"({"type":"object","oneOf":[{"type":"null"},{"type":"string"}]})", Kind::either},
    {R"({"allOf":[{"type":"string"}]})", Kind::string},
    {R"({"type":"integer","multipleOf":2,"allOf":[{"multipleOf":3}]})", Kind::integer},
    {R"({"type":"string","anyOf":[{"pattern":"a"},{"pattern":"b"}]})", Kind::string},
    {R"({"anyOf":[{"type":"string"},{}]})", Kind::unknown},
    {R"({"allOf":[{"properties":{"a":{}}}],"properties":{"b":{}}})", Kind::both},
    {R"({"$ref":"#/components/schemas/Other"})", Kind::reference},
    {R"({"$ref":"#/components/schemas/None"})", Kind::unknown},
    {R"({"$ref":"#/components/schemas/Other/type"})", Kind::unknown},
    {R"({"$ref":"https://example.org/a.json"})", Kind::unknown},
    {R"({"$ref":"#/components/schemas/S"})", Kind::unknown},
    {R"({"anyOf":[{"$ref":"#/components/schemas/S"},{"type":"null"}]})", Kind::unknown},
    {R"({"items":{"$ref":"#/components/schemas/S"}})", Kind::list},
};

TEST(ClientShapes, are_what_values_of_a_schema_are) {
  for (const Case& one : kSchemas) {
    EXPECT_EQ(shape_of(one.schema).kind, one.kind) << one.schema;
  }
}

TEST(ClientShapes, have_each_type_once) {
  std::string schema = "true";
  for (int i = 0; i < 50; ++i) {
    schema.insert(0, R"({"type":["array","array"],"items":)");
    schema += '}';
  }
  const Shape shape = shape_of(schema);
  int depth = 0;
  for (const Shape* at = &shape; at->kind == Kind::list; at = at->parts.data()) {
    ++depth;
  }
  EXPECT_EQ(depth, 50);
}

TEST(ClientShapes, of_a_circle_of_components_are_unknown) {
  const Api api = api_of(document_of(
      "", R"("A":{"$ref":"#/components/schemas/B"},"B":{"$ref":"#/components/schemas/A"},)"
          R"("C":{"$ref":"#/components/schemas/A"})"));
  EXPECT_EQ(api.components[0].kind, Kind::unknown);
  EXPECT_EQ(api.components[1].kind, Kind::unknown);
  EXPECT_EQ(api.components[2].kind, Kind::reference);
}

TEST(ClientShapes, of_circles_beside_what_leads_there_and_what_they_lead_to) {
  const auto to = [](const std::string& names) {
    std::string parts;
    for (const char name : names) {
      parts += std::string(parts.empty() ? "" : ",") + R"({"$ref":"#/components/schemas/)" + name +
               "\"}";
    }
    return R"({"anyOf":[)" + parts + "]}";
  };
  const Api api = api_of(document_of(
      "", R"("A":)" + to("BE") + R"(,"B":)" + to("CD") + R"(,"C":)" + to("BD") + R"(,"D":)" +
              to("F") + R"(,"E":)" + to("FB") + R"(,"F":)" + to("GF") + R"(,"G":{"type":"null"})"));
  std::string unknown;
  for (const Shape& component : api.components) {
    unknown += component.kind == Kind::unknown ? component.name : "";
  }
  EXPECT_EQ(unknown, "BCF");
}

TEST(ClientShapes, of_a_long_chain_of_references_are_found) {
  constexpr int kLength = 50'000;
  const auto first_of = [](int end) {
    std::string schemas;
    for (int i = 0; i < kLength; ++i) {
      schemas += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
                 R"(":{"$ref":"#/components/schemas/)" +
                 std::to_string(i + 1 < kLength ? i + 1 : end) + "\"}";
    }
    return api_of(document_of("", schemas)).components.front().kind;
  };
  EXPECT_EQ(first_of(kLength - 2), Kind::reference);
  EXPECT_EQ(first_of(0), Kind::unknown);
}

TEST(ClientShapes, tell_members_that_may_be_absent) {
  const Shape shape =
      shape_of(R"({"properties":{"a":{"type":"null","description":"x"},"b":{}},"required":["b"]})");
  ASSERT_EQ(shape.parts.size(), 2U);
  EXPECT_EQ(shape.parts[0].name, "a");
  EXPECT_EQ(shape.parts[0].about, "x");
  EXPECT_FALSE(shape.parts[0].is_required);
  EXPECT_TRUE(shape.parts[1].is_required);
}

TEST(ClientCalls, have_the_parameters_of_path_and_operation) {
  const Api api = api_of(document_of(
      R"("/n/{id}/{x}":{"parameters":[{"in":"path","name":"id","required":true,)"
      R"("schema":{"type":"string"}},{"in":"query","name":"q"}],)"
      R"("get":{"parameters":[{"in":"path","name":"id","schema":{"type":"integer"}},)"
      R"({"$ref":"#/components/schemas/P"},{"in":"cookie","name":"c"},)"
      R"({"in":"query","name":"fields","x-selects":""}]}})",
      R"("P":{"in":"header","name":"If-Match","required":true,"schema":{"type":"string"}})"));
  ASSERT_EQ(api.calls.size(), 1U);
  const Call& call = api.calls[0];
  EXPECT_EQ(call.id, "get_n_id_x");
  EXPECT_EQ(call.method, "GET");
  ASSERT_EQ(call.parameters.size(), 4U);
  EXPECT_EQ(call.parameters[0].value.kind, Kind::integer);
  EXPECT_TRUE(call.parameters[0].value.is_required);
  EXPECT_FALSE(call.parameters[1].value.is_required);
  EXPECT_EQ(call.parameters[2].value.name, "If-Match");
  EXPECT_EQ(call.parameters[3].value.name, "x");  // not documented, but in the path
  EXPECT_TRUE(call.parameters[3].value.is_required);
}

TEST(ClientCalls, take_the_content_that_says_most) {
  const auto coding = [](const std::string& types) {
    const Api api = api_of(
        document_of(operation_of(R"("requestBody":{"content":{)" + types + "}}", "/a", "post")));
    return api.calls[0].body.coding;
  };
  EXPECT_EQ(coding(""), Coding::none);
  EXPECT_EQ(coding(R"("text/plain":{},"application/json":{})"), Coding::json);
  EXPECT_EQ(coding(R"("application/merge-patch+JSON; a=b":{})"), Coding::json);
  EXPECT_EQ(coding(R"("*/*":{},"application/x-www-form-urlencoded":{})"), Coding::form);
  EXPECT_EQ(coding(R"("multipart/form-data":{})"), Coding::multipart);
  EXPECT_EQ(coding(R"("image/png":{})"), Coding::binary);
}

TEST(ClientCalls, know_what_a_stream_holds) {
  const auto content = [](const std::string& media) {
    return api_of(document_of(operation_of(R"("responses":{"200":{"content":{)" + media + "}}}")))
        .calls[0]
        .responses.at(0)
        .content;
  };
  const Content lines = content(
      R"("application/x-ndjson":{"schema":{"type":"string"},"x-itemSchema":{"type":"integer"}})");
  EXPECT_EQ(lines.coding, Coding::lines);
  EXPECT_EQ(lines.shape.kind, Kind::integer);
  EXPECT_EQ(content(R"("application/jsonl":{"itemSchema":{"type":"null"}})").shape.kind,
            Kind::null);
  EXPECT_EQ(content(R"("text/event-stream":{"schema":{"type":"string"}})").coding, Coding::events);
}

TEST(ClientCalls, know_what_the_data_of_an_event_is) {
  const auto data_of = [](const std::string& item) {
    const Api api = api_of(document_of(
        operation_of(R"("responses":{"200":{"content":{"text/event-stream":{"x-itemSchema":)" +
                     item + "}}}}"),
        R"("Event":{"properties":{"data":{"contentSchema":{"type":"integer"}}}},)"
        R"("Data":{"contentMediaType":"application/a+json","contentSchema":{"type":"number"}})"));
    const Content& content = api.calls[0].responses.at(0).content;
    EXPECT_EQ(content.coding, Coding::events);
    return content.is_json ? std::optional(content.shape.kind) : std::nullopt;
  };
  const auto of = [&](const std::string& data) {
    return data_of(R"({"properties":{"data":)" + data + "}}");
  };
  EXPECT_EQ(data_of(R"({"$ref":"#/components/schemas/Event"})"), Kind::integer);
  EXPECT_EQ(of(R"({"$ref":"#/components/schemas/Data"})"), Kind::number);
  EXPECT_EQ(of(R"({"contentSchema":{"$ref":"#/components/schemas/Event"}})"), Kind::reference);
  EXPECT_EQ(of(R"({"type":"object","properties":{"a":{}}})"), Kind::object);
  EXPECT_EQ(of(R"({"type":"string"})"), std::nullopt);
  EXPECT_EQ(of(R"({"contentMediaType":"text/csv","contentSchema":{}})"), std::nullopt);
  EXPECT_EQ(of(R"({"$ref":"#/components/schemas/None"})"), std::nullopt);
  EXPECT_EQ(data_of(R"({"type":"string"})"), std::nullopt);
  EXPECT_EQ(data_of(R"({"$ref":"#/nowhere"})"), std::nullopt);
  EXPECT_EQ(data_of("7"), std::nullopt);
}

TEST(ClientCalls, leave_websockets_out) {
  const Api api = api_of(document_of(operation_of(R"("responses":{"101":{}})")));
  EXPECT_TRUE(api.calls.empty());
  EXPECT_EQ(api.left_out, std::vector<std::string>{"GET /a opens a WebSocket"});
}

TEST(ClientApi, is_no_multiple_of_its_document) {
  std::string paths = operation_of(R"("description":")" + std::string(40'000, 'x') + '"', "/x");
  for (int i = 0; i < 200; ++i) {
    paths += ",\"/" + std::to_string(i) + R"(":{"$ref":"#/paths/~1x"})";
  }
  const auto api = try_api(document_of(paths));
  ASSERT_FALSE(api.has_value());
  EXPECT_TRUE(
      api.error().ends_with(": references expand to more than 64 times the size of the document"))
      << api.error();
}

std::string style_of(const std::string& words, const std::string& schema) {
  const Api api = api_of(document_of(operation_of(R"("parameters":[{"name":"p","in":"query",)" +
                                                  words + R"("schema":)" + schema + "}]"),
                                     R"("List":{"items":{}},"Object":{"properties":{"a":{}}})"));
  return api.calls.at(0).parameters.at(0).style;
}

TEST(ClientCalls, send_lists_as_their_style_says) {
  const std::string list = R"({"type":"array","items":{"type":"integer"}})";
  EXPECT_EQ(style_of("", list), "");
  EXPECT_EQ(style_of(R"("explode":true,)", list), "");
  EXPECT_EQ(style_of(R"("explode":false,)", list), ",");
  EXPECT_EQ(style_of(R"("style":"form","explode":false,)", list), ",");
  EXPECT_EQ(style_of(R"("style":"pipeDelimited",)", list), "|");
  EXPECT_EQ(style_of(R"("style":"spaceDelimited","explode":false,)", list), "%20");
  EXPECT_EQ(style_of(R"("style":"spaceDelimited","explode":true,)", list), "");
  EXPECT_EQ(style_of(R"("explode":false,)", R"({"$ref":"#/components/schemas/List"})"), ",");
  EXPECT_EQ(style_of(R"("explode":false,)", R"({"type":["array","null"],"items":{}})"), ",");
  EXPECT_EQ(style_of(R"("explode":false,)", R"({"type":"string"})"), "");
  EXPECT_EQ(style_of(R"("style":"deepObject",)", R"({"properties":{"a":{}}})"), "deep");
  EXPECT_EQ(style_of(R"("style":"deepObject",)", R"({"$ref":"#/components/schemas/Object"})"),
            "deep");
}

TEST(ClientCalls, send_lists_in_forms_as_their_encoding_says) {
  const auto form_of = [](const std::string& encoding) {
    return try_api(document_of(operation_of(
        R"("requestBody":{"content":{"application/x-www-form-urlencoded":{"schema":{"properties":)"
        R"({"a":{"items":{}},"b":{"items":{}},"c":{"items":{}}}},"encoding":{)" +
        encoding + "}}}}")));
  };
  const auto api = form_of(
      R"("a":{"explode":false},"b":{"style":"pipeDelimited"},"c":{"contentType":"text/plain"})");
  const std::vector<std::pair<std::string, std::string>> styles{{"a", ","}, {"b", "|"}};
  EXPECT_EQ(api->calls.at(0).body.styles, styles);
  const auto deep = form_of(R"("a":{"style":"deepObject"})");
  ASSERT_FALSE(deep.has_value());
  EXPECT_TRUE(deep.error().contains("/encoding/a/style: ")) << deep.error();
}

TEST(ClientCalls, are_not_made_of_styles_that_are_not_supported) {
  const auto error_of = [](const std::string& parameter, const std::string& path = "/a/{p}") {
    const auto api = try_api(
        document_of(operation_of(R"("parameters":[{"name":"p",)" + parameter + "}]", path)));
    return api ? "none" : api.error();
  };
  const std::string object = R"("schema":{"properties":{"a":{}}})";
  const std::string list = R"("schema":{"items":{}})";
  for (const std::string& wrong :
       {R"("in":"query",)" + object, R"("in":"query","explode":false,)" + object,
        R"("in":"path",)" + object, R"("in":"header",)" + object,
        R"("in":"query","style":"deepObject",)" + list, R"("in":"path","style":"matrix",)" + list,
        R"("in":"path","style":"label",)" + list, R"("in":"header","style":"form",)" + list,
        R"("in":"query","style":"simple",)" + list,
        std::string(R"("in":"query","content":{"text/csv":{"schema":{"type":"string"}}})"),
        std::string(R"("in":"query","content":{"application/json":{"schema":{"items":{}}}})")}) {
    EXPECT_TRUE(error_of(wrong).starts_with("/paths/~1a~1{p}/get/parameters/0")) << wrong;
  }
  EXPECT_EQ(error_of(R"("in":"path",)" + list), "none");
  EXPECT_EQ(error_of(R"("in":"query","content":{"application/json":{)" + object + "}}"), "none");
}

TEST(ClientApi, has_the_servers_url_with_its_defaults) {
  const auto server_of = [](const std::string& server) {
    const auto api =
        try_api(R"({"openapi":"3.1.0","info":{},"paths":{},"servers":[)" + server + "]}");
    return api ? api->server : api.error();
  };
  EXPECT_EQ(server_of(R"({"url":"https://{tenant}.shop.example/{v}",)"
                      R"("variables":{"tenant":{"default":"www"},"v":{"default":"{v}1"}}})"),
            "https://www.shop.example/%7Bv%7D1");
  EXPECT_EQ(
      server_of(R"({"url":"https://a.example/{v}","variables":{"v":{"default":"caf\u00e9 1"}}})"),
      "https://a.example/caf%C3%A9%201");
  EXPECT_EQ(server_of(R"({"url":"/my shop/%2F"})"), "/my%20shop/%2F");
  EXPECT_EQ(server_of(R"({"url":"/v1"})"), "/v1");
  for (const char* wrong :
       {R"({"url":"https://{t}.example"})", R"({"url":"https://{t}.example","variables":{"t":{}}})",
        R"({"url":"https://{t","variables":{"t":{"default":"a"}}})",
        R"({"url":"https://{t}.example","variables":{"t":{"default":7}}})"}) {
    EXPECT_TRUE(server_of(wrong).starts_with("/servers/0: ")) << wrong;
  }
  const auto own = try_api(document_of(operation_of(R"("servers":[{"url":"/v2"}])")));
  ASSERT_FALSE(own.has_value());
  EXPECT_TRUE(own.error().starts_with("/paths/~1a/get/servers: ")) << own.error();
}

TEST(ClientApi, is_not_read_from_what_is_no_document) {
  const std::pair<std::string, std::string> kWrong[] = {
      {R"({"swagger":"2.0"})", "/swagger: Swagger 2 is not supported"},
      {R"({"openapi":"3.0.3","paths":{}})", "/openapi: unsupported version \"3.0.3\""},
      {R"({"paths":{}})", "/openapi: is missing"},
      {"[]", "/openapi: is missing"},
      {R"({"openapi":"3.1.0","paths":[]})", "/paths: is not an object"},
      {document_of(R"("/a":7)"), "/paths/~1a: is not an object"},
      {document_of(R"("/a":{"get":7})"), "/paths/~1a/get: is not an object"},
      {document_of(R"("/a":{"$ref":"#/none"})"), "/paths/~1a: is not an object"},
      {document_of(R"("@example.org/":{"get":{}})"), "/paths/@example.org~1: a path must start"},
      {document_of(R"("//example.org/":{"get":{}})"),
       "/paths/~1~1example.org~1: a path must start"},
      {document_of(R"("/\\example.org/":{"get":{}})"),
       "/paths/~1\\example.org~1: a path cannot contain a"},
      {document_of(R"("/\t/example.org":{"get":{}})"),
       "/paths/~1\t~1example.org: a path cannot contain a"},
      {document_of(operation_of(R"("parameters":[{"in":"query"}])")),
       "/paths/~1a/get/parameters/0: has no name"},
      {document_of(operation_of(R"("parameters":[{"in":"body","name":"b"}])")),
       "/paths/~1a/get/parameters/0: must be in path, query"},
      {document_of(operation_of(R"("parameters":[{"in":"path","name":"b"}])")),
       "/paths/~1a/get/parameters/0: the path does not contain {b}"},
      {document_of(operation_of(R"("parameters":[{"$ref":"#/x"}])")),
       "/paths/~1a/get/parameters/0: the reference is invalid"},
      {document_of(operation_of(R"("requestBody":{"content":[]})")),
       "/paths/~1a/get/requestBody/content: is not an object"},
      {document_of(operation_of(R"("responses":{"2\"":{}})")),
       "/paths/~1a/get/responses/2\": is not a status code"},
  };
  for (const auto& [document, told] : kWrong) {
    const auto api = try_api(document);
    ASSERT_FALSE(api.has_value()) << document;
    EXPECT_TRUE(api.error().starts_with(told)) << api.error();
  }
}

TEST(ClientCalls, TakeTheSchemesThatTheyNameOrThoseOfTheDocument) {
  const Api api = api_of(kSecured);
  const auto names = [](const std::vector<Scheme>& schemes) {
    std::string all;
    for (const Scheme& scheme : schemes) {
      all += scheme.name + ":" + scheme.field + " ";
    }
    return all;
  };
  ASSERT_EQ(api.calls.size(), 4U);
  EXPECT_EQ(names(api.calls[0].schemes), "token:Authorization ");
  EXPECT_EQ(names(api.calls[1].schemes), "");  // POST is listed before PUT
  EXPECT_EQ(names(api.calls[2].schemes),
            "token:Authorization a-key:X-Key login:Authorization q:key ");
  EXPECT_EQ(names(api.calls[3].schemes), "");
  EXPECT_EQ(api.schemes.size(), 4U);
}

}  // namespace
}  // namespace eider::openapi_client
