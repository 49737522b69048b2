// Redirects from the path of a mount or a group without its last slash to the one with the slash.
// Layering: must not know files.
#pragma once

#include <string_view>

#include "eider/app/handlers/endpoint.h"
#include "eider/app/route_table.h"

namespace eider::detail::app {

/// Returns the pattern from which requests are redirected to `endpoint`, or an empty text. A route
/// has one if it serves the path of a mount or group itself: "/docs/" or "/docs/{path...}" in the
/// group "/docs".
[[nodiscard]] std::string_view edge_of(const Endpoint& endpoint, const RouteScope& scope) noexcept;

/// Returns whether the route of `other` is meant for the paths of `edge`, and not for all paths
/// below a prefix.
[[nodiscard]] bool takes_edge(const Endpoint& other, Method method, std::string_view edge) noexcept;

/// Returns a route that redirects from `edge` to `endpoint`.
[[nodiscard]] Endpoint make_edge(const Endpoint& endpoint, std::string_view edge);

/// Redirects to the same path with a slash at its end: "./docs/?page=2". The location is relative,
/// so that it names no other host and works below a prefix that a proxy removes.
void redirect_to_directory(const Request& request, Response& response);

}  // namespace eider::detail::app
