// The document, by hand: Drogon knows of its routes neither what they take nor what they answer.
#include "web.h"

namespace tracker {

namespace {

constexpr const char* kDocument = R"({
"openapi": "3.1.0",
"info": {"title": "Tracker", "version": "1.0.0"},
"paths": {
  "/api/signup": {"post": {"requestBody": {"$ref": "#/components/requestBodies/SignUp"},
    "responses": {"201": {"$ref": "#/components/responses/User"}, "409": {"description": "taken"},
      "422": {"description": "wrong"}}}},
  "/api/login": {"post": {"requestBody": {"$ref": "#/components/requestBodies/LogIn"},
    "responses": {"200": {"$ref": "#/components/responses/User"}, "401": {"description": "wrong"},
      "429": {"description": "too many"}}}},
  "/api/logout": {"post": {"responses": {"204": {"description": "out"}}}},
  "/api/me": {"get": {"responses": {"200": {"$ref": "#/components/responses/User"},
    "401": {"description": "a stranger"}}}},
  "/api/users/{id}/role": {"parameters": [{"$ref": "#/components/parameters/id"}],
    "put": {"requestBody": {"$ref": "#/components/requestBodies/NewRole"},
      "responses": {"200": {"$ref": "#/components/responses/User"},
        "403": {"description": "no administrator"}, "404": {"description": "nobody"}}}},
  "/api/issues": {
    "get": {"parameters": [
      {"name": "state", "in": "query", "schema": {"enum": ["open", "closed"]}},
      {"name": "priority", "in": "query",
        "schema": {"type": "integer", "minimum": 1, "maximum": 5}},
      {"name": "assignee_id", "in": "query", "schema": {"type": "integer"}},
      {"name": "q", "in": "query", "schema": {"type": "string"}},
      {"name": "sort", "in": "query", "schema": {"enum":
        ["created", "-created", "title", "-title", "priority", "-priority"]}},
      {"name": "page", "in": "query", "schema": {"type": "integer", "minimum": 1}},
      {"name": "per_page", "in": "query",
        "schema": {"type": "integer", "minimum": 1, "maximum": 100}}],
      "responses": {"200": {"description": "a page", "content": {"application/json": {"schema": {
        "type": "object", "properties": {
          "items": {"type": "array", "items": {"$ref": "#/components/schemas/Issue"}},
          "total": {"type": "integer"}, "page": {"type": "integer"},
          "pages": {"type": "integer"}}}}}}}},
    "post": {"requestBody": {"$ref": "#/components/requestBodies/NewIssue"},
      "responses": {"201": {"$ref": "#/components/responses/Issue"},
        "403": {"description": "a viewer"}, "409": {"description": "no such assignee"},
        "422": {"description": "wrong"}}}},
  "/api/issues/{id}": {"parameters": [{"$ref": "#/components/parameters/id"}],
    "get": {"responses": {"200": {"$ref": "#/components/responses/Issue"},
      "404": {"description": "none"}}},
    "patch": {"requestBody": {"$ref": "#/components/requestBodies/ChangeIssue"},
      "responses": {"200": {"$ref": "#/components/responses/Issue"}, "404": {"description": "none"},
        "409": {"description": "changed meanwhile"}, "422": {"description": "wrong"}}},
    "delete": {"responses": {"204": {"description": "gone"}, "404": {"description": "none"}}}},
  "/api/issues/{id}/attachments": {"parameters": [{"$ref": "#/components/parameters/id"}],
    "get": {"responses": {"200": {"description": "all", "content": {"application/json": {"schema": {
      "type": "array", "items": {"$ref": "#/components/schemas/Attachment"}}}}}}},
    "post": {"requestBody": {"content": {"multipart/form-data": {"schema": {"type": "object",
      "properties": {"file": {"type": "string", "format": "binary"}}}}}},
      "responses": {"201": {"description": "kept", "content": {"application/json": {"schema":
        {"$ref": "#/components/schemas/Attachment"}}}}, "413": {"description": "too large"}}}},
  "/api/attachments/{id}": {"parameters": [{"$ref": "#/components/parameters/id"}],
    "get": {"responses": {"200": {"description": "the file"}, "206": {"description": "of it"},
      "404": {"description": "none"}, "416": {"description": "not so long"}}}},
  "/api/events": {"get": {"responses": {"200": {"description": "events",
    "content": {"text/event-stream": {}}}}}},
  "/api/live": {"get": {"responses": {"101": {"description": "a WebSocket"}}}}
},
"components": {
  "parameters": {"id": {"name": "id", "in": "path", "required": true,
    "schema": {"type": "integer"}}},
  "requestBodies": {
    "SignUp": {"content": {"application/json": {"schema": {"type": "object",
      "required": ["name", "email", "password"], "additionalProperties": false, "properties": {
        "name": {"type": "string", "pattern": "^[a-z0-9_]{2,32}$"},
        "email": {"type": "string", "format": "email"},
        "password": {"type": "string", "minLength": 10, "maxLength": 200}}}}}},
    "LogIn": {"content": {"application/json": {"schema": {"type": "object",
      "required": ["name", "password"], "additionalProperties": false, "properties": {
        "name": {"type": "string"}, "password": {"type": "string"}}}}}},
    "NewRole": {"content": {"application/json": {"schema": {"type": "object", "required": ["role"],
      "properties": {"role": {"enum": ["admin", "member", "viewer"]}}}}}},
    "NewIssue": {"content": {"application/json": {"schema": {"type": "object",
      "required": ["title"], "additionalProperties": false, "properties": {
        "title": {"type": "string", "minLength": 1, "maxLength": 200},
        "body": {"type": "string", "maxLength": 10000},
        "priority": {"type": "integer", "minimum": 1, "maximum": 5},
        "labels": {"type": "array", "maxItems": 10, "uniqueItems": true,
          "items": {"type": "string"}},
        "assignee_id": {"type": ["integer", "null"]}}}}}},
    "ChangeIssue": {"content": {"application/json": {"schema": {"type": "object",
      "required": ["version"], "additionalProperties": false, "properties": {
        "version": {"type": "integer"},
        "title": {"type": "string", "minLength": 1, "maxLength": 200},
        "body": {"type": "string", "maxLength": 10000}, "state": {"enum": ["open", "closed"]},
        "priority": {"type": "integer", "minimum": 1, "maximum": 5},
        "labels": {"type": "array", "maxItems": 10, "uniqueItems": true,
          "items": {"type": "string"}},
        "assignee_id": {"type": ["integer", "null"]}}}}}}
  },
  "responses": {
    "User": {"description": "a user", "content": {"application/json": {"schema":
      {"$ref": "#/components/schemas/User"}}}},
    "Issue": {"description": "an issue", "content": {"application/json": {"schema":
      {"$ref": "#/components/schemas/Issue"}}}}
  },
  "schemas": {
    "User": {"type": "object", "properties": {"id": {"type": "integer"},
      "name": {"type": "string"}, "role": {"enum": ["admin", "member", "viewer"]}}},
    "Attachment": {"type": "object", "properties": {"id": {"type": "integer"},
      "name": {"type": "string"}, "size": {"type": "integer"}}},
    "Issue": {"type": "object", "properties": {"id": {"type": "integer"},
      "title": {"type": "string"}, "body": {"type": "string"},
      "state": {"enum": ["open", "closed"]},
      "priority": {"type": "integer"}, "labels": {"type": "array", "items": {"type": "string"}},
      "assignee_id": {"type": ["integer", "null"]}, "author": {"type": "string"},
      "version": {"type": "integer"}, "created": {"type": "string", "format": "date-time"}}}
  }
}
})";

}  // namespace

class Document : public drogon::HttpController<Document> {
 public:
  METHOD_LIST_BEGIN
  ADD_METHOD_TO(Document::show, "/openapi.json", drogon::Get);
  METHOD_LIST_END

  Task<HttpResponsePtr> show(HttpRequestPtr) {
    HttpResponsePtr response = HttpResponse::newHttpResponse();
    response->setContentTypeCode(drogon::CT_APPLICATION_JSON);
    response->setBody(std::string(kDocument));
    co_return response;
  }
};

}  // namespace tracker
