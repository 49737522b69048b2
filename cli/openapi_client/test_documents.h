// Documents for the tests of clients.
// Layering: for tests only.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "cli/openapi_client/api.h"
#include "eider/core/json/read.h"

namespace eider::openapi_client {

/// Returns a document with these paths and component schemas, each the contents of an object.
inline std::string document_of(const std::string& paths, const std::string& schemas = "") {
  return R"({"openapi":"3.1.1","info":{"title":"T","version":"1"},"paths":{)" + paths +
         R"(},"components":{"schemas":{)" + schemas + "}}}";
}

/// Calls with a token, with alternatives, without authentication, and with schemes that programs
/// cannot send.
inline constexpr const char* kSecured =
    R"({"openapi":"3.1.1","info":{"title":"T","version":"1"},"security":[{"token":[]}],"paths":{)"
    R"("/a":{"get":{"operationId":"a"},)"
    R"("put":{"operationId":"b","security":[{"token":["x"],"a-key":[]},{"login":[]},{"q":[]}]},)"
    R"("post":{"operationId":"c","security":[]},)"
    R"("patch":{"operationId":"d","security":[{"cookie":[]},{"tls":[]},{"other":[]},{"no":[]}]}}},)"
    R"("components":{"securitySchemes":{"token":{"type":"http","scheme":"Bearer"},)"
    R"("login":{"type":"http","scheme":"basic"},)"
    R"("a-key":{"type":"apiKey","in":"header","name":"X-Key"},)"
    R"("q":{"type":"apiKey","in":"query","name":"key"},)"
    R"("cookie":{"type":"apiKey","in":"cookie","name":"c"},"tls":{"type":"mutualTLS"},)"
    R"("other":{"type":"http","scheme":"digest"}}}})";

/// Returns GET /a, or another operation, with these members.
inline std::string operation_of(const std::string& words, const std::string& path = "/a",
                                const std::string& method = "get") {
  return '"' + path + R"(":{")" + method + "\":{" + words + "}}";
}

inline Result<Api, std::string> try_api(const std::string& document) {
  auto value = json::read<json::Value>(document);
  EXPECT_TRUE(value.has_value()) << document;
  return value ? read_api(*value) : Result<Api, std::string>(Api());
}

inline Api api_of(const std::string& document) {
  auto api = try_api(document);
  EXPECT_TRUE(api.has_value()) << api.error();
  return api ? *std::move(api) : Api();
}

}  // namespace eider::openapi_client
