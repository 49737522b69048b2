// An error page with details for developers on their own machine.
// Layering: must not be used in production; a program enables it with an option.
#pragma once

#include "eider/app/handlers/middleware.h"

namespace eider {

/// Adds details of the exception to a 500: its type and text, nested exceptions, the route and
/// where the route was added, and the request. Browsers get a page; programs get members of the
/// problem document (`exceptions`, `where`, …).
///
///     if (own.development) {              // a custom option: --development
///       app.use(development_page());
///     }
///
/// Only clients on this machine see the details: from a loopback address that trust_proxies() does
/// not name, with a loopback host in the request. Pages with another name than "localhost" cannot
/// read it. A request with a header that proxies add (Forwarded, X-Forwarded-*, X-Real-IP, Via,
/// CF-*, …) is not from this machine. All others get the usual 500. Some proxies add no such
/// header, so never use it in production. Values of headers, cookies and parameters with names of
/// secrets are omitted, and so is the request body.
[[nodiscard]] ClientHook development_page();

}  // namespace eider
