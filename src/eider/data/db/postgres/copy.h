// COPY of PostgreSQL: many rows into a table, or out of one, as a stream.
// Must not hold more of them than a piece.
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
#include "eider/data/db/postgres/copy_step.h"
#include "eider/data/db/row_load.h"

namespace eider {

namespace db::postgres {

/// A COPY on its way, in either direction. Its steps follow one another.
class CopyCourse : public RowCourse {
 public:
  CopyCourse(const Statements& on, SqlText sql, CopyStep::What begin);

  /// messages  of the protocol; are taken, and their memory comes back
  [[nodiscard]] Task<> write(std::string& messages);
  [[nodiscard]] Task<Changed> end();
  /// Nothing behind the last one.
  [[nodiscard]] Task<std::optional<std::string>> read();
  /// In the transaction that it is part of. Ahead of the first step.
  [[nodiscard]] Task<std::vector<std::string>> find_arrays(std::string table);

 private:
  class Asking;

  void fail() noexcept;
  [[nodiscard]] Task<> open();
  [[nodiscard]] Task<CopyStep> carry_out(CopyStep step, Changed* changed = nullptr);

  [[nodiscard]] detail::BeginJob::Use use() const noexcept;

  CopyStep::What begin_;
  bool is_open_ = false;
};

/// Rows of one struct as messages, piece by piece; for all structs.
class RowCopy {
 public:
  RowCopy(const Statements& on, std::string_view table, const reflect::Type& row);
  RowCopy(RowCopy&&) noexcept;
  RowCopy& operator=(RowCopy&&) = delete;
  ~RowCopy();

  /// returns  false when `go_on` is to be awaited
  [[nodiscard]] bool try_add(const void* object);
  /// What `try_add` did not do of it.
  [[nodiscard]] Task<> go_on(const void* object);
  [[nodiscard]] Task<Changed> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace db::postgres

/// From `copy_in(on, "copy … from stdin")`: what is written goes into the table as it is.
///
/// It is all or nothing: `finish` keeps it, and where that is not reached, nothing is kept. A COPY
/// within a Transaction that fails, or is left, breaks that.
class [[nodiscard]] CopyIn {
 public:
  explicit CopyIn(db::postgres::CopyCourse course) noexcept : course_(std::move(course)) {}

  /// Sends bytes, cut as they come: no line has to end with them. Waits while the server does. A
  /// UTF-8 byte order mark in front of the first line, which spreadsheets write, is left out.
  ///
  /// bytes   stay until this is done
  /// errors  db::Failure, thrown; it is thrown again by each later call. As of `exec`, of a line
  ///         ahead of these perhaps, `by().line`, and
  ///         Failure(busy)     too many streams of rows are open
  ///         Failure(expired)  it was open, or got nothing, for too long
  [[nodiscard]] Task<> write(std::string_view bytes);
  /// That was all.
  ///
  /// returns  how many rows were added
  [[nodiscard]] Task<db::Changed> finish() { return course_.end(); }

 private:
  db::postgres::CopyCourse course_;
  std::string messages_;
  std::size_t mark_bytes_ = 0;  // of a byte order mark that were read, or all of them: it is over
};

/// From `copy_in<T>(on, "books")`.
template <class T>
using CopyRows = db::RowLoad<T, db::postgres::RowCopy>;

/// From `copy_out(on, "copy … to stdout")`: what comes of it, about 64 KiB at a time.
class [[nodiscard]] CopyOut {
 public:
  explicit CopyOut(db::postgres::CopyCourse course) noexcept : course_(std::move(course)) {}

  /// `while (auto piece = co_await out.next())`: whole rows, of the server's own form. Nothing
  /// behind the last one.
  ///
  /// errors  as of RowStream::next
  [[nodiscard]] Task<std::optional<std::string>> next() { return course_.read(); }

 private:
  db::postgres::CopyCourse course_;
};

/// Bytes into a table, as `copy books(title, year) from stdin (format csv)` reads them. Nothing is
/// asked ahead of the first `write`. Outside of a Transaction it has a connection and a transaction
/// to itself, as `stream` has, and counts as one of the streams.
///
/// on      a Database or a Transaction of PostgreSQL
/// errors  Failure(statement), thrown: of another database
[[nodiscard]] CopyIn copy_in(const db::Statements& on, db::SqlFor<void, 0> sql);

/// Rows into a table, which is much cheaper than one statement for each.
///
///     auto books = copy_in<NewBook>(*db, "books");
///     for (const NewBook& book : list) { co_await books.add(book); }
///     const db::Changed done = co_await books.finish();
///
/// T       a struct, its members as values of statements; columns that it has not get their default
/// table   "books", or "shop.books"
/// errors  Failure(statement), thrown: no such name, or of another database
template <class T>
[[nodiscard]] CopyRows<T> copy_in(const db::Statements& on, std::string_view table) {
  static_assert(reflect::detail::PlainStruct<T>, "eider: a plain struct has members to store");
  return CopyRows<T>(on, table);
}

/// What `copy (select …) to stdout (format csv, header)` gives, and nothing that writes. Else as
/// `copy_in`.
[[nodiscard]] CopyOut copy_out(const db::Statements& on, db::SqlFor<void, 0> sql);

}  // namespace eider
