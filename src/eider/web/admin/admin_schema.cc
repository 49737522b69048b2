// What admin pages read from the schema of the database at startup.

#include <algorithm>
#include <utility>

#include "eider/core/base/failure.h"
#include "eider/core/base/text.h"
#include "eider/core/base/translation.h"
#include "eider/data/db/create_tables.h"
#include "eider/data/db/failure.h"
#include "eider/data/db/record_sql.h"
#include "eider/web/admin/admin_site.h"
#include "eider/web/views/value.h"

namespace eider::detail::admin {

/// A column of a foreign key. Not in the anonymous namespace: coroutines keep it in their frames.
struct ForeignKeyRow {
  std::string table_schema;
  std::string table_name;
  bool is_visible;
  bool is_readable;
  std::string to_schema;
  std::string to_table;
  bool is_to_visible;
  std::string key_id;
  std::string column_name;
  std::optional<std::string> to_column;
  std::string rule;
};

namespace {

/// SQLite has names as the statement that created the table, and no column for a reference to the
/// primary key.
constexpr std::string_view kSqliteKeys =
    R"(select 'main' as table_schema, m.name as table_name, 1 as is_visible, 1 as is_readable,
    'main' as to_schema,
    coalesce((select o.name from sqlite_master o where o.type = 'table'
    and lower(o.name) = lower(f."table")), f."table") as to_table, 1 as is_to_visible,
    cast(f.id as text) as key_id, f."from" as column_name,
    coalesce(f."to", (select p.name from pragma_table_info(f."table") p where p.pk = f.seq + 1))
    as to_column, f.on_delete as rule
    from sqlite_master m join pragma_foreign_key_list(m.name) f
    where m.type = 'table' order by m.name, f.id, f.seq)";
constexpr std::string_view kPostgresKeys =
    R"(select n.nspname::text as table_schema, t.relname::text as table_name,
    pg_catalog.pg_table_is_visible(t.oid) as is_visible,
    pg_catalog.has_schema_privilege(n.oid, 'usage')
    and pg_catalog.has_table_privilege(t.oid, 'select') as is_readable,
    p.nspname::text as to_schema, o.relname::text as to_table,
    pg_catalog.pg_table_is_visible(o.oid) as is_to_visible,
    c.oid::text as key_id, a.attname::text as column_name, b.attname::text as to_column,
    c.confdeltype::text as rule
    from pg_catalog.pg_constraint c
    join pg_catalog.pg_class t on t.oid = c.conrelid
    join pg_catalog.pg_namespace n on n.oid = t.relnamespace
    join pg_catalog.pg_class o on o.oid = c.confrelid
    join pg_catalog.pg_namespace p on p.oid = o.relnamespace
    cross join lateral unnest(c.conkey, c.confkey) with ordinality as k(of_from, of_to, place)
    join pg_catalog.pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.of_from
    join pg_catalog.pg_attribute b on b.attrelid = c.confrelid and b.attnum = k.of_to
    where c.contype = 'f' and c.conparentid = 0
    order by n.nspname, t.relname, c.conname, k.place)";
constexpr std::string_view kMariadbKeys =
    R"(select k.table_schema as table_schema, k.table_name as table_name,
    k.table_schema = database() as is_visible, 1 as is_readable,
    k.referenced_table_schema as to_schema, k.referenced_table_name as to_table,
    k.referenced_table_schema = database() as is_to_visible,
    k.constraint_name as key_id, k.column_name as column_name,
    k.referenced_column_name as to_column, r.delete_rule as rule
    from information_schema.key_column_usage k
    join information_schema.referential_constraints r
    on r.constraint_schema = k.constraint_schema and r.constraint_name = k.constraint_name
    and r.table_name = k.table_name
    where k.referenced_table_name is not null
    order by k.table_schema, k.table_name, k.constraint_name, k.ordinal_position)";

std::string_view keys_statement(db::Dialect dialect) {
  switch (dialect) {
    case db::Dialect::postgres:
      return kPostgresKeys;
    case db::Dialect::mariadb:
      return kMariadbKeys;
    default:
      return kSqliteKeys;
  }
}

OnDelete on_delete_of(std::string_view rule) {
  if (rule == "CASCADE" || rule == "c") {
    return OnDelete::cascade;
  }
  const bool is_cleared = rule == "SET NULL" || rule == "SET DEFAULT" || rule == "n" || rule == "d";
  return is_cleared ? OnDelete::clear : OnDelete::prevent;
}

constexpr const char* kLogTable =
    "create table if not exists eider_admin_log ("
    "id integer primary key autoincrement, at bigint not null, user_id text not null, "
    "user_name text not null, action text not null, resource text not null, record text not null, "
    "label text not null, label_member text not null default '', changes text not null);"
    "create index if not exists eider_admin_log_record on eider_admin_log(resource, record, id);";
constexpr const char* kPostgresLogTable =
    "create table if not exists eider_admin_log ("
    "id bigint generated always as identity primary key, at bigint not null, "
    "user_id text not null, user_name text not null, action text not null, "
    "resource text not null, record text not null, label text not null, "
    "label_member text not null default '', changes text not null);"
    "create index if not exists eider_admin_log_record on eider_admin_log(resource, record, id);";
constexpr const char* kMariadbLogTable =
    "create table if not exists eider_admin_log ("
    "id bigint auto_increment primary key, at bigint not null, user_id text not null, "
    "user_name text not null, action varchar(64) not null, resource varchar(100) not null, "
    "record varchar(255) not null, label text not null, label_member text not null default '', "
    "changes mediumtext not null, "
    "index eider_admin_log_record(resource, record, id)) "
    "character set utf8mb4 collate utf8mb4_bin;";

const char* log_table(db::Dialect dialect) {
  switch (dialect) {
    case db::Dialect::postgres:
      return kPostgresLogTable;
    case db::Dialect::mariadb:
      return kMariadbLogTable;
    default:
      return kLogTable;
  }
}

/// Returns why the database does not accept the statement that selects this; empty: it does.
Task<std::string> error_of_select(Database database, std::string selected, std::string table) {
  std::string why;
  try {
    co_await database.all<db::Row>(
        db::BoundSql{{"select " + selected + " from " + table + " where 1 = 0"}});
  } catch (const db::Failure& failure) {
    if (failure.kind() != db::FailureKind::statement) {
      throw;
    }
    why = failure.what();
  }
  co_return why;
}

/// A member that is a text can be a column of another type, such as uuid, in which PostgreSQL does
/// not search.
Task<> check_search(Database database, Resource& resource) {
  std::vector<std::size_t> searched;
  for (const std::size_t at : resource.searched) {
    const std::string name(resource.columns[at].name());
    const std::string why =
        co_await error_of_select(database, "lower(" + name + ")", resource.table);
    if (why.empty()) {
      searched.push_back(at);
    } else if (!resource.options.search.empty()) {
      throw Failure(Error::internal("Admin pages, resource " + resource.name + ": `search` names " +
                                    name + ", in which the database cannot search: " + why));
    }
  }
  resource.searched = std::move(searched);
}

/// The statement fails if the table or a column does not exist.
Task<> check_table(Database database, const Resource& resource) {
  const std::string names = joined(resource.columns, ", ", &Column::name);
  const std::string why = co_await error_of_select(database, names, resource.table);
  if (!why.empty()) {
    throw Failure(Error::internal("Admin pages, resource " + resource.name + ": the members of " +
                                  std::string(resource.row->name) +
                                  " are not columns of the table " + resource.table + ": " + why +
                                  ". Set `table`, or use a struct with the columns of the table."));
  }
}

Task<std::vector<ForeignKey>> foreign_keys(Database database) {
  const auto rows = co_await database.all<ForeignKeyRow>(
      db::BoundSql{{std::string(keys_statement(database.dialect()))}});
  std::vector<ForeignKey> keys;
  std::string last;
  for (const ForeignKeyRow& row : rows) {
    const TableName table{row.table_schema, row.table_name, row.is_visible};
    const bool is_next = keys.empty() || last != row.key_id || !keys.back().table.is_same(table);
    if (is_next) {
      keys.push_back({.table = table,
                      .columns = {},
                      .to_table = {row.to_schema, row.to_table, row.is_to_visible},
                      .to_columns = {},
                      .on_delete = on_delete_of(row.rule),
                      .is_readable = row.is_readable});
      last = row.key_id;
    }
    keys.back().columns.push_back(row.column_name);
    keys.back().to_columns.push_back(row.to_column.value_or(""));
  }
  co_return keys;
}

/// "Author" for "author_id", if the label is that of the name.
void shorten_label(Resource& resource, Column& column) {
  constexpr std::string_view kEnd = "_id";
  const std::string_view name = column.name();
  if (!name.ends_with(kEnd) || name == kEnd || column.label != label_of(name)) {
    return;
  }
  const std::string before = column.label;
  column.label = label_of(name.substr(0, name.size() - kEnd.size()));
  for (auto* const form : {&resource.new_form, &resource.form}) {
    if (!*form) {
      continue;
    }
    for (forms::detail::ShapeField& field : (*form)->fields) {
      if (field.name == name && field.label == before) {
        field.label = column.label;
      }
    }
  }
}

/// A relation leads to the key of another resource.
void set_relations(Site& site) {
  for (const ForeignKey& key : site.keys) {
    const Resource* const target = site.find_table(key.to_table);
    if (target == nullptr || !target->is_target(key)) {
      continue;
    }
    const auto at = std::ranges::find_if(site.resources,
                                         [&](const auto& each) { return each.get() == target; });
    for (const auto& resource : site.resources) {
      const auto column = resource->find_column(key.columns.front());
      if (!column || !resource->is_of(key.table)) {
        continue;
      }
      resource->columns[*column].relation = static_cast<std::size_t>(at - site.resources.begin());
      shorten_label(*resource, resource->columns[*column]);
    }
  }
}

void choose_filters(Resource& resource) {
  if (!resource.options.filters.empty()) {
    return;
  }
  resource.filtered.clear();
  for (std::size_t i = 0; i < resource.columns.size(); ++i) {
    const Column& column = resource.columns[i];
    const reflect::Kind kind = views::held_type(*column.member->type).kind;
    if (!column.is_hidden &&
        (column.relation || kind == reflect::Kind::kEnum || kind == reflect::Kind::kBool)) {
      resource.filtered.push_back(i);
    }
  }
}

}  // namespace

Task<> start_site(Site& site, Database database) {
  const db::RuntimeSql tables{log_table(database.dialect())};
  co_await db::create_tables(database, tables);
  co_await db::add_column_if_missing(database, "eider_admin_log", "label_member",
                                     "text not null default ''");
  for (const auto& resource : site.resources) {
    co_await check_table(database, *resource);
    co_await check_search(database, *resource);
  }
  site.keys = co_await foreign_keys(database);
  set_relations(site);
  for (const auto& resource : site.resources) {
    choose_filters(*resource);
    for (Column& column : resource->columns) {
      column.collation = db::detail::collation_of(*column.member->type, database.dialect());
    }
  }
  site.database.emplace(std::move(database));
}

}  // namespace eider::detail::admin
