// Documents for the tests of clients.
// Must not be valid where a test wants them wrong.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "eider/cli/openapi_client/api.h"
#include "eider/json/read.h"

namespace eider::openapi_client {

/// A document of these paths and component schemas, each the inside of an object.
inline std::string document_of(const std::string& paths, const std::string& schemas = "") {
  return R"({"openapi":"3.1.1","info":{"title":"T","version":"1"},"paths":{)" + paths +
         R"(},"components":{"schemas":{)" + schemas + "}}}";
}

/// GET /a, or another, with these words.
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
