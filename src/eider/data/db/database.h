// A database handle for handlers: cheap to copy, shared by all threads, asynchronous.
// Layering: must not know which database it is; a driver opens it (sqlite/sqlite.h).
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

/// Runs statements independently; reads run concurrently, writes in the order of the calls.
class Database : public db::Statements {
 public:
  explicit Database(std::shared_ptr<db::Pool> pool) noexcept
      : Statements(db::Route(std::move(pool), nullptr)) {}

  [[nodiscard]] db::Dialect dialect() const noexcept { return route().pool()->dialect(); }
  /// Returns the pool, for features of a single driver.
  [[nodiscard]] const std::shared_ptr<db::Pool>& pool() const noexcept { return route().pool(); }

  /// Returns a handle for reads that may be some seconds old: they use an available replica,
  /// otherwise the database itself. Your own recent writes may be missing.
  [[nodiscard]] Database replica() const {
    std::shared_ptr<db::Pool> found = pool()->replica();
    return found == nullptr ? *this : Database(std::move(found));
  }

  /// Starts a transaction: `Transaction transaction = co_await database.begin();`
  [[nodiscard]] db::Pending<db::detail::BeginJob> begin(
      const TransactionOptions& options = {}) const {
    return {route(), db::Lane::writing,
            std::make_unique<db::detail::BeginJob>(
                route().pool(), db::detail::BeginJob::Use::transaction, options.isolation)};
  }

  /// Runs `body(Transaction&)`, which returns a Task, and commits when it has finished. An
  /// exception, a failed Result or cancellation rolls everything back.
  ///
  /// body     is copied, and called once
  /// returns  the result of the body
  template <class Body>
  [[nodiscard]] std::invoke_result_t<std::decay_t<Body>&, Transaction&> transaction(
      Body&& body) const {
    using Function = std::decay_t<Body>;
    using Value = typename std::invoke_result_t<Function&, Transaction&>::value_type;
    return run_transaction<Value, Function>(*this, {}, InFrame<Function>(std::forward<Body>(body)));
  }

  /// As above, with options. If the server rolls the transaction back because of another one, the
  /// transaction is repeated after a pause. The pause is about 10 ms, and doubles with each
  /// attempt, up to about 500 ms. There are at most `options.tries_max` attempts. Such errors are
  /// `serialization` or `deadlock` of a statement or the commit, if the body does not handle them.
  /// Other errors are passed on: after `lost`, the changes may have been stored.
  ///
  ///     co_await db->transaction({.isolation = db::Isolation::serializable, .tries_max = 5},
  ///     body);
  ///
  /// body    is copied once, and called as const for each attempt; side effects outside of the
  ///         transaction (a mail, a counter) happen in each attempt. If the body only reads its
  ///         captures and does not move them, each attempt sees the same values
  /// errors  `Failure(serialization)`, (deadlock)  of the last attempt
  template <class Body>
  [[nodiscard]] std::invoke_result_t<std::decay_t<Body>&, Transaction&> transaction(
      const TransactionOptions& options, Body&& body) const {
    using Function = std::decay_t<Body>;
    static_assert(std::is_invocable_v<const Function&, Transaction&>,
                  "eider: the function of a transaction must not be `mutable`: when it runs again, "
                  "it would see changes of the first attempt in its captures");
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
