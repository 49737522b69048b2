// Which hosts a service answers for (DNS rebinding).
// Must not choose routes by host: App::host does.
#pragma once

#include <string>
#include <vector>

#include "eider/app/handlers/middleware.h"

namespace eider {

/// Answers for these hosts alone: "app.example", "*.app.example" for all names below, "127.0.0.1",
/// "[::1]", without ports. Other requests are a 421, and those that name no host a 400. Case, a
/// port and a dot at the end of what is asked for do not count.
///
/// A page of another site can make its own name lead to this machine (DNS rebinding); its requests
/// are "same-origin" to the browser then, and only Host tells. A service that listens on loopback
/// or in a private network, and asks for no password, needs this, or App::host with no routes
/// beside.
///
/// source  RFC 9110, sections 7.4 and 15.5.20
[[nodiscard]] Hook allow_hosts(std::vector<std::string> hosts);

}  // namespace eider
