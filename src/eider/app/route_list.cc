#include <algorithm>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "eider/app/app.h"
#include "eider/app/handlers/guard_ways.h"
#include "eider/app/route_table.h"

namespace eider {

namespace {

struct RouteLine {
  std::string route;  // "GET /notes/{id}"
  std::string way;    // "request_id > guard of Caller > handler"
  std::string limit;  // "1 MiB"
  std::string where;  // "main.cc:31"
};

std::string or_else(const std::string& name, std::string_view other) {
  return name.empty() ? std::string(other) : name;
}

std::string name_of_guard(const Guard& guard) {
  return or_else(guard.name, guard.extension == nullptr
                                 ? std::string("guard")
                                 : "guard of " + std::string(guard.extension_name));
}

std::string bytes_text(std::size_t bytes) {
  constexpr std::size_t kKib = 1024;
  if (bytes == SIZE_MAX) {
    return "any size";
  }
  if (bytes != 0 && bytes % (kKib * kKib) == 0) {
    return std::to_string(bytes / kKib / kKib) + " MiB";
  }
  return bytes != 0 && bytes % kKib == 0 ? std::to_string(bytes / kKib) + " KiB"
                                         : std::to_string(bytes) + " B";
}

/// The names of the hooks, guards and middleware of one handler, in the order in which they run.
class WayText {
 public:
  WayText(const RouteTable& table, const Endpoint& endpoint) : endpoint_(endpoint) {
    for (const RouteScope* scope : scopes_around(table, endpoint)) {
      take(scope->hooks, scope->middlewares);
    }
    take(endpoint.hooks, endpoint.middlewares);
  }

  [[nodiscard]] std::string text() const {
    std::vector<std::string> steps = hooks_;
    for (const GuardOnWay& one : endpoint_.on_way) {
      steps.push_back(name_of_guard(*one.guard));
    }
    steps.insert(steps.end(), content_hooks_.begin(), content_hooks_.end());
    steps.insert(steps.end(), middlewares_.begin(), middlewares_.end());
    std::string text;
    for (const std::string& step : steps) {
      text.append(step).append(" > ");
    }
    return text.append(endpoint_.opens_websocket ? "websocket" : "handler");
  }

 private:
  void take(const auto& hooks, const auto& middlewares) {
    for (const Hook& hook : hooks) {
      if (hook.on_request || hook.on_response) {
        hooks_.push_back(or_else(hook.name, "hook"));
      }
      if (hook.on_body) {
        content_hooks_.push_back(or_else(hook.name, "hook") + " (request body)");
      }
    }
    for (const Middleware& one : middlewares) {
      middlewares_.push_back(or_else(one.name, "middleware"));
    }
  }

  const Endpoint& endpoint_;
  std::vector<std::string> hooks_;
  std::vector<std::string> content_hooks_;
  std::vector<std::string> middlewares_;
};

RouteLine line_of(const RouteTable& table, const Endpoint& endpoint) {
  const std::string where = where_text(endpoint);
  std::string route(method_of(endpoint));
  route.append(" ").append(table.scopes[endpoint.scope].host).append(endpoint.pattern);
  return {.route = std::move(route),
          .way = WayText(table, endpoint).text(),
          .limit = bytes_text(endpoint.body_bytes_max == 0 ? table.body_bytes_max
                                                           : endpoint.body_bytes_max),
          .where = where.substr(0, where.rfind(": "))};
}

/// Very long texts do not widen the column: one of them would move all others off the screen.
std::size_t widest(const std::vector<RouteLine>& lines, std::string RouteLine::* column) {
  constexpr std::size_t kPaddedMax = 60;
  std::size_t width = 0;
  for (const RouteLine& line : lines) {
    const std::size_t size = (line.*column).size();
    width = size > kPaddedMax ? width : std::max(width, size);
  }
  return width;
}

std::string laid_out(const std::vector<RouteLine>& lines) {
  std::string text;
  for (const RouteLine& line : lines) {
    for (const auto column : {&RouteLine::route, &RouteLine::way, &RouteLine::limit}) {
      const std::size_t size = (line.*column).size();
      text.append(line.*column).append(std::max(widest(lines, column), size) - size + 2, ' ');
    }
    text.append(line.where).append("\n");
  }
  return text;
}

}  // namespace

std::string App::list_routes() const {
  const RouteTable& table = *owned_table_;
  GuardWays ways(table);
  std::string wrong;  // reported when the app starts
  std::deque<Endpoint> endpoints = table.endpoints;
  std::vector<RouteLine> lines;
  for (Endpoint& endpoint : endpoints) {
    ways.resolve(endpoint, wrong);
    lines.push_back(line_of(table, endpoint));
  }
  std::string text;
  for (const auto& [rewrite, scope] : table.rewrites) {
    text.append("before routing: ").append(or_else(rewrite.name, "rewrite")).append("\n");
  }
  return text.append(laid_out(lines));
}

}  // namespace eider
