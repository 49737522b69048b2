#include "eider/data/db/migrations/held_columns.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace eider::db {
namespace {

// A primary key in SQLite may be null, unless it is the row ID: a single column of type integer.
constexpr const char* kSqliteColumns =
    "select lower(t.name) as table_name, lower(c.name) as name, lower(c.type) as type, "
    "c.\"notnull\" = 0 and not (c.pk = 1 and lower(c.type) = 'integer' and (select count(*) from "
    "pragma_table_xinfo(t.name) k where k.pk > 0) = 1) as may_be_null "
    "from sqlite_schema t join pragma_table_xinfo(t.name) c "
    "where t.type in ('table', 'view') and instr(lower($1), lower(t.name)) > 0";

constexpr const char* kPostgresColumns =
    "select case when pg_catalog.pg_table_is_visible(t.oid) then '' else s.nspname || '.' end || "
    "t.relname as table_name, c.attname::text as name, "
    "pg_catalog.format_type(c.atttypid, c.atttypmod) as type, not c.attnotnull as may_be_null "
    "from pg_catalog.pg_attribute c join pg_catalog.pg_class t on t.oid = c.attrelid "
    "join pg_catalog.pg_namespace s on s.oid = t.relnamespace "
    "where c.attnum > 0 and not c.attisdropped and t.relkind in ('r', 'p', 'v', 'm', 'f') and "
    "s.nspname !~ '^(pg_|information_schema$)' and "
    "pg_catalog.strpos(lower($1::text), lower(t.relname)) > 0";

// Table names may be case-insensitive, depending on the server.
constexpr const char* kMariadbColumns =
    "select lower(c.table_name) as table_name, lower(c.column_name) as name, "
    "c.column_type as type, c.is_nullable = 'YES' as may_be_null "
    "from information_schema.columns c "
    "where c.table_schema = database() and instr(lower($1), lower(c.table_name)) > 0";

const char* columns_sql(Dialect dialect) noexcept {
  switch (dialect) {
    case Dialect::sqlite:
      return kSqliteColumns;
    case Dialect::postgres:
      return kPostgresColumns;
    case Dialect::mariadb:
      return kMariadbColumns;
  }
  return "";
}

std::string told_column(std::string_view type, bool may_be_null) {
  return std::string(type.empty() ? "without a type" : type).append(may_be_null ? "" : " not null");
}

/// Returns an empty text if nothing has changed.
std::string difference_of(const std::vector<StoredColumn>& now,
                          const checked::TableColumn& checked) {
  const auto found = std::ranges::find_if(now, [&checked](const StoredColumn& column) {
    return column.table_name == checked.table && column.name == checked.name;
  });
  if (found == now.end()) {
    return "does not exist any more";
  }
  const bool is_same = found->type == checked.type && (checked.may_be_null || !found->may_be_null);
  return is_same ? "" : "is " + told_column(found->type, found->may_be_null);
}

}  // namespace

Task<std::vector<StoredColumn>> stored_columns(Database database, std::string text) {
  const RuntimeSql sql{columns_sql(database.dialect())};
  auto columns = co_await database.all<StoredColumn>(sql, text);
  std::ranges::sort(columns, {}, [](const StoredColumn& column) {
    return std::tie(column.table_name, column.name);
  });
  co_return columns;
}

std::string differences_of(const std::vector<StoredColumn>& now, checked::TableColumns checked) {
  std::string told;
  for (const checked::TableColumn& column : checked) {
    const std::string difference = difference_of(now, column);
    if (!difference.empty()) {
      told += std::string(told.empty() ? "" : "\n") + column.table + "." + column.name +
              ": [differs] the column was " + told_column(column.type, column.may_be_null) +
              " when this program was checked, but " + difference +
              "; used by: " + column.statement;
    }
  }
  return told;
}

}  // namespace eider::db
