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

/// path            behind its host, where the route has one: "api.example.org/notes/{id}"
/// way             what runs, in order; the last one is "handler" or "websocket"
/// body_bytes_max  none: any size is taken
/// where           "main.cc:31"
struct ListedRoute {
  std::string method;
  std::string path;
  std::vector<std::string> middleware;
  std::optional<std::uint64_t> body_bytes_max;
  std::string where;
};

/// rewrites  what stands ahead of routing
struct ListedRoutes {
  std::vector<std::string> rewrites;
  std::vector<ListedRoute> routes;
};

/// errors   the first line that lists no route; "" where none is listed
[[nodiscard]] Result<ListedRoutes, std::string> read_routes(std::string_view text);

}  // namespace eider
