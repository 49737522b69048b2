// Rejects writing requests that pages of other sites send (CSRF protection without tokens).
// Layering: must not be the only protection of a service without cookies, passwords or its own
// network.
#pragma once

#include <string>
#include <vector>

#include "eider/app/handlers/middleware.h"

namespace eider {

/// Rejects requests that may change something with 403 if a page of another site sent them, as the
/// browser reports in Sec-Fetch-Site, Origin or Referer (source_site.h). Forms need no tokens.
/// Requests without these headers pass: they come from programs, which have no cookies of users.
/// Safe methods pass, so a GET must not change anything.
///
///     app.use(cross_origin_protection());
///
/// A page with `Referrer-Policy: no-referrer` sends its own forms with `Origin: null`: use
/// `same-origin` there. If a proxy changes Host, list the public origin as trusted.
///
/// trusted_origins  other origins whose pages may write: "https://admin.example". Throws a Failure
///                  for an invalid one
[[nodiscard]] Hook cross_origin_protection(std::vector<std::string> trusted_origins = {});

}  // namespace eider
