// What can be asked of a database and of a transaction alike, as awaitables.
// Must not block: each call is run by a connection's thread while the task waits.
#pragma once

#include <coroutine>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/db/pool.h"
#include "eider/db/row_reader.h"
#include "eider/db/sql.h"

namespace eider::db {

/// Where calls go: the pool, or the one connection of a transaction.
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

/// What a call gives to `co_await`. Destroying it while it waits is safe: a statement that only
/// reads is interrupted, one that writes comes to its end, and one that has not begun never will.
template <class J>
class [[nodiscard]] Pending {
 public:
  Pending(Route route, Lane lane, std::unique_ptr<J> job) noexcept
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
    job_->wait(Loop::current(), waiting, in_flight_);
    std::unique_ptr<Job> job = std::move(job_);
    if (route_.submit(job, lane_)) {
      return true;
    }
    job->abandon();
    in_flight_ = nullptr;
    job_.reset(static_cast<J*>(job.release()));
    return false;
  }
  auto await_resume() {
    J* job = in_flight_ != nullptr ? static_cast<J*>(in_flight_) : job_.get();
    return job->take();
  }

 private:
  Route route_;
  Lane lane_;
  std::unique_ptr<J> job_;    // before it is submitted, and when it is refused
  Job* in_flight_ = nullptr;  // belongs to a queue, then to the loop while it resumes us
};

namespace detail {

/// A statement with its values.
struct Statement {
  SqlText sql;
  std::vector<Value> values;
};

/// errors   Failure(statement), Failure(values)  a statement put together at run time is not valid
void check(const Statement& statement);

class ExecJob final : public Job {
 public:
  explicit ExecJob(Statement statement) : statement_(std::move(statement)) {}
  Changed take() const {
    rethrow();
    return changed_;
  }

 private:
  Outcome call(Connection& connection) override;

  Statement statement_;
  Changed changed_;
};

class ScriptJob final : public Job {
 public:
  explicit ScriptJob(SqlText sql) : sql_(std::move(sql)) {}
  void take() const { rethrow(); }

 private:
  Outcome call(Connection& connection) override;

  SqlText sql_;
};

/// A statement whose rows are wanted.
class QueryJob : public Job {
 protected:
  explicit QueryJob(Statement statement) : statement_(std::move(statement)) {}

 private:
  Outcome call(Connection& connection) final;
  virtual RowSink& sink() noexcept = 0;

  Statement statement_;
};

[[noreturn]] void throw_several_rows();

template <class T>
struct All {
  using Rows = std::vector<T>;
  static void* append(void* rows) { return &static_cast<Rows*>(rows)->emplace_back(); }
};

template <class T>
struct One {
  using Rows = std::optional<T>;
  static void* append(void* rows) {
    auto& row = *static_cast<Rows*>(rows);
    if (row.has_value()) {
      throw_several_rows();
    }
    return &row.emplace();
  }
};

template <class T, template <class> class How>
class QueryJobOf final : public QueryJob {
 public:
  using Rows = typename How<T>::Rows;

  explicit QueryJobOf(Statement statement) : QueryJob(std::move(statement)) {}
  Rows take() {
    rethrow();
    return std::move(rows_);
  }

 private:
  RowSink& sink() noexcept override { return reader_; }

  static auto make_reader(Rows& rows) noexcept {
    if constexpr (std::is_same_v<T, Row>) {
      return DynamicRowReader(&rows, &How<T>::append);
    } else {
      return RowReader(reflect::type_of<T>(), &rows, &How<T>::append);
    }
  }

  Rows rows_;
  decltype(make_reader(rows_)) reader_ = make_reader(rows_);
};

}  // namespace detail

/// The text of a script: a literal, or a RuntimeSql.
class Script {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a literal is to convert by itself
  consteval Script(const char* literal) : literal_(literal) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as above
  Script(const RuntimeSql& sql) noexcept : runtime_(&sql) {}

  [[nodiscard]] SqlText text() const {
    return runtime_ == nullptr ? SqlText(literal_) : SqlText(*runtime_);
  }

 private:
  const char* literal_ = nullptr;
  const RuntimeSql* runtime_ = nullptr;
};

/// All of these throw db::Failure when awaited. A statement is a literal with $1, $2 … where the
/// values go, checked by the compiler; text never becomes part of it.
class Statements {
 public:
  /// The rows, each as a T: a struct whose members are named as the columns, a single value, or a
  /// db::Row.
  ///
  /// errors   Failure(row)  a row does not fit T; also all of the kinds below
  template <class T, class... Args>
  [[nodiscard]] Pending<detail::QueryJobOf<T, detail::All>> all(SqlWith<sizeof...(Args)> sql,
                                                                const Args&... args) const {
    static_assert(!std::is_same_v<T, bool>, "std::vector<bool> holds no bools: read them as int");
    return query<T, detail::All>(sql.text(), args...);
  }

  /// The only row, or nothing.
  ///
  /// errors   Failure(row)  there is more than one
  template <class T, class... Args>
  [[nodiscard]] Pending<detail::QueryJobOf<T, detail::One>> one(SqlWith<sizeof...(Args)> sql,
                                                                const Args&... args) const {
    return query<T, detail::One>(sql.text(), args...);
  }

  /// What the statement changed.
  ///
  /// errors   Failure(unique), (foreign_key), (not_null), (check)  a constraint of the schema: 409
  ///          Failure(busy), (expired)  too much waits, or it took too long: 503
  ///          Failure(statement), (values), (storage)  500
  template <class... Args>
  [[nodiscard]] Pending<detail::ExecJob> exec(SqlWith<sizeof...(Args)> sql,
                                              const Args&... args) const {
    return {route_, Lane::writing,
            std::make_unique<detail::ExecJob>(make_statement(sql.text(), args...))};
  }

  /// Runs several statements, all or none. For schemas: nothing can be bound.
  [[nodiscard]] Pending<detail::ScriptJob> script(Script sql) const {
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
  template <class... Args>
  static detail::Statement make_statement(SqlText sql, const Args&... args) {
    detail::Statement statement{std::move(sql), {}};
    statement.values.reserve(sizeof...(args));
    (statement.values.push_back(make_value(args)), ...);
    detail::check(statement);
    return statement;
  }

  template <class T, template <class> class How, class... Args>
  Pending<detail::QueryJobOf<T, How>> query(SqlText sql, const Args&... args) const {
    return {route_, Lane::reading,
            std::make_unique<detail::QueryJobOf<T, How>>(make_statement(std::move(sql), args...))};
  }

  Route route_;
};

}  // namespace eider::db
