#include "eider/data/db/migrations/history_table.h"

#include <array>
#include <ctime>

namespace eider::db {

std::string now_as_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%FT%TZ", &parts)};
}

Task<HistoryTable> HistoryTable::find(const Database& database) {
  if (database.dialect() == Dialect::sqlite) {
    co_return HistoryTable(Dialect::sqlite, "main.");
  }
  if (database.dialect() == Dialect::mariadb) {
    co_return co_await find_on_mariadb(database);
  }
  const std::optional<std::string> schema = co_await database.one<std::string>(
      "select coalesce(quote_ident(coalesce((select nspname::text from pg_catalog.pg_class c join "
      "pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.oid = "
      "to_regclass('eider_migrations')), current_schema()::text)) || '.', '')");
  co_return HistoryTable(Dialect::postgres, schema.value_or(""));
}

// Backticks are quotes in each of its modes, and a migration may set another one.
Task<HistoryTable> HistoryTable::find_on_mariadb(const Database& database) {
  const std::optional<std::string> quoted = co_await database.one<std::string>(
      "select concat('`', replace(coalesce(database(), ''), '`', '``'), '`')");
  const std::string schema = quoted.value_or("``");
  if (schema == "``") {
    throw MigrationFault(
        "eider_migrations: [history] there is no database to keep it in: name one behind the host, "
        "mysql://host/NAME");
  }
  co_return HistoryTable(Dialect::mariadb, schema + ".");
}

Task<bool> HistoryTable::is_there(const Statements& on) const {
  std::optional<std::int64_t> count;
  if (dialect_ == Dialect::sqlite) {
    count = co_await on.one<std::int64_t>(
        "select count(*) from sqlite_schema where name = 'eider_migrations'");
  } else if (dialect_ == Dialect::mariadb) {
    count = co_await on.one<std::int64_t>(
        "select count(*) from information_schema.tables where table_name = 'eider_migrations' and "
        "concat('`', replace(table_schema, '`', '``'), '`.') = $1",
        schema_);
  } else {
    count = co_await on.one<std::int64_t>(
        "select count(*) from pg_catalog.pg_class where oid = to_regclass($1)", name());
  }
  co_return count.value_or(0) != 0;
}

Task<History> HistoryTable::read_rows(const Statements& on) const {
  const RuntimeSql sql{"select number, name, checksum, begun, ended, '' as " + text_column() +
                       " from " + name() + " order by number"};
  try {
    co_return co_await on.all<AppliedMigration>(sql);
  } catch (const Failure& failure) {
    if (failure.kind() != FailureKind::statement) {
      throw;
    }
  }
  throw MigrationFault(
      "eider_migrations: [history] there is a table of this name that is not "
      "Eider's: give that one another name");
}

Task<History> HistoryTable::read(const Statements& on, const Migrations& migrations) const {
  const bool is_made = co_await is_there(on);
  if (!is_made) {
    co_return History();
  }
  History history = co_await read_rows(on);
  // A text may be tens of megabytes, and is needed only to tell what was edited.
  const RuntimeSql sql{"select " + text_column() + " from " + name() + " where number = $1"};
  for (AppliedMigration& applied : history) {
    const Migration* now = db::find(migrations, applied.number);
    if (now != nullptr && now->checksum != applied.checksum) {
      const std::optional<std::string> text = co_await on.one<std::string>(sql, applied.number);
      applied.sql = text.value_or("");
    }
  }
  co_return history;
}

Task<> HistoryTable::make(const Statements& on) const {
  const bool is_mariadb = dialect_ == Dialect::mariadb;
  const RuntimeSql sql{"create table if not exists " + name() +
                       "(number bigint primary key, name text not null, checksum text not null, " +
                       text_column() + (is_mariadb ? " longtext" : " text") +
                       " not null, begun text not null, ended text)" +
                       (is_mariadb ? " engine = InnoDB character set utf8mb4" : "")};
  co_await on.script(sql);
}

Task<> HistoryTable::note(const Statements& on, const Migration& migration, std::string begun,
                          std::optional<std::string> ended) const {
  const std::string anew =
      dialect_ == Dialect::mariadb
          ? "on duplicate key update name = values(name), checksum = values(checksum), `sql` = "
            "values(`sql`), begun = values(begun), ended = values(ended)"
          : "on conflict(number) do update set name = excluded.name, checksum = excluded.checksum, "
            "sql = excluded.sql, begun = excluded.begun, ended = excluded.ended";
  const RuntimeSql sql{"insert into " + name() + "(number, name, checksum, " + text_column() +
                       ", begun, ended) values($1, $2, $3, $4, $5, $6) " + anew};
  co_await on.exec(sql, migration.number, migration.name, migration.checksum, migration.up.sql,
                   begun, ended);
}

Task<> HistoryTable::end(const Statements& on, std::int64_t number, std::string ended) const {
  const RuntimeSql sql{"update " + name() + " set ended = $2 where number = $1"};
  co_await on.exec(sql, number, ended);
}

Task<> HistoryTable::forget(const Statements& on, std::int64_t number) const {
  const RuntimeSql sql{"delete from " + name() + " where number = $1"};
  co_await on.exec(sql, number);
}

}  // namespace eider::db
