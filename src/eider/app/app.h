// An application: routes, what runs around them, what they share, and how it is run.
// Must not serve by itself: it hands a Service to the server (service.h).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "eider/app/endpoint.h"
#include "eider/app/make_seals.h"
#include "eider/app/middleware.h"
#include "eider/app/pattern_for.h"
#include "eider/base/log.h"
#include "eider/server/service.h"

namespace eider {

class ConnectionProtocol;
class RouteTable;
class Topics;
struct ServerOptions;
struct WebSocketOptions;
enum class ForwardedFields : std::uint8_t;

/// The route just added, for what is said about it beyond pattern and handler.
class Route {
 public:
  explicit Route(Endpoint& endpoint) noexcept : endpoint_(&endpoint) {}
  /// The largest body this route takes, in bytes; a larger one is a 413 before it is read.
  Route& body_bytes_max(std::size_t bytes) noexcept {
    endpoint_->body_bytes_max = bytes;
    return *this;
  }
  /// Takes requests without content from TLS 1.3's early data, in a client's first flight: a round
  /// trip is saved, and somebody who has recorded them may send them again. This process serves a
  /// recorded flight once (docs/howto/tls.md says how far that goes), but what a client or a proxy
  /// repeats by itself cannot be told from it. So only what changes nothing may be asked for
  /// like that: GET, HEAD and OPTIONS. Requests of other routes are answered by 425, whereupon
  /// clients ask again behind the handshake; so are those that a proxy calls early (Early-Data: 1).
  ///
  /// source  RFC 8470
  Route& allow_early_data() noexcept {
    endpoint_->allows_early_data = true;
    return *this;
  }

 private:
  Endpoint* endpoint_;
};

/// Where routes are added: the app itself or a group of it.
///
/// Hooks and middleware hold for all routes of their group and of the groups within, whether those
/// were added before or after. Hooks run outside middleware, outer groups outside inner ones.
class Routes {
 public:
  template <class F>
  Route get(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::get, pattern, std::move(handler));
  }
  template <class F>
  Route post(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::post, pattern, std::move(handler));
  }
  template <class F>
  Route put(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::put, pattern, std::move(handler));
  }
  template <class F>
  Route patch(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::patch, pattern, std::move(handler));
  }
  template <class F>
  Route del(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::delete_, pattern, std::move(handler));
  }
  /// A WebSocket (RFC 6455), defined in websocket.h: the handler is a coroutine that takes a
  /// WebSocket, a set of WebSocketHandlers, or a function that makes such.
  template <class F>
  Route ws(PatternFor<std::type_identity_t<F>> pattern, F handler);
  template <class F>
  Route ws(PatternFor<std::type_identity_t<F>> pattern, F handler, WebSocketOptions options);
  template <class F>
  Route route(Method method, PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return add(detail::make_endpoint(method, std::string(pattern.text()), std::move(handler)));
  }

  /// Routes below `prefix` with hooks of their own.
  [[nodiscard]] Routes group(GroupPrefix prefix);

  /// Hooks: `use(request_id(), access_log())`; coroutines: `use([](Request&, Next next) -> … )`.
  template <class... M>
    requires(sizeof...(M) > 1)
  Routes& use(M... middleware) {
    (use(std::move(middleware)), ...);
    return *this;
  }
  Routes& use(Hook hook);
  Routes& use(Around around);
  /// Called before each handler: `void(Request&)`, or `Result<void>(Request&)` to refuse.
  template <class F>
  Routes& before(F function);
  /// Called with each response: `void(const Request&, Response&)`.
  Routes& after(std::function<void(const Request&, Response&)> function) {
    return use(Hook{.before = {}, .after = std::move(function)});
  }

 protected:
  Routes(RouteTable& table, std::size_t scope) noexcept : table_(&table), scope_(scope) {}

  [[nodiscard]] Routes at(std::size_t scope) const noexcept { return {*table_, scope}; }
  Route add(Endpoint endpoint);

  RouteTable* table_;
  std::size_t scope_;
};

class App : public Routes {
 public:
  App();
  App(App&&) noexcept;
  App& operator=(App&&) noexcept;
  ~App();

  /// Shares `object` with all handlers that take State<T>: one object for all threads.
  template <class T>
  App& state(T object) {
    return set_state(&detail::kTypeKey<T>, std::make_shared<T>(std::move(object)));
  }
  /// Takes the place of an object given before: for tests.
  template <class T>
  App& override_state(T object) {
    return state(std::move(object));
  }

  /// Routes of a virtual host: "api.example.org", or "*.example.org" for all names below. The app's
  /// own routes answer for every other name, and never for this one; its hooks hold for all.
  [[nodiscard]] Routes host(std::string_view name);

  /// Who is subscribed to what, of all WebSockets: to publish from outside of a handler.
  [[nodiscard]] Topics& topics() const noexcept;

  /// Whose word is taken about where a request came from (client.h): blocks separated by commas,
  /// "10.0.0.0/8, ::1, unix". Nobody's by default. Throws a Failure that names a wrong block.
  ///
  /// fields  those that the trusted proxies set, whatever the client sent
  App& trust_proxies(std::string_view blocks, ForwardedFields fields);
  /// Those of X-Forwarded-For, -Proto and -Host.
  App& trust_proxies(std::string_view blocks);

  /// The largest body a route takes unless it says otherwise (1 MiB).
  App& body_bytes_max(std::size_t bytes) noexcept;
  /// Lets clients speak another protocol than HTTP/1.1, too: see e.g. enable_http2.
  App& speak(std::shared_ptr<const ConnectionProtocol> protocol) noexcept;
  /// Where the app's own lines go (standard error).
  App& log_to(std::shared_ptr<LogSink> sink) noexcept;

  /// Lets the app speak TLS where its options say so; enable_tls (tls/tls.h) calls it.
  App& secure_by(MakeSeals make);

  /// What the server runs. The App may be gone by then.
  ///
  /// errors  patterns that conflict or are malformed, a State<T> that nobody gave, early data where
  ///         it may not be: all of them, one per line, each with the mend
  [[nodiscard]] Result<std::unique_ptr<Service>> make_service() const;

  /// Serves until SIGINT or SIGTERM, then drains. `--help` lists the options.
  ///
  /// returns  the process's exit code: 0 after a clean stop, 1 when it could not start (said on
  ///          standard error), 2 for options that are not understood
  [[nodiscard]] int run(int argc, char** argv);
  /// The same with options that the program chose itself.
  [[nodiscard]] int serve(const ServerOptions& options);

 private:
  explicit App(std::shared_ptr<RouteTable> table);
  [[nodiscard]] Result<void> add_seals(ServerOptions& options) const;
  App& set_state(detail::TypeKey key, std::shared_ptr<void> object);

  std::shared_ptr<RouteTable> owned_table_;
};

template <class F>
Routes& Routes::before(F function) {
  return use(Hook{.before =
                      [function = std::move(function)](Request& request, Response& response) {
                        if constexpr (std::is_void_v<decltype(function(request))>) {
                          function(request);
                          return true;
                        } else {
                          Result<void> allowed = function(request);
                          if (!allowed) {
                            render_error(response, allowed.error());
                          }
                          return allowed.has_value();
                        }
                      },
                  .after = {}});
}

}  // namespace eider
