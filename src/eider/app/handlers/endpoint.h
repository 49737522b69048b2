// The handler of one route as two plain function pointers, with its properties.
// Layering: must not match paths (route/) or run hooks (service.cc).
#pragma once

#include <cstddef>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/handlers/guard.h"
#include "eider/app/handlers/handler.h"
#include "eider/app/handlers/middleware.h"
#include "eider/app/handlers/producing.h"
#include "eider/core/base/type_key.h"
#include "eider/protocols/http/method.h"

namespace eider {

class LogSink;
class Router;
class Topics;

/// A guard that runs before an endpoint; filled in when the app starts.
struct GuardOnWay {
  const Guard* guard;
  std::span<void* const> states;
  /// All users of the guard's value accept its absence, so that a 4xx counts as "no value".
  bool may_refuse;
  /// The guard runs only for its value, and therefore not if the request already has one.
  bool is_asked_for;
  /// A value that is already stored may come from an outer group, whose provider ran for an earlier
  /// guard; this guard replaces it.
  bool replaces;
};

struct Endpoint;

/// The properties of a handler that follow from its type. They are compile-time constants, so that
/// a file that adds a route needs no code for them.
struct HandlerFacts {
  using RespondNow = void (*)(const Endpoint&, const Context&, Response&);
  using RespondLater = Task<> (*)(const Endpoint&, const Context&, Response&);

  detail::base::TypeKey handler_type = nullptr;
  RespondNow respond_now = nullptr;      // null if the handler waits
  RespondLater respond_later = nullptr;  // null if it does not wait
  bool is_blocking = false;
  bool streams_body = false;   // the handler reads the request body itself
  bool keeps_request = false;  // the result may use the request after the handler returns
  bool opens_websocket = false;
  Wishes wishes;
  std::span<const std::string_view> path_types;  // types of its path parameters
  /// Describe parameters and result, for App::operations.
  std::span<const detail::app::Describe> description;
};

struct Endpoint : HandlerFacts {
  // Defined in app.cc, so that they are compiled once instead of in each file that adds a route.
  Endpoint();
  Endpoint(const HandlerFacts& facts, Method method, std::string_view pattern,
           std::shared_ptr<const void> handler);
  Endpoint(const Endpoint&);
  Endpoint(Endpoint&&) noexcept;
  Endpoint& operator=(const Endpoint&) = delete;
  Endpoint& operator=(Endpoint&&) noexcept;
  ~Endpoint();

  Method method = Method::get;  // unknown: all methods without another route for the pattern
  std::string pattern;
  std::shared_ptr<const void> handler;
  std::size_t body_bytes_max = 0;  // 0: the limit of the app
  std::size_t scope = 0;
  std::vector<Guard> guards;              // only those of the route itself
  std::vector<Hook> hooks;                // same
  std::vector<Middleware> middlewares;    // same
  std::source_location where;             // source line that added the route
  std::vector<std::string> subprotocols;  // for a WebSocket
  RouteDocs words;
  bool is_directory = false;  // see Route::directory
  UnknownQuery unknown_query = UnknownQuery::by_result;

  // Resolved when the app starts.
  std::shared_ptr<LogSink> log;      // null: no log
  const Router* unrouted = nullptr;  // of the site whose unknown paths this endpoint serves
  std::vector<std::string_view> path_names;
  std::vector<void*> states;
  Topics* topics = nullptr;
  std::vector<const Hook::OnRequest*> before;
  std::vector<const Hook*> after;
  std::vector<GuardOnWay> on_way;
  std::vector<const Hook::OnRequest*> on_body;
  std::vector<const Middleware*> middleware;
  bool has_waiting_guard = false;
  bool has_blocking_guard = false;
  bool ignores_unknown_query = false;
  bool exempt_from_load_shedding = false;  // see Route::exempt_from_load_shedding
  bool takes_mount_path = false;           // see Route::with_mount_path

  /// Returns whether a hook or guard runs before the request body is read, and can reject the
  /// request without it.
  [[nodiscard]] bool decides() const noexcept { return !before.empty() || !on_way.empty(); }
  /// Returns whether guards or `on_body` hooks run between hooks and the handler.
  [[nodiscard]] bool admits() const noexcept { return !on_way.empty() || !on_body.empty(); }
  [[nodiscard]] bool waits() const noexcept {
    return respond_now == nullptr || !middleware.empty() || has_waiting_guard;
  }
};

namespace detail::app {

template <class F>
void respond_now(const Endpoint& endpoint, const Context& context, Response& response) {
  call_now(*static_cast<const F*>(endpoint.handler.get()), context, response);
}

template <class F>
Task<> respond_later(const Endpoint& endpoint, const Context& context, Response& response) {
  return call_later<F>(endpoint.handler.get(), context, response);
}

template <class F>
Task<> respond_producing(const Endpoint& endpoint, const Context& context, Response& response) {
  begin_producing(*static_cast<const F*>(endpoint.handler.get()), context, response);
  co_return;
}

template <class F>
[[nodiscard]] constexpr HandlerFacts facts_of() noexcept {
  HandlerFacts facts;
  facts.is_blocking = kIsBlocking<F>;
  facts.streams_body = Signature<F>::kStreamsBody;
  facts.keeps_request = kKeepsRequest<F>;
  static_assert(
      !Signature<F>::kStreamsBody || (Signature<F>::kIsTask && !kIsBlocking<F>),
      "a handler that reads the request body as a stream must be a coroutine: return a Task");
  static_assert(
      !Signature<F>::kProduces || (Signature<F>::kIsTask && !kIsBlocking<F> &&
                                   std::is_void_v<typename Signature<F>::Value>),
      "a handler that streams its response must return Task<>: write the response to the stream");
  static_assert(!Signature<F>::kProduces || !Signature<F>::kEndsWithHead,
                "a handler that streams its response cannot change the session, because the "
                "headers are sent first: use Session<const T>");
  if constexpr (Signature<F>::kIsTask) {
    check_captures<F>();
  }
  if constexpr (Signature<F>::kProduces) {
    facts.respond_later = &respond_producing<F>;
  } else if constexpr (kWaits<F>) {
    facts.respond_later = &respond_later<F>;
  } else {
    facts.respond_now = &respond_now<F>;
  }
  facts.wishes = wishes_of<Signature<F>>();
  facts.path_types = Signature<F>::path_types();
  if constexpr (Signature<F>::kProduces) {
    facts.description = Signature<F>::parameters();
  } else {
    facts.description = Signature<F>::parameters_and_result();
  }
  facts.handler_type = &base::kTypeKey<F>;
  return facts;
}

template <class F>
inline constexpr HandlerFacts kHandlerFacts = facts_of<F>();

}  // namespace detail::app
}  // namespace eider
