// A handler's signature, taken apart at compile time, and the one thin call that joins
// extract.h, the handler and respond.h. Must not hold state: see endpoint.h.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>

#include "eider/app/extract.h"
#include "eider/app/respond.h"
#include "eider/runtime/blocking.h"
#include "eider/runtime/task.h"

namespace eider {

/// A handler that computes or waits in the kernel: it runs on the blocking pool, never on a loop.
template <class F>
class Blocking {
 public:
  explicit Blocking(F function) : function_(std::move(function)) {}
  [[nodiscard]] const F& function() const noexcept { return function_; }

 private:
  F function_;
};

/// `app.get("/slow", blocking([] { return crunch(); }));`
template <class F>
[[nodiscard]] Blocking<F> blocking(F function) {
  return Blocking<F>(std::move(function));
}

namespace detail {

template <class T>
struct TaskValue {
  using type = T;
  static constexpr bool kIsTask = false;
};
template <class T>
struct TaskValue<Task<T>> {
  using type = T;
  static constexpr bool kIsTask = true;
};

template <class P>
inline constexpr bool kIsPathValue = requires { requires Extract<P>::kIsPathValue; };
template <class P>
inline constexpr bool kStreamsBody = requires { requires Extract<P>::kStreamsBody; };
template <class P>
inline constexpr bool kProduces = requires { requires Extract<P>::kProduces; };
template <class P>
inline constexpr bool kIsState = requires { requires Extract<P>::kIsState; };

/// A type as a key: the address of its own variable.
using TypeKey = const void*;
template <class T>
inline constexpr char kTypeKey = 0;

/// How an argument is taken: references as they are, values without const.
template <class P>
using Argument =
    std::conditional_t<std::is_reference_v<P> && !std::is_same_v<std::remove_cvref_t<P>, Request>,
                       std::remove_cvref_t<P>,
                       std::conditional_t<std::is_reference_v<P>, P, std::remove_cv_t<P>>>;

/// From what is held to what the parameter wants: a Request* becomes a Request&.
template <class T>
T&& pass(T& held) noexcept {
  return static_cast<T&&>(held);
}
inline Request& pass(Request*& held) noexcept {
  return *held;
}
inline const Request& pass(const Request*& held) noexcept {
  return *held;
}

template <class A>
constexpr bool is_live() {
  if constexpr (kProduces<A>) {
    return Extract<A>::kIsLive;
  } else {
    return false;
  }
}
template <class A>
void prepare_for(auto& response) {
  if constexpr (kProduces<A>) {
    Extract<A>::prepare(response);
  }
}

template <class F, class R, class... P>
struct SignatureOf {
  using Function = F;
  using Returned = R;
  using Value = typename TaskValue<R>::type;
  static constexpr bool kIsTask = TaskValue<R>::kIsTask;
  static constexpr std::size_t kCount = sizeof...(P);
  static constexpr std::size_t kPathCount =
      (std::size_t{0} + ... + std::size_t{kIsPathValue<Argument<P>>});

  static constexpr bool kStreamsBody = (false || ... || detail::kStreamsBody<Argument<P>>);
  static constexpr bool kProduces = (false || ... || detail::kProduces<Argument<P>>);

  using Held = std::tuple<Result<typename Extract<Argument<P>>::Held>...>;

  /// For argument I: how many path values and states stand before it.
  static constexpr std::array<ArgumentPlace, sizeof...(P) + 1> kPlaces = [] {
    std::array<ArgumentPlace, sizeof...(P) + 1> places{};
    constexpr bool is_path[] = {kIsPathValue<Argument<P>>..., false};
    constexpr bool is_state[] = {kIsState<Argument<P>>..., false};
    for (std::size_t i = 0; i < sizeof...(P); ++i) {
      places[i + 1] = {places[i].path_index + (is_path[i] ? 1U : 0U),
                       places[i].state_index + (is_state[i] ? 1U : 0U)};
    }
    return places;
  }();

  template <std::size_t... I>
  static Held extract(const Context& context, std::index_sequence<I...>) {
    return Held{Extract<Argument<P>>::from(context, kPlaces[I])...};
  }

  /// Of a producer's parameters: see producing.h.
  static constexpr bool kIsLive = (false || ... || is_live<Argument<P>>());
  static void prepare(auto& response) { (prepare_for<Argument<P>>(response), ...); }
  template <std::size_t I>
  static decltype(auto) argument(auto& held, auto& out) {
    using A = std::tuple_element_t<I, std::tuple<std::type_identity<Argument<P>>...>>::type;
    if constexpr (detail::kProduces<A>) {
      return Extract<A>::make(out, *held.request);
    } else {
      return pass(held);
    }
  }

  /// The keys of the State parameters, in order.
  static void each_state(auto&& visit) { (visit_state<Argument<P>>(visit), ...); }

 private:
  template <class A>
  static void visit_state(auto& visit) {
    if constexpr (kIsState<A>) {
      visit.template operator()<typename Extract<A>::Object>();
    }
  }
};

template <class F, class Pointer>
struct MemberSignature;
template <class F, class C, class R, class... P>
struct MemberSignature<F, R (C::*)(P...) const> : SignatureOf<F, R, P...> {};
template <class F, class C, class R, class... P>
struct MemberSignature<F, R (C::*)(P...) const noexcept> : SignatureOf<F, R, P...> {};
template <class F, class C, class R, class... P>
struct MemberSignature<F, R (C::*)(P...)> : SignatureOf<F, R, P...> {
  static_assert(sizeof(F) == 0,
                "a handler must be callable as const: all threads share it, so drop `mutable` and "
                "keep what changes in State<T>");
};

template <class F>
struct Signature {
  static_assert(
      requires { &F::operator(); },
      "a handler is a function or a lambda whose parameter types are all spelled out (no "
      "`auto` parameters, no overloads)");
};
template <class F>
  requires requires { &F::operator(); }
struct Signature<F> : MemberSignature<F, decltype(&F::operator())> {};
template <class R, class... P>
struct Signature<R (*)(P...)> : SignatureOf<R (*)(P...), R, P...> {};
template <class R, class... P>
struct Signature<R (*)(P...) noexcept> : SignatureOf<R (*)(P...) noexcept, R, P...> {};
template <class F>
struct Signature<Blocking<F>> : Signature<F> {};

template <class F>
inline constexpr bool kIsBlocking = false;
template <class F>
inline constexpr bool kIsBlocking<Blocking<F>> = true;

/// Whether the answer comes later than the call.
template <class F>
inline constexpr bool kWaits = kIsBlocking<F> || Signature<F>::kIsTask;

/// All that is wrong with the arguments, as one problem document.
void render_errors(Response& response, std::initializer_list<const Error*> errors);

template <class T>
const Error* error_of(const Result<T>& result) noexcept {
  return result ? nullptr : &result.error();
}

/// Whether all arguments stand; renders what is wrong when not.
template <std::size_t... I>
bool all_held(Response& response, auto& held, std::index_sequence<I...>) {
  if ((std::get<I>(held).has_value() && ...)) [[likely]] {
    return true;
  }
  if constexpr (sizeof...(I) != 0) {
    render_errors(response, {error_of(std::get<I>(held))...});
  }
  return false;
}

template <class R>
void render_result(Response& response, auto&& call) {
  if constexpr (std::is_void_v<R>) {
    call();
    response.set_status(204);
  } else {
    Render<std::remove_cvref_t<R>>::into(response, call());
  }
}

template <class F>
void call_now(const F& function, const Context& context, Response& response) {
  using S = Signature<F>;
  const auto call = [&]<std::size_t... I>(std::index_sequence<I...> sequence) {
    [[maybe_unused]] auto held = S::extract(context, sequence);
    if (!all_held(response, held, sequence)) {
      return;
    }
    render_result<typename S::Returned>(
        response, [&]() -> decltype(auto) { return function(pass(*std::get<I>(held))...); });
  };
  call(std::make_index_sequence<S::kCount>());
}

/// Blocking work as a task. The awaiter is a local because g++ 12 copies awaited temporaries.
template <class R, class Work>
Task<R> on_pool(Work work) {
  auto done = run_blocking(std::move(work));
  co_return co_await done;
}

/// The handler's own task, or the pool's when it blocks.
template <class F, std::size_t... I>
auto begin(const F& function, [[maybe_unused]] auto& held, std::index_sequence<I...>) {
  if constexpr (kIsBlocking<F>) {
    return on_pool<typename Signature<F>::Value>(
        [&] { return function.function()(pass(*std::get<I>(held))...); });
  } else {
    return function(pass(*std::get<I>(held))...);
  }
}

template <class F>
Task<> call_later(const F& function, const Context& context, Response& response) {
  using S = Signature<F>;
  constexpr std::make_index_sequence<S::kCount> kSequence;
  auto held = S::extract(context, kSequence);
  if (!all_held(response, held, kSequence)) {
    co_return;
  }
  auto task = begin(function, held, kSequence);
  if constexpr (std::is_void_v<typename S::Value>) {
    co_await std::move(task);
    response.set_status(204);
  } else {
    typename S::Value value = co_await std::move(task);
    Render<typename S::Value>::into(response, std::move(value));
  }
}

}  // namespace detail
}  // namespace eider
