// A database as handlers use it: cheap to copy, shared by all threads, awaited.
// Must not know which database it is: a driver opens it (sqlite/sqlite.h).
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "eider/data/db/failure.h"
#include "eider/data/db/row.h"
#include "eider/data/db/row_stream.h"
#include "eider/data/db/statements.h"
#include "eider/data/db/transaction.h"
#include "eider/io/runtime/sleep.h"
#include "eider/io/runtime/task.h"

namespace eider {

/// Statements run one by one, each for itself; reading goes on side by side, writing in the order
/// in which it was asked for.
class Database : public db::Statements {
 public:
  explicit Database(std::shared_ptr<db::Pool> pool) noexcept
      : Statements(db::Route(std::move(pool), nullptr)) {}

  [[nodiscard]] db::Dialect dialect() const noexcept { return route().pool()->dialect(); }
  /// For what one driver has, and others have not.
  [[nodiscard]] const std::shared_ptr<db::Pool>& pool() const noexcept { return route().pool(); }

  /// The same for what only reads and may be some seconds old: of a replica, where there is one
  /// that answers, else of the database itself. What one has written may not be there yet.
  [[nodiscard]] Database replica() const {
    std::shared_ptr<db::Pool> found = pool()->replica();
    return found == nullptr ? *this : Database(std::move(found));
  }

  /// `Transaction transaction = co_await database.begin();`
  [[nodiscard]] db::Pending<db::detail::BeginJob> begin(
      const TransactionOptions& options = {}) const {
    return {route(), db::Lane::writing,
            std::make_unique<db::detail::BeginJob>(
                route().pool(), db::detail::BeginJob::Use::transaction, options.isolation)};
  }

  /// Runs `body(Transaction&)`, which returns a Task, and commits when it comes to its end. An
  /// exception, a Result that failed, or cancellation takes everything back.
  ///
  /// body     is copied, and called once
  /// returns  what the body returned
  template <class Body>
  [[nodiscard]] std::invoke_result_t<std::decay_t<Body>&, Transaction&> transaction(
      Body&& body) const {
    using Function = std::decay_t<Body>;
    using Value = typename std::invoke_result_t<Function&, Transaction&>::value_type;
    return run_transaction<Value, Function>(*this, {}, InFrame<Function>(std::forward<Body>(body)));
  }

  /// The same with options. Where the server takes the transaction back for another one's sake (a
  /// `serialisation` or `deadlock` of a statement or of the commit, which the body lets through),
  /// it is begun and the body called anew, behind a pause of 10 ms and more, up to
  /// `options.tries_max` times. All else is passed on as it is: what is `lost` may have been kept.
  ///
  ///     co_await db->transaction({.isolation = db::Isolation::serialisable, .tries_max = 5},
  ///     body);
  ///
  /// body    is copied once, and called as const for each try: what it does beside the transaction
  ///         (a mail, a counter) is done each time. One that reads only what it has captured, and
  ///         moves none of it, finds the same each time
  /// errors  Failure(serialisation), (deadlock)  the last try's
  template <class Body>
  [[nodiscard]] std::invoke_result_t<std::decay_t<Body>&, Transaction&> transaction(
      const TransactionOptions& options, Body&& body) const {
    using Function = std::decay_t<Body>;
    static_assert(std::is_invocable_v<const Function&, Transaction&>,
                  "eider: what may be run again is not `mutable`: it would find what an earlier "
                  "try has left of what it captured");
    using Value = typename std::invoke_result_t<Function&, Transaction&>::value_type;
    return try_transaction<Value, Function>(*this, options,
                                            InFrame<Function>(std::forward<Body>(body)));
  }

 private:
  template <class F>
  using InFrame = detail::runtime::InFrame<F>;

  template <class T, class Body>
  static Task<T> try_transaction(Database database, TransactionOptions options,
                                 InFrame<Body> body) {
    for (unsigned tries = 1;; ++tries) {
      try {
        co_return co_await run_transaction<T, const Body&>(database, options,
                                                           InFrame<const Body&>(body.function));
      } catch (const db::Failure& failure) {
        if (tries >= options.tries_max || !db::detail::may_be_tried_again(failure.kind())) {
          throw;
        }
      }
      co_await sleep_for(db::detail::pause_behind_try(tries));
    }
  }

  template <class T, class Body>
  static Task<T> run_transaction(Database database, TransactionOptions options,
                                 InFrame<Body> body) {
    Transaction transaction = co_await database.begin(options);
    Task<T> work = body.function(transaction);
    if constexpr (std::is_void_v<T>) {
      co_await std::move(work);
      co_await transaction.commit();
    } else {
      T result = co_await std::move(work);
      if (!db::detail::IsFailed<T>::of(result)) {
        co_await transaction.commit();
      }
      co_return result;
    }
  }
};

}  // namespace eider
