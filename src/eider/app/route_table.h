// The routes, groups and states that were added to an App before it starts.
// Layering: must not be included by applications.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/handlers/after_response.h"
#include "eider/app/handlers/endpoint.h"
#include "eider/app/handlers/middleware.h"
#include "eider/app/life/checks.h"
#include "eider/app/life/lifecycle.h"
#include "eider/app/life/make_seals.h"
#include "eider/app/life/states.h"
#include "eider/app/settings/option_set.h"
#include "eider/core/base/log.h"
#include "eider/protocols/http/cidr.h"
#include "eider/protocols/http/forwarded_headers.h"
#include "eider/server/observer.h"

namespace eider {

class ConnectionProtocol;
class Topics;
namespace detail::app {
class Settings;
}

/// The arguments of App::trust_proxies.
struct ProxyTrust {
  TrustedPeers peers;
  ForwardedHeaders fields = ForwardedHeaders::x_forwarded;
};

/// A group: its full prefix, and the settings for everything in it.
struct RouteScope {
  std::string host;  // see Site::host
  std::string prefix;
  std::size_t parent = 0;  // the root is its own parent
  std::deque<Hook> hooks;
  std::deque<Guard> guards;    // run for each request
  std::deque<Guard> provided;  // providers: run only if their value is needed
  /// Replace all guards and providers of the same type, here and in inner groups; newest first.
  std::deque<Guard> overrides;
  /// Types that hooks and middleware store in the request.
  std::vector<detail::base::TypeKey> extensions;
  std::deque<Middleware> middlewares;
  UnknownQuery unknown_query = UnknownQuery::by_result;
  /// Of an app: either the whole app, or one that is mounted in it.
  std::unique_ptr<detail::app::StateStore> states = nullptr;
};

/// The source of a State<T>: a registered object, or a function that creates it. Neither: the type
/// is not registered.
///
/// scope  of the app that has it
struct FoundState {
  void* object = nullptr;
  const detail::app::StateMaker* maker = nullptr;
  const RouteScope* scope = nullptr;
};

/// An observer or a rewrite, and the scope of its app: [0], or the scope where the app is mounted.
template <class T>
struct OfApp {
  T function;
  std::size_t scope = 0;
};

/// The registered parts of an App. Shared by the App and each service that serves it.
class RouteTable : public std::enable_shared_from_this<RouteTable> {
 public:
  RouteTable();

  /// Returns whether a service uses the table. It must not change then, because handlers on other
  /// threads read it.
  [[nodiscard]] bool is_served() const noexcept { return weak_from_this().use_count() > 1; }

  std::deque<Endpoint> endpoints;
  std::deque<RouteScope> scopes;  // [0] is the app
  [[nodiscard]] FoundState find_state(detail::base::TypeKey key,
                                      const RouteScope& scope) const noexcept;
  /// Returns the scope, or the one around it, whose app has the states for handlers in `scope`.
  [[nodiscard]] const RouteScope& owner_of_states(const RouteScope& scope) const noexcept;
  [[nodiscard]] detail::app::StateStore& states() noexcept { return *scopes.front().states; }
  /// Moves everything that was added to `other` below the prefix of that scope.
  void mount(std::size_t scope, RouteTable& other);
  /// Sets `proxy_trust`, and that of mounted apps, which their hooks refer to.
  void trust(ProxyTrust trust);

  // Objects of the app itself, which handlers can use like states.
  const std::shared_ptr<Topics> topics;
  const std::shared_ptr<ProxyTrust> proxy_trust;
  const std::shared_ptr<detail::app::AfterWork> after_work;
  const std::shared_ptr<detail::app::Checks> checks;
  std::size_t body_bytes_max = std::size_t{1} << 20;
  std::vector<OfApp<Rewrite>> rewrites;
  std::vector<OfApp<Observer>> observers;
  /// SlowObserver::on_slow
  struct Slow {
    Duration after;
    std::function<void(const RequestState&)> function;
    std::size_t scope = 0;
  };
  std::vector<Slow> slow_observers;
  std::deque<detail::app::Part> parts;  // in the order in which they start
  std::shared_ptr<LogSink> log;
  std::shared_ptr<const ConnectionProtocol> protocol;
  MakeSeals make_seals;
  OptionSet options;
  OptionSet responses;  // flags that print a text instead of serving
  /// The settings that SIGHUP reloads; null: none.
  std::shared_ptr<detail::app::Settings> settings;
  /// There are TLS certificates. Changed files are noticed without a signal; SIGHUP reloads them,
  /// too.
  bool reads_certificates = false;
  /// Applies the current limits of `settings` to the running server. Empty while no server runs.
  std::function<void()> take_limits;
  /// Mounted apps trust the same proxies, and write to the log of this one: see App::log_writer.
  std::vector<std::shared_ptr<RouteTable>> mounted_tables;
  std::weak_ptr<const RouteTable> mounted_in;
  std::vector<detail::app::ReachedFile> reached;
};

/// Returns whether a request's path is the prefix of a group or below it. Compared like routes:
/// after decoding once, and an escaped slash does not separate segments.
[[nodiscard]] bool lies_below(std::string_view path, std::string_view prefix);
/// Returns whether a request belongs to the app with that scope, by its host and by the pattern
/// that matched. Without a matched pattern (before routing, or for a 404), its path decides.
[[nodiscard]] bool is_of_app(const RouteScope& scope, const RequestHead& head,
                             std::string_view route);

/// Returns the groups around an endpoint, outermost first.
[[nodiscard]] std::vector<const RouteScope*> scopes_around(const RouteTable& table,
                                                           const Endpoint& endpoint);

}  // namespace eider
