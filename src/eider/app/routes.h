// Routes, groups of routes, and everything that is added to a group: hooks, guards, tasks.
// Layering: must not know how the app is served.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eider/app/handlers/endpoint.h"
#include "eider/app/handlers/kept_function.h"
#include "eider/app/handlers/middleware.h"
#include "eider/app/handlers/pattern_for.h"
#include "eider/app/life/lifecycle.h"

namespace eider {

class App;
class RouteTable;
struct JobOptions;
struct ScheduleOptions;
struct WebSocketOptions;

/// A route that was just added, for settings beyond its pattern and handler.
///
/// kPathValues  number of path parameters of its handler
template <std::size_t kPathValues>
class Route {
 public:
  Route(Endpoint& endpoint, const ProxyTrust& trust) noexcept
      : endpoint_(&endpoint), trust_(&trust) {}
  /// Sets the maximum size of the request body, in bytes. A larger body gets 413 before it is read.
  Route& body_bytes_max(std::size_t bytes) noexcept {
    endpoint_->body_bytes_max = bytes;
    return *this;
  }
  /// Serves this route even if the server rejects requests that waited too long
  /// (Limits::queue_time), for example for health checks. A `blocking` handler still waits for a
  /// thread.
  Route& exempt_from_load_shedding() noexcept {
    endpoint_->exempt_from_load_shedding = true;
    return *this;
  }
  /// Also serves the path of the mounted app itself ("/admin") if the pattern of this route is
  /// "/{rest...}".
  Route& with_mount_path() noexcept {
    endpoint_->takes_mount_path = true;
    return *this;
  }
  /// Sets whether unknown query parameters get a 400 or are ignored (params.h).
  Route& unknown_query(UnknownQuery what) noexcept {
    endpoint_->unknown_query = what;
    return *this;
  }
  /// Redirects the pattern without its last segment to the route: GET /docs to /docs/ for the
  /// pattern "/docs/{path...}". Routes of a group that end with the group's prefix and a slash do
  /// so by themselves. Your own route for that path takes precedence.
  Route& directory() noexcept {
    endpoint_->is_directory = true;
    return *this;
  }
  /// Sets the texts for OpenAPI documents: `.docs({.summary = "Books a room", .tags =
  /// {"bookings"}})`.
  Route& docs(RouteDocs words) {
    endpoint_->words = std::move(words);
    return *this;
  }
  /// Adds a guard to this route, like Routes::guard. It runs after the guards of the groups.
  template <class G>
  Route& guard(G function, DescribeGuard describe = {}) {
    static_assert(detail::app::Signature<G>::kPathCount <= kPathValues,
                  "this guard has more path parameters than the handler of its route");
    endpoint_->guards.push_back(
        detail::app::describe_guard(std::move(function), std::move(describe)));
    return *this;
  }
  /// Adds a hook to this route, like Routes::use. It runs inside the hooks of the groups. To change
  /// a 404 or 405, add the hook to a group instead.
  Route& use(Hook hook) {
    endpoint_->hooks.push_back(std::move(hook));
    return *this;
  }
  Route& use(Middleware middleware) {
    endpoint_->middlewares.push_back(std::move(middleware));
    return *this;
  }
  template <class M>
  Route& use(const OfClient<M>& middleware) {
    return use(middleware.make(*trust_));
  }
  template <class M>
    requires(!AnyMiddleware<M>)
  __attribute__((unavailable(
      "use() accepts a Hook or a Task<Response>(Request&, Next): add a guard such as bearer_auth "
      "with guard(), and an observer such as access_log with App::observe()"))) Route&
  use(M other);

 private:
  Endpoint* endpoint_;
  const ProxyTrust* trust_;
};

/// The type of a route whose handler is an F.
template <class F>
using RouteOf = Route<detail::app::Signature<F>::kPathCount>;

/// Adds routes, either to the app itself or to a group of it.
///
/// Hooks and middleware apply to all routes of their group and of inner groups, including those
/// that were added before. Hooks run outside middleware, outer groups outside inner ones.
class Routes {
 public:
  template <class F>
  RouteOf<F> get(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::get, pattern, std::move(handler));
  }
  template <class F>
  RouteOf<F> post(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::post, pattern, std::move(handler));
  }
  template <class F>
  RouteOf<F> put(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::put, pattern, std::move(handler));
  }
  template <class F>
  RouteOf<F> patch(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::patch, pattern, std::move(handler));
  }
  template <class F>
  RouteOf<F> del(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::delete_, pattern, std::move(handler));
  }
  /// Adds a QUERY route: like GET, but with a request body. The method is safe and can be repeated.
  template <class F>
  RouteOf<F> query(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::query, pattern, std::move(handler));
  }
  /// Adds a WebSocket route (RFC 6455), defined in websocket.h. The handler is a coroutine with a
  /// WebSocket parameter, a set of WebSocketHandlers, or a function that returns such a set.
  template <class F>
  RouteOf<F> ws(PatternFor<std::type_identity_t<F>> pattern, F handler);
  template <class F>
  RouteOf<F> ws(PatternFor<std::type_identity_t<F>> pattern, F handler, WebSocketOptions options);
  /// Adds a route for all methods for which the pattern has no other route, except CONNECT and
  /// TRACE. OpenAPI documents do not contain it.
  template <class F>
  RouteOf<F> any(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::unknown, pattern, std::move(handler));
  }
  /// Adds a route. A handler is a function, a lambda, or a member function. A member function is
  /// called on the State of its class: `app.state<Notes>(…)` and `app.get("/notes/{id}",
  /// &Notes::read)`.
  template <class F>
  RouteOf<F> route(Method method, PatternFor<std::type_identity_t<F>> pattern, F handler) {
    auto function = detail::app::as_function(std::move(handler));
    using Function = decltype(function);
    detail::app::Signature<Function>::check_parameters();
    return RouteOf<F>(add(detail::app::kHandlerFacts<Function>, method, pattern.text(),
                          pattern.where(), detail::app::keep_function(std::move(function))),
                      trust());
  }

  /// Returns the prefix of this group, including the prefixes of the groups around it. Empty for
  /// the app itself, before it is mounted.
  [[nodiscard]] std::string_view prefix() const noexcept;
  /// Creates a group: routes below `prefix` with their own hooks.
  [[nodiscard]] Routes group(GroupPrefix prefix);

  /// Mounts an application below `prefix`: its routes with their middleware, guards and providers,
  /// its states, controllers, modules, lifecycle functions and body limit. Its handlers find its
  /// own states before those of this app; `override_state` of this app applies to both. Its hooks
  /// also see the 404 and 405 of paths below the prefix, and its observers and rewrites run for
  /// these paths. The log, topics, trusted proxies, options and protocols of this app apply to all
  /// routes.
  ///
  ///     app.mount("/admin", make_admin_app());
  ///
  /// app      is consumed: do not use its groups, routes, topics() and urls() afterwards
  /// returns  the group around it, for middleware and guards of the whole mounted app
  Routes mount(GroupPrefix prefix, App app);

  /// Adds hooks, `use(request_id(), hsts(24h))`, or middleware,
  /// `use([](Request&, Next next) -> Task<Response> { … })`.
  template <class... M>
    requires(sizeof...(M) > 1)
  Routes& use(M... middleware) {
    (use(std::move(middleware)), ...);
    return *this;
  }
  Routes& use(Hook hook);
  Routes& use(Middleware middleware);
  /// Sets whether unknown query parameters get a 400 or are ignored (params.h), for all routes of
  /// this group and of inner groups. The setting of a route or of an inner group takes precedence.
  Routes& unknown_query(UnknownQuery what);
  template <class M>
  Routes& use(const OfClient<M>& middleware) {
    return use(middleware.make(trust()));
  }
  template <class M>
    requires(!AnyMiddleware<M>)
  __attribute__((unavailable(
      "use() accepts a Hook or a Task<Response>(Request&, Next): add a guard such as bearer_auth "
      "with guard(), and an observer such as access_log with App::observe()"))) Routes&
  use(M other);
  /// Adds a guard: a function that accepts or rejects requests before the handlers of this group.
  /// Its parameters are those of handlers except the request body (path, states, extensions,
  /// headers, `const Request&`). It can wait. Handlers get its result as Extension<T>:
  ///
  ///     app.guard([](Cookie<"sid"> sid, State<Sessions> sessions) -> Task<Result<Caller>> { … });
  ///
  /// It runs once per request with a route: after hooks, before the request body is read (and 100
  /// Continue) and before middleware; outer groups first. An Error is the response, instead of the
  /// handler's. Guards that are plain functions run without a coroutine. Guards do not run for
  /// requests without a route (404, 405, automatic OPTIONS).
  ///
  /// Parameters of plain types are the first path parameters, as in handlers. Every route of the
  /// group must have them, with the same names.
  ///
  /// The function returns T or Result<T>; std::optional<T>, for handlers with
  /// std::optional<Extension<T>>; void or Result<void> without a value; or a Task of one of these.
  ///
  /// describe  describes the guard in OpenAPI documents, instead of its parameters: `[](Operation&
  ///           operation) { operation.secure({.name = "session", …}); }`
  template <class G>
  Routes& guard(G function, DescribeGuard describe = {}) {
    return add_guard(detail::app::describe_guard(std::move(function), std::move(describe)));
  }
  /// Adds a provider: like a guard, but it runs only for handlers and guards that have a parameter
  /// of its result type T. A handler with std::optional<Extension<T>> gets `nullopt` instead of a
  /// 4xx. Inner groups take precedence over outer ones, later providers over earlier ones.
  template <class G>
  Routes& provide(G function, DescribeGuard describe = {}) {
    Guard guard = detail::app::describe_guard(std::move(function), std::move(describe));
    static_assert(
        !std::is_void_v<
            typename detail::app::Learned<typename detail::app::Signature<G>::Value>::Type>,
        "provide() needs a function that returns the provided T, not void");
    return add_provided(std::move(guard));
  }
  /// Declares that hooks or middleware of this group store a T in each request that they accept, so
  /// that handlers and guards can use Extension<T>. Not needed for guards.
  template <class T>
  Routes& extension() {
    return add_extension(&detail::base::kTypeKey<T>);
  }
  /// Adds a function that runs before the first request. It returns `void`, `Result<void>` or a
  /// Task of these, and has any number of State<T> parameters. The functions run one after the
  /// other, in the order in which they were added, on the server's first event loop. If one fails,
  /// the server does not start, and the log contains its name and the reason.
  template <class F>
  Routes& on_start(std::string name, F function) {
    return add(
        {.name = std::move(name), .start = detail::app::make_life_call(std::move(function))});
  }
  /// Adds a function that runs after the last response, in reverse order together with those of
  /// modules. It is canceled after `within`. The log contains exceptions.
  template <class F>
  Routes& on_stop(std::string name, F function, Duration within = kStopWithin) {
    return add({.name = std::move(name),
                .stop = detail::app::make_life_call(std::move(function)),
                .stop_within = within});
  }
  /// Adds a function that runs after SIGHUP has reloaded the settings (docs/operations/reload.md):
  /// once per reload, on the server's first event loop, when Reloadable structs already have the
  /// new values. It runs even if no value changed. The log contains exceptions.
  ///
  ///     app.on_reload("pool", [&own](State<Pool> pool) { pool->resize(own->pool_size); });
  template <class F>
  Routes& on_reload(std::string name, F function) {
    return add(
        {.name = std::move(name), .reload = detail::app::make_life_call(std::move(function))});
  }
  /// Declares a file or directory that the program opens while it serves, because the sandbox
  /// blocks all other ones (docs/operations/sandbox.md). A directory includes everything below it,
  /// and must exist.
  ///
  ///     app.allow_path("/var/lib/notes", FileUse::write);
  Routes& allow_path(std::string path, FileUse use = FileUse::read);
  /// Adds a health check: a function that throws or returns an Error if the application cannot
  /// serve now. It runs on any event loop when readiness is checked (serve_health).
  ///
  ///     app.check("database", [](State<Database> db) -> Task<> {
  ///       co_await db->one<int>("select 1");
  ///     });
  template <class F>
  Routes& check(std::string name, F function) {
    return add(
        {.name = std::move(name), .check = detail::app::make_life_call(std::move(function))});
  }
  /// Adds a background task. It starts after everything that was added before, and is destroyed
  /// after the last response. If it throws, the log contains its name and the exception, and the
  /// task restarts.
  ///
  ///     app.background("mail", [](State<Outbox> outbox) -> Task<> { … });
  template <class F>
  Routes& background(std::string name, F function, BackgroundOptions options = {}) {
    return add({.name = std::move(name),
                .background = detail::app::make_life_call(std::move(function)),
                .background_options = options});
  }
  /// Adds a scheduled job: a function that is called at each interval of the clock, but never while
  /// the previous call is running. The log contains exceptions with its name. Throws a Failure if
  /// the interval is below 1 ms.
  ///
  ///     app.every(1min, [](State<Store> store) { return store->forget_old(); });
  template <class F>
  Routes& every(std::string name, Duration interval, F function, EveryOptions options = {}) {
    detail::app::check_interval(interval);
    return add({.name = std::move(name),
                .background = detail::app::make_life_call(std::move(function)),
                .background_options = {.runs_on = options.runs_on},
                .interval = interval,
                .every_options = options});
  }
  template <class F>
  Routes& every(Duration interval, F function, EveryOptions options = {}) {
    return every("every " + format_duration(interval), interval, std::move(function), options);
  }
  /// Adds the handler of a job type, defined in jobs.h; see `add_jobs`. Its parameters are the job,
  /// and any number of State<T>, JobContext& and Transaction&:
  ///
  ///     app.job<SendReminder>([](SendReminder job, State<Outbox> outbox) -> Task<> { … },
  ///                           {.attempts = 8, .queue = "mail"});
  template <class T, class F>
  Routes& job(F handler);
  template <class T, class F>
  Routes& job(F handler, JobOptions options);
  /// Runs `what` at each time of a cron expression, once for all processes that share the database;
  /// defined in jobs.h.
  ///
  ///     app.schedule("nightly", "0 3 * * *", [](State<Database> db) -> Task<> { … },
  ///                  {.time_zone = "Europe/Berlin"});
  ///     app.schedule("report", "0 9 * * mon", WriteReport{.of = "week"});
  ///
  /// name    of the schedule in the database, 1 to 90 bytes
  /// what    a handler, with the parameters of job handlers and ScheduledRun as its job; or a job
  ///         whose type has a handler
  /// errors  throws a Failure: the expression, the name or the time zone is not valid
  template <class W>
  Routes& schedule(std::string name, std::string_view expression, W what);
  template <class W>
  Routes& schedule(std::string name, std::string_view expression, W what, ScheduleOptions options);
  /// Adds a function that is called before each handler: `void(Request&)`, or
  /// `Result<void>(Request&)` to reject requests.
  template <class F>
  Routes& on_request(F function);
  /// Adds a function that is called with each response: `void(const Request&, Response&)`.
  Routes& on_response(std::function<void(const Request&, Response&)> function) {
    return use(Hook{.on_request = {}, .on_response = std::move(function)});
  }

 protected:
  Routes(RouteTable& table, std::size_t scope) noexcept : table_(&table), scope_(scope) {}

  [[nodiscard]] Routes at(std::size_t scope) const noexcept { return {*table_, scope}; }
  Endpoint& add(const HandlerFacts& facts, Method method, std::string_view pattern,
                const std::source_location& where, std::shared_ptr<const void> handler);
  Routes& add_guard(Guard guard);
  Routes& add_provided(Guard guard);
  Routes& add_extension(detail::base::TypeKey key);
  Routes& add(detail::app::Part part);
  [[nodiscard]] const ProxyTrust& trust() const noexcept;
  /// Returns the table for changes. Throws a Failure if the app has started.
  ///
  /// what  is to be added
  [[nodiscard]] RouteTable& to_extend(std::string_view what) const;

  RouteTable* table_;
  std::size_t scope_;
};

template <class F>
Routes& Routes::on_request(F function) {
  return use(Hook{.on_request =
                      [function = std::move(function)](Request& request, Response& response) {
                        if constexpr (std::is_void_v<decltype(function(request))>) {
                          function(request);
                          return true;
                        } else {
                          Result<void> allowed = function(request);
                          if (!allowed) {
                            render_refusal(response, allowed.error());
                          }
                          return allowed.has_value();
                        }
                      },
                  .on_response = {}});
}

}  // namespace eider
