// Errors as pages, for people whose browsers asked.
// Must not make errors: it shows what others have made.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "eider/app/handlers/middleware.h"
#include "eider/core/json/value.h"

namespace eider {

/// One error, as its page shows it. Texts come from requests and handlers, and may hold anything:
/// a page writes them by `escape_html` (eider/core/base/html.h).
///
/// problem     the whole problem document (RFC 9457), with what is wrong in `errors`
/// request_id  as the log has it; empty without the middleware of that name
/// request     of one that could not be read nothing is known
struct ErrorPage {
  int status = 0;
  std::string_view title;
  std::string_view detail;
  std::string_view request_id;
  const json::Value& problem;
  const Request& request;
};

struct ErrorPages {
  /// Makes the whole document, as HTML.
  using Page = std::function<std::string(const ErrorPage&)>;

  /// For all errors. Empty: the library's plain page, light or dark. The plain page has a
  /// Content-Security-Policy of its own, which replaces that of security_headers.
  Page page = {};
  /// Of single statuses, in place of that.
  std::map<int, Page> by_status = {};
};

/// Gives whoever asks for HTML rather than for JSON, plain or of a problem (Accept), a page in
/// place of a problem document: of handlers, of middleware inside of this, and of what no handler
/// sees (404, 405, 413, 503).
///
///     app.use(error_pages({.by_status = {{404, [](const ErrorPage& error) { return …; }}}}));
///
/// Status and fields stay, but for Content-Type, and `Vary: Accept`. Errors that a handler made as
/// content of its own are no problem documents, and stay as they are. Use it ahead of
/// use_languages, so that pages say the texts of that. Of a page that throws the problem document
/// stays as it is, and nothing is logged: catch there what is to be told.
[[nodiscard]] Hook error_pages(ErrorPages pages = {});

}  // namespace eider
