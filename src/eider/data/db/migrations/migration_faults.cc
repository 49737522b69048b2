#include "eider/data/db/migrations/migration_faults.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "eider/core/base/text.h"
#include "eider/core/base/utf8.h"
#include "eider/data/db/migrations/sql_pieces.h"

namespace eider::db {
namespace {

bool is_any(std::string_view word, std::initializer_list<std::string_view> words) noexcept {
  return std::ranges::any_of(
      words, [word](std::string_view one) { return equals_ignoring_case(one, word); });
}

/// Returns whether this is `pragma foreign_keys = off`, also with a schema.
bool is_of_foreign_keys(const SqlPiece& piece) noexcept {
  return is_any(piece.words[0], {"pragma"}) &&
         (is_any(piece.words[1], {"foreign_keys"}) || is_any(piece.words[2], {"foreign_keys"}));
}

std::vector<Refused> all_refused(const MigrationScript& script, Dialect dialect) {
  std::vector<Refused> found;
  for (const SqlPiece& piece : split_sql(script.sql, dialect)) {
    if (is_of_foreign_keys(piece)) {
      found.push_back({piece.line, "transaction",
                       script.is_in_transaction
                           ? "this statement has no effect in a transaction: remove it, and add "
                             "'-- eider: no foreign keys'"
                           : "this statement would affect everything after it: remove it, and add "
                             "'-- eider: no foreign keys'"});
    } else if (controls_transaction(piece)) {
      found.push_back({piece.line, "transaction",
                       script.is_in_transaction
                           ? "the migration already runs in a transaction: remove this statement, "
                             "or add '-- eider: no transaction'"
                           : "each statement runs on its own here: remove this statement"});
    } else if (piece.text.starts_with('\\')) {
      found.push_back(
          {piece.line, "psql",
           "a line that starts with \\ is a psql command, which servers do not support: remove the "
           "line. Since 2025, pg_dump writes \\restrict and \\unrestrict"});
    } else if (is_any(piece.words[0], {"delimiter"})) {  // in no dialect a statement
      found.push_back({piece.line, "delimiter",
                       "DELIMITER is a command of the mariadb client, which servers do not "
                       "support: remove it, and end each body with ; instead. Statements between "
                       "begin and end are kept together"});
    }
  }
  return found;
}

/// Limit for the cause of a rejected statement, which is followed by the statement.
constexpr std::size_t kCauseBytesMax = 500;

std::string word_of(Way way) {
  return way == Way::up ? "up" : "down";
}

}  // namespace

std::optional<Refused> refused_in(const MigrationScript& script, Dialect dialect) {
  std::vector<Refused> found = all_refused(script, dialect);
  return found.empty() ? std::nullopt : std::optional(std::move(found.front()));
}

bool stays_in_transaction(const MigrationScript& script, Dialect dialect) {
  const auto pieces = split_sql(script.sql, dialect);
  return script.is_in_transaction &&
         (dialect != Dialect::mariadb || std::ranges::all_of(pieces, [](const SqlPiece& piece) {
            return is_any(piece.words[0],
                          {"insert", "update", "delete", "replace", "select", "with", "do", "set"});
          }));
}

// A function or trigger of one database is split incorrectly by another dialect, and some of its
// pieces begin with `end`. So only statements that all dialects reject are rejected.
std::optional<Refused> refused_in_any(const MigrationScript& script) {
  const std::vector<Refused> of_sqlite = all_refused(script, Dialect::sqlite);
  const std::vector<Refused> of_mariadb = all_refused(script, Dialect::mariadb);
  const auto has_line = [](const std::vector<Refused>& all, std::size_t line) {
    return std::ranges::find(all, line, &Refused::line) != all.end();
  };
  for (Refused& refused : all_refused(script, Dialect::postgres)) {
    if (has_line(of_sqlite, refused.line) && has_line(of_mariadb, refused.line)) {
      return std::move(refused);
    }
  }
  return std::nullopt;
}

std::string text_of(const std::string& file, const Refused& refused) {
  return file + ":" + std::to_string(refused.line) + ": [" + std::string(refused.key) + "] " +
         refused.what;
}

std::string fault_text(const std::string& name, const std::string& key, const std::string& what) {
  return name + ".sql: [" + key + "] " + what;
}

std::string fault_text_at(const Migration& migration, Way way, std::size_t line,
                          const std::string& key, const std::string& what) {
  return file_name(migration, way) + ":" + std::to_string(line) + ": [" + key + "] " + what;
}

std::string file_name(const Migration& migration, Way way) {
  return migration.name + (way == Way::up ? ".sql" : ".down.sql");
}

std::string cause_of(const Failure& failure) {
  const std::string_view text = failure.what();
  return std::string(cut_utf8(text, std::min(text.find(", in: "), kCauseBytesMax)));
}

std::string unusable_text(const Failure& failure) {
  return std::string(kUnusable) + failure.what();
}

std::string locked_text() {
  return "eider_migrations: [locked] another migration run or another writer has locked the "
         "database: try again later";
}

std::string unfinished_text(const AppliedMigration& unfinished) {
  const std::string way = word_of(unfinished.is_going_down() ? Way::down : Way::up);
  return unfinished.name + (unfinished.is_going_down() ? ".down" : "") +
         ".sql: [unfinished] the migration was started on " + unfinished.begun +
         " outside of a transaction and has not ended: it is still running elsewhere, or was "
         "interrupted. Check which statements took effect. Then run the migration again (eider "
         "db " +
         way + " --unfinished rerun) or mark it as done (eider db " + way +
         " --unfinished mark-done)";
}

std::string remaining_text(Way way) {
  return "; the statements before that line took effect and remain. Change the file so that the "
         "whole file can run again (eider db " +
         word_of(way) +
         " --unfinished rerun), or complete the rest by hand (--unfinished mark-done)";
}

}  // namespace eider::db
