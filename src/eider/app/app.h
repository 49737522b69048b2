// An application: its routes, middleware, shared state and startup.
// Layering: serves nothing by itself; the server gets a RequestService (service.h).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/app/life/exit.h"
#include "eider/app/life/make_seals.h"
#include "eider/app/life/module.h"
#include "eider/app/life/states.h"
#include "eider/app/routes.h"
#include "eider/core/base/log.h"
#include "eider/server/observer.h"
#include "eider/server/service.h"

namespace eider {

class ConnectionProtocol;
struct Operation;
class Topics;
class Urls;
struct ServerOptions;
enum class ForwardedHeaders : std::uint8_t;

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
  /// returns  0 after a shutdown, 1 if the server could not start, 2 if settings contradict each
  ///          other, such as --no-jobs and --jobs-only
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

}  // namespace eider
