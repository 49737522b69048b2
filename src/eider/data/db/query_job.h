// The jobs of exec, one, all and script: text, values and the target of the rows.
// Layering: must not know the pool or the awaiting coroutine.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "eider/data/db/job.h"
#include "eider/data/db/row_reader.h"
#include "eider/data/db/sql.h"

namespace eider::db {

/// A statement built by the program at run time, with its values.
struct BoundSql {
  RuntimeSql sql;
  std::vector<Value> values{};
};

namespace detail {

/// A statement with its values.
struct Statement {
  SqlText sql;
  std::vector<Value> values;
};

/// Statements that run before a statement whose rows are needed, for databases without `returning`.
/// All take effect, or none; if the first one changes nothing, there are no rows.
struct Ahead {
  std::vector<Statement> statements{};
  bool is_within_transaction = false;
};

/// errors   Failure(statement), Failure(values)  a statement built at run time is not valid
void check(const Statement& statement);

class ExecJob final : public Job {
 public:
  explicit ExecJob(Statement statement) : statement_(std::move(statement)) {}
  Changed take() const {
    rethrow();
    return changed();
  }
  [[nodiscard]] Request start() noexcept override;
  [[nodiscard]] std::string_view statement() const noexcept override {
    return statement_.sql.view();
  }

 private:
  Statement statement_;
};

class ScriptJob final : public Job {
 public:
  /// errors   Failure(statement)  it contains a zero byte
  explicit ScriptJob(SqlText sql);
  void take() const { rethrow(); }
  [[nodiscard]] Request start() noexcept override;

 private:
  SqlText sql_;
};

/// A statement whose rows are needed.
class QueryJob : public Job {
 public:
  [[nodiscard]] Request start() noexcept final;
  [[nodiscard]] std::string_view statement() const noexcept final { return statement_.sql.view(); }

 protected:
  explicit QueryJob(Statement statement, Ahead ahead = {});
  /// Throws its failure, and drops incomplete rows.
  void end();

 private:
  virtual RowSink& sink() noexcept = 0;

  Statement statement_;
  Ahead ahead_;
  std::vector<Part> parts_;
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

/// Reads rows into a container. Does not move: the reader refers to the rows.
template <class T, template <class> class How>
class RowsOf {
 public:
  using Rows = typename How<T>::Rows;

  RowsOf() = default;
  RowsOf(const RowsOf&) = delete;
  RowsOf& operator=(const RowsOf&) = delete;
  ~RowsOf() = default;

  [[nodiscard]] RowSink& reader() noexcept { return reader_; }
  [[nodiscard]] Rows take() noexcept { return std::move(rows_); }
  void forget() noexcept { rows_ = {}; }

 private:
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

template <class T, template <class> class How>
class QueryJobOf final : public QueryJob {
 public:
  explicit QueryJobOf(Statement statement, Ahead ahead = {})
      : QueryJob(std::move(statement), std::move(ahead)) {}
  typename How<T>::Rows take() {
    end();
    return rows_.take();
  }

 private:
  RowSink& sink() noexcept override { return rows_.reader(); }
  void forget_rows() noexcept override { rows_.forget(); }

  RowsOf<T, How> rows_;
};

template <class... Args>
Statement make_statement(SqlText sql, const Args&... args) {
  Statement statement{std::move(sql), {}};
  statement.values.reserve(sizeof...(args));
  (statement.values.push_back(make_value(args)), ...);
  if (!statement.sql.is_literal()) {  // the compiler has checked literals
    check(statement);
  }
  return statement;
}

inline Statement make_statement(BoundSql bound) {
  Statement statement{SqlText(std::move(bound.sql)), std::move(bound.values)};
  check(statement);
  return statement;
}

}  // namespace detail

}  // namespace eider::db
