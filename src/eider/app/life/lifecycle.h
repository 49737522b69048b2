// Functions that run outside of requests: at startup, at shutdown, in the background, at intervals.
// Layering: must not run them; see lifetime.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/app/handlers/endpoint.h"
#include "eider/app/handlers/handler.h"
#include "eider/app/handlers/kept_function.h"
#include "eider/app/handlers/params.h"
#include "eider/core/base/failure.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"

namespace eider {

class OptionSet;

/// Where a function runs: on the server's first event loop, or on each of them.
enum class RunsOn : std::uint8_t { one_loop, each_loop };

/// What happens after an exception of a background task, which is always logged with its name.
enum class RestartPolicy : std::uint8_t { restart, stop };

struct BackgroundOptions {
  RunsOn runs_on = RunsOn::one_loop;
  RestartPolicy restart_policy = RestartPolicy::restart;
  /// Delay before a restart: doubled each time, up to a minute; reset after a minute without an
  /// error.
  Duration pause = std::chrono::seconds(1);
};

struct EveryOptions {
  RunsOn runs_on = RunsOn::one_loop;
  /// Delays each run by a random part of this time, so that several processes do not run at once.
  Duration jitter = Duration::zero();
  /// Whether the first run is at startup, instead of after the first interval.
  bool is_at_once = false;
};

/// Default time limit for functions at shutdown; then they are canceled, which is logged.
inline constexpr Duration kStopWithin = std::chrono::seconds(10);

/// How a program uses a file or directory while it serves.
enum class FileUse : std::uint8_t { read, write };

namespace detail::app {

struct ReachedFile {
  std::string path;
  FileUse use;
};

/// A function of the application with its states.
struct LifeCall {
  std::shared_ptr<const void> function;  // null: no function
  Task<> (*run)(const void* function, void* const* states) = nullptr;
  std::vector<StateWish> wishes;

  [[nodiscard]] bool is_there() const noexcept { return function != nullptr; }
};

/// A part of an application besides its routes.
struct Part {
  std::string name;
  LifeCall start{};
  LifeCall stop{};
  Duration stop_within = kStopWithin;
  LifeCall background{};
  BackgroundOptions background_options{};
  Duration interval = Duration::zero();  // between calls of `background`; zero: a single task
  EveryOptions every_options{};
  /// Throws if the part cannot work now.
  LifeCall check{};
  /// Called after the settings were reloaded.
  LifeCall reload{};
  /// Adds the options of the part; null: none.
  std::function<void(OptionSet&)> add_settings{};
  std::size_t scope = 0;  // of the group that added it, whose states it uses
};

/// Throws a Failure for an interval below 1 ms.
void check_interval(Duration interval);

template <class P>
struct StateObject {
  static_assert(sizeof(P) == 0,
                "functions that run outside of requests can only have State<T> parameters");
};
template <class T>
struct StateObject<State<T>> {
  using type = T;
};

template <class F, class R, class... P>
struct LifeFunction {
  using Returned = R;
  static constexpr std::size_t kCount = sizeof...(P);

  template <std::size_t... I>
  static R call(const F& function, void* const* states, std::index_sequence<I...> /*all*/) {
    return function(
        State(*static_cast<typename StateObject<std::remove_cvref_t<P>>::type*>(states[I]))...);
  }

  /// Throws a Failure if the function returns an error.
  static Task<> run(const void* function, void* const* states) {
    constexpr std::index_sequence_for<P...> kAll;
    using Value = typename TaskValue<R>::type;
    static_assert(std::is_void_v<Value> || std::is_same_v<Value, Result<void>>,
                  "functions that run outside of requests must return void or Result<void>, or a "
                  "Task of one of these");
    if constexpr (!TaskValue<R>::kIsTask) {
      check_result(*static_cast<const F*>(function), states, kAll);
    } else {
      auto task = call(*static_cast<const F*>(function), states, kAll);
      if constexpr (std::is_void_v<Value>) {
        co_await std::move(task);
      } else {
        value_or_throw(co_await std::move(task));
      }
    }
    co_return;
  }

  static void each_state(auto&& visit) {
    (visit.template operator()<typename StateObject<std::remove_cvref_t<P>>::type>(), ...);
  }

 private:
  static void check_result(const F& function, void* const* states, auto all) {
    if constexpr (std::is_void_v<R>) {
      call(function, states, all);
    } else {
      value_or_throw(call(function, states, all));
    }
  }
};

template <class F, class Pointer>
struct LifeSignature;
template <class F, class C, class R, class... P>
struct LifeSignature<F, R (C::*)(P...) const> : LifeFunction<F, R, P...> {
  static constexpr bool kIsTask = TaskValue<R>::kIsTask;
};
template <class F, class R, class... P>
struct LifeSignature<F, R (*)(P...)> : LifeFunction<F, R, P...> {
  static constexpr bool kIsTask = false;  // it captures nothing
};

template <class F>
struct LifePointer {
  using type = F;
};
template <class F>
  requires requires { &F::operator(); }
struct LifePointer<F> {
  using type = decltype(&F::operator());
};

template <class F>
[[nodiscard]] LifeCall make_life_call(F function) {
  using S = LifeSignature<F, typename LifePointer<F>::type>;
  if constexpr (S::kIsTask) {
    check_captures<F>();
  }
  LifeCall made;
  S::each_state(
      [&]<class T>() { made.wishes.push_back({&base::kTypeKey<T>, base::type_name<T>()}); });
  made.run = &S::run;
  made.function = keep_function(std::move(function));
  return made;
}

}  // namespace detail::app
}  // namespace eider
