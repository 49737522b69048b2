#include "eider/swagger/swagger.h"

#include <string_view>

#include "eider/app/app.h"
#include "eider/base/html.h"
#include "eider/swagger/assets.h"

namespace eider {

namespace {

namespace assets = detail::swagger;

/// Swagger UI writes styles into its elements, and icons as data.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' "
    "data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::string_view kStart = R"js(const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
SwaggerUIBundle({
  url: document.getElementById("swagger-ui").dataset.document,
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,  // it would tell another's server of ours
});
)js";

/// "/docs/"; a page at "/" has all beside it.
std::string below(std::string_view path) {
  return path.ends_with('/') ? std::string(path) : std::string(path) + "/";
}

/// at  the path by which it is asked for: groups and mounted apps stand below prefixes
std::string page_of(const SwaggerOptions& options, std::string_view at) {
  const std::string links = escape_html(below(at));
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>";
  page += escape_html(options.title);
  page += "</title>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += "<meta name=\"color-scheme\" content=\"light dark\">\n";
  page += "<link rel=\"icon\" href=\"" + links + "icon.png\">\n";
  page += "<link rel=\"stylesheet\" href=\"" + links + "swagger-ui.css\">\n</head>\n<body>\n";
  page += "<div id=\"swagger-ui\" data-document=\"" + escape_html(options.document) + "\"></div>\n";
  page += "<script src=\"" + links + "swagger-ui-bundle.js\"></script>\n";
  page += "<script src=\"" + links + "start.js\"></script>\n</body>\n</html>\n";
  return page;
}

/// What is in the program stays as it is until there is another program.
void add_asset(Routes& routes, const RuntimePattern& path, std::string_view type,
               std::string_view content) {
  routes.route(Method::get, path, [type, content] {
    Response response;
    response.set_static_type(type).set_static_body(content);
    response.add_header("Cache-Control", "max-age=3600");
    response.add_header("X-Content-Type-Options", "nosniff");
    return response;
  });
}

}  // namespace

void serve_swagger(Routes& routes, const SwaggerOptions& options, std::source_location where) {
  routes.route(Method::get, RuntimePattern{options.path, where}, [options](const Request& request) {
    Response response;
    response.set_static_type("text/html; charset=utf-8").set_body(page_of(options, request.path()));
    response.add_header("Content-Security-Policy", kPolicy);
    return response;
  });
  const std::string at = below(options.path);
  add_asset(routes, {at + "start.js", where}, "text/javascript", kStart);
  add_asset(routes, {at + "swagger-ui-bundle.js", where}, "text/javascript", assets::bundle());
  add_asset(routes, {at + "swagger-ui-bundle.js.LICENSE.txt", where}, "text/plain",
            assets::licences());
  add_asset(routes, {at + "swagger-ui.css", where}, "text/css", assets::style());
  add_asset(routes, {at + "icon.png", where}, "image/png", assets::icon());
}

}  // namespace eider
