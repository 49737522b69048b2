// The awaitable statements of a database and of a transaction: exec, one, all, script.
// Layering: must not block; a connection on a thread or event loop runs each call while the task
// waits.
#pragma once

#include <coroutine>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/data/db/conflict.h"
#include "eider/data/db/pool.h"
#include "eider/data/db/query_job.h"
#include "eider/data/db/several.h"

namespace eider::db {

/// The target of calls: the pool, or the connection of a transaction.
class Route {
 public:
  Route(std::shared_ptr<Pool> pool, std::shared_ptr<TransactionState> transaction) noexcept
      : pool_(std::move(pool)), transaction_(std::move(transaction)) {}

  [[nodiscard]] bool submit(std::unique_ptr<Job>& job, Lane lane) const {
    if (transaction_ == nullptr) {
      return pool_->submit(job, lane);
    }
    const bool is_taken = transaction_->submit(job);
    pool_->on_changed(*transaction_);
    return is_taken;
  }
  /// Pre: in a transaction.
  void leave() const {
    transaction_->leave();
    pool_->on_changed(*transaction_);
  }
  [[nodiscard]] const std::shared_ptr<Pool>& pool() const noexcept { return pool_; }
  [[nodiscard]] const std::shared_ptr<TransactionState>& transaction() const noexcept {
    return transaction_;
  }

 private:
  std::shared_ptr<Pool> pool_;
  std::shared_ptr<TransactionState> transaction_;
};

namespace detail {

/// Rethrows the current failure, explained by one of `conflicts` if possible.
[[noreturn]] void rethrow_explained(const Failure& failure, std::span<const Conflict> conflicts);

template <class J>
inline constexpr bool kTellsEach = false;
template <class... Ps>
inline constexpr bool kTellsEach<EachJob<Ps...>> = true;
template <class P>
inline constexpr bool kTellsEach<EachListJob<P>> = true;

}  // namespace detail

template <class J>
class Pending;

template <class T>
class RowStream;

namespace detail {
class StreamState;
}

class RowCourse;

/// A Pending with additional information: awaits the same call, and must be kept with it. Returned
/// by value.
template <class J>
class PendingView {
 public:
  explicit PendingView(Pending<J>& pending) noexcept : pending_(&pending) {}

  bool await_ready() const noexcept { return pending_->await_ready(); }
  bool await_suspend(std::coroutine_handle<> waiting) { return pending_->await_suspend(waiting); }
  auto await_resume() { return pending_->await_resume(); }
  template <class T, class M>
  PendingView on_conflict(std::string_view constraint, M T::* member, std::string_view text,
                          std::string_view code = {}) {
    return pending_->on_conflict(constraint, member, text, code);
  }

 private:
  Pending<J>* pending_;
};

/// The result of a call, to be awaited. Destroying it while it waits is safe: a statement that has
/// not started never runs. PostgreSQL and MariaDB cancel a running one; SQLite interrupts it if it
/// only reads, and completes it if it writes.
template <class J>
class [[nodiscard(
    "the statement does not run without co_await: write co_await in front of the call")]] Pending {
 public:
  Pending(Route route, Lane lane, std::unique_ptr<Job> job) noexcept
      : route_(std::move(route)), lane_(lane), job_(std::move(job)) {}
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  ~Pending() {
    if (in_flight_ != nullptr) {
      route_.pool()->abandon(*in_flight_);
    }
  }

  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiting) {
    job_->wait(Loop::current(), waiting, in_flight_, route_.pool()->meter());
    std::unique_ptr<Job> job = std::move(job_);
    if (route_.submit(job, lane_)) {
      return true;
    }
    job->abandon();
    in_flight_ = nullptr;
    job_ = std::move(job);
    return false;
  }
  auto await_resume() {
    J* job = static_cast<J*>(in_flight_ != nullptr ? in_flight_ : job_.get());
    try {
      return job->take();
    } catch (const Failure& failure) {
      detail::rethrow_explained(failure, conflicts_);
    }
  }

  /// Converts the violation of a constraint to a 422 that names a member of the request (Conflict),
  /// instead of a 409 without one: `co_await db->exec("insert into users …", …)
  /// .on_conflict("users_email_key", &NewUser::email, "is taken")`. Use one for each constraint.
  template <class T, class M>
  PendingView<J> on_conflict(std::string_view constraint, M T::* member, std::string_view text,
                             std::string_view code = {}) {
    static_assert(
        !detail::kTellsEach<J>,
        "eider: `all` does not throw errors of single statements: call explain() for each result");
    conflicts_.emplace_back(constraint, member, text, code);
    return PendingView<J>(*this);
  }

 private:
  Route route_;
  Lane lane_;
  std::unique_ptr<Job> job_;  // a J, before it is submitted and if it is rejected
  Job* in_flight_ = nullptr;  // owned by a queue, then by the loop while it resumes the coroutine
  std::vector<Conflict> conflicts_;
};

/// The text of a script: a literal, or a RuntimeSql.
class Script {
 public:
  template <detail::SqlLiteral Text>
    requires std::convertible_to<const Text&, const char*>
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is to convert by itself
  consteval Script(const Text& text) EIDER_ACCEPTS(detail::is_literal(text)) : literal_(text) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as above
  Script(const RuntimeSql& sql) noexcept : runtime_(&sql) {}
  /// Only for the message, as in SqlWith.
  template <detail::SqlOrText Text>
  Script(const Text& text)  // NOLINT(google-explicit-constructor): as above
      EIDER_REFUSES_NO_LITERAL(text) {
    static_assert(eider::detail::base::kIsRefusedByAttribute || sizeof(Text) == 0,
                  EIDER_NO_LITERAL);
  }
  template <detail::SqlVariable Text>
  // NOLINTNEXTLINE(google-explicit-constructor): as above
  Script(Text& text) EIDER_REFUSES_NO_LITERAL(text) {
    static_assert(eider::detail::base::kIsRefusedByAttribute || sizeof(Text) == 0,
                  EIDER_NO_LITERAL);
  }

  [[nodiscard]] SqlText text() const {
    return runtime_ == nullptr ? SqlText(literal_) : SqlText(*runtime_);
  }

 private:
  const char* literal_ = nullptr;
  const RuntimeSql* runtime_ = nullptr;
};

/// The statements of a database or transaction. All of them throw db::Failure when awaited. A
/// statement is a literal with the values as $1, $2 …, checked by the compiler; values never become
/// part of the text.
class Statements {
 public:
  /// Returns the rows, each as a T: a struct whose members have the names of the columns, a single
  /// value, or a db::Row.
  ///
  /// errors   Failure(row)  a row does not fit T; also all of the kinds below
  template <class T, class... Args>
  Pending<detail::QueryJobOf<T, detail::All>> all(SqlFor<T, sizeof...(Args)> sql,
                                                  const Args&... args) const {
    static_assert(!std::is_same_v<T, bool>,
                  "std::vector<bool> does not contain bool objects: read the values as int");
    return query<T, detail::All>(sql.text(), args...);
  }

  /// Returns the only row, or nothing.
  ///
  /// errors   Failure(row)  there are several rows. If the rows of a changing statement do not fit,
  ///          SQLite rolls the statement back, here and in `all`; PostgreSQL has already committed
  ///          it, unless it is in a transaction
  template <class T, class... Args>
  Pending<detail::QueryJobOf<T, detail::One>> one(SqlFor<T, sizeof...(Args)> sql,
                                                  const Args&... args) const {
    return query<T, detail::One>(sql.text(), args...);
  }

  /// Runs a statement, and returns the number of changes.
  ///
  /// errors   Failure(unique), (foreign_key), (not_null), (check)  a constraint of the schema: 409
  ///          Failure(busy), (expired)  too many calls wait, or the call took too long: 503
  ///          Failure(deadlock), (serialization)  rolled back because of another transaction: 503
  ///          Failure(lost)  no connection, or it was lost: 503
  ///          Failure(statement), (values), (storage)  500; 422 for a bound value that the database
  ///          does not accept (Failure::of_value)
  template <class... Args>
  Pending<detail::ExecJob> exec(SqlFor<void, sizeof...(Args)> sql, const Args&... args) const {
    return {route_, Lane::writing,
            std::make_unique<detail::ExecJob>(detail::make_statement(sql.text(), args...))};
  }

  /// Returns the rows of a reading statement one by one, on demand: `while (auto row = co_await
  /// rows.next())`. All rows are from the same moment, that of the first call. Outside of a
  /// transaction, the stream uses its own connection from the first `next` to its end, within the
  /// times in PoolLimits. The statement does not start before.
  ///
  /// errors   of `next`
  template <class T, class... Args>
  [[nodiscard]] RowStream<T> stream(SqlFor<T, sizeof...(Args)> sql, const Args&... args) const;

  // The same for a statement that was built together with its values.

  template <class T>
  Pending<detail::QueryJobOf<T, detail::All>> all(BoundSql bound) const {
    return query_of<T, detail::All>(detail::make_statement(std::move(bound)));
  }
  template <class T>
  Pending<detail::QueryJobOf<T, detail::One>> one(BoundSql bound) const {
    return query_of<T, detail::One>(detail::make_statement(std::move(bound)));
  }
  Pending<detail::ExecJob> exec(BoundSql bound) const {
    return {route_, Lane::writing,
            std::make_unique<detail::ExecJob>(detail::make_statement(std::move(bound)))};
  }

  template <class T>
  [[nodiscard]] RowStream<T> stream(BoundSql bound) const;

  /// Runs several independent statements at once: `auto [users, count] = co_await
  /// db.all(rows<User>("…"), row<int>("…"))`. PostgreSQL receives all of them before it has
  /// answered the first.
  ///
  /// returns  a tuple with a Result<…, Failure> for each, in their order
  template <class... Ps>
  Pending<detail::EachJob<Ps...>> all(BatchedStatement<Ps>... asked) const {
    return {route_, Lane::reading, std::make_unique<detail::EachJob<Ps...>>(std::move(asked)...)};
  }

  /// Runs several statements, all or none: in a separate transaction, unless they are within one.
  /// PostgreSQL needs one round trip for all of them: five times cheaper than single statements if
  /// the round trip dominates. MariaDB needs one for each.
  ///
  /// returns  a tuple of the results
  /// errors   the first failure; nothing was stored. Only Failure(row) with PostgreSQL outside of a
  ///          transaction is too late: the transaction has already committed
  template <class... Ps>
  Pending<detail::BatchJob<Ps...>> batch(BatchedStatement<Ps>... asked) const {
    return {route_, Lane::writing,
            std::make_unique<detail::BatchJob<Ps...>>(route_.transaction() != nullptr,
                                                      std::move(asked)...)};
  }

  // The same for any number of statements: `asked.push_back(row<User>("…", id))`, each its own
  // statement.

  template <class P>
    requires requires { typename P::Value; }  // otherwise {…} could also be a list
  Pending<detail::EachListJob<P>> all(std::vector<BatchedStatement<P>> asked) const {
    return {route_, Lane::reading, std::make_unique<detail::EachListJob<P>>(std::move(asked))};
  }
  template <class P>
  Pending<detail::BatchListJob<P>> batch(std::vector<BatchedStatement<P>> asked) const {
    return {route_, Lane::writing,
            std::make_unique<detail::BatchListJob<P>>(route_.transaction() != nullptr,
                                                      std::move(asked))};
  }

  /// Runs several statements, all or none. For schemas: nothing can be bound.
  Pending<detail::ScriptJob> script(Script sql) const {
    return {route_, Lane::writing, std::make_unique<detail::ScriptJob>(sql.text())};
  }

 protected:
  explicit Statements(Route route) noexcept : route_(std::move(route)) {}
  ~Statements() = default;
  Statements(const Statements&) = default;
  Statements(Statements&&) = default;
  Statements& operator=(const Statements&) = default;
  Statements& operator=(Statements&&) = default;

  [[nodiscard]] const Route& route() const noexcept { return route_; }

 private:
  friend class detail::StreamState;
  friend class RowCourse;

  template <class T, template <class> class How, class... Args>
  Pending<detail::QueryJobOf<T, How>> query(SqlText sql, const Args&... args) const {
    return query_of<T, How>(detail::make_statement(std::move(sql), args...));
  }
  template <class T, template <class> class How>
  Pending<detail::QueryJobOf<T, How>> query_of(detail::Statement statement) const {
    // Created as a Job, because a unique_ptr for each T would be compiled separately.
    std::unique_ptr<Job> job(new detail::QueryJobOf<T, How>(std::move(statement)));
    return {route_, Lane::reading, std::move(job)};
  }

  Route route_;
};

}  // namespace eider::db
