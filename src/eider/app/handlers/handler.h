// The signature of a handler at compile time, and the call of extract.h, handler and respond.h.
// Layering: must not hold state; see endpoint.h.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "eider/app/handlers/extract.h"
#include "eider/app/handlers/respond.h"
#include "eider/core/base/type_key.h"
#include "eider/io/runtime/blocking.h"
#include "eider/io/runtime/task.h"

namespace eider {

/// A handler that computes for long or makes blocking system calls: it runs on the blocking pool,
/// never on an event loop.
template <class F>
class Blocking {
 public:
  explicit Blocking(F given) : function_(std::move(given)) {}
  [[nodiscard]] const F& function() const noexcept { return function_; }

 private:
  F function_;
};

/// `app.get("/slow", blocking([] { return crunch(); }));`
template <class F>
[[nodiscard]] Blocking<F> blocking(F function) {
  return Blocking<F>(std::move(function));
}

namespace detail::app {

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

/// Whether a parameter can be of that type.
template <class A>
inline constexpr bool kIsParameter = !requires { requires Extract<A>::kReadsText; } || kIsText<A>;

/// Checks a parameter at compile time.
template <class A>
struct Checked {
  static_assert(kIsParameter<A> || !kIsOptional<A>,
                "this parameter cannot be optional as a whole. Put std::optional inside, as in "
                "Header<\"name\", std::optional<int>>, or use it for members of the struct of "
                "Query. A value from a guard is std::optional<Extension<T>>");
  static_assert(
      kIsParameter<A> || kIsOptional<A>,
      "a parameter of this type cannot be a path parameter: path parameters are text, numbers, "
      "bool and enums. Use State<T> for an object of app.state(...), Extension<T> for a value from "
      "a guard, and Query<T>, Json<T> or Form<T> for data of the request");
};

/// Runs the checks of a parameter type that are only possible at startup.
template <class A>
void check_type() {
  if constexpr (requires { Extract<A>::check_type(); }) {
    Extract<A>::check_type();
  }
}

template <class... A>
inline constexpr std::size_t kPathValues =
    (std::size_t{0} + ... + (kKind<A> == ArgumentKind::path_value ? 1U : 0U));

template <class A>
inline constexpr bool kIsOutput =
    kKind<A> == ArgumentKind::output || kKind<A> == ArgumentKind::live_output;

/// Whether a closure captures references to local variables. A reference is the only trivially
/// copyable capture that is not standard layout; if another captured object hides that, the
/// reference is not found.
template <class F>
inline constexpr bool kCapturesByReference =
    std::is_class_v<F> && !std::is_empty_v<F> && std::is_trivially_copyable_v<F> &&
    !std::is_standard_layout_v<F>;

/// Rejects captured references: a handler that waits may continue after the function that added its
/// route has returned. Captures by value are safe, because the closure lives as long as the server.
template <class F>
consteval void check_captures() {
  static_assert(
      !kCapturesByReference<F>,
      "a handler that returns a Task must not capture by reference ([&]). Capture by value, which "
      "lives as long as the server, capture a pointer to an object that does, or use State<T>");
}

/// The type of an argument: references stay references, values lose their const.
template <class P>
using Argument =
    std::conditional_t<std::is_reference_v<P> && !std::is_same_v<std::remove_cvref_t<P>, Request>,
                       std::remove_cvref_t<P>,
                       std::conditional_t<std::is_reference_v<P>, P, std::remove_cv_t<P>>>;

/// Converts a stored argument to the parameter: a Request* becomes a Request&.
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
void prepare_for(auto& response) {
  if constexpr (kIsOutput<A>) {
    Extract<A>::prepare(response);
  }
}

template <class A>
std::string last_words_for() {
  if constexpr (requires { Extract<A>::last_words(); }) {
    return Extract<A>::last_words();
  } else {
    return {};
  }
}

template <class A>
constexpr Describe describe_parameter() noexcept {
  if constexpr (requires(Operation& operation) { Extract<A>::describe(operation); }) {
    return &Extract<A>::describe;
  } else {
    return nullptr;
  }
}

/// The descriptions of parameters, and of parameters and a result. Shared by all functions of the
/// same types.
template <class... A>
inline constexpr std::array<Describe, sizeof...(A)> kParameters = {describe_parameter<A>()...};
template <class R, class... A>
inline constexpr std::array<Describe, sizeof...(A) + 1> kParametersAndResult = {
    describe_parameter<A>()..., &describe_result<R>};

/// The type names of the path parameters, in their order.
template <class... A>
inline constexpr auto kPathTypes = [] {
  std::array<std::string_view, kPathValues<A...>> names{};
  [[maybe_unused]] std::size_t next = 0;
  ((kKind<A> == ArgumentKind::path_value ? void(names[next++] = base::type_name<A>()) : void()),
   ...);
  return names;
}();

/// The result of the extraction of one argument.
template <std::size_t Index, class T>
struct HeldArgument {
  Result<T> value;
};

template <class Indices, class... T>
struct HeldArgumentsOf;
template <std::size_t... Index, class... T>
struct HeldArgumentsOf<std::index_sequence<Index...>, T...> : HeldArgument<Index, T>... {};

/// The results of all arguments. Each handler has its own list of types, and a std::tuple of them
/// would take three times as long to compile.
template <class... T>
using HeldArguments = HeldArgumentsOf<std::index_sequence_for<T...>, T...>;

template <std::size_t Index, class T>
Result<T>& held_at(HeldArgument<Index, T>& argument) noexcept {
  return argument.value;
}

template <class F, class R, class... P>
struct SignatureOf {
  using Function = F;
  using Returned = R;
  using Value = typename TaskValue<R>::type;
  static constexpr bool kIsTask = TaskValue<R>::kIsTask;
  static constexpr std::size_t kCount = sizeof...(P);
  static constexpr std::size_t kPathCount = kPathValues<Argument<P>...>;
  static constexpr bool kAreParameters = (true && ... && kIsParameter<Argument<P>>);

  static constexpr bool takes([[maybe_unused]] ArgumentKind kind) noexcept {
    return (false || ... || (kKind<Argument<P>> == kind));
  }
  static constexpr bool kStreamsBody = takes(ArgumentKind::content_stream);
  static constexpr bool kTakesContent = kStreamsBody || takes(ArgumentKind::content);
  static constexpr bool kTakesSocket = takes(ArgumentKind::socket);
  static constexpr bool kIsLive = takes(ArgumentKind::live_output);
  static constexpr bool kProduces = kIsLive || takes(ArgumentKind::output);
  static constexpr bool kOwnsData = (true && ... && app::kOwnsData<Argument<P>>);
  static constexpr bool kEndsWithHead = (false || ... || app::kEndsWithHead<Argument<P>>);

  static constexpr std::span<const Describe> parameters() noexcept {
    return kParameters<Argument<P>...>;
  }
  static constexpr std::span<const Describe> parameters_and_result() noexcept {
    return kParametersAndResult<std::remove_cvref_t<Value>, Argument<P>...>;
  }

  /// Parameters that parse the request body. (Body itself is the text, which may go with one.)
  static constexpr std::size_t kParsedBodies =
      (std::size_t{0} + ... +
       (kKind<Argument<P>> == ArgumentKind::content && !std::is_same_v<Argument<P>, Body> ? 1U
                                                                                          : 0U));

  /// Asserts that the parameters are valid. Not a constant, because clang would report that it is
  /// invalid as a second error.
  static void check_parameters() {
    static_assert(kParsedBodies <= 1,
                  "eider: a handler has at most one parameter for the request body, such as "
                  "Json<T>, Form<T> or MergePatch<T>: put the members of both into one struct");
    static_assert(!kStreamsBody || !takes(ArgumentKind::content),
                  "eider: a handler reads the request body either as a BodyStream or as a whole");
    static_cast<void>((std::size_t{0} + ... + sizeof(Checked<Argument<P>>)));
    (check_type<Argument<P>>(), ...);
  }

  static constexpr std::span<const std::string_view> path_types() noexcept {
    return kPathTypes<Argument<P>...>;
  }

  using Held = HeldArguments<typename Extractor<Argument<P>>::Held...>;

  /// For argument I: the number of path parameters and states before it.
  static constexpr std::array<ArgumentPlace, sizeof...(P) + 1> kPlaces = [] {
    std::array<ArgumentPlace, sizeof...(P) + 1> places{};
    constexpr ArgumentKind kinds[] = {kKind<Argument<P>>..., ArgumentKind::request};
    for (std::size_t i = 0; i < sizeof...(P); ++i) {
      places[i + 1] = {places[i].path_index + (kinds[i] == ArgumentKind::path_value ? 1U : 0U),
                       places[i].state_index + (kinds[i] == ArgumentKind::state ? 1U : 0U)};
    }
    return places;
  }();

  template <std::size_t... I>
  static Held extract(const Context& context, std::index_sequence<I...>) {
    return Held{{Extractor<Argument<P>>::from(context, kPlaces[I])}...};
  }

  /// For parameters that stream the response, see producing.h.
  static void prepare(auto& response) { (prepare_for<Argument<P>>(response), ...); }
  static std::string last_words() { return (std::string() + ... + last_words_for<Argument<P>>()); }
  template <std::size_t I>
  static decltype(auto) argument(auto& held, auto& out) {
    using A = std::tuple_element_t<I, std::tuple<std::type_identity<Argument<P>>...>>::type;
    if constexpr (kIsOutput<A>) {
      return Extract<A>::make(out, *held.request);
    } else {
      return pass(held);
    }
  }

  /// Instantiates a template with the parameter types.
  template <template <class...> class T>
  using Of = T<Argument<P>...>;
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
                "a handler must be callable as const, because all threads share it: remove "
                "`mutable` and keep changing data in State<T>");
};

template <class F>
struct Signature {
  static_assert(
      requires { &F::operator(); },
      "a handler must be a function or a lambda with explicit parameter types (no `auto` "
      "parameters, no overloads), or a parameter type has an error, reported above");
};
template <class F>
  requires requires { &F::operator(); }
struct Signature<F> : MemberSignature<F, decltype(&F::operator())> {};
template <class R, class... P>
struct Signature<R (*)(P...)> : SignatureOf<R (*)(P...), R, P...> {};
template <class R, class... P>
struct Signature<R (*)(P...) noexcept> : SignatureOf<R (*)(P...) noexcept, R, P...> {};

/// A member function as a handler: its object is the State of its class.
template <class Member, class R, class C, class... P>
struct MemberFunction {
  Member member;

  R operator()(State<C> object, P... values) const {
    return ((*object).*member)(static_cast<P&&>(values)...);
  }
  friend bool operator==(const MemberFunction&, const MemberFunction&) = default;
};
template <class R, class C, class... P>
MemberFunction<R (C::*)(P...), R, C, P...> as_function(R (C::*member)(P...)) {
  return {member};
}
template <class R, class C, class... P>
MemberFunction<R (C::*)(P...) const, R, C, P...> as_function(R (C::*member)(P...) const) {
  return {member};
}
template <class R, class C, class... P>
MemberFunction<R (C::*)(P...), R, C, P...> as_function(R (C::*member)(P...) noexcept) {
  return {member};
}
template <class R, class C, class... P>
MemberFunction<R (C::*)(P...) const, R, C, P...> as_function(R (C::*member)(P...) const noexcept) {
  return {member};
}
template <class F>
F as_function(F function) {
  return function;
}
template <class F>
auto as_function(Blocking<F> function) {
  return blocking(as_function(function.function()));
}

template <class F>
  requires std::is_member_function_pointer_v<F>
struct Signature<F> : Signature<decltype(as_function(F()))> {};
template <class F>
struct Signature<Blocking<F>> : Signature<F> {};

template <class F>
inline constexpr bool kIsBlocking = false;
template <class F>
inline constexpr bool kIsBlocking<Blocking<F>> = true;

/// Whether the response can come after the handler has returned.
template <class F>
inline constexpr bool kWaits = kIsBlocking<F> || Signature<F>::kIsTask;

/// Whether the response body may be produced after a synchronous handler has returned, and from
/// data in the request: for example a Streamed that captured a view.
template <class F>
inline constexpr bool kKeepsRequest =
    !kWaits<F> && !Signature<F>::kOwnsData &&
    !kIsBuffered<std::remove_cvref_t<typename Signature<F>::Value>>;

/// Returns the errors of all arguments as one error, or nothing if there are none.
[[nodiscard]] std::optional<Error> merge_errors(std::initializer_list<const Error*> errors);

template <class T>
const Error* error_of(const Result<T>& result) noexcept {
  return result ? nullptr : &result.error();
}

/// Returns the errors of the arguments, or nothing if all are valid.
template <std::size_t... I>
std::optional<Error> first_error(auto& held, std::index_sequence<I...>) {
  if ((held_at<I>(held).has_value() && ...)) [[likely]] {
    return std::nullopt;
  }
  if constexpr (sizeof...(I) != 0) {
    return merge_errors({error_of(held_at<I>(held))...});
  }
}

/// Returns whether all arguments are valid; if not, renders their errors.
template <std::size_t... I>
bool all_held(Response& response, auto& held, std::index_sequence<I...>) {
  if ((held_at<I>(held).has_value() && ...)) [[likely]] {
    return true;
  }
  if constexpr (sizeof...(I) != 0) {
    render_refusal(response, *merge_errors({error_of(held_at<I>(held))...}));
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
        response, [&]() -> decltype(auto) { return function(pass(*held_at<I>(held))...); });
  };
  call(std::make_index_sequence<S::kCount>());
}

/// Runs blocking work on the pool, as a task.
template <class R, class Work>
Task<R> on_pool(Work work) {
  auto done = run_blocking(std::move(work));
  done.allow_load_shedding();
  co_return co_await done;
}

/// Returns the task of the handler, or of the pool if the handler is blocking.
template <class F, std::size_t... I>
auto begin(const F& function, [[maybe_unused]] auto& held, std::index_sequence<I...>) {
  if constexpr (kIsBlocking<F>) {
    return on_pool<typename Signature<F>::Value>(
        [&] { return function.function()(pass(*held_at<I>(held))...); });
  } else {
    return function(pass(*held_at<I>(held))...);
  }
}

/// Calls a handler that waits. `function` points to the F, because a coroutine frame must not
/// contain an F, which may be a function pointer: see InFrame.
template <class F>
Task<> call_later(const void* function, const Context& context, Response& response) {
  using S = Signature<F>;
  constexpr std::make_index_sequence<S::kCount> kSequence;
  auto held = S::extract(context, kSequence);
  if (!all_held(response, held, kSequence)) {
    co_return;
  }
  auto task = begin(*static_cast<const F*>(function), held, kSequence);
  if constexpr (std::is_void_v<typename S::Value>) {
    co_await std::move(task);
    response.set_status(204);
  } else {
    typename S::Value value = co_await std::move(task);
    Render<typename S::Value>::into(response, std::move(value));
  }
}

}  // namespace detail::app
}  // namespace eider
