#include "eider/app/route_table.h"

#include "eider/app/urls.h"
#include "eider/server/topics.h"

namespace eider {

RouteTable::RouteTable()
    : scopes(1),
      topics(std::make_shared<Topics>()),
      proxy_trust(std::make_shared<ProxyTrust>()),
      after_work(std::make_shared<detail::app::AfterWork>()) {
  scopes.front().states = std::make_unique<detail::app::StateStore>();
  states().modules = {{&detail::base::kTypeKey<Topics>, topics},
                      {&detail::base::kTypeKey<ProxyTrust>, proxy_trust},
                      {&detail::base::kTypeKey<detail::app::AfterWork>, after_work},
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
  const RouteScope& owner = owner_of_states(scope);
  for (const auto& objects : {&owner.states->given, &owner.states->modules}) {
    if (const auto found = objects->find(key); found != objects->end()) {
      return {.object = found->second.get(), .scope = &owner};
    }
  }
  if (const auto found = owner.states->makers.find(key); found != owner.states->makers.end()) {
    return {.maker = &found->second, .scope = &owner};
  }
  return &owner == &scopes.front() ? FoundState() : find_state(key, scopes[owner.parent]);
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

}  // namespace eider
