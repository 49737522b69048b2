#include "eider/testkit/document_check.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "eider/core/json/json.h"

namespace eider {
namespace {

constexpr std::string_view kDocument = R"({
  "paths": {
    "/notes": {
      "get": {"responses": {"200": {"content": {"application/json": {
        "schema": {"type": "array", "items": {"$ref": "#/components/schemas/Note"}}}}}}},
      "post": {"responses": {
        "201": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Note"}}}},
        "4XX": {"content": {"application/problem+json": {}}}}}},
    "/notes/{id}": {"delete": {"responses": {"204": {"description": "Done."}}}},
    "/notes/count": {"get": {"responses": {"200": {"content": {"text/plain": {
      "schema": {"type": "integer"}}}}}}},
    "/files/{path}": {"get": {"responses": {"200": {"content": {"*/*": {}}}}}},
    "/lines": {"get": {"responses": {"200": {"content": {"application/jsonl": {
      "schema": {"type": "string"}, "x-itemSchema": {"type": "integer"}}}}}}},
    "/events": {"get": {"responses": {"200": {"content": {"text/event-stream": {
      "schema": {"type": "string"}, "x-itemSchema": {"type": "object", "required": ["data"],
        "properties": {"event": {"enum": ["tick", "message"]}, "retry": {"maximum": 9},
          "id": {"maxLength": 3}, "data": {"type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"$ref": "#/components/schemas/Note"}}}}}}}}}},
    "/binary": {"get": {
      "parameters": [{"in": "header", "name": "fields"},
                     {"in": "query", "name": "fields", "x-selects": "/a"}],
      "responses": {"200": {"content": {
        "application/cbor": {"schema": {"type": "integer"}},
        "application/x-msgpack": {"schema": {"type": "integer"}},
        "application/json": {"schema": {"properties": {"a": {"required": ["b", "c"]}}}}}},
        "400": {"content": {"application/problem+json": {"schema":
          {"properties": {"a": {"required": ["b"]}}}}}}}}},
    "/any": {"get": {"responses": {"default": {"description": "As the handler makes it."}}}}
  },
  "components": {"schemas": {"Note": {"type": "object", "required": ["title"],
    "properties": {"title": {"type": "string", "maxLength": 5}}, "additionalProperties": false}}}
})";

struct Answer {
  int status;
  std::string_view type;
  std::string_view body;
};

/// Returns the differences, one per line.
std::string held(Method method, std::string_view target, const Answer& response,
                 const DocumentCheck& check = {}) {
  TestResponse reply{.status = response.status, .headers = {}, .body = std::string(response.body)};
  if (!response.type.empty()) {
    reply.headers.emplace_back("Content-Type", response.type);
  }
  std::string all;
  for (const std::string& line :
       check_response(*json::read<json::Value>(kDocument), method, target, reply, check)) {
    all.append(line).append("\n");
  }
  return all;
}
std::string held(std::string_view target, const Answer& response) {
  return held(Method::get, target, response);
}

TEST(DocumentCheck, takes_what_is_as_the_document_has_it) {
  EXPECT_EQ(held("/notes?page=2", {200, "Application/JSON; charset=utf-8", R"([{"title":"a"}])"}),
            "");
  EXPECT_EQ(held(Method::post, "/notes", {201, "application/json", R"({"title":"a"})"}), "");
  EXPECT_EQ(held(Method::post, "/notes", {422, "application/problem+json", "{}"}), "");
  EXPECT_EQ(held(Method::delete_, "/notes/7", {204, "", ""}), "");
  EXPECT_EQ(held("/notes/count", {200, "text/plain", "12"}), "");
  EXPECT_EQ(held("/files/a/b.png", {200, "image/png", "bytes"}), "");
  EXPECT_EQ(held("/lines", {200, "application/jsonl", "1\n2\n"}), "");
  EXPECT_EQ(held("/any", {418, "text/tea", "hot"}), "");
  EXPECT_EQ(held(Method::head, "/notes", {200, "application/json", ""}), "");
}

TEST(DocumentCheck, tells_where_a_value_is_another_one) {
  EXPECT_EQ(held("/notes", {200, "application/json", R"([{"title":"too long"},{"text":1}])"}),
            "/0/title must have at most 5 characters, but has 8\n"
            "/1/title is required\n"
            "/1/text is not allowed\n");
  EXPECT_TRUE(
      held("/notes", {200, "application/json", "["}).starts_with("the response body is not JSON"));
  EXPECT_EQ(held("/notes/count", {200, "text/plain", "1.5"}),
            "the value must have type \"integer\", but is 1.5\n");
  EXPECT_EQ(held("/lines", {200, "application/jsonl", "1\ntrue\n"}),
            "line 1: the value must have type \"integer\", but is true\n");
}

TEST(DocumentCheck, HoldsEachEventAndTheDataWithin) {
  const auto events = [](std::string_view body) {
    return held("/events", {200, "text/event-stream; charset=utf-8", body});
  };
  EXPECT_EQ(events(""), "");
  EXPECT_EQ(events(": hello\n\nretry: 9\n\nevent: tick\nid: 1\ndata: {\"title\":\n"
                   "data: \"a\"}\n\ndata: cut off"),
            "");
  EXPECT_EQ(events("data: {\"title\":\"a\"}\n\ndata: {\"title\":\"too long\",\"a\":1}\n\n"),
            "event 1: /data/title must have at most 5 characters, but has 8\n"
            "event 1: /data/a is not allowed\n");
  EXPECT_EQ(events("data: {\n\n"), "event 0: /data must contain JSON, but is \"{\"\n");
  EXPECT_EQ(events("event: no\nid: 1234\nretry: 10\ndata: {\"title\":\"a\"}\n\n"),
            "event 0: /event must be one of [\"tick\",\"message\"], but is \"no\"\n"
            "event 0: /id must have at most 3 characters, but has 4\n"
            "event 0: /retry must be at most 9, but is 10\n");
  EXPECT_EQ(events("data: \xFF\n\n"), "event 0: the body is not UTF-8\n");
  EXPECT_EQ(events("data: " + std::string(std::size_t{64} * 1024, 'x') + "\n\n"),
            "the response has an event that is too long for clients\n");
}

TEST(DocumentCheck, ReadsBinaryFormatsByTheSameSchemas) {
  EXPECT_EQ(held("/binary", {200, "application/cbor", "\x05"}), "");
  EXPECT_EQ(held("/binary", {200, "application/x-msgpack", "\x05"}), "");
  EXPECT_EQ(held("/binary", {200, "application/cbor", "\xF5"}),
            "the value must have type \"integer\", but is true\n");
  EXPECT_EQ(held("/binary", {200, "application/x-msgpack", "\xC3"}),
            "the value must have type \"integer\", but is true\n");
  for (const std::string_view damaged : {"", "\x19", "\x05\x05"}) {
    EXPECT_TRUE(held("/binary", {200, "application/cbor", damaged})
                    .starts_with("the response body cannot be read"));
  }
}

TEST(DocumentCheck, LetsMembersBeMissingThatWereNotAskedFor) {
  constexpr std::string_view kSelected = R"({"a":{"b":1}})";
  EXPECT_EQ(held("/binary?fields=b", {200, "application/json", kSelected}), "");
  EXPECT_EQ(held("/binary?x=1&fields=%62,", {200, "application/json", kSelected}), "");
  EXPECT_EQ(held("/binary?fields=b,c", {200, "application/json", kSelected}), "/a/c is required\n");
  EXPECT_EQ(held("/binary", {200, "application/json", kSelected}), "/a/c is required\n");
  EXPECT_EQ(held("/binary?field=b", {200, "application/json", kSelected}), "/a/c is required\n");
  EXPECT_EQ(held("/binary?fields=c", {400, "application/problem+json", R"({"a":{}})"}),
            "/a/b is required\n");
}

TEST(DocumentCheck, tells_what_the_document_lacks) {
  EXPECT_EQ(held("/nowhere", {200, "text/plain", "a"}),
            "the document does not contain this path\n");
  EXPECT_EQ(held("/notes/", {200, "text/plain", "a"}), "the document does not contain this path\n");
  EXPECT_EQ(held(Method::put, "/notes", {200, "text/plain", "a"}),
            "the document does not contain this method for this path\n");
  EXPECT_EQ(held("/notes", {500, "application/problem+json", "{}"}),
            "the document does not contain this status, only 200\n");
  EXPECT_EQ(held("/notes", {200, "text/html", "<p>"}),
            "the response has Content-Type \"text/html\", but the document has application/json\n");
  EXPECT_EQ(held("/notes", {200, "", ""}),
            "the response has Content-Type \"\", but the document has application/json\n");
}

// Two templates match /notes/count: the router prefers the one with more literal text, and so does
// the check.
TEST(DocumentCheck, goes_by_the_template_that_the_router_goes_by) {
  EXPECT_EQ(held(Method::delete_, "/notes/count", {204, "", ""}),
            "the document does not contain this method for this path\n");
}

TEST(DocumentCheck, lets_pass_what_has_no_operation) {
  EXPECT_EQ(held("/nowhere", {404, "application/problem+json", "{}"}), "");
  EXPECT_EQ(held("/files/a/b", {404, "application/problem+json", "{}"}), "");
  EXPECT_NE(held("/files/a", {404, "application/problem+json", "{}"}), "");
  EXPECT_EQ(held(Method::put, "/notes", {405, "application/problem+json", "{}"}), "");
  EXPECT_EQ(held(Method::options, "/notes", {204, "", ""}), "");
  EXPECT_EQ(held(Method::query, "/notes", {200, "text/plain", "a"}), "");
}

TEST(DocumentCheck, leaves_out_what_it_is_told_to) {
  const DocumentCheck check{.path = "/api.json",
                            .below = "/api",
                            .excluded_paths = {"/api/hooks/"},
                            .allowed_statuses = {429}};
  EXPECT_EQ(held(Method::get, "/api.json", {200, "application/json", "{}"}, check), "");
  EXPECT_EQ(held(Method::get, "/page", {200, "text/html", ""}, check), "");
  EXPECT_EQ(held(Method::get, "/api-keys", {200, "text/html", ""}, check), "");
  EXPECT_EQ(held(Method::get, "/api/hooks/a", {200, "text/html", ""}, check), "");
  EXPECT_NE(held(Method::get, "/api/page", {200, "text/html", ""}, check), "");
  EXPECT_EQ(held(Method::get, "/api/page", {429, "text/html", ""}, check), "");
}

}  // namespace
}  // namespace eider
