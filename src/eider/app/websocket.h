// What makes a WebSocket route of a handler: its other arguments, the handshake, the 101.
// Must not speak the protocol: server/websocket.h does.
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
#include "eider/app/early_hints.h"
#include "eider/app/endpoint.h"
#include "eider/app/extract.h"
#include "eider/app/handler.h"
#include "eider/app/params.h"
#include "eider/server/topics.h"
#include "eider/server/websocket.h"
#include "eider/server/ws_route.h"

namespace eider {

/// `app.ws("/feed/{room}", [](WebSocket ws, std::string room) -> Task<> { … })`. Filled in when the
/// connection has been taken over.
template <>
struct Extract<WebSocket> {
  using Held = WebSocket;
  static Result<Held> from(const Context& context, ArgumentPlace place);
};

namespace detail {

/// One set of callbacks for all connections takes nothing of the request.
template <>
struct Signature<WebSocketHandlers> : SignatureOf<WebSocketHandlers, WebSocketHandlers> {};

/// Whether a parameter would refer to the request, which is gone when the handler goes on.
template <class P>
inline constexpr bool kBorrows =
    std::is_reference_v<P> || std::is_pointer_v<P> || kStreamsBody<P> || kProduces<P>;
template <>
inline constexpr bool kBorrows<std::string_view> = true;
template <>
inline constexpr bool kBorrows<Body> = true;
template <>
inline constexpr bool kBorrows<EarlyHints> = true;
template <class T>
inline constexpr bool kBorrows<std::optional<T>> = kBorrows<T>;
template <FixedString Name, class T>
inline constexpr bool kBorrows<Header<Name, T>> = kBorrows<T>;
template <FixedString Name, class T>
inline constexpr bool kBorrows<Cookie<Name, T>> = kBorrows<T>;

template <class Pointer>
struct ParametersOf;
template <class R, class... P>
struct ParametersOf<R (*)(P...)> {
  static constexpr bool kOwn = !(false || ... || kBorrows<std::remove_cv_t<P>>);
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

/// Says what is wrong with a handler, while compiling.
template <class F>
consteval void check_websocket_handler() {
  using Parameters = decltype(parameters_of<F>());
  using Returned = typename Signature<F>::Returned;
  static_assert(Parameters::kOwn,
                "a WebSocket handler outlives its request: take std::string instead of "
                "std::string_view, and no reference, Request or Body");
  if constexpr (!std::is_same_v<F, WebSocketHandlers>) {
    constexpr bool is_coroutine = std::is_same_v<Returned, Task<>> && Parameters::kSockets == 1;
    constexpr bool is_maker =
        std::is_same_v<Returned, WebSocketHandlers> && Parameters::kSockets == 0;
    static_assert(
        is_coroutine || is_maker,
        "a WebSocket handler takes one WebSocket and returns Task<>, or it takes none and "
        "returns WebSocketHandlers");
  }
}

/// What the endpoint of a WebSocket route keeps.
template <class F>
struct WebSocketEndpoint {
  WsRoute route;
  F function;
};

/// The handshake's check; renders what is wrong as a problem document.
[[nodiscard]] std::optional<WsAccepted> accept_websocket(const Context& context,
                                                         const WsRoute& route, Response& response);
/// Makes the response the 101. Pre: the endpoint's last state is the app's Topics.
void render_upgrade(Response& response, const Context& context, const WsRoute& route,
                    const WsAccepted& accepted, WsPurpose purpose);

inline void put_socket(Result<WebSocket>& held, WebSocket& socket) noexcept {
  held = std::move(socket);
}
template <class T>
void put_socket(Result<T>& /*held*/, WebSocket& /*socket*/) noexcept {}

/// The call of the handler, with its arguments, for when the connection has been taken over.
template <class F, class Held, std::size_t... I>
WsPurpose make_purpose(const F& function, [[maybe_unused]] Held held, std::index_sequence<I...>) {
  if constexpr (std::is_same_v<F, WebSocketHandlers>) {
    return &function;
  } else if constexpr (std::is_same_v<typename Signature<F>::Returned, WebSocketHandlers>) {
    return std::make_unique<WebSocketHandlers>(function(pass(*std::get<I>(held))...));
  } else {
    return WsHandler([&function, held = std::move(held)](WebSocket socket) mutable {
      (put_socket(std::get<I>(held), socket), ...);
      return function(pass(*std::get<I>(held))...);
    });
  }
}

template <class F>
void answer_websocket(const Endpoint& endpoint, const Context& context, Response& response) {
  using S = Signature<F>;
  constexpr std::make_index_sequence<S::kCount> kSequence;
  const auto& self = *static_cast<const WebSocketEndpoint<F>*>(endpoint.handler.get());
  const auto accepted = accept_websocket(context, self.route, response);
  if (!accepted) {
    return;
  }
  auto held = S::extract(context, kSequence);
  if (all_held(response, held, kSequence)) {
    render_upgrade(response, context, self.route, *accepted,
                   make_purpose(self.function, std::move(held), kSequence));
  }
}

/// What `Routes::ws` adds. The app must have been given a Topics as a state.
///
/// handler  a coroutine that takes a WebSocket; WebSocketHandlers; or a function that makes them
template <class F>
[[nodiscard]] Endpoint make_websocket_endpoint(std::string pattern, F handler,
                                               WebSocketOptions options = {}) {
  check_websocket_handler<F>();
  Endpoint endpoint;
  endpoint.method = Method::get;
  endpoint.pattern = std::move(pattern);
  endpoint.answer_now = &answer_websocket<F>;
  endpoint.opens_websocket = true;
  Signature<F>::each_state(
      [&endpoint]<class T>() { endpoint.wishes.push_back({&kTypeKey<T>, type_name<T>()}); });
  endpoint.wishes.push_back({&kTypeKey<Topics>, type_name<Topics>()});
  endpoint.handler = std::make_shared<const WebSocketEndpoint<F>>(
      WsRoute(std::move(options), endpoint.pattern), std::move(handler));
  return endpoint;
}

}  // namespace detail

template <class F>
Route Routes::ws(PatternFor<std::type_identity_t<F>> pattern, F handler) {
  return ws(pattern, std::move(handler), WebSocketOptions());
}

template <class F>
Route Routes::ws(PatternFor<std::type_identity_t<F>> pattern, F handler, WebSocketOptions options) {
  return add(detail::make_websocket_endpoint(std::string(pattern.text()), std::move(handler),
                                             std::move(options)));
}

}  // namespace eider
