#include "eider/app/routes.h"

#include "eider/app/app.h"
#include "eider/app/handlers/guard_ways.h"
#include "eider/app/route_table.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/startup_code.h"

namespace eider {

using detail::base::with_code;

RouteTable& Routes::to_extend(std::string_view what) const {
  if (table_->is_served()) {
    throw Failure(Error::internal(with_code(
        "added-too-late", std::string(what) + " was added after the app had started. Add it before "
                                              "run(), make_service() or the TestClient")));
  }
  return *table_;
}

std::string_view Routes::prefix() const noexcept {
  return table_->scopes[scope_].prefix;
}

Routes Routes::group(GroupPrefix prefix) {
  RouteScope scope;
  scope.prefix = table_->scopes[scope_].prefix;
  scope.prefix.append(prefix.text() == "/" ? std::string_view() : prefix.text());
  scope.host = table_->scopes[scope_].host;
  scope.parent = scope_;
  to_extend("a group").scopes.push_back(std::move(scope));
  return {*table_, table_->scopes.size() - 1};
}

Routes Routes::mount(GroupPrefix prefix, App app) {
  (void)to_extend("mount()");
  RouteTable& mounted = app.to_extend("mount() of a route");
  Routes around = group(prefix);
  table_->mount(around.scope_, mounted);
  return around;
}

Routes& Routes::use(Hook hook) {
  RouteScope& scope = to_extend("use(" + hook.name + ")").scopes[scope_];
  scope.extensions.insert(scope.extensions.end(), hook.extensions.begin(), hook.extensions.end());
  scope.hooks.push_back(std::move(hook));
  return *this;
}

Routes& Routes::allow_path(std::string path, FileUse use) {
  to_extend("allow_path(" + path + ")").reached.push_back({std::move(path), use});
  return *this;
}

Routes& Routes::add(detail::app::Part part) {
  part.scope = scope_;
  to_extend(part.name).parts.push_back(std::move(part));
  return *this;
}

Routes& Routes::use(Middleware middleware) {
  to_extend("use(" + middleware.name + ")")
      .scopes[scope_]
      .middlewares.push_back(std::move(middleware));
  return *this;
}

Routes& Routes::unknown_query(UnknownQuery what) {
  to_extend("unknown_query()").scopes[scope_].unknown_query = what;
  return *this;
}

Routes& Routes::add_guard(Guard guard) {
  to_extend("a guard").scopes[scope_].guards.push_back(std::move(guard));
  return *this;
}

Routes& Routes::add_provided(Guard guard) {
  to_extend("a provider").scopes[scope_].provided.push_back(std::move(guard));
  return *this;
}

Routes& Routes::add_extension(detail::base::TypeKey key) {
  to_extend("extension()").scopes[scope_].extensions.push_back(key);
  return *this;
}

const ProxyTrust& Routes::trust() const noexcept {
  return *table_->proxy_trust;
}

Endpoint::Endpoint() = default;
Endpoint::Endpoint(const HandlerFacts& facts, Method given_method, std::string_view given_pattern,
                   std::shared_ptr<const void> given_handler)
    : HandlerFacts(facts),
      method(given_method),
      pattern(given_pattern),
      handler(std::move(given_handler)) {}
Endpoint::Endpoint(const Endpoint&) = default;
Endpoint::Endpoint(Endpoint&&) noexcept = default;
Endpoint& Endpoint::operator=(Endpoint&&) noexcept = default;
Endpoint::~Endpoint() = default;

Endpoint& Routes::add(const HandlerFacts& facts, Method method, std::string_view pattern,
                      const std::source_location& where, std::shared_ptr<const void> handler) {
  Endpoint endpoint(facts, method, table_->scopes[scope_].prefix, std::move(handler));
  endpoint.pattern += pattern;
  endpoint.scope = scope_;
  endpoint.where = where;
  return to_extend(where_text(endpoint) + name_of(endpoint))
      .endpoints.emplace_back(std::move(endpoint));
}

}  // namespace eider
