// Swagger UI for the OpenAPI document of an application.
// Layering: must not load external resources; the program contains all files.
#pragma once

#include <source_location>
#include <string>

namespace eider {

class Routes;

/// title      of the page
/// path       path of the page in its group; its files are below
/// document   path of the document of serve_openapi, independent of the group
struct SwaggerOptions {
  std::string title = "API";
  std::string path = "/docs";
  std::string document = "/openapi.json";
};

/// Adds the Swagger UI pages, light or dark according to the system. Protect them like the
/// document: if that has a guard, add them to its group.
///
///     serve_openapi(app, {.title = "Notes"});
///     serve_swagger(app, {.title = "Notes"});
///
/// Their Content-Security-Policy allows only requests to this server, so other `servers` of the
/// document cannot be tried.
void serve_swagger(Routes& routes, const SwaggerOptions& options = {},
                   std::source_location where = std::source_location::current());

}  // namespace eider
