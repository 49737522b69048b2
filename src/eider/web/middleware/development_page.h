// What went wrong, shown to whoever develops the application on their own machine.
// Must not be used in production: it is there for a program that asks for it by an option.
#pragma once

#include "eider/app/handlers/middleware.h"

namespace eider {

/// Answers a 500 by what was thrown: its type and text, with what it was nested around, the route
/// and where that was added, and the request. A page for browsers, members of the problem document
/// (`exception`, `where`, …) for programs.
///
///     if (own.development) {              // an option of one's own: --development
///       app.use(development_page());
///     }
///
/// Only clients on this machine see it: from a loopback address that trust_proxies() does not name,
/// that request a loopback host ("localhost", so that no page of another name can read it), without
/// a header that proxies add (Forwarded, X-Forwarded-*, X-Real-IP, Via, CF-*, …). All others get
/// the usual 500. Some proxies add no such header, so never use it in production. Values of
/// headers, cookies and parameters with names of secrets are left out, and so is the request body.
[[nodiscard]] ClientHook development_page();

}  // namespace eider
