// An application: routes, what runs around them, what they share, and how it is run.
// Must not serve by itself: it hands a Service to the server (service.h).
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
struct ServerOptions;
struct WebSocketOptions;
enum class ForwardedFields : std::uint8_t;

/// The route just added, for what is said about it beyond pattern and handler.
///
/// kPathValues  how many values of the path its handler takes
template <std::size_t kPathValues>
class Route {
 public:
  Route(Endpoint& endpoint, const ProxyTrust& trust) noexcept
      : endpoint_(&endpoint), trust_(&trust) {}
  /// The largest body this route takes, in bytes; a larger one is a 413 before it is read.
  Route& body_bytes_max(std::size_t bytes) noexcept {
    endpoint_->body_bytes_max = bytes;
    return *this;
  }
  /// Answered also while the server refuses what has waited for too long (Limits::queue_time): for
  /// those who ask whether it lives. A `blocking` handler waits for its thread nevertheless.
  Route& even_overloaded() noexcept {
    endpoint_->even_overloaded = true;
    return *this;
  }
  /// Serves a mounted app's own path too ("/admin"), if this route's pattern is all below it,
  /// "/{rest...}".
  Route& with_mount_path() noexcept {
    endpoint_->takes_mount_path = true;
    return *this;
  }
  /// Whether unknown query parameters get a 400 or are ignored (params.h).
  Route& unknown_query(UnknownQuery what) noexcept {
    endpoint_->unknown_query = what;
    return *this;
  }
  /// Redirects the pattern without its last segment to the route: GET /docs to /docs/ for the
  /// pattern "/docs/{path...}". Routes of a group that end with the group's prefix and a slash do
  /// so by themselves. A route of your own for that path takes precedence.
  Route& directory() noexcept {
    endpoint_->is_directory = true;
    return *this;
  }
  /// What documents say of it: `.about({.summary = "Books a room", .tags = {"bookings"}})`.
  Route& about(RouteWords words) {
    endpoint_->words = std::move(words);
    return *this;
  }
  /// As Routes::guard, of this route alone, behind those of its groups.
  template <class G>
  Route& guard(G function, DescribeGuard describe = {}) {
    static_assert(detail::app::Signature<G>::kPathCount <= kPathValues,
                  "this guard takes more values of the path than its route's handler does");
    endpoint_->guards.push_back(
        detail::app::describe_guard(std::move(function), std::move(describe)));
    return *this;
  }
  /// As Routes::use, of this route alone, within those of its groups: what a hook's `after` adds to
  /// a 404 or a 405 belongs to a group.
  Route& use(Hook hook) {
    endpoint_->hooks.push_back(std::move(hook));
    return *this;
  }
  Route& use(Around around) {
    endpoint_->arounds.push_back(std::move(around));
    return *this;
  }
  template <class M>
  Route& use(const OfClient<M>& middleware) {
    return use(middleware.make(*trust_));
  }
  template <class M>
    requires(!Middleware<M>)
  __attribute__((unavailable(
      "use() takes a Hook or a Task<Response>(Request&, Next): add a guard, such as bearer_auth, "
      "by guard(), and what observes, such as access_log, by App::observe()"))) Route&
  use(M other);

 private:
  Endpoint* endpoint_;
  const ProxyTrust* trust_;
};

/// What a route with an F as its handler is.
template <class F>
using RouteOf = Route<detail::app::Signature<F>::kPathCount>;

/// Where routes are added: the app itself or a group of it.
///
/// Hooks and middleware hold for all routes of their group and of the groups within, whether those
/// were added before or after. Hooks run outside middleware, outer groups outside inner ones.
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
  /// As GET, with content that says what is looked for: safe, and may be repeated.
  template <class F>
  RouteOf<F> query(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::query, pattern, std::move(handler));
  }
  /// A WebSocket (RFC 6455), defined in websocket.h: the handler is a coroutine that takes a
  /// WebSocket, a set of WebSocketHandlers, or a function that makes such.
  template <class F>
  RouteOf<F> ws(PatternFor<std::type_identity_t<F>> pattern, F handler);
  template <class F>
  RouteOf<F> ws(PatternFor<std::type_identity_t<F>> pattern, F handler, WebSocketOptions options);
  /// Whatever the method, as far as the pattern has no route of its own for it (CONNECT and TRACE
  /// apart). Documents leave it out.
  template <class F>
  RouteOf<F> any(PatternFor<std::type_identity_t<F>> pattern, F handler) {
    return route(Method::unknown, pattern, std::move(handler));
  }
  /// A handler is a function, a lambda, or a member function: that is called for the State of its
  /// class, so `app.state<Notes>(…)` and `app.get("/notes/{id}", &Notes::read)`.
  template <class F>
  RouteOf<F> route(Method method, PatternFor<std::type_identity_t<F>> pattern, F handler) {
    auto function = detail::app::as_function(std::move(handler));
    using Function = decltype(function);
    detail::app::Signature<Function>::check_parameters();
    return RouteOf<F>(add(detail::app::kHandlerFacts<Function>, method, pattern.text(),
                          pattern.where(), detail::app::keep_function(std::move(function))),
                      trust());
  }

  /// Of this group, with those of the groups around it; empty: of the app itself, before it is
  /// mounted.
  [[nodiscard]] std::string_view prefix() const noexcept;
  /// Routes below `prefix` with hooks of their own.
  [[nodiscard]] Routes group(GroupPrefix prefix);

  /// Puts a whole application below `prefix`: its routes with all that stands around them, what it
  /// puts and provides, its states, makers, controllers and modules, what it does beside requests,
  /// and how large a body it takes. Its handlers find its own states ahead of this app's; what
  /// `override_state` says here holds for it, too. What no route takes below the prefix is its to
  /// answer: its hooks see 404 and 405. Its observers and rewrites are asked about paths below the
  /// prefix. What this app says holds for all: log, topics, trusted proxies, options, protocols.
  ///
  ///     app.mount("/admin", make_admin_app());
  ///
  /// app      is used up: its groups, routes, topics() and urls() must not be used any more
  /// returns  the group around it, for what is to stand ahead of the whole of it
  Routes mount(GroupPrefix prefix, App app);

  /// Hooks: `use(request_id(), hsts(24h))`; coroutines: `use([](Request&, Next next) -> … )`.
  template <class... M>
    requires(sizeof...(M) > 1)
  Routes& use(M... middleware) {
    (use(std::move(middleware)), ...);
    return *this;
  }
  Routes& use(Hook hook);
  Routes& use(Around around);
  /// Whether unknown query parameters get a 400 or are ignored (params.h), for all routes here and
  /// in groups within; a route's own setting and an inner group's take precedence.
  Routes& unknown_query(UnknownQuery what);
  template <class M>
  Routes& use(const OfClient<M>& middleware) {
    return use(middleware.make(trust()));
  }
  template <class M>
    requires(!Middleware<M>)
  __attribute__((unavailable(
      "use() takes a Hook or a Task<Response>(Request&, Next): add a guard, such as bearer_auth, "
      "by guard(), and what observes, such as access_log, by App::observe()"))) Routes&
  use(M other);
  /// A function that lets requests through to the handlers of this group, or does not: it takes
  /// what a handler may take of the head (path, states, slots, headers, `const Request&`), may
  /// wait, and returns what it has learned, which handlers take as Slot<T>:
  ///
  ///     app.guard([](Cookie<"sid"> sid, State<Sessions> sessions) -> Task<Result<Caller>> { … });
  ///
  /// It runs once per request that a route takes, behind hooks, ahead of the content (and of 100
  /// Continue) and of middleware; outer groups first. An Error answers in the handler's place. A
  /// plain function stays a plain call. Requests without a route (404, 405, the OPTIONS that is
  /// answered for you) have no handler, and no guard is asked about them.
  ///
  /// Parameters of plain types are the first values of the path, as a handler's are; every route of
  /// the group has to have them, by the same names.
  ///
  /// returns, of the function  T or Result<T>; std::optional<T>, where handlers take
  ///                           std::optional<Slot<T>>; void or Result<void> to put nothing; or a
  ///                           Task of one
  ///
  /// describe  in place of what its parameters say of it, as a way to say who asks:
  ///           `[](Operation& operation) { operation.secure({.name = "session", …}); }`
  template <class G>
  Routes& guard(G function, DescribeGuard describe = {}) {
    return add_guard(detail::app::describe_guard(std::move(function), std::move(describe)));
  }
  /// The same for what not every handler wants: it runs for those alone that take the T that it
  /// makes, and for guards that do. A handler that takes std::optional<Slot<T>> gets nothing in
  /// place of a 4xx. An inner group's goes before an outer one's, a later before an earlier.
  template <class G>
  Routes& provide(G function, DescribeGuard describe = {}) {
    Guard guard = detail::app::describe_guard(std::move(function), std::move(describe));
    static_assert(
        !std::is_void_v<
            typename detail::app::Learned<typename detail::app::Signature<G>::Value>::Type>,
        "what is provided is what the function returns: let it return a T");
    return add_provided(std::move(guard));
  }
  /// Says that hooks or middleware of this group put a T into each request that they let through,
  /// so that handlers and guards may take Slot<T>. What guards put is known without.
  template <class T>
  Routes& puts() {
    return add_puts(&detail::base::kTypeKey<T>);
  }
  /// What is to be done ahead of the first request: `void`, `Result<void>`, or a Task of these, of
  /// as many State<T> as it likes. One after the other, in the order in which they are added, on
  /// the server's first loop. Where one fails the server does not open, and says which and why.
  template <class F>
  Routes& on_start(std::string name, F function) {
    return add(
        {.name = std::move(name), .start = detail::app::make_life_call(std::move(function))});
  }
  /// What is to be done behind the last answer, in reverse order, with those of modules. It is
  /// given up after `within`; what it throws is in the log.
  template <class F>
  Routes& on_stop(std::string name, F function, Duration within = kStopWithin) {
    return add({.name = std::move(name),
                .stop = detail::app::make_life_call(std::move(function)),
                .stop_within = within});
  }
  /// What is to be done when SIGHUP has had the settings read anew
  /// (docs/operations/reload.md): called once each time, on the server's first loop, when a
  /// Live struct tells what is new, and whether something is or not. What it throws is in the log.
  ///
  ///     app.on_reload("pool", [&own](State<Pool> pool) { pool->resize(own->pool_size); });
  template <class F>
  Routes& on_reload(std::string name, F function) {
    return add(
        {.name = std::move(name), .reload = detail::app::make_life_call(std::move(function))});
  }
  /// What handlers and parts open while it serves: a sandbox lets nothing else be reached
  /// (docs/operations/sandbox.md). A file, or a directory with all below it, which has to be there.
  ///
  ///     app.reaches("/var/lib/notes", FileUse::write);
  Routes& reaches(std::string path, FileUse use = FileUse::read);
  /// What tells whether the application can serve now, and throws or returns an Error where it
  /// cannot: asked on any loop by who asks whether it is ready (serve_health).
  ///
  ///     app.check("database", [](State<Database> db) -> Task<> { co_await db->one<int>("select
  ///     1"); });
  template <class F>
  Routes& check(std::string name, F function) {
    return add(
        {.name = std::move(name), .check = detail::app::make_life_call(std::move(function))});
  }
  /// A task beside requests, begun behind what was added before, and destroyed where it waits
  /// behind the last answer. What it throws is in the log with its name; then it begins again.
  ///
  ///     app.background("mail", [](State<Outbox> outbox) -> Task<> { … });
  template <class F>
  Routes& background(std::string name, F function, BackgroundOptions options = {}) {
    return add({.name = std::move(name),
                .background = detail::app::make_life_call(std::move(function)),
                .background_options = options});
  }
  /// The same, called again and again: by the clock, whatever a call takes, but never while the one
  /// before goes on. What it throws is in the log with its name. Throws a Failure for an interval
  /// of nothing.
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
  Endpoint& add(const HandlerFacts& facts, Method method, std::string_view pattern,
                const std::source_location& where, std::shared_ptr<const void> handler);
  Routes& add_guard(Guard guard);
  Routes& add_provided(Guard guard);
  Routes& add_puts(detail::base::TypeKey key);
  Routes& add(detail::app::Part part);
  [[nodiscard]] const ProxyTrust& trust() const noexcept;
  /// The table, to be added to. Throws a Failure where the app is served by now.
  ///
  /// what  is to be added
  [[nodiscard]] RouteTable& to_extend(std::string_view what) const;

  RouteTable* table_;
  std::size_t scope_;
};

/// All is said before it is served: what is added while `run`, a TestClient, or a service that
/// `make_service` has made goes on throws a Failure.
class App : public Routes {
 public:
  App();
  App(App&&) noexcept;
  App& operator=(App&&) noexcept;
  ~App();

  /// Shares `object` with all handlers that take State<T>: one object for all threads. Throws a
  /// Failure where there is a T already.
  template <class T>
  App& state(T object) {
    if constexpr (std::is_move_constructible_v<T>) {
      return add_state<T>(std::make_shared<T>(std::move(object)));
    } else {
      static_assert(sizeof(T) == 0,
                    "this state cannot be moved, as a mutex or an atomic in it cannot: have it "
                    "made in place, by app.state<T>(arguments…)");
    }
  }
  /// The same, made in place of these arguments: `app.state<Counters>()`.
  template <class T, class... Arguments>
    requires(!(sizeof...(Arguments) == 1 &&
               (std::same_as<T, std::remove_cvref_t<Arguments>> && ...)))
  App& state(Arguments&&... arguments) {
    return add_state<T>(std::make_shared<T>(std::forward<Arguments>(arguments)...));
  }
  /// Takes the place of an object given before: for tests.
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

  /// What `state` was given of that type, this app's own; null: nothing. For what is put together
  /// around an app, such as its tests.
  template <class T>
  [[nodiscard]] std::shared_ptr<T> find_state() const {
    return std::static_pointer_cast<T>(find_state(&detail::base::kTypeKey<T>));
  }
  /// Takes the place of all that make a T, by `guard` and `provide`, of groups and of mounted apps
  /// too, a later one that of an earlier: for tests. What hooks put stays.
  ///
  ///     app.override_provided([] { return Identity{.name = "ada"}; });   // logs everybody in
  template <class G>
  App& override_provided(G function) {
    static_assert(
        !std::is_void_v<
            typename detail::app::Learned<typename detail::app::Signature<G>::Value>::Type>,
        "what is provided is what the function returns: let it return a T");
    return add_override(detail::app::describe_guard(std::move(function), {}));
  }

  /// A state that is made of others, once, when the app starts and somebody takes it: what it takes
  /// is made ahead of it, and goes behind it. Functions that take each other's are told at start.
  /// What `state` was given of that type goes before it, and so `override_state` in tests: then the
  /// function is not called. Throws a Failure where there is one for that type.
  ///
  ///     app.make([](State<Settings> settings) { return Mailer(settings->mail_host); });
  ///
  /// function  takes as many State<T> as it likes, and returns a T or a Result<T>, at once
  template <class F>
  App& make(F function) {
    return add_maker(detail::app::make_state_maker(std::move(function)));
  }
  /// The same on each loop that needs one, when a handler first takes it there as OnLoop<T>: for
  /// what needs no lock then, such as a client with its pool. It ends with the loop.
  template <class F>
  App& make_on_each_loop(F function) {
    return add_maker(detail::app::make_loop_state_maker(std::move(function)));
  }

  /// Adds a class whose members are handlers, made in place of these arguments: it is the State of
  /// its members, and adds their routes below the prefix by a function of its own.
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

  /// Adds a part of the application, made in place of these arguments: a class with a name and, as
  /// far as it has them, `settings`, `start`, `stop`, `run`, `run_on_loop`, `check` and `reload`.
  /// They are what OptionSet::add, on_start, on_stop, background (once, and on each loop), check
  /// and on_reload take, without states. Handlers are given it as State<M>. Throws a Failure where
  /// the app has one already.
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

  /// Routes of a virtual host: "api.example.org", or "*.example.org" for all names below. The app's
  /// own routes answer for every other name, and never for this one; its hooks hold for all.
  [[nodiscard]] Routes host(std::string_view name);

  /// The topics of all WebSockets and event streams: to publish from outside of a handler.
  [[nodiscard]] Topics& topics() const noexcept;

  /// The paths of its routes by their handlers (urls.h), which handlers take as State<Urls>.
  [[nodiscard]] const Urls& urls() const noexcept;

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
  using Routes::use;
  /// What runs ahead of routing, in the order in which it is added.
  App& use(Rewrite rewrite);
  /// Called once for each request, whatever becomes of it, when all is over with it: for logs and
  /// metrics. The request's own text is still there; a slot that views it, and does not hold a
  /// copy, may view what is gone. `app.observe(access_log())`; `app.observe([](const AnswerRecord&
  /// record) { … })`.
  App& observe(Observer observer);
  /// Where the app's own lines go (standard error).
  App& log_to(std::shared_ptr<LogSink> sink) noexcept;

  /// Lets the app speak TLS where its options say so; enable_tls (tls/tls.h) calls it.
  App& secure_by(MakeSeals make);

  /// What each route takes and answers (operation.h), in the order in which routes were added: for
  /// documents, checks and lists. Made when asked for; a program that does not ask pays with the
  /// few bytes of code that could tell, and no time.
  [[nodiscard]] std::vector<Operation> operations() const;

  /// What `--routes` prints: a line for each route with what stands ahead of its handler, in the
  /// order in which it runs, its limits, and where in the program it was written.
  ///
  ///     GET /notes/{id}  request_id, guard of Caller, handler  1 MiB  main.cc:31
  [[nodiscard]] std::string list_routes() const;
  /// Tells what --print-config does, of the program that serves; empty where it was started
  /// otherwise than by run. What it gives may outlive the app. To be called on the first loop, as
  /// what on_start and on_reload take is.
  [[nodiscard]] std::function<std::string()> settings_text() const;

  /// Returns what writes a line to the app's log, wherever log_to() has it go by then. It may
  /// outlive the app.
  [[nodiscard]] std::function<void(LogLevel level, std::string_view line)> log_writer() const;

  /// What the server runs. The App may be gone by then.
  ///
  /// errors  patterns that conflict or are malformed, a State<T> that nobody gave, a Slot<T> that
  ///         nobody puts, guards that ask for each other: all of them, one per line, each with
  ///         where its route is written, and the mend
  [[nodiscard]] Result<std::unique_ptr<Service>> make_service() const;

  /// The program's own options, which `run` reads beside those of every application.
  ///
  ///     NotesOptions own;
  ///     app.options(OptionSet("notes").add(own));
  App& options(OptionSet own);
  /// A flag that the program answers in place of serving: `--openapi` prints the document.
  ///
  /// answer  what goes to standard output; called while the command line is read
  App& on_option(std::string_view name, std::string_view help, std::function<std::string()> answer);
  /// All that it has of its own, those of its modules too, for `read_command_line`.
  [[nodiscard]] OptionSet options() const;
  /// For main(): serves as the command line says, which `--help` lists (read_command_line).
  ///
  /// returns  how the process ends: as `serve` returns it, 0 with the answer to `--help`, or 2 with
  ///          what is wrong about an option
  [[nodiscard]] Exit run(int argc, char** argv);
  /// Serves until SIGINT or SIGTERM, then drains. Where it listens, and why it could not start, is
  /// said in the app's log (log_to).
  ///
  /// A blocking handler that is still at work when the drain's deadline has come cannot be stopped:
  /// its thread is left behind, with all that it uses, for the process to end soon.
  ///
  /// returns  0 after a stop, 1 when it could not start
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
Routes& Routes::before(F function) {
  return use(Hook{.before =
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
                  .after = {}});
}

}  // namespace eider
