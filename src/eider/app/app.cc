#include "eider/app/app.h"

#include "eider/app/client.h"
#include "eider/app/log_stderr.h"
#include "eider/app/proxy_trust.h"
#include "eider/app/route_table.h"
#include "eider/app/service.h"
#include "eider/base/failure.h"
#include "eider/server/topics.h"

namespace eider {

Routes Routes::group(GroupPrefix prefix) {
  RouteScope scope;
  scope.prefix = table_->scopes[scope_].prefix;
  scope.prefix.append(prefix.text() == "/" ? std::string_view() : prefix.text());
  scope.host = table_->scopes[scope_].host;
  scope.parent = scope_;
  table_->scopes.push_back(std::move(scope));
  return {*table_, table_->scopes.size() - 1};
}

Routes& Routes::use(Hook hook) {
  table_->scopes[scope_].hooks.push_back(std::move(hook));
  return *this;
}

Routes& Routes::use(Around around) {
  table_->scopes[scope_].arounds.push_back(std::move(around));
  return *this;
}

Route Routes::add(Endpoint endpoint) {
  endpoint.scope = scope_;
  endpoint.pattern.insert(0, table_->scopes[scope_].prefix);
  table_->endpoints.push_back(std::move(endpoint));
  return Route(table_->endpoints.back());
}

App::App() : App(std::make_shared<RouteTable>()) {
  owned_table_->log = stderr_log();
  state(ProxyTrust());
  state(Topics());
  topics().log_to(owned_table_->log);
}

App::App(std::shared_ptr<RouteTable> table) : Routes(*table, 0), owned_table_(std::move(table)) {}

App::App(App&&) noexcept = default;
App& App::operator=(App&&) noexcept = default;
App::~App() = default;

Routes App::host(std::string_view name) {
  RouteScope scope;
  scope.host = name;
  table_->scopes.push_back(std::move(scope));
  return at(table_->scopes.size() - 1);
}

App& App::trust_proxies(std::string_view blocks, ForwardedFields fields) {
  auto peers = TrustedPeers::parse(blocks);
  if (!peers) {
    throw Failure(Error::internal("trust_proxies: " + peers.error()));
  }
  return state(ProxyTrust{std::move(*peers), fields});
}

Topics& App::topics() const noexcept {
  return *static_cast<Topics*>(table_->states.find(&detail::kTypeKey<Topics>)->second.get());
}

App& App::trust_proxies(std::string_view blocks) {
  return trust_proxies(blocks, ForwardedFields::x_forwarded);
}

App& App::secure_by(MakeSeals make) {
  table_->make_seals = std::move(make);
  return *this;
}

App& App::body_bytes_max(std::size_t bytes) noexcept {
  table_->body_bytes_max = bytes;
  return *this;
}

App& App::speak(std::shared_ptr<const ConnectionProtocol> protocol) noexcept {
  table_->protocol = std::move(protocol);
  return *this;
}

App& App::log_to(std::shared_ptr<LogSink> sink) noexcept {
  table_->log = std::move(sink);
  topics().log_to(table_->log);
  return *this;
}

App& App::set_state(detail::TypeKey key, std::shared_ptr<void> object) {
  table_->states.insert_or_assign(key, std::move(object));
  return *this;
}

Result<std::unique_ptr<Service>> App::make_service() const {
  return AppService::create(owned_table_);
}

}  // namespace eider
