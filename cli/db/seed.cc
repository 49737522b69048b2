// `eider db seed`: runs the SQL files of the project's seeds in one transaction.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <ranges>
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
/// By table.
using RowCounts = std::map<std::string, std::int64_t>;

/// In the order of their names.
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
    files.push_back({std::move(name), std::move(*text)});
  }
  return files;
}

/// The tables that the seeds mention, quoted for SQL, by their names.
std::map<std::string, std::string> tables_in(const SeedFiles& files,
                                             const std::vector<structs::Table>& tables) {
  std::map<std::string, std::string> mentioned;
  for (const SeedFile& file : files) {
    for (const auto& token : db::detail::tokens_of(file.text, db::detail::kAnySql)) {
      for (const structs::Table& table : tables) {
        const std::size_t dot = table.name.rfind('.');  // npos + 1 is 0
        if (!equals_ignoring_case(table.name.substr(dot + 1), token.name())) {
          continue;
        }
        std::string quoted;
        for (const auto part : std::views::split(table.name, '.')) {
          quoted += (quoted.empty() ? "" : ".") +
                    db::detail::identifier_sql(std::string_view(part.begin(), part.end()));
        }
        mentioned[table.name] = std::move(quoted);
      }
    }
  }
  return mentioned;
}

/// Within one transaction, so that a seed that fails, or adds rows twice, leaves nothing.
class Seeds {
 public:
  Seeds(const SeedFiles& files, const std::map<std::string, std::string>& tables,
        const Transaction& transaction, db::Dialect dialect)
      : files_(files), tables_(tables), transaction_(transaction), dialect_(dialect) {}

  Task<RowCounts> count() const {
    RowCounts counts;
    for (const auto& [name, quoted] : tables_) {
      const auto rows =
          co_await transaction_.one<std::int64_t>(db::RuntimeSql{"select count(*) from " + quoted});
      counts[name] = rows.value_or(0);
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
          co_await transaction_.exec(db::RuntimeSql{std::string(piece.text)});
        } catch (const db::Failure& failure) {
          throw std::runtime_error(
              fmt::format("{}:{}: {}{}", file.name, piece.line, failure.what(), note));
        }
      }
    }
  }

 private:
  const SeedFiles& files_;
  const std::map<std::string, std::string>& tables_;
  const Transaction& transaction_;
  db::Dialect dialect_;
};

/// "authors: 3 rows added, 5 rows in the table"
void report_rows(const RowCounts& before, const RowCounts& after) {
  for (const auto& [table, rows] : after) {
    const std::int64_t added = rows - before.at(table);
    fmt::print("{}: {} {} added, {} in the table\n", table, added, added == 1 ? "row" : "rows",
               rows);
  }
}

void check_second_run(const RowCounts& after, const RowCounts& again) {
  for (const auto& [table, rows] : again) {
    if (rows != after.at(table)) {
      throw std::runtime_error(fmt::format(
          "the seeds would add rows to {} again when they run a second time, so nothing was "
          "stored. Insert a row only if it does not exist: with a unique key and `on conflict do "
          "nothing` (MariaDB: `insert ignore`), or with `where not exists (…)`",
          table));
    }
  }
}

Task<> store_seeds(const Database& database, const SeedFiles& files,
                   const std::map<std::string, std::string>& tables) {
  Transaction transaction = co_await database.begin();
  const Seeds seeds(files, tables, transaction, database.dialect());
  const RowCounts before = co_await seeds.count();
  co_await seeds.run("");
  const RowCounts after = co_await seeds.count();
  co_await seeds.run(
      " This happened when the seeds ran a second time, so nothing was stored. Insert a row only "
      "if "
      "it does not exist, for example with `on conflict do nothing`");
  check_second_run(after, co_await seeds.count());
  co_await transaction.commit();
  report_rows(before, after);
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
  const auto tables = structs::read_tables(*database);
  if (!tables) {
    return command_fault("db", tables.error());
  }
  const auto mentioned = tables_in(*files, *tables);
  try {
    bench::run_on_loop(Backend::epoll, [&] { return store_seeds(*database, *files, mentioned); });
  } catch (const std::exception& failure) {
    return command_fault("db", failure.what());
  }
  return kCommandDone;
}

}  // namespace eider
