// An application: its routes, middleware, shared state and startup.
// Layering: serves nothing by itself; the server gets a RequestService (service.h).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/handlers/endpoint.h"
#include "eider/app/handlers/kept_function.h"
#include "eider/app/handlers/middleware.h"
#include "eider/app/handlers/pattern_for.h"
#include "eider/app/life/exit.h"
#include "eider/app/life/lifecycle.h"
#include "eider/app/life/make_seals.h"
#include "eider/app/life/module.h"
#include "eider/app/life/states.h"
#include "eider/core/base/log.h"
#include "eider/server/observer.h"
#include "eider/server/service.h"

namespace eider {

class App;
class ConnectionProtocol;
struct Operation;
class RouteTable;
class Topics;
class Urls;
struct JobOptions;
struct ScheduleOptions;
struct ServerOptions;
struct WebSocketOptions;
enum class ForwardedHeaders : std::uint8_t;

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

/// An application. Add everything before it is served: adding something while `run`, a TestClient
/// or a service of `make_service` uses the app throws a Failure.
class App : public Routes {
 public:
  App();
  App(App&&) noexcept;
  App& operator=(App&&) noexcept;
  ~App();

  /// Registers `object` for all handlers with State<T>: one object for all threads. Throws a
  /// Failure if a T is already registered.
  template <class T>
  App& state(T object) {
    if constexpr (std::is_move_constructible_v<T>) {
      return add_state<T>(std::make_shared<T>(std::move(object)));
    } else {
      static_assert(sizeof(T) == 0,
                    "this state cannot be moved, for example because of a mutex or an atomic "
                    "member: construct it in place with app.state<T>(arguments…)");
    }
  }
  /// Constructs the object in place from these arguments: `app.state<Counters>()`.
  template <class T, class... Arguments>
    requires(!(sizeof...(Arguments) == 1 &&
               (std::same_as<T, std::remove_cvref_t<Arguments>> && ...)))
  App& state(Arguments&&... arguments) {
    return add_state<T>(std::make_shared<T>(std::forward<Arguments>(arguments)...));
  }
  /// Replaces a registered object, for tests.
  template <class T>
  App& override_state(T object) {
    return set_override(&detail::base::kTypeKey<T>, std::make_shared<T>(std::move(object)));
  }
  template <class T, class... Arguments>
    requires(!(sizeof...(Arguments) == 1 &&
               (std::same_as<T, std::remove_cvref_t<Arguments>> && ...)))
  App& override_state(Arguments&&... arguments) {
    return set_override(&detail::base::kTypeKey<T>,
                        std::make_shared<T>(std::forward<Arguments>(arguments)...));
  }

  /// Returns the object that this app registered with `state`, or null. For code around an app,
  /// such as tests.
  template <class T>
  [[nodiscard]] std::shared_ptr<T> find_state() const {
    return std::static_pointer_cast<T>(find_state(&detail::base::kTypeKey<T>));
  }
  /// Replaces all guards and providers of a T, including those of groups and mounted apps; a later
  /// override replaces an earlier one. For tests. Values of hooks are not replaced.
  ///
  ///     app.override_provided([] { return Identity{.name = "ada"}; });   // logs everyone in
  template <class G>
  App& override_provided(G function) {
    static_assert(
        !std::is_void_v<
            typename detail::app::Learned<typename detail::app::Signature<G>::Value>::Type>,
        "provide() needs a function that returns the provided T, not void");
    return add_override(detail::app::describe_guard(std::move(function), {}));
  }

  /// Registers a function that creates a state from other states, once, when the app starts and
  /// something uses the type. Its parameters are created before it and destroyed after it. Circular
  /// dependencies are startup errors. An object of `state` or `override_state` takes precedence;
  /// then the function is not called. Throws a Failure if the type already has a function.
  ///
  ///     app.singleton([](State<Settings> settings) { return Mailer(settings->mail_host); });
  ///
  /// function  has any number of State<T> parameters, and returns a T or a Result<T>; not a
  ///           coroutine
  template <class F>
  App& singleton(F function) {
    return add_maker(detail::app::make_state_maker(std::move(function)));
  }
  /// Registers a function that creates one object per event loop, when a handler first uses it
  /// there as PerLoop<T>. Such objects need no lock, for example a client with its connection pool.
  /// They are destroyed with the event loop.
  template <class F>
  App& per_loop(F function) {
    return add_maker(detail::app::make_loop_state_maker(std::move(function)));
  }

  /// Adds a controller: a class whose member functions are handlers, constructed in place from
  /// these arguments. It is the State of its member functions, and adds their routes below the
  /// prefix.
  ///
  ///     class Notes {
  ///      public:
  ///       static void add_routes(Routes& at) { at.get("/{id}", &Notes::read); }
  ///       Result<Note> read(int id) const;
  ///     };
  ///     app.add_controller<Notes>("/notes", database);
  template <class C, class... Arguments>
  Routes add_controller(GroupPrefix prefix, Arguments&&... arguments) {
    add_state<C>(std::make_shared<C>(std::forward<Arguments>(arguments)...));
    Routes at = group(prefix);
    C::add_routes(at);
    return at;
  }

  /// Adds a module, constructed in place from these arguments: a class with a name and any of the
  /// members `settings`, `start`, `stop`, `run`, `run_on_loop`, `check` and `reload`. They
  /// correspond to OptionSet::add, on_start, on_stop, background (once, and on each event loop),
  /// check and on_reload, without states. Handlers get the module as State<M>. Throws a Failure if
  /// the app already has the module.
  ///
  ///     struct Search {
  ///       static constexpr std::string_view kName = "search";
  ///       struct { std::string index_dir = "index"; } settings;   // --search-index-dir
  ///       Task<> start();
  ///       Task<> run();
  ///       Task<> stop();
  ///     };
  ///     app.add_module<Search>();
  template <class M, class... Arguments>
  M& add_module(Arguments&&... arguments) {
    auto made = std::make_shared<M>(std::forward<Arguments>(arguments)...);
    add_module(&detail::base::kTypeKey<M>, made, detail::app::part_of(made),
               detail::app::part_on_loops_of(made));
    return *made;
  }

  /// Creates the routes of a virtual host: "api.example.org", or "*.example.org" for all names
  /// below. The app's own routes serve all other host names, but not this one; its hooks apply to
  /// all.
  [[nodiscard]] Routes host(std::string_view name);

  /// Returns the topics of all WebSockets and event streams, to publish from outside of a handler.
  [[nodiscard]] Topics& topics() const noexcept;

  /// Returns the URLs of routes by their handlers (urls.h). Handlers can use State<Urls>.
  [[nodiscard]] const Urls& urls() const noexcept;

  /// Sets the proxies that are trusted for the address of the client (client.h): blocks separated
  /// by commas, "10.0.0.0/8, ::1, unix". Default: none. Throws a Failure that names an invalid
  /// block.
  ///
  /// fields  headers that the trusted proxies always set themselves
  App& trust_proxies(std::string_view blocks, ForwardedHeaders fields);
  /// Trusts proxies for X-Forwarded-For, -Proto and -Host.
  App& trust_proxies(std::string_view blocks);

  /// Sets the maximum size of request bodies, for routes without their own limit (default: 1 MiB).
  App& body_bytes_max(std::size_t bytes) noexcept;
  /// Adds a protocol besides HTTP/1.1, for example with add_http2.
  App& add_protocol(std::shared_ptr<const ConnectionProtocol> protocol) noexcept;
  using Routes::use;
  /// Adds a function that runs before routing, in the order of addition.
  App& use(Rewrite rewrite);
  /// Adds an observer, which is called once for each request when the request has ended: for logs
  /// and metrics. The text of the request is still valid; an extension that is a view may be
  /// dangling. `app.observe(access_log())`; `app.observe([](const ResponseEvent& record) { … })`.
  App& observe(Observer observer);
  /// Sets the log of the app (default: standard error).
  App& log_to(std::shared_ptr<LogSink> sink) noexcept;

  /// Enables TLS for addresses with TLS; called by add_tls (tls/tls.h).
  App& set_seals(MakeSeals make);

  /// Returns parameters and responses of each route (operation.h), in the order of addition: for
  /// OpenAPI documents, checks and lists. Computed on demand.
  [[nodiscard]] std::vector<Operation> operations() const;

  /// Returns the output of `--routes`: a line for each route with its middleware and guards in the
  /// order in which they run, its body limit, and its source line.
  ///
  ///     GET /notes/{id}  request_id, guard of Caller, handler  1 MiB  main.cc:31
  [[nodiscard]] std::string list_routes() const;
  /// Returns a function that returns the output of --print-config for the running program; an empty
  /// text if it was not started by run. The function can outlive the app. Call it on the first
  /// event loop, for example in on_start and on_reload.
  [[nodiscard]] std::function<std::string()> settings_text() const;

  /// Returns a function that writes a line to the log of the app, even if log_to() changes the log
  /// later. The function can outlive the app.
  [[nodiscard]] std::function<void(LogLevel level, std::string_view line)> log_writer() const;

  /// Creates the service that the server runs. The App can be destroyed then.
  ///
  /// errors   all startup errors, one per line with the source line of the route and a fix:
  ///          conflicting or malformed patterns, a State<T> that was never registered, an
  ///          Extension<T> that nothing supplies, circular dependencies of guards
  [[nodiscard]] Result<std::unique_ptr<RequestService>> make_service() const;

  /// Sets the options of the program, which `run` reads in addition to those of every application.
  ///
  ///     NotesOptions own;
  ///     app.options(OptionSet("notes").add(own));
  App& options(OptionSet own);
  /// Adds a flag that prints a text and exits: `--openapi` prints the OpenAPI document.
  ///
  /// response  returns the text for standard output; called while the command line is read
  App& on_option(std::string_view name, std::string_view help,
                 std::function<std::string()> response);
  /// Returns all options of the app and its modules, for `read_command_line`.
  [[nodiscard]] OptionSet options() const;
  /// Runs the program: reads the command line, which `--help` lists (read_command_line), and
  /// serves. For main().
  ///
  /// returns  the exit status of the process: that of `serve`, 0 after `--help`, or 2 with the
  ///          error of an option
  [[nodiscard]] Exit run(int argc, char** argv);
  /// Serves until SIGINT or SIGTERM, then shuts down gracefully. The log of the app (log_to)
  /// contains the addresses, or the reason of a failed start.
  ///
  /// A blocking handler that is still running at the deadline of the shutdown cannot be stopped:
  /// its thread is abandoned until the process ends.
  ///
  /// returns  0 after a shutdown, 1 if the server could not start
  [[nodiscard]] Exit serve(const ServerOptions& options);

 private:
  explicit App(std::shared_ptr<RouteTable> table);
  [[nodiscard]] Result<void> add_seals(ServerOptions& options) const;
  [[nodiscard]] Exit refuse_to_serve(std::string_view why) const;
  void add_module(detail::base::TypeKey key, std::shared_ptr<void> object, detail::app::Part part,
                  detail::app::Part part_on_loops);
  template <class T>
  App& add_state(std::shared_ptr<T> object) {
    return set_state(&detail::base::kTypeKey<T>, detail::base::type_name<T>(), std::move(object));
  }
  App& set_state(detail::base::TypeKey key, std::string_view type_name,
                 std::shared_ptr<void> object);
  App& add_override(Guard guard);
  App& set_override(detail::base::TypeKey key, std::shared_ptr<void> object);
  [[nodiscard]] std::shared_ptr<void> find_state(detail::base::TypeKey key) const;
  App& add_maker(detail::app::StateMaker maker);

  std::shared_ptr<RouteTable> owned_table_;
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
