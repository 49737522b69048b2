// Bulk loading of rows of one struct, as a program passes them.
// Layering: must not know how the database loads them.
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

/// A bulk transfer of rows: its connection and its state.
class RowCourse {
 public:
  /// Throws an earlier failure, and an error if the transfer cannot continue.
  void check() const;

 protected:
  /// name  of the driver's function, for messages
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

/// Bulk loading, from `copy_in<T>` of PostgreSQL and `bulk_insert<T>` of MariaDB: each T is a row,
/// and its members are the columns with the same names.
///
/// All or nothing: without `finish`, nothing is stored. Within a Transaction, a transfer that fails
/// or is abandoned makes the transaction fail.
template <class T, class Rows>
class [[nodiscard]] RowLoad {
 public:
  class Adding;

  RowLoad(const Statements& on, std::string_view table) : rows_(on, table, reflect::type_of<T>()) {}

  /// `co_await rows.add(row)`: adds a row; sometimes waits until about 64 KiB have been sent.
  ///
  /// errors  db::Failure, thrown, also by each later call: those of `exec`, possibly for an earlier
  ///         row (`by().line`), and
  ///         Failure(busy)     too many row streams are open
  ///         Failure(expired)  the transfer was open or idle for too long
  ///         Failure(values)   a value that no column can store; only this row is skipped
  [[nodiscard]] Adding add(const T& row) { return Adding(rows_, row); }
  /// Ends the transfer.
  ///
  /// returns  the number of rows
  [[nodiscard]] Task<Changed> finish() { return rows_.finish(); }

 private:
  Rows rows_;
};

/// Refers to its rows. Must be awaited immediately.
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
