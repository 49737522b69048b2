// The handler of a job type: its options and how it is called.
// Layering: must not know the database, or when it is called.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/app/handlers/handler.h"
#include "eider/app/handlers/kept_function.h"
#include "eider/app/life/lifecycle.h"
#include "eider/core/base/failure.h"
#include "eider/core/base/type_key.h"
#include "eider/core/json/json.h"
#include "eider/data/db/transaction.h"
#include "eider/io/runtime/task.h"
#include "eider/io/runtime/time.h"
#include "eider/web/jobs/job_context.h"

namespace eider {

class Jobs;

/// How the jobs of a type run. Options of `enqueue` take precedence.
struct JobOptions {
  /// Name of the type in the database, at most 100 bytes. Default: the name of the struct without
  /// its namespaces. Set it before you rename the struct, because waiting jobs have the old name.
  std::string name = {};
  /// Maximum number of attempts; then the job has failed.
  unsigned attempts = 12;
  std::string queue = "default";
  /// Jobs with a smaller number run first: -32768 to 32767.
  int priority = 0;
  /// Pause before the second attempt; it doubles for each further one, with a random variation of
  /// up to a quarter. With twelve attempts, a job is tried for nearly five hours.
  Duration first_pause = std::chrono::seconds(10);
  Duration pause_max = std::chrono::hours(2);
  /// Time limit of an attempt: then the handler is canceled, and the attempt has failed.
  Duration timeout = std::chrono::minutes(10);
  /// How long a job is kept after it is done, for inspection. 0: it is deleted.
  Duration keep_done_for = Duration::zero();
};

namespace detail::jobs {

/// The arguments in the database do not fit the struct.
struct UnreadableArgs : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A job type with its handler.
struct Entry {
  JobOptions options;
  base::TypeKey key = nullptr;
  std::shared_ptr<const void> function;
  /// states  of the function's parameters; function and states outlive the task
  Task<> (*run)(const void* function, void* const* states, JobContext& context) = nullptr;
  std::vector<void*> states;  // set when the app starts
  bool has_transaction = false;
};

/// Returns "SendReminder" for "shop::(anonymous namespace)::SendReminder".
[[nodiscard]] std::string short_name(std::string_view type_name);

/// Returns the validation errors as a text: "/old is not an allowed member".
[[nodiscard]] std::string unreadable_text(const Error& error);

/// Throws a Failure for options that cannot work.
void check(const JobOptions& options);

template <class P>
inline constexpr bool kIsState = false;
template <class T>
inline constexpr bool kIsState<State<T>> = true;

/// A parameter of a handler: its job, its context, a transaction, or a state.
template <class T, class P>
inline constexpr bool kIsJobParameter =
    std::is_same_v<std::remove_cvref_t<P>, T> || std::is_same_v<P, JobContext&> ||
    std::is_same_v<P, Transaction&> || std::is_same_v<P, const Transaction&> ||
    kIsState<std::remove_cvref_t<P>>;

template <class T, class F, class R, class... P>
struct JobFunction {
  static_assert((kIsJobParameter<T, P> && ...),
                "a job handler's parameters are the job, JobContext&, Transaction& and State<T>");
  using Value = typename app::TaskValue<R>::type;
  static_assert(std::is_void_v<Value> || std::is_same_v<Value, Result<void>>,
                "a job handler must return void or Result<void>, or a Task of one of these");
  static constexpr bool kHasTransaction =
      (std::is_same_v<std::remove_cvref_t<P>, Transaction> || ...);

  static Task<> run(const void* function, void* const* states, JobContext& context) {
    auto job = json::read<T>(context.args());
    if (!job) {
      throw UnreadableArgs(unreadable_text(job.error()));
    }
    if constexpr (kHasTransaction) {
      Transaction transaction = co_await context.database().begin();
      co_await call(*static_cast<const F*>(function), states, *job, context, &transaction);
      if (!context.is_completed()) {
        co_await context.complete(transaction);
      }
      co_await transaction.commit();
    } else {
      co_await call(*static_cast<const F*>(function), states, *job, context, nullptr);
    }
  }

  static std::vector<StateWish> wishes() {
    std::vector<StateWish> all;
    (add_wish<std::remove_cvref_t<P>>(all), ...);
    return all;
  }

 private:
  template <class A>
  static void add_wish(std::vector<StateWish>& all) {
    if constexpr (kIsState<A>) {
      using S = typename app::StateObject<A>::type;
      all.push_back({&base::kTypeKey<S>, base::type_name<S>()});
    }
  }

  /// Passes the arguments; counts the states to find the next one.
  struct Arguments {
    void* const* states;
    T& job;
    JobContext& context;
    Transaction* transaction;

    template <class A>
    decltype(auto) get() {
      using Plain = std::remove_cvref_t<A>;
      if constexpr (std::is_same_v<Plain, T>) {
        return static_cast<std::conditional_t<std::is_reference_v<A>, T&, T&&>>(job);
      } else if constexpr (std::is_same_v<Plain, JobContext>) {
        return static_cast<JobContext&>(context);
      } else if constexpr (std::is_same_v<Plain, Transaction>) {
        return static_cast<Transaction&>(*transaction);
      } else {
        return Plain(*static_cast<typename app::StateObject<Plain>::type*>(*states++));
      }
    }
  };

  static Task<> call(const F& function, void* const* states, T& job, JobContext& context,
                     Transaction* transaction) {
    Arguments all{states, job, context, transaction};
    if constexpr (std::is_void_v<R>) {
      invoke(function, all);
    } else if constexpr (!app::TaskValue<R>::kIsTask) {
      value_or_throw(invoke(function, all));
    } else {
      R task = invoke(function, all);
      if constexpr (std::is_void_v<Value>) {
        co_await std::move(task);
      } else {
        value_or_throw(co_await std::move(task));
      }
    }
    co_return;
  }

  // A braced list is evaluated from left to right, unlike the arguments of a call.
  static R invoke(const F& function, Arguments& all) {
    std::tuple<decltype(all.template get<P>())...> values{all.template get<P>()...};
    return std::apply(
        [&](auto&&... each) -> R { return function(static_cast<decltype(each)&&>(each)...); },
        std::move(values));
  }
};

template <class T, class F, class Pointer>
struct JobSignature;
template <class T, class F, class C, class R, class... P>
struct JobSignature<T, F, R (C::*)(P...) const> : JobFunction<T, F, R, P...> {
  static constexpr bool kIsTask = app::TaskValue<R>::kIsTask;
};
template <class T, class F, class R, class... P>
struct JobSignature<T, F, R (*)(P...)> : JobFunction<T, F, R, P...> {
  static constexpr bool kIsTask = false;  // it captures nothing
};

template <class T, class F>
[[nodiscard]] std::shared_ptr<Entry> make_entry(F function, JobOptions options) {
  using S = JobSignature<T, F, typename app::LifePointer<F>::type>;
  if constexpr (S::kIsTask) {
    app::check_captures<F>();
  }
  auto entry = std::make_shared<Entry>();
  entry->options = std::move(options);
  if (entry->options.name.empty()) {
    entry->options.name = short_name(base::type_name<T>());
  }
  check(entry->options);
  entry->key = &base::kTypeKey<T>;
  entry->run = &S::run;
  entry->has_transaction = S::kHasTransaction;
  entry->function = app::keep_function(std::move(function));
  return entry;
}

/// Gives an entry its states and its Jobs, when the app starts.
[[nodiscard]] app::Part part_of(std::shared_ptr<Entry> entry, std::vector<StateWish> wishes);

template <class T, class F>
[[nodiscard]] app::Part make_part(F function, JobOptions options) {
  using S = JobSignature<T, F, typename app::LifePointer<F>::type>;
  return part_of(make_entry<T>(std::move(function), std::move(options)), S::wishes());
}

}  // namespace detail::jobs
}  // namespace eider
