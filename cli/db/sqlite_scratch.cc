#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "cli/bench/on_loop.h"
#include "cli/db/nullability.h"
#include "cli/db/scratch.h"
#include "cli/files.h"
#include "eider/core/base/text.h"
#include "eider/data/db/migrations/migrate.h"
#include "eider/data/db/scratch/cleanup_process.h"
#include "eider/data/db/sqlite/sqlite.h"

namespace eider {
namespace {

using detail::scratch::CleanupProcess;

/// The directory with the database file and the files that SQLite creates next to it.
class ScratchDirectory final : public detail::scratch::TemporaryResource {
 public:
  Result<std::string, std::string> make(const detail::scratch::Parent& /*other*/) override {
    auto directory =
        TemporaryDirectory::create(std::filesystem::temp_directory_path().string(), "eider_check_");
    if (!directory) {
      return fail(std::string("cannot create a file for the scratch database"));
    }
    return directory_.emplace(std::move(*directory)).path() + "/scratch.db";
  }
  /// Repeats the removal, because SQLite may still create files: a signal stops only the thread
  /// that receives it.
  Result<void, std::string> remove() override {
    if (!directory_) {
      return {};
    }
    constexpr int kTriesMax = 100;
    constexpr std::chrono::milliseconds kPause(10);
    std::error_code failed;
    for (int tries = 0; tries < kTriesMax; ++tries) {
      std::filesystem::remove_all(directory_->path(), failed);
      if (!failed) {
        return {};
      }
      std::this_thread::sleep_for(kPause);
    }
    return fail("cannot delete " + directory_->path() + ": " + failed.message());
  }

 private:
  std::optional<TemporaryDirectory> directory_;
};

struct CloseHandle {
  void operator()(sqlite3* handle) const noexcept { sqlite3_close(handle); }
};
struct EndStatement {
  void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using SqliteStatement = std::unique_ptr<sqlite3_stmt, EndStatement>;

std::string text_or_empty(const char* text) {
  return text == nullptr ? std::string() : std::string(text);
}

/// Returns the kind by SQLite's affinities (datatype3.html, section 3.1) for the declared type. A
/// column of a table that is not STRICT may contain any value; programs that read it with that type
/// do not expect others.
std::string kind_of_declared(std::string_view declared) {
  std::string type(declared);
  std::ranges::transform(type, type.begin(), to_lower);
  const auto has = [&type](std::string_view part) { return type.contains(part); };
  if (has("bool")) {
    return "boolean";
  }
  if (has("int")) {
    return "integer";
  }
  if (has("char") || has("clob") || has("text")) {
    return "text";
  }
  if (has("blob")) {
    return "blob";
  }
  return has("real") || has("floa") || has("doub") ? "real" : "unknown";
}

class SqliteScratch final : public ScratchDatabase {
 public:
  SqliteScratch(CleanupProcess keeper, std::unique_ptr<sqlite3, CloseHandle> handle)
      : keeper_(std::move(keeper)),
        handle_(std::move(handle)),
        schema_{.tables = first_column("select name from sqlite_schema where type = 'table'"),
                .views = first_column("select name from sqlite_schema where type = 'view'")} {}
  Result<LockedStatement, std::string> describe(const std::string& sql) override {
    const SqliteStatement statement = prepare(sql);
    if (statement == nullptr) {
      return fail(std::string("SQLite: ") + sqlite3_errmsg(handle_.get()));
    }
    LockedStatement locked{sql, {}, {}};
    const int parameters = sqlite3_bind_parameter_count(statement.get());
    locked.parameters.assign(static_cast<std::size_t>(parameters), "any");
    std::vector<DescribedColumn> described;
    for (int i = 0; i < sqlite3_column_count(statement.get()); ++i) {
      const std::string declared = text_or_empty(sqlite3_column_decltype(statement.get(), i));
      locked.columns.push_back({text_or_empty(sqlite3_column_name(statement.get(), i)),
                                kind_of_declared(declared), declared, true});
      described.push_back(origin_of(*statement, i));
    }
    const std::vector<bool> nulls = columns_that_may_be_null(sql, plan_of(sql), described, schema_);
    for (std::size_t i = 0; i < nulls.size(); ++i) {
      locked.columns[i].may_be_null = nulls[i] && !has_sure_operands(sql, i);
    }
    return locked;
  }
  std::string where() const override { return keeper_.where(); }

 private:
  /// Returns whether the column is an expression of other columns that are never null.
  // NOLINTNEXTLINE(misc-no-recursion): those are plain columns
  bool has_sure_operands(const std::string& sql, std::size_t place) {
    const std::string operands = select_of_operands(sql, place, ExpressionsOf::sqlite);
    const auto described = operands.empty() || operands == sql
                               ? Result<LockedStatement, std::string>(fail(std::string()))
                               : describe(operands);
    return described && std::ranges::none_of(described->columns, &LockedColumn::may_be_null);
  }

  SqliteStatement prepare(const std::string& sql) {
    sqlite3_stmt* made = nullptr;
    sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &made, nullptr);
    return SqliteStatement(made);
  }

  DescribedColumn origin_of(sqlite3_stmt& statement, int column) {
    const char* table = sqlite3_column_table_name(&statement, column);
    const char* origin = sqlite3_column_origin_name(&statement, column);
    if (table == nullptr || origin == nullptr) {
      return {.table = {}, .is_not_null = false};
    }
    return described_of(table, origin);
  }

  DescribedColumn described_of(const char* table, const char* origin) {
    const char* type = nullptr;
    int is_not_null = 0;
    int is_key = 0;
    sqlite3_table_column_metadata(handle_.get(), nullptr, table, origin, &type, nullptr,
                                  &is_not_null, &is_key, nullptr);
    // Of the columns in a primary key, only the row id is never null: a single integer.
    const bool is_row_number = is_key == 1 &&
                               equals_ignoring_case(text_or_empty(type), "integer") &&
                               key_columns_of(table) == 1;
    return {.table = table, .is_not_null = is_not_null != 0 || is_row_number};
  }

  int key_columns_of(const char* table) {
    const SqliteStatement statement =
        prepare("select count(*) from pragma_table_xinfo(?1) where pk > 0");
    const bool is_read =
        statement != nullptr &&
        sqlite3_bind_text(statement.get(), 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
        sqlite3_step(statement.get()) == SQLITE_ROW;
    return is_read ? sqlite3_column_int(statement.get(), 0) : 0;
  }

  std::string plan_of(const std::string& sql) {
    const SqliteStatement statement = prepare("explain query plan " + sql);
    std::string plan;
    while (statement != nullptr && sqlite3_step(statement.get()) == SQLITE_ROW) {
      const auto* detail = sqlite3_column_text(statement.get(), 3);
      plan += text_or_empty(reinterpret_cast<const char*>(detail)) + "\n";
    }
    return plan;
  }

  std::vector<std::string> first_column(const std::string& sql) {
    const SqliteStatement statement = prepare(sql);
    std::vector<std::string> values;
    while (statement != nullptr && sqlite3_step(statement.get()) == SQLITE_ROW) {
      const auto* value = sqlite3_column_text(statement.get(), 0);
      values.push_back(text_or_empty(reinterpret_cast<const char*>(value)));
    }
    return values;
  }

  CleanupProcess keeper_;  // destroyed last
  std::unique_ptr<sqlite3, CloseHandle> handle_;
  SchemaNames schema_;
};

}  // namespace

Scratch make_sqlite_scratch(const Migrations& migrations) {
  ScratchDirectory directory;
  auto keeper = CleanupProcess::start(directory);
  if (!keeper) {
    return fail(std::move(keeper.error()));
  }
  const std::string file = keeper->where();
  Result<std::size_t, std::string> done = 0;
  {
    const Database database = open_sqlite(file);
    bench::run_on_loop(Backend::epoll,
                       [&]() -> Task<> { done = co_await migrate(database, migrations); });
  }
  sqlite3* made = nullptr;
  sqlite3_open_v2(file.c_str(), &made, SQLITE_OPEN_READWRITE, nullptr);
  auto scratch = std::make_unique<SqliteScratch>(std::move(*keeper),
                                                 std::unique_ptr<sqlite3, CloseHandle>(made));
  return done ? Scratch(std::move(scratch)) : fail(std::move(done.error()));
}

}  // namespace eider
