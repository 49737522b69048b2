// Generates the statements of records from a table and the descriptions of structs.
// Layering: must not be a template, which would be compiled again for each record type.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "eider/core/reflect/type_of.h"
#include "eider/data/db/pool.h"
#include "eider/data/db/query_job.h"
#include "eider/data/db/relation.h"
#include "eider/data/db/value.h"

namespace eider::db {

/// The table of a struct: its members are columns of the same names.
///
/// name     "notes", or "shop.notes"
/// key      the member that identifies a record
/// version  an integer that counts the changes: an update fails if another one came first; optional
/// deleted  a bool or a std::optional time that hides removed records; optional
struct Table {
  std::string_view name;
  std::string_view key = "id";
  std::string_view version = {};
  std::string_view deleted = {};
};

enum class Direction : std::uint8_t { up, down };

namespace detail {

/// A struct and its description; both must outlive this.
struct Described {
  const reflect::Type* type;
  const void* object;
};

template <class T>
[[nodiscard]] Described describe(const T& object) noexcept {
  static_assert(reflect::detail::PlainStruct<T>, "eider: a plain struct with members is required");
  return {&reflect::type_of<T>(), &object};
}

class StatementText;

/// A change of a record that returns the changed record.
///
/// ahead  the changing statements, for databases without `returning`
struct RecordChange {
  BoundSql sql;
  std::vector<BoundSql> ahead{};
};

[[nodiscard]] Ahead ahead_of(RecordChange& change, bool is_within_transaction);

/// Returns the collation by which a column of that type is compared and sorted, or an empty text.
/// SQLite stores decimals and durations as texts, and would compare 10.00 and 9.00 by their first
/// characters.
[[nodiscard]] std::string_view collation_of(const reflect::Type& type, Dialect dialect) noexcept;

/// All functions throw Failure(statement) if a struct has a member that the record does not have.
class RecordSql {
 public:
  /// Throws Failure(statement) for invalid names, or names that are not members of `row`.
  RecordSql(const Table& table, const reflect::Type& row, Dialect dialect);

  /// Restricts the statements to records with this value in the column: other records are not found
  /// or changed, and inserted records get the value.
  void hold_to(std::string_view column, Value value);
  /// Removes a member from the columns, because it is a relation.
  void relate(Relation relation);
  /// Returns the relation of the member. Throws Failure(statement) if it has none.
  [[nodiscard]] const Relation& relation(std::string_view into) const;
  /// Returns the query for related records of these keys; its first column is the key by which each
  /// record was found. Nothing if all keys are NULL.
  [[nodiscard]] static std::optional<BoundSql> related(const Relation& relation,
                                                       std::span<const Value> keys);
  /// Copies the values of some of the record's members to a struct.
  void take_place(const void* record, const reflect::Type& place, void* into) const;
  [[nodiscard]] Value column_of(const void* record, std::string_view name) const;

  /// Throws Failure(statement) if lists cannot be filtered by such a struct, so that the error
  /// shows up before a client's request.
  void check_query(const reflect::Type& query) const;

  [[nodiscard]] BoundSql find(const Value& key) const;
  [[nodiscard]] BoundSql insert(const Described& values) const;
  /// unique  the columns that identify an existing record
  [[nodiscard]] RecordChange upsert(const Described& values, std::string_view unique) const;
  [[nodiscard]] RecordChange update(const Value& key, const Described& changes,
                                    std::optional<std::int64_t> version) const;
  /// before  a complete record
  /// after   the same type, or a struct with some of its members
  [[nodiscard]] RecordChange update(const Described& before, const Described& after) const;
  [[nodiscard]] BoundSql remove(const Value& key,
                                std::optional<std::int64_t> version = std::nullopt) const;
  [[nodiscard]] BoundSql page(const Described& query) const;
  [[nodiscard]] BoundSql count(const Described& query) const;
  /// place  the last position of the previous page, in the order of its members; null `object`: the
  ///        first page
  [[nodiscard]] BoundSql page_after(const Described& query, const Described& place,
                                    Direction direction) const;

  [[nodiscard]] const std::string& table() const noexcept { return table_; }
  [[nodiscard]] const std::string& key() const noexcept { return key_; }
  [[nodiscard]] const std::string& version() const noexcept { return version_; }
  [[nodiscard]] const std::string& deleted() const noexcept { return deleted_; }
  /// Returns the member for that column. Throws Failure(statement) if there is none.
  [[nodiscard]] const reflect::Member& member_of(std::string_view name) const;

 private:
  using Text = StatementText;
  struct Column {
    std::string_view name;
    Value value;
  };
  struct Held {
    std::string column;
    Value value;
  };

  struct Order {
    std::string_view column;
    bool is_descending;
  };

  struct Asked {
    std::string_view column;
    std::string_view compares;
  };

  [[nodiscard]] Asked asked_by(std::string_view name) const;
  [[nodiscard]] Order order_of(std::string_view by) const;
  [[nodiscard]] const reflect::Member* find_column(std::string_view name) const;
  [[nodiscard]] bool is_held(std::string_view name) const;
  void name_columns();
  [[nodiscard]] std::vector<std::string_view> columns_in(std::string_view names) const;
  void check_version(std::optional<std::int64_t> version) const;
  [[nodiscard]] std::vector<Column> given(const Described& values) const;
  void add_where_key(Text& to, const Value& key) const;
  /// prefix  of the columns: "t.", or empty
  void add_standing(Text& to, std::string_view prefix) const;
  void add_held(Text& to, std::string_view prefix) const;
  /// Pre: `deleted_` is not empty.
  [[nodiscard]] std::string not_removed(std::string_view prefix) const;
  /// Returns the column with its collation.
  [[nodiscard]] std::string compared_sql(std::string_view column) const;
  void add_behind(Text& to, const Described& place, Direction direction) const;
  void add_conditions(Text& to, const Described& query) const;
  void add_condition(Text& to, const reflect::Member& member, const void* value) const;
  [[nodiscard]] RecordChange update_columns(const Value& key, const std::vector<Column>& columns,
                                            std::optional<std::int64_t> version) const;
  [[nodiscard]] bool is_changed_by_upsert(const Column& column) const;
  [[nodiscard]] RecordChange upsert_by_steps(const std::vector<Column>& columns,
                                             std::span<const std::string_view> unique) const;
  [[nodiscard]] BoundSql plain_insert(const std::vector<Column>& columns) const;

  const reflect::Structure& row_;
  Dialect dialect_;
  std::string table_;
  std::string key_;
  std::string version_;
  std::string deleted_;
  bool is_marked_ = false;  // `deleted_` is a bool
  std::string columns_;
  std::vector<Held> held_;
  std::vector<Relation> relations_;
};

}  // namespace detail
}  // namespace eider::db
