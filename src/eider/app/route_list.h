// The output of `--routes`: each route with the middleware and guards of its handler.
// Layering: must not be included by applications; App::list_routes is public.
#pragma once

#include <string>

#include "eider/app/route_table.h"

namespace eider {

/// See App::list_routes.
[[nodiscard]] std::string list_routes(const RouteTable& table);

}  // namespace eider
