// The OpenAPI document (3.1) of an application, from its handlers and structs alone.
// Must not be needed to serve: it is made once, when it is asked for.
#pragma once

#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/operation.h"

namespace eider {

/// What no handler knows.
struct OpenApiInfo {
  std::string title = "API";
  /// Of the API, not of OpenAPI.
  std::string version = "0.0.0";
  std::string description = {};
  /// URLs where it is served, "https://api.example.org/v1"; none: where the document is.
  std::vector<std::string> servers = {};
  /// Only what lies below is told, "/api/v1"; empty: all.
  std::string below = {};
};

/// The document as JSON: the same operations give the same bytes, in whatever order. Operations of
/// a virtual host say so by a server of their own; of two for the same path and method that of no
/// host stands there, or of the first by name.
///
/// source  OpenAPI Specification 3.1.1
[[nodiscard]] std::string openapi_document(const std::vector<Operation>& operations,
                                           const OpenApiInfo& info = {});

/// Serves the document of the routes that `app` has by now: write it behind them. With --openapi
/// the program prints it in place of serving.
///
///     serve_openapi(app, {.title = "Notes", .version = "1.2.0"});
void serve_openapi(App& app, const OpenApiInfo& info = {},
                   const std::string& path = "/openapi.json");

}  // namespace eider
