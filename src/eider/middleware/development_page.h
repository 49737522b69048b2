// What went wrong, shown to whoever develops the application on their own machine.
// Must not be used in production: it is there for a program that asks for it by an option.
#pragma once

#include "eider/app/middleware.h"

namespace eider {

/// Answers a 500 by what was thrown: its type and text, with what it was nested around, the route
/// and where that was added, and the request. A page for browsers, members of the problem document
/// (`exception`, `where`, …) for programs.
///
///     if (own.development) {              // an option of one's own: --development
///       app.use(development_page());
///     }
///
/// Only clients on this machine see it: from a loopback address, that ask for a loopback host
/// ("localhost", so that no page of another name can read it) and come by no proxy (Forwarded,
/// X-Forwarded-For, X-Real-IP, Via). For all others a 500 is what it is without. Values of fields,
/// cookies and parameters whose names speak of secrets are left out, and so is content.
[[nodiscard]] Hook development_page();

}  // namespace eider
