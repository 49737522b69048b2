// Many rows into a table of MariaDB, by few round trips.
// Must not hold more of them than a piece.
#pragma once

#include <memory>
#include <string_view>

#include "eider/core/reflect/type_of.h"
#include "eider/data/db/database.h"
#include "eider/data/db/row_load.h"

namespace eider {

namespace db::mariadb {

/// Rows of one struct, piece by piece; for all structs.
class BulkInserter {
 public:
  BulkInserter(const Statements& on, std::string_view table, const reflect::Type& row);
  BulkInserter(BulkInserter&&) noexcept;
  BulkInserter& operator=(BulkInserter&&) = delete;
  ~BulkInserter();

  /// returns  false when `go_on` is to be awaited
  [[nodiscard]] bool try_add(const void* object);
  /// What `try_add` did not do of it.
  [[nodiscard]] Task<> go_on(const void* object);
  [[nodiscard]] Task<Changed> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace db::mariadb

/// From `bulk_insert<T>(on, "books")`.
template <class T>
using BulkInsert = db::RowLoad<T, db::mariadb::BulkInserter>;

/// Rows into a table, which is much cheaper than one statement for each.
///
///     auto books = bulk_insert<NewBook>(*db, "books");
///     for (const NewBook& book : list) { co_await books.add(book); }
///     const db::Changed done = co_await books.finish();
///
/// on      a Database or a Transaction of MariaDB 10.2 or newer. Outside of a Transaction it has a
///         connection and a transaction to itself, as `stream` has, and counts as one of the
///         streams
/// T       a struct, its members as values of statements; columns that it has not get their default
/// table   "books", or "shop.books"
/// errors  Failure(statement), thrown: no such name, or of another database. A row that is refused
///         is told by `by().line`, counted from 1, of servers from 10.7 on
template <class T>
[[nodiscard]] BulkInsert<T> bulk_insert(const db::Statements& on, std::string_view table) {
  static_assert(reflect::detail::PlainStruct<T>, "eider: a plain struct has members to store");
  return BulkInsert<T>(on, table);
}

}  // namespace eider
