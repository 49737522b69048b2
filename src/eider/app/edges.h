// Redirects from the path of a mount or a group without its last slash to the one with the slash.
// Layering: must not know files.
#pragma once

#include <string_view>

#include "eider/app/handlers/endpoint.h"
#include "eider/app/route_table.h"

namespace eider::detail::app {

/// The pattern from which requests are redirected to `endpoint`, or empty. A route
/// has one if it is what a mount or a group shows at its own path: "/docs/" or "/docs/{path...}" in
/// the group "/docs".
[[nodiscard]] std::string_view edge_of(const Endpoint& endpoint, const RouteScope& scope) noexcept;

/// Whether the route of `other` is meant for the paths of `edge`, and not for all below a prefix.
[[nodiscard]] bool takes_edge(const Endpoint& other, Method method, std::string_view edge) noexcept;

/// A route that redirects from `edge` to `endpoint`.
[[nodiscard]] Endpoint make_edge(const Endpoint& endpoint, std::string_view edge);

/// Redirects to the same path with a slash at its end: "./docs/?page=2". The location is relative,
/// so that it names no other host, and prefixes that a proxy has removed do not matter.
void redirect_to_directory(const Request& request, Response& response);

}  // namespace eider::detail::app
