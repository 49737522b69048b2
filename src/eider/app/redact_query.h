// Marks a route whose query is a secret, so that logs do not contain it.
// Layering: must not hide the query from the handler.
#pragma once

#include "eider/app/handlers/middleware.h"
#include "eider/protocols/http/request.h"
#include "eider/protocols/http/response.h"

namespace eider {

/// Stored in a request whose query is a secret. access_log omits the query, and so does the URL to
/// which a login page returns (users.h).
struct RedactQuery {};

/// Returns a hook for routes whose URL contains a secret, such as a link to set a new password:
///
///     app.get("/reset", &show_reset).use(redact_query());
///
/// For requests that are rejected before this hook or that match no route, access_log only hides
/// parameters with the names of secrets (redacted_query_names). Subresources and links of the page
/// get only its origin as referrer (`Referrer-Policy: strict-origin`).
[[nodiscard]] inline Hook redact_query() {
  return {.on_request =
              [](Request& request, Response&) {
                request.set(RedactQuery{});
                return true;
              },
          .on_response =
              [](const Request&, Response& response) {
                // Not no-referrer: the page's own forms would then send `Origin: null`, which
                // cross_origin_protection rejects.
                if (response.find_header("Referrer-Policy") != "no-referrer") {
                  response.replace_header("Referrer-Policy", "strict-origin");
                }
              },
          .name = "redact_query",
          .extensions = {kExtension<RedactQuery>}};
}

}  // namespace eider
