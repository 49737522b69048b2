#include "eider/data/db/migrations/history.h"

#include <algorithm>
#include <string_view>

#include "eider/core/base/text.h"

namespace eider::db {
namespace {

std::string quoted_line(std::string_view line, bool is_there) {
  return is_there ? "'" + std::string(line) + "'" : "missing";
}

/// Returns a text such as "line 3 was 'a', and is 'b'".
std::string first_difference(std::string_view before, std::string_view now) {
  for (std::size_t line = 1; !before.empty() || !now.empty(); ++line) {
    const bool was_there = !before.empty();
    const bool is_there = !now.empty();
    const std::string_view old_line = take_until(before, "\n");
    const std::string_view new_line = take_until(now, "\n");
    if (old_line != new_line || was_there != is_there) {
      return "line " + std::to_string(line) + " was " + quoted_line(old_line, was_there) +
             ", but is now " + quoted_line(new_line, is_there);
    }
  }
  return "the end differs";
}

std::string_view without_end_blanks(std::string_view text) noexcept {
  return text.substr(0, text.find_last_not_of(" \t\r\n\v\f") + 1);
}

/// An editor or a checkout may change the white space at the end of a file, which no database sees.
/// The checksum covers it, as in databases of older versions, so the texts are compared, too.
bool is_edited(const AppliedMigration& applied, const Migration& now) noexcept {
  return now.checksum != applied.checksum &&
         without_end_blanks(now.up.sql) != without_end_blanks(applied.sql);
}

bool has(const History& history, std::int64_t number) noexcept {
  return std::ranges::find(history, number, &AppliedMigration::number) != history.end();
}

void add_fault(std::string& faults, const std::string& name, std::string_view what) {
  faults += faults.empty() ? "" : "\n";
  faults.append(name).append(".sql: ").append(what);
}

void check_applied(std::string& faults, const AppliedMigration& applied, const Migration& now) {
  if (applied.is_unfinished()) {
    return;
  }
  if (is_edited(applied, now)) {
    add_fault(faults, now.name,
              "[edited] the migration was applied on " + applied.begun +
                  ", but the file has changed: " + first_difference(applied.sql, now.up.sql) +
                  ". Restore the file, and write the change as a new migration");
  } else if (now.name != applied.name) {
    add_fault(faults, now.name,
              "[renamed] the migration was applied as " + applied.name + ".sql: restore this name");
  }
}

}  // namespace

const Migration* find(const Migrations& migrations, std::int64_t number) noexcept {
  const auto found = std::ranges::find(migrations, number, &Migration::number);
  return found == migrations.end() ? nullptr : &*found;
}

std::string faults_of_history(const History& history, const Migrations& migrations,
                              bool accepts_newer) {
  const std::int64_t last_known = migrations.empty() ? 0 : migrations.back().number;
  const std::int64_t last_applied = history.empty() ? 0 : history.back().number;
  std::string faults;
  for (const AppliedMigration& applied : history) {
    if (const Migration* now = find(migrations, applied.number)) {
      check_applied(faults, applied, *now);
    } else if (!accepts_newer || applied.number < last_known) {
      add_fault(
          faults, applied.name,
          "[missing] the migration was applied on " + applied.begun +
              ", but the file does not exist: restore the file, or run a program that contains it");
    }
  }
  for (const Migration& migration : migrations) {
    if (migration.number < last_applied && !has(history, migration.number)) {
      add_fault(faults, migration.name,
                "[order] this migration is new, but " + history.back().name +
                    " was already applied: use a higher number");
    }
  }
  return faults;
}

const AppliedMigration* unfinished_in(const History& history) noexcept {
  const auto found = std::ranges::find_if(history, &AppliedMigration::is_unfinished);
  return found == history.end() ? nullptr : &*found;
}

const Migration* next_of(const Migrations& migrations, const History& history) noexcept {
  const auto found = std::ranges::find_if(migrations, [&](const Migration& migration) {
    return history.empty() || migration.number > history.back().number;
  });
  return found == migrations.end() ? nullptr : &*found;
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

// Backticks are quotes in each SQL mode, and a migration may set another mode.
Task<HistoryTable> HistoryTable::find_on_mariadb(const Database& database) {
  const std::optional<std::string> quoted = co_await database.one<std::string>(
      "select concat('`', replace(coalesce(database(), ''), '`', '``'), '`')");
  const std::string schema = quoted.value_or("``");
  if (schema == "``") {
    throw MigrationFault(
        "eider_migrations: [history] no database is selected: name one in the URL, "
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
      "eider_migrations: [history] a table of this name exists, but does not belong to Eider: "
      "rename that table");
}

Task<History> HistoryTable::read(const Statements& on, const Migrations& migrations) const {
  if (!co_await is_there(on)) {
    co_return History();
  }
  History history = co_await read_rows(on);
  // A text may be tens of megabytes, and is only needed to compare a file that may be edited.
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
  const std::string or_replace =
      dialect_ == Dialect::mariadb
          ? "on duplicate key update name = values(name), checksum = values(checksum), `sql` = "
            "values(`sql`), begun = values(begun), ended = values(ended)"
          : "on conflict(number) do update set name = excluded.name, checksum = excluded.checksum, "
            "sql = excluded.sql, begun = excluded.begun, ended = excluded.ended";
  const RuntimeSql sql{"insert into " + name() + "(number, name, checksum, " + text_column() +
                       ", begun, ended) values($1, $2, $3, $4, $5, $6) " + or_replace};
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
