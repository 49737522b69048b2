// Bulk inserts into a table of MariaDB, with few round trips.
// Layering: must not buffer more than one piece of the rows.
#pragma once

#include <memory>
#include <string_view>

#include "eider/core/reflect/type_of.h"
#include "eider/data/db/database.h"
#include "eider/data/db/row_load.h"

namespace eider {

namespace db::mariadb {

/// Inserts rows of one struct, piece by piece; independent of the struct's type.
class BulkInserter {
 public:
  BulkInserter(const Statements& on, std::string_view table, const reflect::Type& row);
  BulkInserter(BulkInserter&&) noexcept;
  BulkInserter& operator=(BulkInserter&&) = delete;
  ~BulkInserter();

  /// returns  false if `go_on` must be awaited
  [[nodiscard]] bool try_add(const void* object);
  /// Continues the work that `try_add` did not complete.
  [[nodiscard]] Task<> go_on(const void* object);
  [[nodiscard]] Task<Changed> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace db::mariadb

/// A bulk insert that `bulk_insert<T>(on, "books")` has started.
template <class T>
using BulkInsert = db::RowLoad<T, db::mariadb::BulkInserter>;

/// Inserts many rows, much faster than one statement for each.
///
///     auto books = bulk_insert<NewBook>(*db, "books");
///     for (const NewBook& book : list) { co_await books.add(book); }
///     const db::Changed done = co_await books.finish();
///
/// on      a Database or a Transaction of MariaDB 10.2 or later. Outside of a Transaction, it uses
///         its own connection and transaction, like `stream`, and counts as one of the streams
/// T       a struct whose members are the values; other columns get their defaults
/// table   "books", or "shop.books"
/// errors  Failure(statement), thrown: the table or a column does not exist, or the database is of
///         another driver. Servers from 10.7 on report a rejected row in `by().line`, counted from
///         1
template <class T>
[[nodiscard]] BulkInsert<T> bulk_insert(const db::Statements& on, std::string_view table) {
  static_assert(reflect::detail::PlainStruct<T>, "eider: a plain struct with members is required");
  return BulkInsert<T>(on, table);
}

}  // namespace eider
