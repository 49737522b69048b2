// Reads the tables of each database from its catalog.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "cli/bench/on_loop.h"
#include "cli/db/structs/schema.h"
#include "eider/core/base/text.h"

namespace eider::structs {
namespace {

/// One column, as all three databases report it.
struct ColumnRow {
  std::string table_name;
  std::string name;
  std::string type;
  bool may_be_null;
  bool is_key;
  bool is_counted;
  bool is_generated;
  std::optional<std::string> default_sql = {};
  std::optional<std::string> enum_type = {};
  std::optional<std::vector<std::string>> labels = {};
  std::optional<std::string> schema = {};
};

struct CheckRow {
  std::string table_name;
  std::string checks;
};

// In SQLite, a primary key may be null unless it is the row id: a single column of type integer.
constexpr const char* kSqliteTables =
    "select t.name as table_name, c.name as name, lower(c.type) as type, "
    "c.\"notnull\" = 0 and not (k.count = 1 and c.pk = 1 and lower(c.type) = 'integer') and "
    "not (c.pk > 0 and t.wr) "
    "as may_be_null, c.pk > 0 as is_key, "
    "k.count = 1 and c.pk = 1 and lower(c.type) = 'integer' and not t.wr as is_counted, "
    "c.hidden in (2, 3) as is_generated, c.dflt_value as default_sql "
    "from pragma_table_list t join pragma_table_xinfo(t.name) c "
    "join (select n.name, sum(p.pk > 0) as count from pragma_table_list n "
    "join pragma_table_xinfo(n.name) p where n.schema = 'main' group by n.name) k "
    "on k.name = t.name "
    "where t.schema = 'main' and t.type = 'table' and c.hidden <> 1 and "
    "t.name not like 'sqlite\\_%' escape '\\' and t.name not like 'eider\\_%' escape '\\' "
    "order by t.name, c.cid";
constexpr const char* kSqliteChecks =
    "select name as table_name, sql as checks from sqlite_schema where type = 'table'";

constexpr const char* kPostgresTables =
    "select case when pg_catalog.pg_table_is_visible(t.oid) then '' else s.nspname || '.' end || "
    "t.relname as table_name, c.attname::text as name, "
    "case when y.typtype = 'd' then pg_catalog.format_type(y.typbasetype, y.typtypmod) "
    "else pg_catalog.format_type(c.atttypid, c.atttypmod) end as type, "
    "not c.attnotnull and not y.typnotnull as may_be_null, "
    "exists(select from pg_catalog.pg_index i where i.indrelid = t.oid and i.indisprimary and "
    "c.attnum = any(i.indkey)) as is_key, "
    "c.attidentity <> '' or coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid), '') "
    "like 'nextval(%' as is_counted, c.attgenerated <> '' as is_generated, "
    "pg_catalog.pg_get_expr(d.adbin, d.adrelid) as default_sql, "
    "case when y.typtype = 'e' then case when pg_catalog.pg_type_is_visible(y.oid) then '' else "
    "(select n.nspname || '.' from pg_catalog.pg_namespace n where n.oid = y.typnamespace) end || "
    "y.typname end as enum_type, "
    "(select pg_catalog.json_agg(e.enumlabel order by e.enumsortorder) from pg_catalog.pg_enum e "
    "where e.enumtypid = y.oid) as labels, "
    "case when not pg_catalog.pg_table_is_visible(t.oid) then s.nspname::text end as schema "
    "from pg_catalog.pg_attribute c join pg_catalog.pg_class t on t.oid = c.attrelid "
    "join pg_catalog.pg_namespace s on s.oid = t.relnamespace "
    "join pg_catalog.pg_type y on y.oid = c.atttypid "
    "left join pg_catalog.pg_attrdef d on d.adrelid = t.oid and d.adnum = c.attnum "
    "where c.attnum > 0 and not c.attisdropped and t.relkind in ('r', 'p') and "
    "not t.relispartition and s.nspname !~ '^(pg_|information_schema$)' and "
    "t.relname !~ '^eider_' order by 1, c.attnum";
constexpr const char* kPostgresChecks =
    "select case when pg_catalog.pg_table_is_visible(t.oid) then '' else s.nspname || '.' end || "
    "t.relname as table_name, pg_catalog.pg_get_constraintdef(k.oid) as checks "
    "from pg_catalog.pg_constraint k join pg_catalog.pg_class t on t.oid = k.conrelid "
    "join pg_catalog.pg_namespace s on s.oid = t.relnamespace where k.contype = 'c' order by 1, 2";

constexpr const char* kMariadbTables =
    "select c.table_name as table_name, c.column_name as name, lower(c.column_type) as type, "
    "c.is_nullable = 'YES' as may_be_null, c.column_key = 'PRI' as is_key, "
    "c.extra like '%auto_increment%' as is_counted, "
    "coalesce(c.generation_expression, '') <> '' as is_generated, "
    "c.column_default as default_sql, "
    "case when c.data_type = 'enum' then c.column_type end as enum_type "
    "from information_schema.columns c join information_schema.tables t "
    "on t.table_schema = c.table_schema and t.table_name = c.table_name "
    "where c.table_schema = database() and t.table_type = 'BASE TABLE' and "
    "c.table_name not like 'eider|_%' escape '|' order by c.table_name, c.ordinal_position";
constexpr const char* kMariadbChecks =
    "select k.table_name as table_name, concat('check (', k.check_clause, ')') as checks "
    "from information_schema.check_constraints k where k.constraint_schema = database() "
    "order by 1, 2";

struct Catalog {
  const char* tables;
  const char* checks;
};

Catalog catalog_of(db::Dialect dialect) noexcept {
  switch (dialect) {
    case db::Dialect::sqlite:
      return {kSqliteTables, kSqliteChecks};
    case db::Dialect::postgres:
      return {kPostgresTables, kPostgresChecks};
    case db::Dialect::mariadb:
      return {kMariadbTables, kMariadbChecks};
  }
  return {"", ""};
}

/// Returns the labels in enum('a','it''s') of MariaDB.
std::vector<std::string> labels_of(std::string_view type) {
  std::vector<std::string> labels;
  std::size_t at = type.find('\'');
  while (at < type.size()) {
    std::string label;
    for (++at; at < type.size() && (type[at] != '\'' || type.substr(at, 2) == "''"); ++at) {
      label += type[at];
      at += type[at] == '\'' ? 1 : 0;
    }
    labels.push_back(std::move(label));
    at = type.find('\'', at + 1);
  }
  return labels;
}

/// Returns 200 for varchar(200), character varying(200) or char(200); SQLite does not enforce it.
std::optional<std::int64_t> length_of(std::string_view type) {
  const std::size_t open = type.find('(');
  if (open == std::string_view::npos || !type.ends_with(')') || !type.contains("char")) {
    return std::nullopt;
  }
  return parse_integer<std::int64_t>(type.substr(open + 1, type.size() - open - 2));
}

/// MariaDB reports texts with backslashes before quotes, backslashes and line ends, although its
/// sessions do not read these as escapes: 'it\'s' becomes 'it''s'.
std::string without_backslashes(std::string_view literal) {
  std::string text;
  for (std::size_t at = 0; at < literal.size(); ++at) {
    if (literal[at] != '\\' || at + 1 == literal.size()) {
      text += literal[at];
      continue;
    }
    const char next = literal[++at];
    text += next == '\'' ? "''" : std::string(1, next == 'n' ? '\n' : next == 'r' ? '\r' : next);
  }
  return text;
}

/// Returns whether the default is NULL, also as NULL::text of PostgreSQL.
bool is_null(std::string_view default_sql) noexcept {
  return equals_ignoring_case(trim(default_sql.substr(0, default_sql.find("::"))), "null");
}

Column column_of(ColumnRow& row, db::Dialect dialect) {
  Column column{.name = std::move(row.name),
                .type = std::move(row.type),
                .may_be_null = row.may_be_null,
                .is_key = row.is_key,
                .is_counted = row.is_counted,
                .is_generated = row.is_generated,
                .default_sql = row.is_generated || row.is_counted
                                   ? ""
                                   : std::move(row.default_sql).value_or(""),
                .enum_type = std::move(row.enum_type).value_or(""),
                .labels = std::move(row.labels).value_or(std::vector<std::string>())};
  if (is_null(column.default_sql)) {
    column.default_sql.clear();
  } else if (dialect == db::Dialect::mariadb && column.default_sql.starts_with('\'')) {
    column.default_sql = without_backslashes(column.default_sql);
  }
  if (dialect == db::Dialect::mariadb && !column.enum_type.empty()) {
    // From the declaration, which keeps the case of the labels.
    column.labels = labels_of(column.enum_type);
    column.type = "enum";
    column.enum_type.clear();
  } else {
    column.length.max = length_of(column.type);
  }
  return column;
}

std::string limits_text(const Limits& limits) {
  return limits.min && limits.max ? fmt::format("{} to {}", *limits.min, *limits.max)
         : limits.min             ? fmt::format("at least {}", *limits.min)
                                  : fmt::format("at most {}", *limits.max);
}

}  // namespace

Result<std::vector<Table>, std::string> read_tables(const Database& database) {
  const Catalog catalog = catalog_of(database.dialect());
  std::vector<ColumnRow> columns;
  std::vector<CheckRow> checks;
  try {
    bench::run_on_loop(Backend::epoll, [&]() -> Task<> {
      columns = co_await database.all<ColumnRow>(db::RuntimeSql{catalog.tables});
      checks = co_await database.all<CheckRow>(db::RuntimeSql{catalog.checks});
    });
  } catch (const db::Failure& failure) {
    return fail(std::string(failure.what()));
  }
  std::map<std::string, Table> tables;
  for (ColumnRow& row : columns) {
    Table& table = tables[row.table_name];
    table.name = row.table_name;
    table.schema = row.schema.value_or("");
    table.columns.push_back(column_of(row, database.dialect()));
  }
  for (const CheckRow& row : checks) {
    if (const auto found = tables.find(row.table_name); found != tables.end()) {
      add_checks(row.checks, database.dialect(), found->second);
    }
  }
  std::vector<Table> sorted;
  for (auto& [name, table] : tables) {
    sorted.push_back(std::move(table));
  }
  return sorted;
}

std::string description_of(const Column& column) {
  std::string text = column.type.empty() ? "without a type" : column.type;
  text += column.may_be_null ? "" : ", not null";
  text += column.is_key ? ", key" : "";
  text += column.is_counted ? ", numbered by the database" : "";
  text += column.is_generated ? ", generated" : "";
  text += column.default_sql.empty() ? "" : ", default " + column.default_sql;
  if (!column.labels.empty()) {
    text += fmt::format(", in ('{}')", fmt::join(column.labels, "', '"));
  }
  if (column.range.min || column.range.max) {
    text += ", " + limits_text(column.range);
  }
  if (column.length.min || column.length.max) {
    text += ", " + limits_text(column.length) + " characters";
  }
  return text;
}

}  // namespace eider::structs
