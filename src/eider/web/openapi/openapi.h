// The OpenAPI document (3.1) of an application, from its handlers and structs alone.
// Must not be needed to serve: it is made once, when it is asked for.
#pragma once

#include <source_location>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/operation.h"

namespace eider {

/// What no handler knows.
struct OpenApiInfo {
  std::string title = "API";
  /// Of the API, not of OpenAPI.
  std::string version = "0.0.0";
  std::string description = {};
  /// URLs where it is served, "https://api.example.org/v1"; none: where the document is.
  std::vector<std::string> servers = {};
  /// Only what lies there and below is told: "/api/v1", not "/api/v10"; empty: all.
  std::string below = {};
  /// The option that prints it, --openapi; empty: none. Each document has its own.
  std::string option = "openapi";
};

/// The document as JSON: the same operations give the same bytes, in whatever order. Routes whose
/// paths differ in the names of parameters alone stand at one path, with the names of the first in
/// the order of patterns: "/notes/{id}" for PUT "/notes/{key}" as well. Operations of a virtual
/// host say so by a server of their own; of two for the same path and method that of no host stands
/// there, or of the first by name.
///
/// source  OpenAPI Specification 3.1.1
[[nodiscard]] std::string openapi_document(const std::vector<Operation>& operations,
                                           const OpenApiInfo& info = {});

/// Serves the document of the routes that `app` has by now: write it behind them. With --openapi
/// the program prints it in place of serving. A further document has an option of its own:
///
///     serve_openapi(app, {.title = "Notes", .version = "1.2.0"});
///     serve_openapi(app, {.title = "Upkeep", .below = "/admin", .option = "openapi-admin"},
///                   "/admin/openapi.json");
///
/// errors  throws a Failure where another document, or something else, has the option
void serve_openapi(App& app, const OpenApiInfo& info = {},
                   const std::string& path = "/openapi.json",
                   std::source_location where = std::source_location::current());

}  // namespace eider
