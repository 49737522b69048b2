// The statements of admin pages.
// Layering: must not know requests or HTML. Names in statements come from the program, or from the
// schema and are quoted; input of clients becomes values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eider/data/db/database.h"
#include "eider/data/db/row_stream.h"
#include "eider/web/admin/admin_record.h"
#include "eider/web/admin/admin_site.h"

namespace eider::detail::admin {

struct Condition {
  enum class Compares : std::uint8_t { equal, at_least, at_most };
  std::size_t column;
  Compares compares;
  db::Value value;
};

/// What a list shows.
struct Find {
  std::string search;
  std::vector<Condition> conditions;
  std::size_t sort = 0;
  bool is_descending = false;
  std::int64_t page = 1;
  std::int64_t per_page = 50;
};

using Columns = std::vector<std::size_t>;

/// Columns that are never hidden.
[[nodiscard]] Columns shown_columns(const Resource& resource);
/// Columns of a list, with the key and the label.
[[nodiscard]] Columns list_columns(const Resource& resource);

[[nodiscard]] Task<std::vector<Record>> list_records(const db::Statements& on,
                                                     const Resource& resource, Find find,
                                                     Columns columns);
/// Returns the number of records, at most max + 1.
[[nodiscard]] Task<std::int64_t> count_records(const db::Statements& on, const Resource& resource,
                                               Find find, std::int64_t max);
[[nodiscard]] db::RowStream<db::Row> stream_records(const db::Statements& on,
                                                    const Resource& resource, const Find& find,
                                                    const Columns& columns, std::int64_t max);
/// lock  "for update", where the database has it
[[nodiscard]] Task<std::optional<Record>> find_record(const db::Statements& on,
                                                      const Resource& resource, db::Value key,
                                                      bool locks, db::Dialect dialect);
/// Returns the labels of records by the text of their key.
[[nodiscard]] Task<std::map<std::string, std::string>> labels_of(const db::Statements& on,
                                                                 const Resource& resource,
                                                                 std::vector<db::Value> keys);

/// A column and its new value.
struct NewValue {
  std::string column;
  db::Value value;
};

/// Returns the key of the new record.
[[nodiscard]] Task<db::Value> insert_record(const db::Statements& on, const Resource& resource,
                                            std::vector<NewValue> values);
[[nodiscard]] Task<> update_record(const db::Statements& on, const Resource& resource,
                                   db::Value key, std::vector<NewValue> values);
/// Deletes the record, or sets its deletion mark. Returns whether it existed.
[[nodiscard]] Task<bool> remove_record(const db::Statements& on, const Resource& resource,
                                       db::Value key);

/// Records that refer to some records by a foreign key of the site, also through other tables whose
/// records are deleted.
///
/// is_direct  all of them refer to the records themselves
struct Dependents {
  const ForeignKey* key;
  std::int64_t count;
  bool is_direct;
};
/// is_incomplete  there can be more: through too many tables, or in tables that cannot be read
struct DependentsFound {
  std::vector<Dependents> all;
  bool is_incomplete = false;
};
inline constexpr std::int64_t kDependentsMax = 10'000;
[[nodiscard]] Task<DependentsFound> dependents_of(const db::Statements& on, const Site& site,
                                                  const Resource& resource,
                                                  std::vector<db::Value> keys);

/// A new entry of the audit log.
///
/// label_member  the column that `label` comes from; empty: none
struct LogNote {
  std::string action;
  std::string resource;
  std::string record;
  std::string label;
  std::string label_member = {};
  std::vector<AdminChange> changes = {};

  void set_record(const Resource& of, const Record& its_record);
};
/// Returns the id of the entry.
[[nodiscard]] Task<std::int64_t> write_log(const db::Statements& on, AdminUser user, LogNote note);

/// Replaces the changes of these entries.
[[nodiscard]] Task<> update_log(Database database, std::vector<std::int64_t> ids,
                                std::vector<AdminChange> changes);

struct LogRow {
  std::int64_t id = 0;
  std::int64_t at = 0;
  std::string user_id;
  std::string user_name;
  std::string action;
  std::string resource;
  std::string record;
  std::string label;
  std::string label_member;
  std::string changes;
};
/// before     only older entries; 0: all
/// resources  only their entries
/// record     only of this record; empty: all
[[nodiscard]] Task<std::vector<LogRow>> read_log(const db::Statements& on, std::int64_t before,
                                                 std::vector<std::string> resources,
                                                 std::string record, std::int64_t max);
[[nodiscard]] Task<std::optional<LogRow>> find_log(const db::Statements& on, std::int64_t id);

}  // namespace eider::detail::admin
