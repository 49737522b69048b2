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

/// What App::trust_proxies was told.
struct ProxyTrust {
  TrustedPeers peers;
  ForwardedHeaders fields = ForwardedHeaders::x_forwarded;
};

/// A group: its prefix in full and what holds for all within it.
struct RouteScope {
  std::string host;  // see Site::host
  std::string prefix;
  std::size_t parent = 0;  // the root is its own parent
  std::deque<Hook> hooks;
  std::deque<Guard> guards;    // run for each request
  std::deque<Guard> provided;  // run where what they put is asked for
  /// Stand for all that put the same, here and within; the newest first.
  std::deque<Guard> overrides;
  /// What hooks and middleware put.
  std::vector<detail::base::TypeKey> extensions;
  std::deque<Middleware> middlewares;
  UnknownQuery unknown_query = UnknownQuery::by_result;
  /// Of an app: the whole, or one that is mounted in it.
  std::unique_ptr<detail::app::StateStore> states = nullptr;
};

/// What a State<T> refers to: an object that was given, or what makes one; neither: nobody has
/// said.
///
/// scope  of the app that was told
struct FoundState {
  void* object = nullptr;
  const detail::app::StateMaker* maker = nullptr;
  const RouteScope* scope = nullptr;
};

/// An observer or a rewrite, and the scope of its app: [0], or where that is mounted.
template <class T>
struct OfApp {
  T function;
  std::size_t scope = 0;
};

/// Owned by the App and by each service that serves it.
class RouteTable : public std::enable_shared_from_this<RouteTable> {
 public:
  RouteTable();

  /// What handlers on other threads read is not to be changed.
  [[nodiscard]] bool is_served() const noexcept { return weak_from_this().use_count() > 1; }

  std::deque<Endpoint> endpoints;
  std::deque<RouteScope> scopes;  // [0] is the app
  [[nodiscard]] FoundState find_state(detail::base::TypeKey key,
                                      const RouteScope& scope) const noexcept;
  /// The scope, or the one around it, whose app has the states that are taken there.
  [[nodiscard]] const RouteScope& owner_of_states(const RouteScope& scope) const noexcept;
  [[nodiscard]] detail::app::StateStore& states() noexcept { return *scopes.front().states; }
  /// Takes over all that `other` was told, below the prefix of that scope.
  void mount(std::size_t scope, RouteTable& other);
  /// Sets `proxy_trust`, and those of the apps that are mounted, which their hooks refer to.
  void trust(ProxyTrust trust);

  // The app's own, which handlers are given as states are.
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
  OptionSet responses;  // told in place of serving
  /// What SIGHUP reads anew; null: nothing.
  std::shared_ptr<detail::app::Settings> settings;
  /// Those of TLS are looked at by themselves; who has put new ones there may say so by SIGHUP,
  /// too.
  bool reads_certificates = false;
  /// While a server runs: has it take what these say of limits by now. May be empty.
  std::function<void()> take_limits;
  std::vector<std::shared_ptr<ProxyTrust>> mounted_trusts;
  std::vector<detail::app::ReachedFile> reached;
};

/// Whether a request's path is a group's prefix itself or lies below it, compared as routes are:
/// decoded once, and an escaped slash ends no segment.
[[nodiscard]] bool lies_below(std::string_view path, std::string_view prefix);
/// Whether a request is one of the app whose scope that is: by its host, and by the pattern that
/// has matched; before that, or where none has, by its path.
[[nodiscard]] bool is_of_app(const RouteScope& scope, const RequestHead& head,
                             std::string_view route);

/// The groups around an endpoint, the outermost first.
[[nodiscard]] std::vector<const RouteScope*> scopes_around(const RouteTable& table,
                                                           const Endpoint& endpoint);

}  // namespace eider
