// Marks a route whose query is a secret, so that logs do not contain it.
// Layering: must not hide the query from the handler.
#pragma once

#include "eider/app/handlers/middleware.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"

namespace eider {

/// Put into a request whose query is a secret: access_log leaves it out, and so does the way back
/// from a login page (users.h).
struct RedactQuery {};

/// A hook, for routes that come by a link which opens something, such as a new password's:
///
///     app.get("/reset", &show_reset).use(redact_query());
///
/// What is refused ahead of it, and what no route takes, access_log knows by the names in its query
/// alone. What its page loads, and where that leads, is told its origin alone
/// (`Referrer-Policy: strict-origin`).
[[nodiscard]] inline Hook redact_query() {
  return {.on_request =
              [](Request& request, Response&) {
                request.set(RedactQuery{});
                return true;
              },
          .on_response =
              [](const Request&, Response& response) {
                // Not no-referrer for all: a page's own forms have `Origin: null` then, and
                // cross_origin_protection refuses these.
                if (response.find_header("Referrer-Policy") != "no-referrer") {
                  response.replace_header("Referrer-Policy", "strict-origin");
                }
              },
          .name = "redact_query",
          .extensions = {kExtension<RedactQuery>}};
}

}  // namespace eider
