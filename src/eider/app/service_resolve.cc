// Resolves the routes of an AppService at startup, and reports their errors.
#include <algorithm>
#include <functional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "eider/app/edges.h"
#include "eider/app/handlers/operation.h"
#include "eider/app/service.h"
#include "eider/core/base/startup_code.h"
#include "eider/core/base/text.h"
#include "eider/protocols/route/pattern.h"
#include "eider/server/topics.h"

namespace eider {

namespace {

/// The methods of Routes::any. HEAD requests use the route for GET.
constexpr Method kOfAny[] = {Method::get,   Method::post,  Method::put,    Method::delete_,
                             Method::patch, Method::query, Method::options};

bool takes_after_response(const Endpoint& endpoint) {
  const auto takes = [](const Wishes& wishes) {
    return std::ranges::find(wishes.states, &detail::base::kTypeKey<detail::app::AfterWork>,
                             &StateWish::key) != wishes.states.end();
  };
  return takes(endpoint.wishes) || std::ranges::any_of(endpoint.on_way, [&](const GuardOnWay& one) {
           return takes(one.guard->wishes);
         });
}

/// Adds each line, preceded by the source line of the route.
void tell_of(const Endpoint& endpoint, std::string_view lines, std::string& wrong) {
  while (!lines.empty()) {
    wrong.append(where_text(endpoint)).append(take_until(lines, "\n")).append("\n");
  }
}

/// Returns ", at main.cc:31": the source line of the route that already has the paths of `refused`;
/// empty if the pattern itself is invalid.
std::string place_of_conflict(std::span<const Endpoint> others, const Endpoint& refused,
                              const RouteTable& table) {
  const bool is_any = refused.method == Method::unknown;
  const Method method = is_any ? kOfAny[0] : refused.method;
  if (!Router().add(method, refused.pattern, 0)) {
    return {};
  }
  for (const Endpoint& other : others) {
    Router both;
    if (&other == &refused || other.method != refused.method ||
        table.scopes[other.scope].host != table.scopes[refused.scope].host ||
        !both.add(method, other.pattern, 0) || both.add(method, refused.pattern, 1)) {
      continue;
    }
    const std::string where = where_text(other);  // "main.cc:31: "
    return where.empty() ? where : ", at " + where.substr(0, where.size() - 2);
  }
  return {};
}

std::string refused_text(const std::string& why, std::span<const Endpoint> others,
                         const Endpoint& refused, const RouteTable& table) {
  using detail::base::CodeName;
  const bool is_valid = find_fault(refused.pattern) == PatternFault::none;
  return detail::base::with_code(is_valid ? CodeName("duplicate-route") : CodeName("invalid-route"),
                                 why + place_of_conflict(others, refused, table));
}

/// Adds the hooks and middleware of a group or route to the lists of the endpoint.
void lay_around(Endpoint& endpoint, const auto& hooks, const auto& middlewares) {
  for (const Hook& hook : hooks) {
    if (hook.on_request) {
      endpoint.before.push_back(&hook.on_request);
    }
    if (hook.on_body) {
      endpoint.on_body.push_back(&hook.on_body);
    }
    if (hook.on_response) {
      endpoint.after.push_back(&hook);
    }
  }
  for (const Middleware& one : middlewares) {
    endpoint.middleware.push_back(&one);
  }
}

/// Returns whether all results of the handler are JSON or empty (204), as for a route of an API.
bool responds_with_json_alone(const Endpoint& endpoint) {
  Operation operation;
  for (const detail::app::Describe describe : endpoint.description) {
    if (describe != nullptr) {
      describe(operation);
    }
  }
  return std::ranges::all_of(operation.responses, [](const Operation::Response& response) {
    const bool is_error =
        response.status >= 400 || (response.status == 0 && !response.contents.empty());
    return is_error || (response.is_success() &&
                        std::ranges::all_of(response.contents, [](const auto& content) {
                          return content.media_type.contains("json");
                        }));
  });
}

/// Uses the setting of the route, else that of the innermost group that has one.
bool ignores_unknown_query(const RouteTable& table, const Endpoint& endpoint) {
  UnknownQuery what = endpoint.unknown_query;
  for (const RouteScope* const scope : std::views::reverse(scopes_around(table, endpoint))) {
    what = what == UnknownQuery::by_result ? scope->unknown_query : what;
  }
  return what == UnknownQuery::by_result ? !responds_with_json_alone(endpoint)
                                         : what == UnknownQuery::ignore;
}

}  // namespace

std::string AppService::resolve() {
  std::string wrong;
  // Reserved because RequestPlan and the lists of guards contain pointers to the elements.
  endpoints_.reserve(2 * table_->endpoints.size());  // each may have a redirect (edges.h)
  for (const Endpoint& given : table_->endpoints) {
    Endpoint& endpoint = endpoints_.emplace_back(given);
    const auto index = static_cast<std::uint32_t>(endpoints_.size() - 1);
    if (endpoint.method != Method::unknown) {
      Router& router = sites_.named(table_->scopes[endpoint.scope].host).router;
      if (auto added = router.add(endpoint.method, endpoint.pattern, index); !added) {
        tell_of(endpoint, refused_text(added.error(), endpoints_, endpoint, *table_), wrong);
        continue;
      }
    }
    const PatternInfo info(endpoint.pattern);
    for (std::size_t i = 0; i < info.size(); ++i) {
      endpoint.path_names.push_back(info.name(i));
    }
    std::string of_arguments;
    resolve_arguments(endpoint, of_arguments);
    tell_of(endpoint, of_arguments, wrong);
    resolve_scopes(endpoint);
  }
  add_for_any_method(wrong);
  add_edges();
  resolve_sites();
  return wrong.append(lifetime_.resolve());
}

/// Called after all other routes were added, because these take precedence.
void AppService::add_for_any_method(std::string& wrong) {
  for (std::uint32_t index = 0; index < endpoints_.size(); ++index) {
    const Endpoint& endpoint = endpoints_[index];
    if (endpoint.method != Method::unknown) {
      continue;
    }
    Router& router = sites_.named(table_->scopes[endpoint.scope].host).router;
    std::string why;
    bool is_added = false;
    for (const Method method : kOfAny) {
      auto added = router.add(method, endpoint.pattern, index);
      is_added |= added.has_value();
      why = added ? std::move(why) : std::move(added.error());
    }
    if (!is_added) {
      tell_of(endpoint, refused_text(why, endpoints_, endpoint, *table_), wrong);
    }
  }
}

void AppService::add_edges() {
  const std::size_t count = endpoints_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const Endpoint& endpoint = endpoints_[i];
    const RouteScope& scope = table_->scopes[endpoint.scope];
    const std::string_view edge = detail::app::edge_of(endpoint, scope);
    const auto is_taken = [&](const Endpoint& other) {
      return table_->scopes[other.scope].host == scope.host &&
             detail::app::takes_edge(other, endpoint.method, edge);
    };
    if (edge.empty() || std::ranges::any_of(table_->endpoints, is_taken)) {
      continue;
    }
    Endpoint& made = endpoints_.emplace_back(detail::app::make_edge(endpoint, edge));
    std::string wrong;
    resolve_arguments(made, wrong);
    resolve_scopes(made);
    const auto index = static_cast<std::uint32_t>(endpoints_.size() - 1);
    // Guards of the group may read path parameters that the redirect does not have.
    if (!wrong.empty() || !sites_.named(scope.host).router.add(made.method, made.pattern, index)) {
      endpoints_.pop_back();
    }
  }
}

void AppService::resolve_sites() {
  sites_.each([this](Site& site) {
    site.unrouted.unrouted = &site.router;
    resolve_unrouted(site.unrouted);
  });
  unrouted_.resize(table_->scopes.size());
  for (const Endpoint& routed : endpoints_) {
    add_unrouted(routed.scope);
  }
  for (std::size_t index = 1; index < unrouted_.size(); ++index) {
    const RouteScope& scope = table_->scopes[index];
    const RouteScope& around = table_->scopes[scope.parent];
    // A group with the same prefix as the group around it is part of that one for errors.
    if (scope.states != nullptr || scope.prefix != around.prefix || scope.host != around.host) {
      add_unrouted(index);
      by_prefix_.push_back(&unrouted_[index]);
    }
  }
  // For equal prefixes, mounted apps come first, then groups that have hooks.
  std::ranges::sort(by_prefix_, std::ranges::greater(), [this](const Endpoint* group) {
    const RouteScope& scope = table_->scopes[group->scope];
    return std::tuple(scope.prefix.size(), scope.states != nullptr, !scope.hooks.empty(),
                      table_->scopes.size() - group->scope);
  });
  sites_.freeze();
}

void AppService::add_unrouted(std::size_t scope) {
  Endpoint& endpoint = unrouted_[scope];
  if (endpoint.unrouted == nullptr) {
    endpoint.scope = scope;
    endpoint.unrouted = &sites_.named(table_->scopes[scope].host).router;
    resolve_unrouted(endpoint);
  }
}

void AppService::resolve_arguments(Endpoint& endpoint, std::string& wrong) {
  // Unchecked, the handler would read past the path parameters in every request.
  (void)check_path_count(name_of(endpoint) + ": its handler", endpoint.path_types, endpoint.pattern,
                         wrong);
  endpoint.states = guard_ways_.find_states(endpoint.wishes, table_->scopes[endpoint.scope],
                                            name_of(endpoint), wrong);
  guard_ways_.resolve(endpoint, wrong);
  endpoint.ignores_unknown_query = ignores_unknown_query(*table_, endpoint);
  has_after_work_ = has_after_work_ || takes_after_response(endpoint);
  if (endpoint.body_bytes_max == 0) {
    endpoint.body_bytes_max = table_->body_bytes_max;
  }
}

void AppService::resolve_scopes(Endpoint& endpoint) const {
  endpoint.log = table_->log;
  endpoint.topics = table_->topics.get();
  for (const RouteScope* scope : scopes_around(*table_, endpoint)) {
    lay_around(endpoint, scope->hooks, scope->middlewares);
  }
  lay_around(endpoint, endpoint.hooks, endpoint.middlewares);
  for (const GuardOnWay& one : endpoint.on_way) {
    if (one.guard->middleware != nullptr) {
      endpoint.middleware.push_back(one.guard->middleware.get());
    }
  }
}

/// Without a route, there is no handler for middleware, and no hook reads the request body.
void AppService::resolve_unrouted(Endpoint& endpoint) const {
  resolve_scopes(endpoint);
  endpoint.middleware.clear();
  endpoint.on_body.clear();
}

}  // namespace eider
