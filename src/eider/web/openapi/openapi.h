// The OpenAPI 3.1 document of an application, generated from its handlers and structs.
// Layering: must not be needed to serve requests; it is generated on request.
#pragma once

#include <source_location>
#include <string>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/operation.h"

namespace eider {

/// Information that is not in handlers.
struct OpenApiInfo {
  std::string title = "API";
  /// Version of the API, not of OpenAPI.
  std::string version = "0.0.0";
  std::string description = {};
  /// URLs of the service, "https://api.example.org/v1"; empty: the location of the document.
  std::vector<std::string> servers = {};
  /// Includes only routes at and below this path: "/api/v1", but not "/api/v10"; empty: all.
  std::string below = {};
  /// Command-line option that prints the document: --openapi; empty: none. Each document has its
  /// own.
  std::string option = "openapi";
};

/// Returns the document as JSON; the same operations lead to the same bytes, in any order. Routes
/// whose paths differ only in the names of parameters share one path, with the names of the first
/// pattern: "/notes/{id}" also for PUT "/notes/{key}". Operations of a virtual host have their own
/// server; of two with the same path and method, the one without a host is included, or the first
/// by name.
///
/// source  OpenAPI Specification 3.1.1
[[nodiscard]] std::string openapi_document(const std::vector<Operation>& operations,
                                           const OpenApiInfo& info = {});

/// Serves the document of the routes that `app` has so far: call it after adding them. With
/// --openapi, the program prints the document and exits. A further document needs its own option:
///
///     serve_openapi(app, {.title = "Notes", .version = "1.2.0"});
///     serve_openapi(app, {.title = "Upkeep", .below = "/admin", .option = "openapi-admin"},
///                   "/admin/openapi.json");
///
/// errors  throws a Failure if the option already exists
void serve_openapi(App& app, const OpenApiInfo& info = {},
                   const std::string& path = "/openapi.json",
                   std::source_location where = std::source_location::current());

}  // namespace eider
