// One route's handler behind two plain function pointers, with what it was promised.
// Must not match paths (route/) nor run hooks (service.cc).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eider/app/handler.h"
#include "eider/app/middleware.h"
#include "eider/app/producing.h"
#include "eider/http/method.h"

namespace eider {

class Router;

/// A State parameter of a handler: which type it wants, for the lookup at start and its error.
struct StateWish {
  detail::TypeKey key;
  std::string_view type_name;
};

struct Endpoint {
  using AnswerNow = void (*)(const Endpoint&, const Context&, Response&);
  using AnswerLater = Task<> (*)(const Endpoint&, const Context&, Response&);

  Method method = Method::get;
  std::string pattern;
  std::shared_ptr<const void> handler;
  AnswerNow answer_now = nullptr;      // null when the handler waits
  AnswerLater answer_later = nullptr;  // null when it does not
  bool is_blocking = false;
  bool streams_body = false;  // the handler reads the content itself
  bool opens_websocket = false;
  bool allows_early_data = false;
  std::size_t body_bytes_max = 0;  // 0: the app's
  std::size_t scope = 0;
  std::vector<StateWish> wishes;

  // Resolved when the app starts.
  const Router* unrouted = nullptr;  // of the site for whose unknown paths this stands
  std::vector<std::string_view> path_names;
  std::vector<void*> states;
  std::vector<const Hook*> before;
  std::vector<const Hook*> after;
  std::vector<const Around*> around;

  [[nodiscard]] bool waits() const noexcept { return answer_now == nullptr || !around.empty(); }
};

namespace detail {

template <class F>
void answer_now(const Endpoint& endpoint, const Context& context, Response& response) {
  call_now(*static_cast<const F*>(endpoint.handler.get()), context, response);
}

template <class F>
Task<> answer_later(const Endpoint& endpoint, const Context& context, Response& response) {
  return call_later(*static_cast<const F*>(endpoint.handler.get()), context, response);
}

template <class F>
Task<> answer_producing(const Endpoint& endpoint, const Context& context, Response& response) {
  begin_producing(*static_cast<const F*>(endpoint.handler.get()), context, response);
  co_return;
}

/// The type's name as the compiler spells it, for "no state of type …".
template <class T>
[[nodiscard]] constexpr std::string_view type_name() noexcept {
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::size_t begin = text.find("T = ") + 4;
  return text.substr(begin, text.find_first_of(";]", begin) - begin);
}

template <class F>
[[nodiscard]] Endpoint make_endpoint(Method method, std::string pattern, F function) {
  Endpoint endpoint;
  endpoint.method = method;
  endpoint.pattern = std::move(pattern);
  endpoint.is_blocking = kIsBlocking<F>;
  endpoint.streams_body = Signature<F>::kStreamsBody;
  static_assert(!Signature<F>::kStreamsBody || (Signature<F>::kIsTask && !kIsBlocking<F>),
                "a handler that reads its body as it comes has to wait for it: return a Task");
  static_assert(!Signature<F>::kProduces || (Signature<F>::kIsTask && !kIsBlocking<F> &&
                                             std::is_void_v<typename Signature<F>::Value>),
                "a handler that writes its answer while it runs returns Task<>: what it has to "
                "say, it writes");
  if constexpr (Signature<F>::kProduces) {
    endpoint.answer_later = &answer_producing<F>;
  } else if constexpr (kWaits<F>) {
    endpoint.answer_later = &answer_later<F>;
  } else {
    endpoint.answer_now = &answer_now<F>;
  }
  Signature<F>::each_state(
      [&endpoint]<class T>() { endpoint.wishes.push_back({&kTypeKey<T>, type_name<T>()}); });
  endpoint.handler = std::make_shared<const F>(std::move(function));
  return endpoint;
}

}  // namespace detail
}  // namespace eider
