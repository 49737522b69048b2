#include "eider/web/swagger/swagger.h"

#include <string_view>

#include "eider/app/app.h"
#include "eider/core/base/html.h"
#include "eider/web/assets/assets.h"
#include "eider/web/assets/embedded.h"

/// Made by eider_assets() of the files that cmake/EiderSwagger.cmake brings. Not its header, so
/// that this file compiles where nothing has been made yet.
[[nodiscard]] eider::EmbeddedAssets eider_swagger_assets() noexcept;

namespace eider {

namespace {

/// Swagger UI writes styles into its elements, and icons as data.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' "
    "data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// "/docs/"; a page at "/" has all beside it.
std::string below(std::string_view path) {
  return path.ends_with('/') ? std::string(path) : std::string(path) + "/";
}

/// at  the path by which it is asked for: groups and mounted apps stand below prefixes
std::string page_of(const SwaggerOptions& options, const Assets& assets, std::string_view at) {
  const auto link = [&](std::string_view name) {
    return escape_html(below(at) + assets.name(name));
  };
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>";
  page += escape_html(options.title);
  page += "</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  page += "<link rel=\"icon\" href=\"" + link("icon.png") + "\">\n";
  page += "<link rel=\"stylesheet\" href=\"" + link("swagger-ui.css") + "\">\n</head>\n<body>\n";
  page += "<div id=\"swagger-ui\" data-document=\"" + escape_html(options.document) + "\"></div>\n";
  page += "<script src=\"" + link("swagger-ui-bundle.js") + "\"></script>\n";
  page += "<script src=\"" + link("start.js") + "\"></script>\n</body>\n</html>\n";
  return page;
}

}  // namespace

void serve_swagger(Routes& routes, const SwaggerOptions& options, std::source_location where) {
  const Assets assets =
      serve_assets(routes, eider_swagger_assets(), {.prefix = below(options.path)}, where);
  routes.route(Method::get, RuntimePattern{options.path, where},
               [options, assets](const Request& request) {
                 Response response;
                 response.set_static_type("text/html; charset=utf-8");
                 response.set_body(page_of(options, assets, request.path()));
                 response.add_header("Content-Security-Policy", kPolicy);
                 return response;
               });
}

}  // namespace eider
