// `eider db seed`: runs the SQL files of the project's seeds in one transaction.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <vector>

#include "cli/bench/on_loop.h"
#include "cli/commands.h"
#include "cli/db/connect.h"
#include "cli/db/options.h"
#include "cli/db/structs/schema.h"
#include "cli/files.h"
#include "cli/project/words.h"
#include "eider/core/base/text.h"
#include "eider/core/base/text_encoding.h"
#include "eider/core/base/utf8.h"
#include "eider/data/db/column_names.h"
#include "eider/data/db/migrations/sql_pieces.h"
#include "eider/data/db/sql_lexer.h"

namespace eider {
namespace {

struct SeedFile {
  std::string name;
  std::string text;
};
using SeedFiles = std::vector<SeedFile>;
/// Row counts by table name.
using RowCounts = std::map<std::string, std::int64_t>;

/// Reads the seeds, ordered by file name.
Result<SeedFiles, std::string> read_seeds(const std::string& directory) {
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failed)) {
    if (entry.path().extension() == ".sql") {
      names.push_back(entry.path().string());
    }
  }
  if (failed || names.empty()) {
    return fail(
        fmt::format("{}: {}. Write INSERT statements into {}/01_example.sql, or set --seeds",
                    directory, failed ? failed.message() : "there is no SQL file", directory));
  }
  std::ranges::sort(names);
  SeedFiles files;
  for (std::string& name : names) {
    auto text = read_text_file(name);
    if (!text) {
      return fail(std::move(text.error()));
    }
    if (const auto wrong = detail::base::encoding_error(*text)) {
      return fail(fmt::format("{}:{}: {}", name, wrong->line, wrong->what));
    }
    files.push_back({std::move(name), std::string(without_bom(*text))});
  }
  return files;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) noexcept {
  return std::ranges::any_of(
      words, [word](std::string_view one) { return equals_ignoring_case(one, word); });
}

/// Returns whether the statement sets autocommit; the user variable @autocommit does not count, and
/// a value of that name neither.
bool sets_autocommit(const db::SqlPiece& piece) {
  const auto tokens = db::tokens_of_mariadb(piece.text);
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    const bool is_of_user = tokens[i - 1].is("@") && !(i > 1 && tokens[i - 2].is("@"));
    if (equals_ignoring_case(tokens[i].name(), "autocommit") && !is_of_user &&
        tokens[i + 1].is_one_of({"=", ":"})) {
      return true;
    }
  }
  return false;
}

/// Returns whether MariaDB commits before the statement. `analyze` without `table` only shows how a
/// statement runs, and temporary tables and prepared statements are not part of the schema.
bool commits_implicitly(const db::SqlPiece& piece) {
  const auto& words = piece.words;
  if (is_one_of(words[0], {"create", "alter", "drop"})) {
    const bool is_replaced = is_one_of(words[1], {"or"}) && is_one_of(words[2], {"replace"});
    return !is_one_of(words[is_replaced ? 3 : 1], {"temporary", "prepare"});
  }
  if (is_one_of(words[0], {"analyze"})) {
    return is_one_of(words[1], {"table", "tables"}) || is_one_of(words[2], {"table", "tables"});
  }
  return is_one_of(words[0], {"xa", "rename", "truncate", "grant", "revoke", "lock", "unlock",
                              "optimize", "repair", "flush"}) ||
         (is_one_of(words[0], {"set"}) && sets_autocommit(piece));
}

bool ends_transaction(const db::SqlPiece& piece, db::Dialect dialect) {
  return db::controls_transaction(piece) ||
         (dialect == db::Dialect::mariadb && commits_implicitly(piece));
}

/// Also checks the statements in `begin not atomic … end` of MariaDB.
std::optional<db::SqlPiece> first_that_ends_transaction(std::string_view sql, db::Dialect dialect) {
  for (const db::SqlPiece& piece : db::split_sql(sql, dialect)) {
    std::vector<db::SqlPiece> all = db::statements_in_block(piece);
    all.insert(all.begin(), piece);
    const auto found = std::ranges::find_if(
        all, [dialect](const db::SqlPiece& one) { return ends_transaction(one, dialect); });
    if (found != all.end()) {
      return *found;
    }
  }
  return std::nullopt;
}

/// errors   "seeds/01.sql:3: remove `commit`: …"
Result<void, std::string> check_statements(const SeedFiles& files, db::Dialect dialect) {
  for (const SeedFile& file : files) {
    if (const auto piece = first_that_ends_transaction(file.text, dialect)) {
      constexpr std::size_t kBytesMax = 60;
      const std::string_view line = piece->text.substr(0, piece->text.find('\n'));
      return fail(fmt::format(
          "{}:{}: remove `{}`: eider db seed runs all files in one transaction, which this "
          "statement would end",
          file.name, piece->line, trim(line.substr(0, kBytesMax))));
    }
  }
  return {};
}

/// Returns the name, quoted for SQL.
std::string quoted(const structs::Table& table) {
  return (table.schema.empty() ? "" : db::detail::identifier_sql(table.schema) + ".") +
         db::detail::identifier_sql(table.own_name());
}

/// Returns the names of the tables that the seeds mention.
std::set<std::string> tables_in(const SeedFiles& files, const std::vector<structs::Table>& tables) {
  std::set<std::string> mentioned;
  for (const SeedFile& file : files) {
    for (const auto& token : db::detail::tokens_of(file.text, db::detail::kAnySql)) {
      for (const structs::Table& table : tables) {
        if (equals_ignoring_case(table.own_name(), token.name())) {
          mentioned.insert(table.name);
        }
      }
    }
  }
  return mentioned;
}

struct TableEngine {
  std::string name;
  std::string engine;
};

/// A trigger (by its table), a procedure or a view, with the SQL that it runs.
struct StoredSql {
  std::string name;
  std::string sql;
};

struct LessIgnoringCase {
  using is_transparent = void;
  bool operator()(std::string_view left, std::string_view right) const noexcept {
    return std::ranges::lexicographical_compare(left, right, {}, to_lower, to_lower);
  }
};
using Names = std::set<std::string, LessIgnoringCase>;

/// Adds the names in a text, except those in quoted texts.
void add_names(Names& names, std::string_view sql) {
  for (const auto& token : db::tokens_of_mariadb(sql)) {
    if (!token.text.starts_with('\'')) {
      names.emplace(token.name());
    }
  }
}

/// Returns the names that the seeds mention, and those in the triggers, procedures and views that
/// these refer to.
Names names_in(const SeedFiles& files, std::vector<StoredSql> stored) {
  Names names;
  for (const SeedFile& file : files) {
    add_names(names, file.text);
  }
  const auto is_reached = [&](const StoredSql& one) { return names.contains(one.name); };
  for (auto one = std::ranges::find_if(stored, is_reached); one != stored.end();
       one = std::ranges::find_if(stored, is_reached)) {
    add_names(names, one->sql);
    stored.erase(one);
  }
  return names;
}

/// returns  the tables of MariaDB that do not support rollback
///
/// errors   throws std::runtime_error if the seeds use one of them
Task<Names> check_engines(const Database& database, const SeedFiles& files) {
  const auto tables = co_await database.all<TableEngine>(db::RuntimeSql{
      "select table_name as name, engine from information_schema.tables where table_schema = "
      "database() and table_type in ('BASE TABLE', 'SYSTEM VERSIONED') and engine not in (select "
      "engine from information_schema.engines where transactions = 'YES')"});
  Names found;
  if (tables.empty()) {
    co_return found;
  }
  const auto stored = co_await database.all<StoredSql>(db::RuntimeSql{
      "select event_object_table as name, action_statement as `sql` from "
      "information_schema.triggers where trigger_schema = database() union all select "
      "routine_name, coalesce(routine_definition, '') from information_schema.routines where "
      "routine_schema = database() union all select table_name, view_definition from "
      "information_schema.views where table_schema = database()"});
  const Names names = names_in(files, stored);
  for (const TableEngine& table : tables) {
    if (names.contains(table.name)) {
      throw std::runtime_error(fmt::format(
          "the table {0} has the engine {1}, which has no transactions: seeds that fail would be "
          "stored in part. Nothing was stored. Run alter table {0} engine = InnoDB in a migration",
          table.name, table.engine));
    }
    found.insert(table.name);
  }
  co_return found;
}

/// Returns whether `exec` accepts the statement. Others need a script, which costs MariaDB two more
/// round trips, and which some proxies reject: blocks with semicolons, and statements that servers
/// cannot prepare.
bool is_plain(const db::SqlPiece& piece) noexcept {
  const db::SqlShape shape = db::read_sql(piece.text);
  return is_one_of(piece.words[0], {"insert", "update", "delete", "replace"}) &&
         shape.fault == db::SqlFault::none && shape.parameters == 0;
}

/// Runs the seeds within one transaction, so that nothing is left if a seed fails or adds rows
/// twice.
class Seeds {
 public:
  Seeds(const SeedFiles& files, const std::vector<structs::Table>& tables, Transaction& transaction,
        db::Dialect dialect)
      : files_(files), tables_(tables), transaction_(transaction), dialect_(dialect) {}

  /// Counts the rows of all tables, because triggers and functions change tables that the seeds do
  /// not mention.
  Task<RowCounts> count() const {
    RowCounts counts;
    for (const structs::Table& table : tables_) {
      try {
        counts[table.name] = co_await transaction_.savepoint(
            [&](Transaction& part) { return count_one(part, quoted(table)); });
      } catch (const db::Failure& failure) {
        // Tables without read permission are not counted.
        if (failure.kind() != db::FailureKind::statement) {
          throw;
        }
      }
    }
    co_return counts;
  }

  /// note  added to the message of a failure
  ///
  /// errors  throws std::runtime_error: "seeds/01_users.sql:3: …"
  Task<> run(std::string_view note) const {
    for (const SeedFile& file : files_) {
      for (const db::SqlPiece& piece : db::split_sql(file.text, dialect_)) {
        try {
          const db::RuntimeSql sql{std::string(piece.text)};
          if (is_plain(piece)) {
            co_await transaction_.exec(sql);
          } else {
            co_await transaction_.script(sql);
          }
        } catch (const db::Failure& failure) {
          throw std::runtime_error(
              fmt::format("{}:{}: {}{}", file.name, piece.line, failure.what(), note));
        }
      }
    }
  }

 private:
  static Task<std::int64_t> count_one(Transaction& part, std::string table) {
    const auto rows =
        co_await part.one<std::int64_t>(db::RuntimeSql{"select count(*) from " + table});
    co_return rows.value_or(0);
  }

  const SeedFiles& files_;
  const std::vector<structs::Table>& tables_;
  Transaction& transaction_;
  db::Dialect dialect_;
};

/// Prints "authors: 3 rows added, 5 in the table", for tables that the seeds mention or change.
void report_rows(const std::set<std::string>& mentioned, const RowCounts& before,
                 const RowCounts& after) {
  for (const auto& [table, rows] : after) {
    const auto known = before.find(table);
    const std::int64_t added = known == before.end() ? 0 : rows - known->second;
    if (added != 0 || mentioned.contains(table)) {
      fmt::print("{}: {} {} added, {} in the table\n", table, added, added == 1 ? "row" : "rows",
                 rows);
    }
  }
}

void check_second_run(const RowCounts& after, const RowCounts& again) {
  for (const auto& [table, rows] : again) {
    const auto known = after.find(table);
    if (known != after.end() && rows != known->second) {
      throw std::runtime_error(fmt::format(
          "the seeds would change the number of rows in {} again when they run a second time, so "
          "nothing was stored. Insert a row only if it does not exist: with a unique key and `on "
          "conflict do nothing` (MariaDB: `insert ignore`), or with `where not exists (…)`",
          table));
    }
  }
}

/// Runs the seeds a second time, compares the counts, and rolls the second run back.
Task<> try_second_run(Transaction& transaction, const Seeds& seeds, const RowCounts& after) {
  const Result<void, RowCounts> again =
      co_await transaction.savepoint([&](Transaction&) -> Task<Result<void, RowCounts>> {
        co_await seeds.run(
            " This happened when the seeds ran a second time, so nothing was stored. Insert a row "
            "only if it does not exist, for example with `on conflict do nothing`");
        co_return fail(co_await seeds.count());
      });
  check_second_run(after, again.error());
}

Task<> store_seeds(const Database& database, const SeedFiles& files,
                   std::vector<structs::Table> tables) {
  if (database.dialect() == db::Dialect::mariadb) {
    // Counting the rows of an Aria table would end the transaction.
    const Names unused = co_await check_engines(database, files);
    std::erase_if(tables,
                  [&](const structs::Table& table) { return unused.contains(table.own_name()); });
  }
  Transaction transaction = co_await database.begin();
  const Seeds seeds(files, tables, transaction, database.dialect());
  const RowCounts before = co_await seeds.count();
  try {
    co_await transaction.savepoint([&](Transaction&) { return seeds.run(""); });
  } catch (const db::Failure& failure) {
    // A procedure of MariaDB can commit; then the savepoint no longer exists.
    throw std::runtime_error(
        fmt::format("a statement of the seeds ended their transaction, so rows may be stored: {}. "
                    "Remove COMMIT from procedures that the seeds call",
                    failure.what()));
  }
  const RowCounts after = co_await seeds.count();
  co_await try_second_run(transaction, seeds, after);
  co_await transaction.commit();
  report_rows(tables_in(files, tables), before, after);
}

}  // namespace

int run_seeds(const DbWanted& wanted) {
  if (!wanted.is_production && !is_on_this_machine(wanted.database)) {
    return command_fault(
        "db",
        "the database is on another machine, so it may be a production database. Add "
        "--production to store the seeds there");
  }
  const auto files = read_seeds(wanted.seeds);
  if (!files) {
    return command_fault("db", files.error());
  }
  const std::string file = sqlite_file_of(wanted.database);
  if (is_sqlite_file(wanted.database) && !std::filesystem::exists(file)) {
    return command_fault("db", "there is no database " + file + ". Run eider db up");
  }
  const auto database = open_door(wanted.database, Access::writes);
  if (!database) {
    return command_fault("db", database.error());
  }
  if (const auto checked = check_statements(*files, database->dialect()); !checked) {
    return command_fault("db", checked.error());
  }
  const auto tables = structs::read_tables(*database);
  if (!tables) {
    return command_fault("db", tables.error());
  }
  try {
    bench::run_on_loop(Backend::epoll, [&] { return store_seeds(*database, *files, *tables); });
  } catch (const std::exception& failure) {
    return command_fault("db", failure.what());
  }
  return kCommandDone;
}

}  // namespace eider
