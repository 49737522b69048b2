// One connection to an SQLite file, used by one thread.
// Layering: must not be included outside of this folder.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "eider/data/db/connection.h"
#include "eider/data/db/sqlite/open_cursor.h"
#include "eider/data/db/sqlite/sqlite.h"
#include "eider/data/db/sqlite/statement_cache.h"

struct sqlite3;

namespace eider::db {

/// Path of an in-memory database.
inline constexpr const char* kInMemory = ":memory:";

struct CloseSqlite {
  void operator()(sqlite3* handle) const noexcept;
};
using SqliteHandle = std::unique_ptr<sqlite3, CloseSqlite>;

/// Creates the file with its permissions if it does not exist, opens it, and allows access in the
/// sandbox.
///
/// errors   Failure(open), with the fix
[[nodiscard]] SqliteHandle open_file(const std::string& path, const SqliteOptions& options);

/// Throws Failure(open) with the last error of `handle`.
[[noreturn]] void throw_cannot_open(const std::string& path, sqlite3* handle);

class SqliteConnection final : public Connection {
 public:
  enum class Role : std::uint8_t { reads, writes };
  /// errors  Failure(open), thrown: with the file and the fix
  SqliteConnection(const std::string& path, Role role, const SqliteOptions& options);
  ~SqliteConnection() override;

  [[nodiscard]] std::optional<Changed> run(std::string_view sql, std::span<const Value> values,
                                           RowSink* rows, const Limit& limit) override;
  void take_piece(Cursor& cursor, std::string_view sql, std::span<const Value> values,
                  RowSink& rows, const Limit& limit) override;
  void close_cursor(std::uint64_t number) noexcept override;
  void close_cursors() noexcept override;
  void script(std::string_view sql) override;
  void begin() override;
  void begin_sharing() override;
  void commit() override;
  void roll_back() noexcept override;
  [[nodiscard]] bool can_share() const noexcept override { return true; }
  [[nodiscard]] bool begin_reading() noexcept override;
  [[nodiscard]] bool may_commit() const noexcept override;

 private:
  class Run;

  void set_up(const SqliteOptions& options);
  void begin_log(Duration busy_time_max);
  void prove_writable();
  void set_up_schema(const std::string& path, const std::string& schema);
  void add_last_insert_rowid();
  void add_collations();
  void keep_query_only();
  void watch_log(const SqliteOptions& options);
  void on_log(std::uint64_t pages_count);
  void execute(const char* sql);
  void say(const char* sql);
  void run_all(const std::string& sql);
  [[nodiscard]] bool is_in_transaction() const noexcept;
  void check_transaction() const;
  static int ask_limit(void* connection) noexcept;
  [[nodiscard]] bool needs_savepoint(const PreparedStatement& prepared) const noexcept;
  void close_cursors_of_transaction() noexcept;
  Changed run_prepared(const PreparedStatement& prepared, std::span<const Value> values,
                       RowSink* rows, const Limit& limit);
  Changed run_in_savepoint(std::string_view sql, std::span<const Value> values, RowSink* rows,
                           const Limit& limit);

  Role role_;
  SqliteHandle handle_;
  StatementCache cache_;
  RowShape shape_;                                                // of the running statement
  std::vector<Cell> cells_;                                       // of its current row
  std::map<std::uint64_t, std::unique_ptr<OpenCursor>> cursors_;  // by their numbers
  std::function<void(std::uint64_t log_bytes)> on_large_log_;
  std::uint64_t page_bytes_ = 0;
  std::uint64_t large_log_bytes_ = 0;
  std::uint64_t told_from_bytes_ = 0;  // log size for the next call of `on_large_log`
  const Limit* limit_ = nullptr;       // of the running statement
  bool only_reads_ = false;            // of the running statement
  std::int64_t inserted_before_ = 0;   // the last row ID before the running statement
  bool is_shared_ = false;             // of a transaction whose statements can be repeated
  bool has_savepoint_ = false;         // of the running statement
  bool is_begun_ = false;              // by begin(), and not committed or rolled back by this class
};

}  // namespace eider::db
