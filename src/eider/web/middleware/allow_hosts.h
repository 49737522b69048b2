// Restricts the host names of requests (protection from DNS rebinding).
// Layering: must not choose routes by host; App::host does.
#pragma once

#include <string>
#include <vector>

#include "eider/app/handlers/middleware.h"

namespace eider {

/// Accepts requests only for these hosts, without ports: "app.example", "*.app.example" for all
/// subdomains, "127.0.0.1", "[::1]". Other hosts get a 421, and requests without a host a 400.
/// Case, a port and a trailing dot of the requested host are ignored.
///
/// A page of another site can let its own name resolve to this machine (DNS rebinding). The browser
/// then treats its requests as "same-origin", and only Host reveals them. A service without
/// passwords that listens on loopback or in a private network needs this middleware, or App::host
/// without other routes.
///
/// source  RFC 9110, sections 7.4 and 15.5.20
[[nodiscard]] Hook allow_hosts(std::vector<std::string> hosts);

}  // namespace eider
