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

/// One of those that stand ahead of an endpoint, once the app has started.
struct GuardOnWay {
  const Guard* guard;
  std::span<void* const> states;
  /// All that ask for what it puts take a 4xx for "nothing".
  bool may_refuse;
  /// It runs for what it puts, and so not where that is there already.
  bool is_asked_for;
  /// What is there already may be an outer group's, which a guard ahead of it has asked for.
  bool replaces;
};

struct Endpoint;

/// What the compiler knows of a handler by its type: made while it compiles, so that a route costs
/// the file that adds it no code for that.
struct HandlerFacts {
  using RespondNow = void (*)(const Endpoint&, const Context&, Response&);
  using RespondLater = Task<> (*)(const Endpoint&, const Context&, Response&);

  detail::base::TypeKey handler_type = nullptr;
  RespondNow respond_now = nullptr;      // null when the handler waits
  RespondLater respond_later = nullptr;  // null when it does not
  bool is_blocking = false;
  bool streams_body = false;   // the handler reads the content itself
  bool keeps_request = false;  // what it returns may use the request when the handler is done
  bool opens_websocket = false;
  Wishes wishes;
  std::span<const std::string_view> path_types;  // of the values of the path that it takes
  /// What parameters and result say of themselves, for App::operations.
  std::span<const detail::app::Describe> description;
};

struct Endpoint : HandlerFacts {
  // Compiled once (app.cc), where every file that adds a route would make them again.
  Endpoint();
  Endpoint(const HandlerFacts& facts, Method method, std::string_view pattern,
           std::shared_ptr<const void> handler);
  Endpoint(const Endpoint&);
  Endpoint(Endpoint&&) noexcept;
  Endpoint& operator=(const Endpoint&) = delete;
  Endpoint& operator=(Endpoint&&) noexcept;
  ~Endpoint();

  Method method = Method::get;  // unknown: all that the pattern has no other route for
  std::string pattern;
  std::shared_ptr<const void> handler;
  std::size_t body_bytes_max = 0;  // 0: the app's
  std::size_t scope = 0;
  std::vector<Guard> guards;              // the route's own
  std::vector<Hook> hooks;                // likewise
  std::vector<Middleware> middlewares;    // likewise
  std::source_location where;             // it was added there
  std::vector<std::string> subprotocols;  // of a WebSocket
  RouteDocs words;
  bool is_directory = false;  // see Route::directory
  UnknownQuery unknown_query = UnknownQuery::by_result;

  // Resolved when the app starts.
  std::shared_ptr<LogSink> log;      // null: none
  const Router* unrouted = nullptr;  // of the site for whose unknown paths this stands
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
  bool exempt_from_load_shedding = false;  // it is answered however much there is to do
  bool takes_mount_path = false;           // see Route::with_mount_path

  /// Something stands ahead of the content, and may refuse the request without it.
  [[nodiscard]] bool decides() const noexcept { return !before.empty() || !on_way.empty(); }
  /// Something stands between hooks and the handler.
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
