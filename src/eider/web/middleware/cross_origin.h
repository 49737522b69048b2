// What keeps pages of other sites from writing here in the name of a person (CSRF).
// Must not be all there is where a service has no own cookies, passwords or network to protect.
#pragma once

#include <string>
#include <vector>

#include "eider/app/handlers/middleware.h"

namespace eider {

/// Requests that may change something are a 403 when the page of another site caused them: by the
/// word of the browser (Sec-Fetch-Site, Origin, Referer; source_site.h), without tokens in forms.
/// What says nothing passes: it is a program, which has nobody's cookies. The safe methods pass, so
/// nothing may change by GET.
///
///     app.use(cross_origin_protection());
///
/// A page with `Referrer-Policy: no-referrer` sends its own forms with `Origin: null`: use
/// `same-origin` there. Behind a proxy that changes Host, name the outer origin as trusted.
///
/// trusted_origins  others whose pages may write: "https://admin.example"
[[nodiscard]] Hook cross_origin_protection(std::vector<std::string> trusted_origins = {});

}  // namespace eider
