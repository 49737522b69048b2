// Many rows of one struct on their way into a table, as a program hands them over.
// Must not know how its database takes them.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include "eider/core/reflect/type_of.h"
#include "eider/data/db/connection.h"
#include "eider/data/db/statements.h"
#include "eider/data/db/transaction.h"
#include "eider/io/runtime/task.h"

namespace eider::db {

/// Rows on a driver's own way into or out of a table: the connection that they have to themselves,
/// and what has become of them.
class RowCourse {
 public:
  /// Throws what it has failed with, or that nothing may follow what was asked before.
  void check() const;

 protected:
  /// name  of the driver's way, for messages
  RowCourse(const Statements& on, SqlText sql, std::string_view name);

  [[nodiscard]] static Dialect dialect_of(const Statements& on);
  /// Begins a transaction, unless it is within one.
  [[nodiscard]] Task<> connect(detail::BeginJob::Use use);

  Route route_;
  SqlText sql_;
  std::string_view name_;
  bool is_asking_ = false;
  bool is_over_ = false;
  std::exception_ptr failure_;
  std::optional<Transaction> own_;  // null within a transaction of the program
};

/// From `copy_in<T>` of PostgreSQL and `bulk_insert<T>` of MariaDB: each T is a row, its members
/// are columns of the same names.
///
/// It is all or nothing: `finish` keeps them, and where that is not reached, nothing is kept. One
/// within a Transaction that fails, or is left, breaks that.
template <class T, class Rows>
class [[nodiscard]] RowLoad {
 public:
  class Adding;

  RowLoad(const Statements& on, std::string_view table) : rows_(on, table, reflect::type_of<T>()) {}

  /// `co_await rows.add(row)`: waits, once in a while, for about 64 KiB of them to leave.
  ///
  /// errors  db::Failure, thrown; it is thrown again by each later call. As of `exec`, of a row
  ///         ahead of this one perhaps, `by().line`, and
  ///         Failure(busy)     too many streams of rows are open
  ///         Failure(expired)  it was open, or got nothing, for too long
  ///         Failure(values)   a value that no column can have; the row is not added, others may be
  [[nodiscard]] Adding add(const T& row) { return Adding(rows_, row); }
  /// That were all.
  ///
  /// returns  how many there were
  [[nodiscard]] Task<Changed> finish() { return rows_.finish(); }

 private:
  Rows rows_;
};

/// Refers to its rows. Awaited where it is made.
template <class T, class Rows>
class [[nodiscard]] RowLoad<T, Rows>::Adding {
 public:
  Adding(Rows& rows, const T& row) noexcept : rows_(rows), row_(row) {}
  Adding(const Adding&) = delete;
  Adding& operator=(const Adding&) = delete;
  ~Adding() = default;

  bool await_ready() const { return rows_.try_add(&row_); }
  bool await_suspend(std::coroutine_handle<> waiting) {
    going_on_ = rows_.go_on(&row_);
    return (going_on_.operator co_await()).await_suspend(waiting);
  }
  void await_resume() {
    if (!going_on_.is_empty()) {
      going_on_.take();
    }
  }

 private:
  Rows& rows_;
  const T& row_;
  Task<> going_on_;
};

}  // namespace eider::db
