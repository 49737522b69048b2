// Functions that run before a handler: guards reject requests, providers supply values.
// Layering: must not read the request body.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/app/handlers/handler.h"
#include "eider/app/handlers/kept_function.h"
#include "eider/app/handlers/middleware.h"

namespace eider {

struct Guard;
/// Describes a guard in OpenAPI documents, instead of its parameters.
using DescribeGuard = std::function<void(Operation&)>;

/// A State parameter: its type, for the lookup at startup and for the error if there is none.
struct StateWish {
  detail::base::TypeKey key;
  std::string_view type_name;
};

/// A type that a parameter reads from the request's extensions.
struct ExtensionWish {
  detail::base::TypeKey key;
  std::string_view type_name;
  bool may_be_missing;
  /// Creates the guard that supplies the type if no other one does; null if the type has none.
  Guard (*make_maker)();
};

/// What the parameters of a function need in addition to the request, each in the order of the
/// parameters. The spans refer to static memory.
struct Wishes {
  std::span<const StateWish> states;
  std::span<const ExtensionWish> extensions;
};

/// A guard as two plain function pointers, like Endpoint for handlers.
struct Guard {
  using AdmitNow = Result<void> (*)(const Guard&, const Context&);
  using AdmitLater = Task<Result<void>> (*)(const Guard&, const Context&);

  std::shared_ptr<const void> function;
  AdmitNow admit_now = nullptr;      // null if it waits
  AdmitLater admit_later = nullptr;  // null if it does not wait
  bool is_blocking = false;
  /// Type that the guard stores in the request; null: none.
  detail::base::TypeKey extension = nullptr;
  std::string_view extension_name;
  bool may_set_nothing = false;
  /// Whether the guard can reject requests.
  bool may_refuse = false;
  Wishes wishes;
  std::span<const detail::app::Describe> parameters;
  /// Types of its path parameters, which are the first ones of the route.
  std::span<const std::string_view> path_types;
  /// Describes the guard instead of its parameters; empty: the parameters do.
  DescribeGuard describe;
  /// Name in the output of `--routes`; empty: derived from the stored type.
  std::string name;
  /// Middleware around the handlers of routes with this guard, inside all other middleware, so that
  /// it sees changes of the response, such as a cookie. Null: none.
  std::shared_ptr<const Middleware> middleware;
};

namespace detail::app {

/// Splits the return type of a guard into its properties.
template <class R>
struct Learned {
  using Type = R;
  static constexpr bool kMayBeNothing = false;
  static constexpr bool kMayRefuse = false;
};
template <class T>
struct Learned<Result<T>> : Learned<T> {
  static constexpr bool kMayRefuse = true;
};
template <class T>
struct Learned<std::optional<T>> {
  using Type = T;
  static constexpr bool kMayRefuse = false;
  static constexpr bool kMayBeNothing = true;
};

template <class T>
Result<void> set_learned(Request& request, T learned) {
  if constexpr (requires(const T& earlier) { learned.add_missing(earlier); }) {
    if (const T* const earlier = request.find<T>()) {
      learned.add_missing(*earlier);  // a type to which several guards add, such as UpstreamHeaders
    }
  }
  request.set(std::move(learned));
  return {};
}
template <class T>
Result<void> set_learned(Request& request, std::optional<T> learned) {
  return learned ? set_learned(request, std::move(*learned)) : Result<void>();
}
template <class T>
Result<void> set_learned(Request& request, Result<T> learned) {
  if (!learned) {
    return fail(std::move(learned.error()));
  }
  if constexpr (std::is_void_v<T>) {
    return {};
  } else {
    return set_learned(request, std::move(*learned));
  }
}

template <class G>
Result<void> admit_now(const Guard& guard, const Context& context) {
  using S = Signature<G>;
  constexpr std::make_index_sequence<S::kCount> kSequence;
  const auto& function = *static_cast<const G*>(guard.function.get());
  const auto call = [&]<std::size_t... I>(std::index_sequence<I...> sequence) -> Result<void> {
    [[maybe_unused]] auto held = S::extract(context, sequence);
    if (auto wrong = first_error(held, sequence)) {
      return fail(std::move(*wrong));
    }
    if constexpr (std::is_void_v<typename S::Value>) {
      function(pass(*held_at<I>(held))...);
      return {};
    } else {
      return set_learned(context.request, function(pass(*held_at<I>(held))...));
    }
  };
  return call(kSequence);
}

template <class G>
Task<Result<void>> admit_later(const Guard& guard, const Context& context) {
  using S = Signature<G>;
  constexpr std::make_index_sequence<S::kCount> kSequence;
  Request& request = context.request;
  auto held = S::extract(context, kSequence);
  if (auto wrong = first_error(held, kSequence)) {
    co_return fail(std::move(*wrong));
  }
  auto task = begin(*static_cast<const G*>(guard.function.get()), held, kSequence);
  if constexpr (std::is_void_v<typename S::Value>) {
    co_await std::move(task);
    co_return Result<void>();
  } else {
    typename S::Value learned = co_await std::move(task);
    co_return set_learned(request, std::move(learned));
  }
}

/// Checks a guard at compile time.
template <class G>
consteval void check_guard() {
  using S = Signature<G>;
  using Type = typename Learned<typename S::Value>::Type;
  static_assert(!S::kTakesContent,
                "a guard runs before the request body is read: use Body, Json<T>, Form<T>, "
                "BodyStream or Multipart only in the handler");
  static_assert(!S::kEndsWithHead,
                "a guard cannot change the session, because a rejected request would lose the "
                "change: use Session<const T>, or a UserKey");
  static_assert(!S::kProduces && !S::kTakesSocket,
                "a guard cannot send a response: return an Error, or a value for the handler");
  static_assert(!std::is_same_v<Type, bool>,
                "a guard cannot return a bool, because the client needs a reason: return "
                "Result<void>, for example `return fail(Error(403, \"…\"))`");
  static_assert(!std::is_same_v<Type, Response> && !std::is_same_v<Type, Error>,
                "a guard must return a value T for the handler, or a Result<T>: return an Error "
                "with fail(…)");
  if constexpr (S::kIsTask) {
    check_captures<G>();
  }
}

template <class S>
[[nodiscard]] constexpr Wishes wishes_of() noexcept;

template <class G>
[[nodiscard]] Guard make_guard(G function) {
  check_guard<G>();
  using S = Signature<G>;
  using L = Learned<typename S::Value>;
  S::check_parameters();
  Guard guard;
  guard.is_blocking = kIsBlocking<G>;
  if constexpr (kWaits<G>) {
    guard.admit_later = &admit_later<G>;
  } else {
    guard.admit_now = &admit_now<G>;
  }
  if constexpr (!std::is_void_v<typename L::Type>) {
    guard.extension = &base::kTypeKey<typename L::Type>;
    guard.extension_name = base::type_name<typename L::Type>();
    guard.may_set_nothing = L::kMayBeNothing;
  }
  guard.wishes = wishes_of<S>();
  guard.parameters = S::parameters();
  guard.path_types = S::path_types();
  guard.may_refuse = L::kMayRefuse;
  guard.function = keep_function(std::move(function));
  // The functions that these members return may refer to the guard, so they use the stored copy.
  [[maybe_unused]] const G& kept = *static_cast<const G*>(guard.function.get());
  if constexpr (requires(Operation& operation) { kept.describe(operation); }) {
    guard.describe = [its = guard.function](Operation& operation) {
      static_cast<const G*>(its.get())->describe(operation);
    };
  }
  if constexpr (requires { std::string(kept.name()); }) {
    guard.name = kept.name();
  }
  if constexpr (requires { Middleware(kept.middleware()); }) {
    guard.middleware = std::make_shared<const Middleware>(kept.middleware());
  }
  return guard;
}

template <class G>
[[nodiscard]] Guard describe_guard(G function, DescribeGuard describe) {
  Guard guard = make_guard(as_function(std::move(function)));
  if (describe) {
    guard.describe = std::move(describe);
  }
  return guard;
}

/// Returns the guard of a type that is computed by Extract<T>::from.
template <class T>
[[nodiscard]] Guard make_maker() {
  Guard maker = make_guard(&Extract<T>::from);
  using Made = typename Learned<typename Signature<decltype(&Extract<T>::from)>::Value>::Type;
  static_assert(std::is_same_v<Made, T>,
                "Extract<T>::from must return a T, or a Result, an optional or a Task of a T");
  if constexpr (requires(Operation& operation) { Extract<T>::describe(operation); }) {
    maker.describe = &Extract<T>::describe;
  }
  return maker;
}

template <class A>
constexpr void add_wish(StateWish*& next) noexcept {
  if constexpr (kKind<A> == ArgumentKind::state) {
    using T = typename Extract<A>::Object;
    *next++ = {&base::kTypeKey<T>, base::type_name<T>()};
  }
}

template <class A>
constexpr void add_wish(ExtensionWish*& next) noexcept {
  if constexpr (kKind<A> == ArgumentKind::extension) {
    using T = typename Extractor<A>::Object;
    *next = {&base::kTypeKey<T>, base::type_name<T>(), kMayBeMissing<A>, nullptr};
    if constexpr (kIsMade<T>) {
      next->make_maker = &make_maker<T>;
    }
    ++next;
  }
}

template <class Wish, ArgumentKind kind, class... A>
inline constexpr auto kWishes = [] {
  std::array<Wish, (std::size_t{0} + ... + (kKind<A> == kind ? 1U : 0U))> wishes{};
  [[maybe_unused]] Wish* next = wishes.data();
  (add_wish<A>(next), ...);
  return wishes;
}();

/// The needs of a list of parameter types, shared by all functions with the same list.
template <class... A>
struct WishesOf {
  static constexpr Wishes kAll{kWishes<StateWish, ArgumentKind::state, A...>,
                               kWishes<ExtensionWish, ArgumentKind::extension, A...>};
};

template <class S>
constexpr Wishes wishes_of() noexcept {
  return S::template Of<WishesOf>::kAll;
}

}  // namespace detail::app
}  // namespace eider
