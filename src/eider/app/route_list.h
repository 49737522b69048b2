// What `--routes` prints: each route with all that stands around its handler.
// Must not be included by applications: App::list_routes says it.
#pragma once

#include <string>

#include "eider/app/route_table.h"

namespace eider {

/// See App::list_routes.
[[nodiscard]] std::string list_routes(const RouteTable& table);

}  // namespace eider
