// Registers WebSocket routes: the arguments of the handler, the handshake and the 101 response.
// Layering: must not implement the protocol; ws/websocket.h does.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "eider/app/app.h"
#include "eider/app/handlers/early_hints.h"
#include "eider/app/handlers/endpoint.h"
#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/handler.h"
#include "eider/app/handlers/params.h"
#include "eider/core/json/json.h"
#include "eider/io/ws/websocket.h"
#include "eider/io/ws/ws_route.h"
#include "eider/server/topics.h"

namespace eider {

/// A WebSocket of `app.ws("/feed/{room}", [](WebSocket ws, std::string room) -> Task<> { … })`. Set
/// when the handshake is complete.
template <>
struct Extract<WebSocket> {
  static constexpr ArgumentKind kKind = ArgumentKind::socket;
  static constexpr bool kOwnsData = true;
  using Held = WebSocket;
  static Result<Held> from(const Context& context, ArgumentPlace place);
};

/// Reads a JSON message: `if (const auto said = read_json<FromPage>(*message)) …`. For a variant of
/// structs, the member "type" selects the struct.
///
/// errors  as for json::read; 400 for a binary message
template <class T>
[[nodiscard]] Result<T> read_json(const WsMessage& message) {
  return message.is_text()
             ? json::read<T>(message.bytes)
             : fail(Error::bad_request("Binary messages are not supported. Send text."));
}

namespace detail::app {

/// A set of callbacks is shared by all connections and has no parameters from the request.
template <>
struct Signature<WebSocketHandlers> : SignatureOf<WebSocketHandlers, WebSocketHandlers> {};

template <class Pointer>
struct ParametersOf;
template <class R, class... P>
struct ParametersOf<R (*)(P...)> {
  static constexpr bool kOwn = (true && ... && (!std::is_reference_v<P> && kOwnsData<Argument<P>>));
  static constexpr std::size_t kSockets =
      (std::size_t{0} + ... + std::size_t{std::is_same_v<P, WebSocket>});
};
template <class R, class... P>
struct ParametersOf<R (*)(P...) noexcept> : ParametersOf<R (*)(P...)> {};
template <class C, class R, class... P>
struct ParametersOf<R (C::*)(P...) const> : ParametersOf<R (*)(P...)> {};
template <class C, class R, class... P>
struct ParametersOf<R (C::*)(P...) const noexcept> : ParametersOf<R (*)(P...)> {};

template <class F>
constexpr auto parameters_of() {
  if constexpr (std::is_same_v<F, WebSocketHandlers>) {
    return ParametersOf<void (*)()>();
  } else if constexpr (std::is_pointer_v<F>) {
    return ParametersOf<F>();
  } else {
    return ParametersOf<decltype(&F::operator())>();
  }
}

/// Checks a handler at compile time.
template <class F>
consteval void check_websocket_handler() {
  using Parameters = decltype(parameters_of<F>());
  using Returned = typename Signature<F>::Returned;
  static_assert(
      Parameters::kOwn,
      "a WebSocket handler outlives its request: use std::string instead of "
      "std::string_view, T instead of Extension<T>, and no reference, Request or Body. Define "
      "kOwnsData in a custom Extract that does not refer to the request");
  if constexpr (!std::is_same_v<F, WebSocketHandlers>) {
    constexpr bool is_coroutine = std::is_same_v<Returned, Task<>> && Parameters::kSockets == 1;
    constexpr bool is_maker =
        std::is_same_v<Returned, WebSocketHandlers> && Parameters::kSockets == 0;
    static_assert(is_coroutine || is_maker,
                  "a WebSocket handler must have one WebSocket parameter and return Task<>, or "
                  "have none and return WebSocketHandlers");
  }
}

/// The data of a WebSocket route, owned by its endpoint.
template <class F>
struct WebSocketEndpoint {
  ws::detail::WsRoute route;
  F function;
};

/// Checks the handshake; renders errors as problem documents.
[[nodiscard]] std::optional<ws::detail::WsAccepted> accept_websocket(
    const Context& context, const ws::detail::WsRoute& route, Response& response);
/// Renders the 101 response.
void render_upgrade(Response& response, Topics& topics, const ws::detail::WsRoute& route,
                    const ws::detail::WsAccepted& accepted, ws::detail::WsPurpose purpose);

inline void put_socket(Result<WebSocket>& held, WebSocket& socket) noexcept {
  held = std::move(socket);
}
template <class T>
void put_socket(Result<T>& /*held*/, WebSocket& /*socket*/) noexcept {}

/// Calls the handler with its arguments after the handshake.
template <class F, class Held, std::size_t... I>
ws::detail::WsPurpose make_purpose(const F& function, [[maybe_unused]] Held held,
                                   std::index_sequence<I...>) {
  if constexpr (std::is_same_v<F, WebSocketHandlers>) {
    return &function;
  } else if constexpr (std::is_same_v<typename Signature<F>::Returned, WebSocketHandlers>) {
    return std::make_unique<WebSocketHandlers>(function(pass(*held_at<I>(held))...));
  } else {
    return ws::detail::WsHandler([&function, held = std::move(held)](WebSocket socket) mutable {
      (put_socket(held_at<I>(held), socket), ...);
      return function(pass(*held_at<I>(held))...);
    });
  }
}

template <class F>
void respond_websocket(const Endpoint& endpoint, const Context& context, Response& response) {
  using S = Signature<F>;
  constexpr std::make_index_sequence<S::kCount> kSequence;
  const auto& self = *static_cast<const WebSocketEndpoint<F>*>(endpoint.handler.get());
  const auto accepted = accept_websocket(context, self.route, response);
  if (!accepted) {
    return;
  }
  auto held = S::extract(context, kSequence);
  if (all_held(response, held, kSequence)) {
    render_upgrade(response, *endpoint.topics, self.route, *accepted,
                   make_purpose(self.function, std::move(held), kSequence));
  }
}

/// Returns the properties of the endpoint that `Routes::ws` adds.
///
/// handler  a coroutine with a WebSocket parameter; WebSocketHandlers; or a function that returns
///          them
template <class F>
[[nodiscard]] constexpr HandlerFacts websocket_facts_of() noexcept {
  check_websocket_handler<F>();
  if constexpr (Signature<F>::kIsTask) {
    check_captures<F>();
  }
  HandlerFacts facts;
  facts.respond_now = &respond_websocket<F>;
  facts.opens_websocket = true;
  facts.wishes = wishes_of<Signature<F>>();
  facts.path_types = Signature<F>::path_types();
  facts.description = Signature<F>::parameters();
  return facts;
}

template <class F>
inline constexpr HandlerFacts kWebSocketFacts = websocket_facts_of<F>();

}  // namespace detail::app

template <class F>
RouteOf<F> Routes::ws(PatternFor<std::type_identity_t<F>> pattern, F handler) {
  return ws(pattern, std::move(handler), WebSocketOptions());
}

template <class F>
RouteOf<F> Routes::ws(PatternFor<std::type_identity_t<F>> pattern, F handler,
                      WebSocketOptions options) {
  detail::app::Signature<F>::check_parameters();
  std::vector<std::string> subprotocols = options.subprotocols;
  Endpoint& endpoint =
      add(detail::app::kWebSocketFacts<F>, Method::get, pattern.text(), pattern.where(),
          std::make_shared<const detail::app::WebSocketEndpoint<F>>(
              ws::detail::WsRoute(std::move(options), std::string(pattern.text())),
              std::move(handler)));
  endpoint.subprotocols = std::move(subprotocols);
  return RouteOf<F>(endpoint, trust());
}

}  // namespace eider
