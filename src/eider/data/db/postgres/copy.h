// Bulk loading and export with COPY of PostgreSQL, as a stream.
// Layering: must not buffer more than one piece.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eider/core/reflect/type_of.h"
#include "eider/data/db/database.h"
#include "eider/data/db/postgres/copy_end.h"
#include "eider/data/db/postgres/copy_step.h"
#include "eider/data/db/row_load.h"

namespace eider {

namespace db::postgres {

/// A running COPY, in either direction. Its steps run one after the other.
class CopyState : public RowCourse {
 public:
  CopyState(const Statements& on, SqlText sql, CopyStep::What begin);

  /// messages  protocol messages; the memory is returned for reuse
  [[nodiscard]] Task<> write(std::string& messages);
  [[nodiscard]] Task<Changed> end();
  /// Returns nothing after the last piece.
  [[nodiscard]] Task<std::optional<std::string>> read();
  /// Runs in the transaction of the COPY, before the first step.
  [[nodiscard]] Task<std::vector<std::string>> find_arrays(std::string table);
  /// Throws an earlier failure, or this one, after which nothing of the COPY is stored.
  [[noreturn]] void refuse_marker(std::int64_t line);
  [[nodiscard]] CopyEnd end_marker() const { return CopyEnd(sql_.view()); }

 private:
  class Asking;

  void fail() noexcept;
  [[nodiscard]] Task<> open();
  [[nodiscard]] Task<CopyStep> carry_out(CopyStep step, Changed* changed = nullptr);

  [[nodiscard]] detail::BeginJob::Use use() const noexcept;

  CopyStep::What begin_;
  bool is_open_ = false;
};

/// Sends rows of one struct as messages, piece by piece; independent of the struct's type.
class RowCopy {
 public:
  RowCopy(const Statements& on, std::string_view table, const reflect::Type& row);
  RowCopy(RowCopy&&) noexcept;
  RowCopy& operator=(RowCopy&&) = delete;
  ~RowCopy();

  /// returns  false if `go_on` must be awaited
  [[nodiscard]] bool try_add(const void* object);
  /// Continues the work that `try_add` did not complete.
  [[nodiscard]] Task<> go_on(const void* object);
  [[nodiscard]] Task<Changed> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace db::postgres

/// The result of `copy_in(on, "copy … from stdin")`: loads bytes into the table.
///
/// All or nothing: without `finish`, nothing is stored. Within a Transaction, a COPY that fails or
/// is abandoned makes the transaction fail.
class [[nodiscard]] CopyIn {
 public:
  explicit CopyIn(db::postgres::CopyState course)
      : course_(std::move(course)), end_marker_(course_.end_marker()) {}

  /// Sends bytes; pieces need not end at the end of a line. Waits while the server is busy. A UTF-8
  /// byte order mark before the first line, as spreadsheets write it, is skipped.
  ///
  /// A row `\.` ends the data for PostgreSQL, so data after it is an error.
  ///
  /// bytes   must stay valid until this has finished
  /// errors  db::Failure, thrown, also by each later call: those of `exec`, possibly for an earlier
  ///         line (`by().line`), and
  ///         Failure(busy)     too many row streams are open
  ///         Failure(expired)  the COPY was open or idle for too long
  ///         Failure(values)   data after a row `\.`
  [[nodiscard]] Task<> write(std::string_view bytes);
  /// Ends the COPY.
  ///
  /// returns  how many rows were added
  [[nodiscard]] Task<db::Changed> finish() { return course_.end(); }

 private:
  db::postgres::CopyState course_;
  db::postgres::CopyEnd end_marker_;
  std::string messages_;
  std::size_t mark_bytes_ = 0;  // of a byte order mark that were skipped; all if there is none
};

/// A COPY that `copy_in<T>(on, "books")` has started.
template <class T>
using CopyRows = db::RowLoad<T, db::postgres::RowCopy>;

/// The result of `copy_out(on, "copy … to stdout")`: the bytes in pieces of about 64 KiB.
class [[nodiscard]] CopyOut {
 public:
  explicit CopyOut(db::postgres::CopyState course) noexcept : course_(std::move(course)) {}

  /// Returns complete rows in the format of the server, and nothing after the last one: `while
  /// (auto piece = co_await out.next())`.
  ///
  /// errors  those of RowStream::next
  [[nodiscard]] Task<std::optional<std::string>> next() { return course_.read(); }

 private:
  db::postgres::CopyState course_;
};

/// Loads bytes into a table, for example with `copy books(title, year) from stdin (format csv)`.
/// Nothing is sent before the first `write`. Outside of a Transaction, it uses its own connection
/// and transaction, like `stream`, and counts as one of the streams.
///
/// on      a Database or a Transaction of PostgreSQL
/// errors  Failure(statement), thrown: the database is of another driver
[[nodiscard]] CopyIn copy_in(const db::Statements& on, db::SqlFor<void, 0> sql);

/// Loads rows into a table, which is much faster than a statement for each row.
///
///     auto books = copy_in<NewBook>(*db, "books");
///     for (const NewBook& book : list) { co_await books.add(book); }
///     const db::Changed done = co_await books.finish();
///
/// T       a struct whose members are values of statements; other columns get their defaults
/// table   "books" or "shop.books"
/// errors  Failure(statement), thrown: invalid name, or another database driver
template <class T>
[[nodiscard]] CopyRows<T> copy_in(const db::Statements& on, std::string_view table) {
  static_assert(reflect::detail::PlainStruct<T>, "eider: a plain struct with members is required");
  return CopyRows<T>(on, table);
}

/// Exports the result of `copy (select …) to stdout (format csv, header)`; the statement must not
/// write. Otherwise like `copy_in`.
[[nodiscard]] CopyOut copy_out(const db::Statements& on, db::SqlFor<void, 0> sql);

}  // namespace eider
