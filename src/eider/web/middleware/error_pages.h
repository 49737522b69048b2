// Shows errors as HTML pages to browsers.
// Layering: must not create errors.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "eider/app/handlers/middleware.h"
#include "eider/core/json/value.h"

namespace eider {

/// An error and its request. The texts come from requests and handlers, so a page must escape them
/// with `escape_html` (eider/text.h).
///
/// problem     the complete problem document (RFC 9457), with validation errors in `errors`
/// request_id  the ID in the log; empty without the middleware request_id
/// request     mostly empty if the request could not be read
struct ErrorPage {
  int status = 0;
  std::string_view title;
  std::string_view detail;
  std::string_view request_id;
  const json::Value& problem;
  const Request& request;
};

struct ErrorPages {
  /// Returns the complete HTML document.
  using Page = std::function<std::string(const ErrorPage&)>;

  /// Page for all errors. Default: a plain page, light or dark. The plain page has its own
  /// Content-Security-Policy, which replaces that of security_headers.
  Page page = {};
  /// Pages for single statuses, which replace `page`.
  std::map<int, Page> by_status = {};
};

/// Sends an HTML page instead of a problem document to clients that prefer HTML over JSON (Accept).
/// This applies to errors of handlers, of middleware inside of this one, and of the server itself
/// (404, 405, 413, 503).
///
///     app.use(error_pages({.by_status = {{404, [](const ErrorPage& error) { return …; }}}}));
///
/// Status and headers stay, except Content-Type and `Vary: Accept`. Custom error responses of
/// handlers that are not problem documents do not change. Use this middleware before add_languages,
/// so that pages contain the translated texts. If a page function throws, the problem document is
/// sent and nothing is logged: catch and log errors there.
[[nodiscard]] Hook error_pages(ErrorPages pages = {});

}  // namespace eider
