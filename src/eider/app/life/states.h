// The objects of State<T> in one run of an application, registered or made on demand.
// Layering: must not be used by requests; objects are resolved when the app starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/app/handlers/extract.h"
#include "eider/app/life/lifecycle.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/result.h"
#include "eider/core/base/type_key.h"
#include "eider/io/runtime/loop_local.h"

namespace eider {

class RouteTable;
struct RouteScope;

namespace detail::app {

/// What a process serves at its HTTP addresses.
///
/// monitoring  only routes that are exempt from load shedding: those of health checks and metrics
/// nothing     the addresses are not opened
enum class Serves : std::uint8_t { everything, monitoring, nothing };

/// What an app serves: a state that a module sets. App::serve reads it after the options were read.
struct ListenRule {
  /// errors  the options contradict each other
  std::function<Result<Serves>()> serves;
};

/// Creates a state from other states.
struct StateMaker {
  base::TypeKey key = nullptr;
  std::string_view type_name;
  std::vector<StateWish> wishes;
  /// states  the objects of `wishes`; they outlive the result. Throws a Failure on error.
  std::function<std::shared_ptr<void>(void* const* states)> make;
};

/// The registered states of an app, and the functions that create the others, by type.
struct StateStore {
  /// For tests; they also apply to apps that are mounted in this one.
  std::map<base::TypeKey, std::shared_ptr<void>> overrides;
  std::map<base::TypeKey, std::shared_ptr<void>> given;
  /// Modules of the app itself; `given` takes precedence.
  std::map<base::TypeKey, std::shared_ptr<void>> modules;
  std::map<base::TypeKey, StateMaker> makers;
};

template <class F>
using MakerOf = LifeSignature<F, typename LifePointer<F>::type>;
/// The type that a function creates.
template <class F>
using MadeBy = typename Learned<typename MakerOf<F>::Returned>::Type;

/// Creates a T in place, so that its type does not have to be movable.
template <class F, class T = MadeBy<F>>
[[nodiscard]] std::unique_ptr<T> call_maker(const F& function, void* const* states) {
  using S = MakerOf<F>;
  constexpr std::make_index_sequence<S::kCount> kAll;
  if constexpr (std::is_same_v<typename S::Returned, T>) {
    return std::unique_ptr<T>(new T(S::call(function, states, kAll)));
  } else {
    Result<T> made = S::call(function, states, kAll);
    if (!made) {
      throw Failure(std::move(made.error()));
    }
    return std::make_unique<T>(std::move(*made));
  }
}

/// object  the type that handlers use: a T, or a LoopLocal<T>
template <class Object, class F>
[[nodiscard]] StateMaker state_maker(
    std::function<std::shared_ptr<void>(void* const* states)> make) {
  using Returned = typename MakerOf<F>::Returned;
  static_assert(!std::is_void_v<Returned> && !TaskValue<Returned>::kIsTask,
                "a function for app.singleton or app.per_loop must return a T or a Result<T>, and "
                "cannot be a coroutine: use on_start for asynchronous work");
  StateMaker made{&base::kTypeKey<Object>, base::type_name<MadeBy<F>>(), {}, std::move(make)};
  MakerOf<F>::each_state(
      [&]<class T>() { made.wishes.push_back({&base::kTypeKey<T>, base::type_name<T>()}); });
  return made;
}

template <class F>
[[nodiscard]] StateMaker make_state_maker(F function) {
  const auto kept = std::make_shared<const F>(std::move(function));
  return state_maker<MadeBy<F>, F>([kept](void* const* states) -> std::shared_ptr<void> {
    return std::shared_ptr<MadeBy<F>>(call_maker(*kept, states));
  });
}

template <class F>
[[nodiscard]] StateMaker make_loop_state_maker(F function) {
  using T = MadeBy<F>;
  const auto kept = std::make_shared<const F>(std::move(function));
  return state_maker<LoopLocal<T>, F>([kept](void* const* states) -> std::shared_ptr<void> {
    const std::vector<void*> own(states, states + MakerOf<F>::kCount);
    return std::make_shared<LoopLocal<T>>([kept, own] { return call_maker(*kept, own.data()); });
  });
}

}  // namespace detail::app

/// An object from App::per_loop: that of the event loop on which the handler runs, so it needs no
/// locks. Not for `blocking` handlers, which run on no event loop.
template <class T>
class PerLoop {
 public:
  explicit PerLoop(T& object) noexcept : object_(&object) {}
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }

 private:
  T* object_;
};

template <class T>
struct Extract<PerLoop<T>> {
  static constexpr bool kOwnsData = true;
  static constexpr ArgumentKind kKind = ArgumentKind::state;
  using Held = PerLoop<T>;
  using Object = LoopLocal<T>;
  static Result<Held> from(const Context& context, ArgumentPlace place) {
    return PerLoop<T>(static_cast<Object*>(context.states[place.state_index])->here());
  }
};

/// The states of one service. Destroyed in the reverse order of creation.
class States {
 public:
  /// table  must outlive this object
  explicit States(const RouteTable& table) noexcept : table_(table) {}
  States(const States&) = delete;
  States& operator=(const States&) = delete;
  ~States();

  /// Returns the object of a State<T> in that scope; creates it now if it was not registered.
  ///
  /// taker    name of the user of the state, for `wrong`, which gets a line if there is no such
  ///          state, if its function fails, or if it depends on itself
  /// returns  null if `wrong` contains the reason, from this call or an earlier one
  [[nodiscard]] void* find(const StateWish& wish, const RouteScope& scope, std::string_view taker,
                           std::string& wrong);

 private:
  struct Made {
    const detail::app::StateMaker* maker;
    std::shared_ptr<void> object;  // null: its creation has failed
  };

  void* make(const detail::app::StateMaker& maker, const RouteScope& scope, std::string& wrong);
  void tell_circle(const detail::app::StateMaker& maker, std::string& wrong) const;

  const RouteTable& table_;
  std::vector<Made> made_;
  std::vector<const detail::app::StateMaker*> under_way_;
};

}  // namespace eider
