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

/// Path of a database that is in no file.
inline constexpr const char* kInMemory = ":memory:";

struct CloseSqlite {
  void operator()(sqlite3* handle) const noexcept;
};
using SqliteHandle = std::unique_ptr<sqlite3, CloseSqlite>;

/// Creates the file with its permissions where there is none, opens it, and allows it in the
/// sandbox.
///
/// errors   Failure(open), with what to do about it
[[nodiscard]] SqliteHandle open_file(const std::string& path, const SqliteOptions& options);

/// Throws Failure(open) by the last error of `handle`.
[[noreturn]] void throw_cannot_open(const std::string& path, sqlite3* handle);

class SqliteConnection final : public Connection {
 public:
  enum class Role : std::uint8_t { reads, writes };
  /// errors  Failure(open), thrown: names the file and the mend
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
  RowShape shape_;                                                // of the statement that runs
  std::vector<Cell> cells_;                                       // of its row
  std::map<std::uint64_t, std::unique_ptr<OpenCursor>> cursors_;  // by their numbers
  std::function<void(std::uint64_t log_bytes)> on_large_log_;
  std::uint64_t page_bytes_ = 0;
  std::uint64_t large_log_bytes_ = 0;
  std::uint64_t told_from_bytes_ = 0;  // the log's size of which it is told next
  const Limit* limit_ = nullptr;       // of the statement that runs
  bool only_reads_ = false;            // the statement that runs
  std::int64_t inserted_before_ = 0;   // by the statements before the one that runs
  bool is_shared_ = false;             // the transaction: its statements are done again if it goes
  bool has_savepoint_ = false;         // the statement that runs
  bool is_begun_ = false;              // by begin(), and neither committed nor rolled back by us
};

}  // namespace eider::db
