// The CSRF token of a request, for pages that the library renders.
// Layering: must not render; handlers of applications have a CsrfToken parameter.
#pragma once

#include "eider/web/middleware/csrf.h"

namespace eider::detail::middleware {

/// Returns the token of the request, which it creates if necessary; null if the app does not use
/// csrf.
[[nodiscard]] const CsrfToken* csrf_token_of(Request& request);

}  // namespace eider::detail::middleware
