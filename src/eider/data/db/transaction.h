// Several statements that take effect together or not at all.
// Layering: must not stay open during slow work, because other writers wait.
#pragma once

#include <exception>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "eider/data/db/failure.h"
#include "eider/data/db/statements.h"
#include "eider/data/db/transaction_options.h"
#include "eider/io/runtime/task.h"

namespace eider {

namespace db::detail {

/// Commits or rolls back a transaction.
class EndJob final : public Job {
 public:
  enum class Way : std::uint8_t { commit, roll_back };

  EndJob(Way way, std::shared_ptr<TransactionState> state) noexcept
      : way_(way), state_(std::move(state)) {}
  void take() const { rethrow(); }
  [[nodiscard]] Request start() noexcept override;

 private:
  Way way_;
  std::shared_ptr<TransactionState> state_;
};

/// A failed Result leads to a rollback, like an exception.
template <class T>
struct IsFailed {
  static bool of(const T& /*value*/) noexcept { return false; }
};
template <class T, class E>
struct IsFailed<std::expected<T, E>> {
  static bool of(const std::expected<T, E>& value) noexcept { return !value.has_value(); }
};

/// Returns whether the server has certainly rolled back the transaction because of another one.
[[nodiscard]] bool may_be_tried_again(FailureKind kind) noexcept;
[[nodiscard]] Duration pause_behind_try(unsigned tries);

/// A savepoint that is neither released nor rolled back makes its transaction fail, because later
/// changes would be stored.
class Savepoint {
 public:
  explicit Savepoint(Route route);
  ~Savepoint();
  Savepoint(const Savepoint&) = delete;
  Savepoint& operator=(const Savepoint&) = delete;

  [[nodiscard]] Task<> set() { return say("savepoint"); }
  [[nodiscard]] Task<> release();
  /// Rolls back to the savepoint. If that fails, later statements and the commit of the transaction
  /// fail, too.
  [[nodiscard]] Task<> roll_back();

 private:
  [[nodiscard]] Task<> say(std::string_view what);

  Route route_;
  std::string name_;
  bool is_over_ = false;
};

}  // namespace db::detail

/// A transaction, from `Database::begin` or `Database::transaction`. It is rolled back if it is
/// destroyed without a commit; later statements of the database see the rollback.
class [[nodiscard]] Transaction : public db::Statements {
 public:
  explicit Transaction(db::Route route) noexcept : Statements(std::move(route)) {}
  Transaction(Transaction&& other) noexcept = default;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction() {
    if (route().transaction() != nullptr) {
      route().leave();
    }
  }

  /// `co_await transaction.commit()`. If it fails, everything is rolled back; only after `lost`,
  /// the changes may have been stored.
  [[nodiscard]] db::Pending<db::detail::EndJob> commit() const {
    return end(db::detail::EndJob::Way::commit);
  }
  [[nodiscard]] db::Pending<db::detail::EndJob> roll_back() const {
    return end(db::detail::EndJob::Way::roll_back);
  }

  /// Runs a part that may fail separately: calls `body(Transaction&)`, which returns a Task, and
  /// rolls back its changes if it throws, or returns a failed Result; both are passed on.
  /// Savepoints can be nested, but not concurrent.
  ///
  ///     co_await all.savepoint([](Transaction& part) -> Task<> { … });
  ///
  /// body     is copied, and called once. If it is canceled, the whole transaction is rolled back
  /// returns  the result of the body
  /// errors   exceptions of the body. If the transaction has ended with it (a deadlock, a lost
  ///          connection), no more statements can run in it, and its commit fails
  template <class Body>
  [[nodiscard]] std::invoke_result_t<std::decay_t<Body>&, Transaction&> savepoint(Body&& body) {
    using Function = std::decay_t<Body>;
    using Value = typename std::invoke_result_t<Function&, Transaction&>::value_type;
    return run_savepoint<Value>(*this,
                                detail::runtime::InFrame<Function>(std::forward<Body>(body)));
  }

 private:
  template <class T, class Body>
  static Task<T> run_savepoint(Transaction& within, detail::runtime::InFrame<Body> body) {
    db::detail::Savepoint savepoint(within.route());
    co_await savepoint.set();
    std::exception_ptr thrown;
    try {
      Task<T> work = body.function(within);
      if constexpr (std::is_void_v<T>) {
        co_await std::move(work);
        co_await savepoint.release();
        co_return;
      } else {
        T result = co_await std::move(work);
        if (db::detail::IsFailed<T>::of(result)) {
          co_await savepoint.roll_back();
        } else {
          co_await savepoint.release();
        }
        co_return result;
      }
    } catch (...) {
      thrown = std::current_exception();
    }
    co_await savepoint.roll_back();
    std::rethrow_exception(thrown);
  }

  [[nodiscard]] db::Pending<db::detail::EndJob> end(db::detail::EndJob::Way way) const {
    return {route(), db::Lane::writing,
            std::make_unique<db::detail::EndJob>(way, route().transaction())};
  }
};

namespace db::detail {

/// Begins a transaction, or the read of a row stream.
class BeginJob final : public Job {
 public:
  using Use = TransactionState::Use;

  explicit BeginJob(const std::shared_ptr<Pool>& pool, Use use = Use::transaction,
                    Isolation isolation = Isolation::server) noexcept;
  ~BeginJob() override;

  [[nodiscard]] std::shared_ptr<TransactionState> begun() const noexcept override {
    return has_succeeded() ? state_ : nullptr;
  }
  Transaction take();
  [[nodiscard]] bool opens_stream() const noexcept override { return state_->is_stream(); }
  [[nodiscard]] Request start() noexcept override {
    const bool reads_alone = state_->is_stream() && !state_->is_load();
    return {.what = reads_alone ? Request::What::hold : Request::What::begin,
            .isolation = isolation_};
  }

 private:
  std::weak_ptr<Pool> pool_;  // not owned: this may be destroyed on one of its threads
  std::shared_ptr<TransactionState> state_;
  const Isolation isolation_;
  bool is_taken_ = false;
};

}  // namespace db::detail

}  // namespace eider
