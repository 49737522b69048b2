#include "eider/app/route_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "eider/app/sites.h"
#include "eider/app/urls.h"
#include "eider/core/base/buffer.h"
#include "eider/protocols/route/router.h"
#include "eider/server/topics.h"

namespace eider {

namespace {

/// The result has no scope. Registered objects take precedence over functions that create them.
FoundState find_own(const detail::app::StateStore& store, detail::base::TypeKey key) noexcept {
  for (const auto* const objects : {&store.given, &store.modules}) {
    if (const auto found = objects->find(key); found != objects->end()) {
      return {.object = found->second.get()};
    }
  }
  const auto maker = store.makers.find(key);
  return {.maker = maker == store.makers.end() ? nullptr : &maker->second};
}

bool begins_with_segments(std::string_view path, std::string_view prefix) noexcept {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

}  // namespace

RouteTable::RouteTable()
    : scopes(1),
      topics(std::make_shared<Topics>()),
      proxy_trust(std::make_shared<ProxyTrust>()),
      after_work(std::make_shared<detail::app::AfterWork>()),
      checks(std::make_shared<detail::app::Checks>()) {
  scopes.front().states = std::make_unique<detail::app::StateStore>();
  states().modules = {{&detail::base::kTypeKey<Topics>, topics},
                      {&detail::base::kTypeKey<ProxyTrust>, proxy_trust},
                      {&detail::base::kTypeKey<detail::app::AfterWork>, after_work},
                      {&detail::base::kTypeKey<detail::app::Checks>, checks},
                      {&detail::base::kTypeKey<Urls>, std::make_shared<Urls>(*this)}};
}

const RouteScope& RouteTable::owner_of_states(const RouteScope& scope) const noexcept {
  const RouteScope* owner = &scope;
  while (owner->states == nullptr) {
    owner = &scopes[owner->parent];
  }
  return *owner;
}

FoundState RouteTable::find_state(detail::base::TypeKey key,
                                  const RouteScope& scope) const noexcept {
  FoundState found;
  for (const RouteScope* owner = &owner_of_states(scope);;
       owner = &owner_of_states(scopes[owner->parent])) {
    const detail::app::StateStore& store = *owner->states;
    const bool is_known = found.object != nullptr || found.maker != nullptr;
    if (const auto other = store.overrides.find(key); other != store.overrides.end()) {
      found = {.object = other->second.get(), .maker = nullptr, .scope = owner};
    } else if (!is_known) {
      found = find_own(store, key);
      found.scope = owner;
    }
    if (owner == &scopes.front()) {
      return found;
    }
  }
}

std::vector<const RouteScope*> scopes_around(const RouteTable& table, const Endpoint& endpoint) {
  std::vector<const RouteScope*> scopes;
  for (std::size_t scope = endpoint.scope;; scope = table.scopes[scope].parent) {
    scopes.insert(scopes.begin(), &table.scopes[scope]);
    if (scope == 0) {
      return scopes;
    }
  }
}

bool lies_below(std::string_view path, std::string_view prefix) {
  Buffer scratch;
  return begins_with_segments(path_as_compared(path, scratch), prefix);
}

bool is_of_app(const RouteScope& scope, const RequestHead& head, std::string_view route) {
  if (!scope.host.empty() && !stands_for(scope.host, head.authority)) {
    return false;
  }
  return scope.prefix.empty() || (route.empty() ? lies_below(head.path, scope.prefix)
                                                : begins_with_segments(route, scope.prefix));
}

void RouteTable::trust(ProxyTrust trust) {
  *proxy_trust = std::move(trust);
  for (const std::shared_ptr<RouteTable>& mounted : mounted_tables) {
    mounted->trust(*proxy_trust);
  }
}

void RouteTable::mount(std::size_t scope, RouteTable& other) {
  const std::size_t first = scopes.size();
  const std::string prefix = scopes[scope].prefix;
  for (RouteScope& its : other.scopes) {
    its.prefix.insert(0, prefix);
    its.host = its.host.empty() ? scopes[scope].host : its.host;
    its.parent += first;
    scopes.push_back(std::move(its));
  }
  scopes[first].parent = scope;
  for (const auto own :
       {&detail::base::kTypeKey<Topics>, &detail::base::kTypeKey<ProxyTrust>,
        &detail::base::kTypeKey<detail::app::Checks>, &detail::base::kTypeKey<Urls>,
        &detail::base::kTypeKey<detail::app::AfterWork>}) {
    scopes[first].states->modules.erase(own);  // objects that mounted apps share with this app
  }
  for (Endpoint& endpoint : other.endpoints) {
    endpoint.scope += first;
    if (endpoint.takes_mount_path && endpoint.pattern == "/{rest...}" && !prefix.empty()) {
      endpoints.emplace_back(endpoint).pattern = prefix;
    }
    endpoint.pattern.insert(0, prefix);
    endpoint.body_bytes_max =
        endpoint.body_bytes_max == 0 ? other.body_bytes_max : endpoint.body_bytes_max;
    endpoints.push_back(std::move(endpoint));
  }
  for (detail::app::Part& part : other.parts) {
    part.scope += first;
    parts.push_back(std::move(part));
  }
  std::ranges::move(other.reached, std::back_inserter(reached));
  for (OfApp<Rewrite>& rewrite : other.rewrites) {
    rewrites.push_back({std::move(rewrite.function), rewrite.scope + first});
  }
  for (OfApp<Observer>& observer : other.observers) {
    observers.push_back({std::move(observer.function), observer.scope + first});
  }
  for (Slow& slow : other.slow_observers) {
    slow_observers.push_back({slow.after, std::move(slow.function), slow.scope + first});
  }
  other.mounted_in = weak_from_this();
  mounted_tables.push_back(other.shared_from_this());
  trust(*proxy_trust);
}

}  // namespace eider
