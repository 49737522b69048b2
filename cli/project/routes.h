// Parses the output of `--routes`.
// Layering: must not run the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/base/result.h"

namespace eider {

/// path            with the host before it, if the route has one: "api.example.org/notes/{id}"
/// middleware      steps in order; the last one is "handler" or "websocket"
/// body_bytes_max  empty: unlimited
/// where           "main.cc:31"
struct ListedRoute {
  std::string method;
  std::string path;
  std::vector<std::string> middleware;
  std::optional<std::uint64_t> body_bytes_max;
  std::string where;
};

/// rewrites  steps before routing
struct ListedRoutes {
  std::vector<std::string> rewrites;
  std::vector<ListedRoute> routes;
};

/// errors   the first line that is not a route; "" if there are no lines
[[nodiscard]] Result<ListedRoutes, std::string> read_routes(std::string_view text);

}  // namespace eider
