#include "eider/app/app.h"

#include "eider/app/handlers/client.h"
#include "eider/app/life/log_stderr.h"
#include "eider/app/route_table.h"
#include "eider/app/service.h"
#include "eider/app/settings/settings.h"
#include "eider/app/urls.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/startup_code.h"
#include "eider/server/topics.h"

namespace eider {

using detail::base::with_code;

App::App() : App(std::make_shared<RouteTable>()) {
  owned_table_->log = stderr_log();
  topics().log_to(owned_table_->log);
}

App::App(std::shared_ptr<RouteTable> table) : Routes(*table, 0), owned_table_(std::move(table)) {}

App::App(App&&) noexcept = default;
App& App::operator=(App&&) noexcept = default;
App::~App() = default;

Routes App::host(std::string_view name) {
  RouteScope scope;
  scope.host = name;
  to_extend("a host").scopes.push_back(std::move(scope));
  return at(table_->scopes.size() - 1);
}

App& App::trust_proxies(std::string_view blocks, ForwardedHeaders fields) {
  auto peers = TrustedPeers::parse(blocks);
  if (!peers) {
    throw Failure(Error::internal(with_code("invalid-address", "trust_proxies: " + peers.error())));
  }
  to_extend("trust_proxies()").trust({std::move(*peers), fields});
  return *this;
}

Topics& App::topics() const noexcept {
  return *table_->topics;
}

const Urls& App::urls() const noexcept {
  return *static_cast<const Urls*>(
      table_->states().modules.at(&detail::base::kTypeKey<Urls>).get());
}

App& App::trust_proxies(std::string_view blocks) {
  return trust_proxies(blocks, ForwardedHeaders::x_forwarded);
}

App& App::set_seals(MakeSeals make) {
  table_->make_seals = std::move(make);
  return *this;
}

App& App::body_bytes_max(std::size_t bytes) noexcept {
  table_->body_bytes_max = bytes;
  return *this;
}

App& App::add_protocol(std::shared_ptr<const ConnectionProtocol> protocol) noexcept {
  table_->protocol = std::move(protocol);
  return *this;
}

App& App::use(Rewrite rewrite) {
  to_extend("use(" + rewrite.name + ")").rewrites.push_back({std::move(rewrite)});
  return *this;
}

App& App::observe(Observer observer) {
  RouteTable& table = to_extend("observe()");
  if (const auto* const slow = observer.target<SlowObserver>()) {
    table.slow_observers.push_back({slow->after, slow->on_slow});
  }
  table.observers.push_back({std::move(observer)});
  return *this;
}

void App::add_module(detail::base::TypeKey key, std::shared_ptr<void> object,
                     detail::app::Part part, detail::app::Part part_on_loops) {
  auto& modules = to_extend("module " + part.name).states().modules;
  if (!modules.try_emplace(key, std::move(object)).second) {
    throw Failure(Error::internal(
        with_code("duplicate-module", "module " + part.name + " is already added")));
  }
  add(std::move(part));
  if (part_on_loops.background.is_there()) {
    add(std::move(part_on_loops));
  }
}

OptionSet App::options() const {
  OptionSet all = table_->options;
  for (const detail::app::Part& part : table_->parts) {
    if (part.add_settings) {
      part.add_settings(all);
    }
  }
  for (const detail::app::OptionSpec& response : table_->responses.options()) {
    all.add_output(response.name, response.help, response.output);
  }
  return all;
}

App& App::on_option(std::string_view name, std::string_view help,
                    std::function<std::string()> response) {
  table_->responses.add_output(name, help, std::move(response));
  return *this;
}

App& App::options(OptionSet own) {
  table_->options = std::move(own);
  return *this;
}

App& App::log_to(std::shared_ptr<LogSink> sink) noexcept {
  table_->log = std::move(sink);
  topics().log_to(table_->log);
  return *this;
}

App& App::set_override(detail::base::TypeKey key, std::shared_ptr<void> object) {
  to_extend("a state").states().overrides.insert_or_assign(key, std::move(object));
  return *this;
}

std::shared_ptr<void> App::find_state(detail::base::TypeKey key) const {
  const auto& given = table_->states().given;
  const auto found = given.find(key);
  return found == given.end() ? nullptr : found->second;
}

App& App::add_override(Guard guard) {
  to_extend("a provider").scopes.front().overrides.push_front(std::move(guard));
  return *this;
}

App& App::add_maker(detail::app::StateMaker maker) {
  const std::string name(maker.type_name);
  auto& makers = to_extend("a function that makes " + name).states().makers;
  if (!makers.try_emplace(maker.key, std::move(maker)).second) {
    throw Failure(Error::internal(
        with_code("duplicate-state", "a function that makes " + name + " is already registered")));
  }
  return *this;
}

App& App::set_state(detail::base::TypeKey key, std::string_view type_name,
                    std::shared_ptr<void> object) {
  auto& given = to_extend("a state").states().given;
  if (!given.try_emplace(key, std::move(object)).second) {
    throw Failure(Error::internal(
        with_code("duplicate-state",
                  "app.state: a " + std::string(type_name) +
                      " is already registered, and State<T> finds one object per type. Give the "
                      "second one its own type, or call override_state in a test")));
  }
  return *this;
}

std::vector<Operation> App::operations() const {
  return describe_operations(*owned_table_);
}

std::function<std::string()> App::settings_text() const {
  return [table = std::weak_ptr<const RouteTable>(owned_table_)] {
    const auto served = table.lock();
    return served == nullptr || served->settings == nullptr ? std::string()
                                                            : served->settings->print();
  };
}

std::function<void(LogLevel, std::string_view)> App::log_writer() const {
  return [table = std::weak_ptr<const RouteTable>(owned_table_)](LogLevel level,
                                                                 std::string_view line) {
    auto served = table.lock();
    while (served != nullptr && !served->mounted_in.expired()) {
      served = served->mounted_in.lock();
    }
    if (served != nullptr && served->log != nullptr) {
      served->log->write(level, line);
    }
  };
}

Result<std::unique_ptr<RequestService>> App::make_service() const {
  return AppService::create(owned_table_);
}

}  // namespace eider
