// Swagger UI over the OpenAPI document of an application: pages that tell an API, and try it.
// Must not load anything from elsewhere: what the page needs is in the program.
#pragma once

#include <source_location>
#include <string>

namespace eider {

class Routes;

/// title      of the page
/// path       where the page is, in its group; what it needs lies below
/// document   where serve_openapi has the document, whatever the group
struct SwaggerOptions {
  std::string title = "API";
  std::string path = "/docs";
  std::string document = "/openapi.json";
};

/// Adds the pages; light or dark as the reader's system is. They are for people that may see the
/// document: where that has a guard, add them to its group.
///
///     serve_openapi(app, {.title = "Notes"});
///     serve_swagger(app, {.title = "Notes"});
///
/// Their Content-Security-Policy lets them ask this server alone, so requests are tried here, not
/// at other `servers` of the document.
void serve_swagger(Routes& routes, const SwaggerOptions& options = {},
                   std::source_location where = std::source_location::current());

}  // namespace eider
