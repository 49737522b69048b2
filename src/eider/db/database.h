// A database as handlers use it: cheap to copy, shared by all threads, awaited.
// Must not know which database it is: a driver opens it (sqlite/sqlite.h).
#pragma once

#include <expected>
#include <memory>
#include <type_traits>
#include <utility>

#include "eider/db/failure.h"
#include "eider/db/row.h"
#include "eider/db/row_stream.h"
#include "eider/db/statements.h"
#include "eider/db/transaction.h"
#include "eider/runtime/task.h"

namespace eider {

namespace db::detail {

/// A Result that failed takes the transaction back, as an exception does.
template <class T>
struct IsFailed {
  static bool of(const T& /*value*/) noexcept { return false; }
};
template <class T, class E>
struct IsFailed<std::expected<T, E>> {
  static bool of(const std::expected<T, E>& value) noexcept { return !value.has_value(); }
};

}  // namespace db::detail

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
  [[nodiscard]] db::Pending<db::detail::BeginJob> begin() const {
    return {route(), db::Lane::writing, std::make_unique<db::detail::BeginJob>(route().pool())};
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
    static_assert(std::is_lvalue_reference_v<Body> || detail::runtime::CanBeMadeInAwait<Function>,
                  "eider: with g++ 12, give this function a name first: `auto body = "
                  "[title](Transaction& …`");
    using Value = typename std::invoke_result_t<Function&, Transaction&>::value_type;
    return run_transaction<Value, Function>(*this, std::forward<Body>(body));
  }

 private:
  template <class T, class Body>
  static Task<T> run_transaction(Database database, Body body) {
    Transaction transaction = co_await database.begin();
    Task<T> work = body(transaction);
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
